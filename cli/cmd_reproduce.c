/* gersh reproduce: starts gersh-reproduce, a program of its own, which computes the paper's tables. */
#include "cli.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/settings.h"

#define PROGRAM "gersh-reproduce"
#define DEFAULT_OUTPUT "gersh-reproduce"

enum { MOST_WORDS = 32 };

/* Its path in the folder of this program; 0 where that folder is not known. */
static int find_beside(char path[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);
    while (length > 0 && path[length - 1] != '/')
        length--;
    if (length <= 0 || (size_t)length + sizeof PROGRAM > PATH_MAX)
        return 0;
    strcpy(path + length, PROGRAM);
    return 1;
}

/* The command line of the program: what was given, as it was given. */
static void list_words(const char *words[MOST_WORDS], const cli_args *args)
{
    static const struct {
        int setting;
        const char *option;
    } settings[] = {
        {GERSH__MAX_TIME, "--max-time"}, {GERSH__SEED, "--seed"}, {GERSH__THREADS, "--threads"}};
    static const struct {
        const char *name, *option;
    } own[] = {{"data", "--data"},
               {"output", "--output"},
               {"quick", "--quick"},
               {"fresh", "--fresh"},
               {"list", "--list"}};
    size_t count = 0;
    words[count++] = PROGRAM;
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        const char *value = cli_value(args, own[i].name);
        if (value == NULL)
            continue;
        words[count++] = own[i].option;
        if (i < 2)
            words[count++] = value;
    }
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        if (gersh__setting_given(args->settings, settings[i].setting)) {
            words[count++] = settings[i].option;
            words[count++] = gersh__setting_text(args->settings, settings[i].setting);
        }
    if (args->json)
        words[count++] = "--json";
    if (args->quiet)
        words[count++] = "--quiet";
    words[count++] = "--";
    if (args->operands > 0)
        words[count++] = args->operand[0];
    words[count] = NULL;
}

/* Comes back only where the program cannot be started. */
static int run(const cli_args *args)
{
    char path[PATH_MAX];
    const char *words[MOST_WORDS];
    list_words(words, args);
    if (find_beside(path))
        execv(path, (char *const *)words);
    if (errno == ENOENT)
        execvp(PROGRAM, (char *const *)words);
    gersh_status status =
        errno == ENOENT ? gersh__fail(GERSH_ERROR_INPUT,
                                      "there is no program " PROGRAM " beside gersh or on the PATH; "
                                      "install it with gersh (make install), or build it (make build)")
                        : gersh__fail_errno(errno, PROGRAM, "cannot be started");
    return cli_fail(args, status, NULL);
}

static const cli_option options[] = {
    {"data", 0, "DIR", "folder with the data sets: NAME.csv each, no header, the label last"},
    {"output", 'o', "DIR", "folder for tables, figures and finished cells (default: " DEFAULT_OUTPUT ")"},
    {"quick", 0, NULL, "few folds and short time limits: a minute in all, to see that it works"},
    {"fresh", 0, NULL, "compute everything anew, also what an earlier run has finished"},
    {"list", 0, NULL, "list the data files, and with --data which of them are missing or differ"},
    {0}};

const cli_command cli_reproduce = {
    .name = "reproduce",
    .operand_names = "TABLE",
    .operands = 0,
    .optional = 1,
    .summary = "compute the paper's tables anew, beside its figures",
    .about = "TABLE is gdpa (the numeric examples), low-rank (a nuclear-norm prior), runtime (seconds on "
             "madelon and "
             "colon-cancer), objectives (converged values of 17 data sets), accuracy (of nearest "
             "neighbours on 15 data sets), or all. Prints ours beside the "
             "paper's, "
             "and which of its claims hold here, and writes tables (CSV and Markdown) and figures (SVG) to "
             "a folder. "
             "Finished cells are kept there: a run that was interrupted (Ctrl-C, exit status 130) goes on "
             "where it "
             "was. Data sets that are not there are left out and named. --max-time is for each fit.",
    .settings = "max-time seed threads",
    .options = options,
    .example = "gersh reproduce all --data datasets --quick",
    .run = run,
};
