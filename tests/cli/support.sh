# What the tests of the command line share. A script sources it with the program and the source folder as $1 and $2;
# it then works in a folder of its own, which is removed at the end.
set -u
umask 077 # what others can read is noted on stderr, which only tests/cli/files is about
gersh=$(realpath "$1")
source_dir=$(realpath "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
passed=0
failed=0

pass() {
    passed=$((passed + 1))
}

fail() {
    failed=$((failed + 1))
    printf 'FAILED %s\n' "$1"
}

# check NAME EXPECTED_STATUS EXPECTED_STDOUT_PART EXPECTED_STDERR COMMAND...
# The part is a grep -F pattern ("" for no output at all); stderr is compared whole, unless it is *.
check() {
    local name=$1 status=$2 part=$3 message=$4
    shift 4
    "$@" >out 2>err </dev/null
    local got=$? why=""
    [ "$got" = "$status" ] || why="exit status $got, expected $status"
    if [ -n "$part" ]; then
        grep -qF -- "$part" out || why="$why; stdout lacks '$part'"
    else
        [ -s out ] && why="$why; stdout is not empty"
    fi
    [ "$message" = "*" ] || [ "$(cat err)" = "$message" ] || why="$why; stderr is '$(cat err)', expected '$message'"
    if [ -z "$why" ]; then pass; else fail "$name: $why"; fi
}

# json NAME EXPRESSION COMMAND...: the document on stdout satisfies a jq expression.
json() {
    local name=$1 expression=$2
    shift 2
    "$@" 2>err </dev/null >document
    if [ -s document ] && jq -e "$expression" <document >/dev/null; then pass; else fail "$name: $expression"; fi
}

# holds NAME COMMAND...
holds() {
    local name=$1
    shift
    if "$@" >/dev/null 2>&1; then pass; else fail "$name"; fi
}

# data ROWS FEATURES: two classes that differ in the first features, the same numbers on every machine.
data() {
    awk -v n="$1" -v k="$2" 'function draw() { s = (s * 16807) % 2147483647; return s / 2147483647 }
        BEGIN { s = 12345
            for (j = 1; j <= k; j++) printf "f%d,", j
            print "class"
            for (i = 0; i < n; i++) { c = i % 2
                for (j = 1; j <= k; j++) printf "%.6f,", draw() + draw() + draw() + (j < 4 ? c * j / 3 : 0)
                print c ? "yes" : "no" } }'
}

# manual COMMAND LEAST: the help of the command has that many options, and each stands in its manual page.
manual() {
    local page="$source_dir/docs/man/gersh-$1.1" options option
    options=$("$gersh" help "$1" | grep -oE '^  (-[a-z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort -u)
    holds "the help has options" test "$(wc -w <<<"$options")" -ge "$2"
    for option in $options; do
        if grep -qF -- "${option#--}" <(sed 's/\\-/-/g' "$page"); then
            pass
        else
            fail "manual: $page lacks $option"
        fi
    done
}

# listed NAMES WHERE...: each of the names, separated by bars, stands in each of these files of the project as a word.
listed() {
    local name file
    holds "there are names" test "$(tr '|' '\n' <<<"$1" | wc -l)" -ge 3
    for name in ${1//|/ }; do
        for file in "${@:2}"; do
            holds "$file names $name" grep -qwF -- "$name" <(sed 's/\\-/-/g' "$source_dir/$file")
        done
    done
}

# finish NAME: the last line of a script.
finish() {
    echo "cli $1: $passed passed, $failed failed"
    [ "$failed" = 0 ]
}
