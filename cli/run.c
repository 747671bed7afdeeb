/* Finds the command and runs it; what is of the whole process: signals, and the memory of JSON. */
#include "cli.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"

const cli_command *const cli_commands[] = {
    &cli_fit,  &cli_predict, &cli_transform, &cli_distance, &cli_inspect,   &cli_compare, &cli_evaluate,
    &cli_tune, &cli_align,   &cli_describe,  &cli_report,   &cli_reproduce, NULL};

gersh_cancel cli_cancel;

static void on_signal(int signal_number)
{
    (void)signal_number;
    gersh_cancel_request(&cli_cancel);
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

/*
 * Where a standard stream is closed, the next file that is opened would get its number, and what is printed would end up
 * in that. What is opened here instead cannot be used either, so that the failure shows.
 */
static void hold_streams(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) < 0)
            (void)!open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/*
 * Where an allocation fails, jansson's reader drops characters and may then read past its buffer. So none fails: the
 * program ends instead, here rather than in the library, as a process has one setting of this. No file is open for
 * writing while JSON is made or read.
 */
static void *json_memory(size_t size)
{
    void *block = gersh__realloc(NULL, size, 1);
    if (block == NULL) {
        fprintf(stderr, "gersh: %s\n", gersh_last_error());
        exit(EXIT_INTERNAL);
    }
    return block;
}

static const cli_command *find_command(const char *name)
{
    for (int i = 0; cli_commands[i] != NULL; i++)
        if (strcmp(cli_commands[i]->name, name) == 0)
            return cli_commands[i];
    return NULL;
}

static int unknown_command(const char *name)
{
    const char *names[16];
    size_t count = 0;
    char hint[128], excerpt[GERSH__EXCERPT_SIZE];
    for (; cli_commands[count] != NULL; count++)
        names[count] = cli_commands[count]->name;
    names[count++] = "help";
    fprintf(stderr, "gersh: there is no command '%s'%s; 'gersh help' lists the commands\n",
            gersh__text_excerpt(excerpt, sizeof excerpt, name, strlen(name)),
            cli_hint(hint, sizeof hint, "", name, names, count));
    return EXIT_BAD;
}

static int print_help(const char *name)
{
    if (name == NULL) {
        cli_print_overview();
        return cli_finish_output();
    }
    const cli_command *command = find_command(name);
    if (command == NULL)
        return unknown_command(name);
    cli_print_help(command);
    return cli_finish_output();
}

int cli_run(int argc, char **argv)
{
    hold_streams();
    json_set_alloc_funcs(json_memory, gersh__free);
    if (argc < 2) {
        cli_print_overview();
        return EXIT_BAD;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("gersh %s (hot loops: %s)\n", gersh_version(), gersh_cpu_level());
        return cli_finish_output();
    }
    if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return print_help(argc > 2 ? argv[2] : NULL);
    const cli_command *command = find_command(argv[1]);
    if (command == NULL)
        return unknown_command(argv[1]);
    watch_signals();
    cli_args args;
    int status = cli_parse(&args, command, argc - 2, argv + 2);
    if (status < 0) {
        gersh_status files = cli_check_files(&args);
        status = files == GERSH_OK ? command->run(&args) : cli_fail(&args, files, NULL);
    }
    gersh_settings_free(args.settings);
    return status;
}
