/* gersh-reproduce, which `gersh reproduce` runs: the paper's tables, ours beside its figures. */
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "json.h"
#include "tools.h"

enum { EXIT_DONE = 0, EXIT_BAD = 1, EXIT_INTERNAL = 2, EXIT_INTERRUPTED = 130 };
enum { BAR = 20, PLAIN_WIDTH = 120, LIST_WIDTH = 160 };

#define COMMAND "gersh reproduce"
#define DEFAULT_OUTPUT "gersh-reproduce"

/* What the command line asks for. */
typedef struct request {
    const char *table; /* or NULL */
    repro_options options;
    gersh_settings *settings;
    int list, json, quiet;
} request;

static gersh_cancel cancel;

static void on_signal(int signal_number)
{
    (void)signal_number;
    gersh_cancel_request(&cancel);
}

/* A second signal ends the program at once. A file that outgrows its limit is a failed write, not a signal. */
static void watch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGXFSZ, SIG_IGN);
}

/* A standard stream that is closed is held by what cannot be used, so that no file gets its number. */
static void hold_streams(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) < 0)
            (void)!open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

static int finish_output(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return EXIT_DONE;
    fprintf(stderr, "gersh: cannot write the output: %s\n", strerror(errno));
    return EXIT_INTERNAL;
}

static int print_json(json_t *document)
{
    repro_json_write(stdout, document);
    return finish_output();
}

static int exit_status(gersh_status status)
{
    switch (status) {
    case GERSH_OK:
        return EXIT_DONE;
    case GERSH_ERROR_CANCELLED:
        return EXIT_INTERRUPTED;
    case GERSH_ERROR_MEMORY:
    case GERSH_ERROR_NUMERIC:
    case GERSH_ERROR_DISK:
        return EXIT_INTERNAL;
    default:
        return EXIT_BAD;
    }
}

/* Says what went wrong. The document is made before anything is said, so that short memory gives no second sentence. */
static int fail(const request *r, gersh_status status)
{
    json_t *document = r->json ? json_pack("{s:s}", "error", repro_error()) : NULL;
    fprintf(stderr, COMMAND ": %s\n", repro_error());
    if (document != NULL)
        print_json(document);
    return exit_status(status);
}

static int columns_of(int stream)
{
    struct winsize size;
    return ioctl(stream, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

static void put_duration(char *out, size_t size, double seconds)
{
    if (seconds < 100)
        snprintf(out, size, "%.0f s", seconds);
    else
        snprintf(out, size, "%.0f min", seconds / 60);
}

/* When the line of progress was drawn, in seconds since the start; negative: not yet. */
static double drawn;

static void draw(void *context, const repro_progress *now)
{
    char text[320], marks[BAR + 1], spent[32], left[64] = "";
    (void)context;
    if (drawn >= 0 && now->seconds - drawn < 0.1)
        return;
    memset(marks, '.', BAR);
    memset(marks, '#', (size_t)(now->done * BAR));
    marks[BAR] = '\0';
    put_duration(spent, sizeof spent, now->seconds);
    if (now->left >= 0) {
        char duration[32];
        put_duration(duration, sizeof duration, now->left);
        snprintf(left, sizeof left, ", about %s left", duration);
    }
    snprintf(text, sizeof text, "[%s] %s%s; %s", marks, spent, left, now->what);
    fprintf(stderr, "\r%.*s\033[K", columns_of(STDERR_FILENO) - 1, text);
    fflush(stderr);
    drawn = now->seconds;
}

/* The claims alone, a line each. */
static void print_claims(const repro_result *result)
{
    for (size_t r = 0; r < result->reports; r++)
        for (size_t c = 0; c < result->report[r]->claims; c++)
            printf("%s: %s: %s\n", result->report[r]->name,
                   repro_verdict_name(result->report[r]->claim[c].verdict),
                   result->report[r]->claim[c].text);
}

static void print_counts(const repro_result *result)
{
    size_t count[3] = {0};
    for (size_t r = 0; r < result->reports; r++)
        for (size_t c = 0; c < result->report[r]->claims; c++)
            count[result->report[r]->claim[c].verdict]++;
    printf("%zu claims hold, %zu do not hold here, %zu are open; %zu cells computed, %zu taken from "
           "earlier runs\n",
           count[REPRO_CLAIM_HOLDS], count[REPRO_CLAIM_FAILS], count[REPRO_CLAIM_OPEN], result->computed,
           result->reused);
}

static void print_text(const request *r, const repro_result *result)
{
    char folder[4 * PATH_MAX];
    int width = isatty(STDOUT_FILENO) ? columns_of(STDOUT_FILENO) : PLAIN_WIDTH;
    for (size_t i = 0; i < result->reports; i++) {
        repro_report_write(stdout, result->report[i], REPRO_TEXT, width);
        putchar('\n');
    }
    print_counts(result);
    printf("%zu files in %s\n", result->files, gersh_text_clean(folder, sizeof folder, r->options.output));
    if (result->missing > 0) {
        printf("missing data, whose rows are empty:");
        for (size_t m = 0; m < result->missing; m++)
            printf("%s %s.csv", m > 0 ? "," : "", result->missing_name[m]);
        printf("; '" COMMAND " --list' says where they come from\n");
    }
}

static int list(const request *r)
{
    repro_report *report = NULL;
    gersh_status status = repro_list(&report, r->options.data);
    if (status != GERSH_OK)
        return fail(r, status);
    if (r->json)
        repro_json_write(stdout, repro_json_report(report));
    else
        repro_report_write(stdout, report, REPRO_TEXT, LIST_WIDTH);
    repro_report_free(report);
    return finish_output();
}

static int run(request *r)
{
    repro_result *result = NULL;
    drawn = -1;
    if (!r->quiet && !r->json && isatty(STDERR_FILENO))
        r->options.progress = draw;
    gersh_status status = repro_tables(&result, r->table, r->settings, &r->options);
    if (drawn >= 0)
        fprintf(stderr, "\r\033[K");
    if (status != GERSH_OK)
        return fail(r, status);
    if (r->json)
        repro_json_write(stdout, repro_json_result(result));
    else if (r->quiet)
        print_claims(result);
    else
        print_text(r, result);
    int code = finish_output();
    if (code == EXIT_DONE && result->interrupted) {
        fprintf(stderr, COMMAND ": interrupted; run it again to go on with what is not done yet\n");
        code = EXIT_INTERRUPTED;
    }
    repro_result_free(result);
    return code;
}

/* As an option of `struct option`: its letter, and those without one. */
enum { DATA = 256, QUICK, FRESH, LIST, JSON, QUIET, VERSION, SETTING };

static const struct option names[] = {{"data", required_argument, NULL, DATA},
                                      {"output", required_argument, NULL, 'o'},
                                      {"quick", no_argument, NULL, QUICK},
                                      {"fresh", no_argument, NULL, FRESH},
                                      {"list", no_argument, NULL, LIST},
                                      {"max-time", required_argument, NULL, SETTING},
                                      {"seed", required_argument, NULL, SETTING},
                                      {"threads", required_argument, NULL, SETTING},
                                      {"json", no_argument, NULL, JSON},
                                      {"quiet", no_argument, NULL, QUIET},
                                      {"help", no_argument, NULL, 'h'},
                                      {"version", no_argument, NULL, VERSION},
                                      {0}};

/* Takes one option. Returns -1, or the exit status where there is nothing more to do. */
static int take_option(request *r, int option, const char *setting)
{
    switch (option) {
    case DATA:
        r->options.data = optarg;
        return -1;
    case 'o':
        r->options.output = optarg;
        return -1;
    case QUICK:
        r->options.quick = 1;
        return -1;
    case FRESH:
        r->options.fresh = 1;
        return -1;
    case LIST:
        r->list = 1;
        return -1;
    case JSON:
        r->json = 1;
        return -1;
    case QUIET:
        r->quiet = 1;
        return -1;
    case SETTING: {
        gersh_status status = gersh_settings_set(r->settings, setting, optarg);
        return status == GERSH_OK ? -1 : fail(r, repro_fail(status, "--%s", gersh_last_error()));
    }
    case 'h':
        printf("usage: gersh-reproduce TABLE [OPTIONS]\n\nRuns as '" COMMAND
               "' does, which runs this; 'gersh help reproduce' explains tables and options.\n");
        return finish_output();
    case VERSION:
        printf("gersh-reproduce %s\n", gersh_version());
        return finish_output();
    default: /* getopt_long said what is wrong */
        return EXIT_BAD;
    }
}

/* Returns -1 where the request is to be done, else the exit status. */
static int parse(request *r, int argc, char **argv)
{
    int at = 0, code = -1;
    optind = 1;
    gersh_status status = gersh_settings_new(&r->settings);
    if (status != GERSH_OK)
        return fail(r, status);
    for (int option; code < 0 && (option = getopt_long(argc, argv, "o:h", names, &at)) != -1;)
        code = take_option(r, option, names[at].name);
    if (code >= 0)
        return code;
    int operands = argc - optind;
    r->table = operands > 0 ? argv[optind] : NULL;
    if (operands > 1)
        return fail(r, repro_fail(GERSH_ERROR_ARGUMENT, "name one table, or 'all'"));
    if (!r->list && operands == 0)
        return fail(r,
                    repro_fail(GERSH_ERROR_ARGUMENT,
                               "name a table, 'all', or --list; 'gersh help reproduce' lists the tables"));
    if (r->list && operands > 0)
        return fail(r, repro_fail(GERSH_ERROR_ARGUMENT, "--list takes no table; leave out one of the two"));
    return -1;
}

int repro_program(int argc, char **argv)
{
    request r = {.options = {.output = DEFAULT_OUTPUT, .cancel = &cancel}};
    hold_streams();
    repro_forget();
    repro_json_start();
    watch_signals();
    int code = parse(&r, argc, argv);
    if (code < 0)
        code = r.list ? list(&r) : run(&r);
    gersh_settings_free(r.settings);
    return code;
}
