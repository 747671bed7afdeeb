/* Options and help, both from the library's table of settings. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum { MOST_OPTIONS = 64 };

static const struct {
    const char *name, *help;
} flags[] = {{"json", "print one JSON document and nothing else"},
             {"quiet", "print only the result"},
             {"help", "print this help"}};

enum { FLAGS = sizeof flags / sizeof flags[0] };

int cli_lists(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *p = list; p != NULL && *p != '\0';) {
        size_t size = strcspn(p, " ");
        if (size == length && strncmp(p, word, length) == 0)
            return 1;
        p += size + (p[size] == ' ');
    }
    return 0;
}

/* Whether the command lists the setting. */
static int takes(const cli_command *command, const char *setting)
{
    return cli_lists(command->settings, setting);
}

/* The command's own option of that name, or of that letter, and its place; NULL when there is none. */
static const cli_option *find_own(const cli_command *command, const char *name, char letter, int *at)
{
    for (int i = 0; command->options != NULL && command->options[i].name != NULL; i++) {
        const cli_option *option = &command->options[i];
        if (name != NULL ? strcmp(option->name, name) == 0 : letter != 0 && option->letter == letter) {
            *at = i;
            return option;
        }
    }
    return NULL;
}

const char *cli_value(const cli_args *args, const char *name)
{
    int at = 0;
    return find_own(args->command, name, 0, &at) != NULL ? args->own[at] : NULL;
}

const char *cli_hint(char *out, size_t size, const char *prefix, const char *word, const char *const *names,
                     size_t count)
{
    const char *nearest = gersh__text_nearest(word, names, count);
    out[0] = '\0';
    if (nearest != NULL)
        snprintf(out, size, " (did you mean '%s%s'?)", prefix, nearest);
    return out;
}

static int bad_option(const cli_command *command, const char *word)
{
    const char *names[MOST_OPTIONS];
    char hint[128], excerpt[GERSH__EXCERPT_SIZE];
    size_t count = 0;
    for (int i = 0; i < gersh_settings_count(); i++)
        if (takes(command, gersh_settings_info(i)->name))
            names[count++] = gersh_settings_info(i)->name;
    for (int i = 0; command->options != NULL && command->options[i].name != NULL; i++)
        names[count++] = command->options[i].name;
    for (size_t i = 0; i < FLAGS; i++)
        names[count++] = flags[i].name;
    fprintf(stderr, "gersh %s: there is no option '--%s'%s; 'gersh help %s' lists the options\n",
            command->name, gersh__text_excerpt(excerpt, sizeof excerpt, word, strlen(word)),
            cli_hint(hint, sizeof hint, "--", word, names, count), command->name);
    return EXIT_BAD;
}

static int set_flag(cli_args *args, const char *name)
{
    if (strcmp(name, "json") == 0)
        args->json = 1;
    else if (strcmp(name, "quiet") == 0)
        args->quiet = 1;
    else
        return 0;
    return 1;
}

/*
 * Handles an option of the command's own; inside is its value where that stands in the same argument.
 * Returns -1, or an exit status.
 */
static int take_own(cli_args *args, const cli_option *option, int which, const char *inside, int argc,
                    char **argv, int *at)
{
    const char *name = args->command->name;
    if (args->own[which] != NULL) {
        fprintf(stderr, "gersh %s: --%s is given twice; give it once\n", name, option->name);
        return EXIT_BAD;
    }
    if (option->value == NULL && inside != NULL) {
        fprintf(stderr, "gersh %s: --%s takes no value\n", name, option->name);
        return EXIT_BAD;
    }
    if (option->value != NULL && inside == NULL && *at + 1 >= argc) {
        fprintf(stderr, "gersh %s: --%s needs a value\n", name, option->name);
        return EXIT_BAD;
    }
    if (option->value == NULL)
        args->own[which] = "";
    else
        args->own[which] = inside != NULL ? inside : argv[++*at];
    return -1;
}

/* Handles the short option at argv[*at], "-o value" or "-ovalue". Returns -1, or an exit status. */
static int take_letter(cli_args *args, int argc, char **argv, int *at)
{
    char excerpt[GERSH__EXCERPT_SIZE];
    int which = 0;
    const char *word = argv[*at];
    const cli_option *option = find_own(args->command, NULL, word[1], &which);
    if (option != NULL)
        return take_own(args, option, which, word[2] != '\0' ? word + 2 : NULL, argc, argv, at);
    fprintf(stderr, "gersh %s: there is no option '%s'; 'gersh help %s' lists the options\n",
            args->command->name, gersh__text_excerpt(excerpt, sizeof excerpt, word, strlen(word)),
            args->command->name);
    return EXIT_BAD;
}

/* Whether the setting is switched on by its name alone. */
static int is_flag(const char *setting)
{
    for (int i = 0; i < gersh_settings_count(); i++)
        if (strcmp(gersh_settings_info(i)->name, setting) == 0)
            return gersh_settings_info(i)->kind == GERSH_SETTING_FLAG;
    return 0;
}

/* Handles the option at argv[*at], "--name value" or "--name=value". Returns -1, or an exit status. */
static int take_option(cli_args *args, int argc, char **argv, int *at)
{
    const cli_command *command = args->command;
    const char *name = argv[*at] + 2, *equals = strchr(name, '=');
    size_t length = equals != NULL ? (size_t)(equals - name) : strlen(name);
    char setting[64];
    snprintf(setting, sizeof setting, "%.*s", (int)(length < 60 ? length : 60), name);
    if (!takes(command, setting)) {
        int which = 0;
        const cli_option *own = find_own(command, setting, 0, &which);
        if (own != NULL)
            return take_own(args, own, which, equals != NULL ? equals + 1 : NULL, argc, argv, at);
        if (equals == NULL && set_flag(args, setting))
            return -1;
        return bad_option(command, setting);
    }
    int flag = is_flag(setting);
    if (equals == NULL && !flag && *at + 1 >= argc) {
        fprintf(stderr, "gersh %s: --%s needs a value\n", command->name, setting);
        return EXIT_BAD;
    }
    const char *value = equals != NULL ? equals + 1 : flag ? "yes" : argv[++*at];
    gersh_status status = gersh_settings_set(args->settings, setting, value);
    if (status == GERSH_OK)
        return -1;
    if (status == GERSH_ERROR_MEMORY)
        return cli_fail(args, status, NULL);
    fprintf(stderr, "gersh %s: --%s\n", command->name, gersh_last_error());
    return EXIT_BAD;
}

int cli_parse(cli_args *args, const cli_command *command, int argc, char **argv)
{
    *args = (cli_args){.command = command};
    int most = (int)(sizeof args->operand / sizeof args->operand[0]), plain = 0;
    gersh_status made = gersh_settings_new(&args->settings);
    if (made != GERSH_OK)
        return cli_fail(args, made, NULL);
    for (int i = 0; i < argc; i++) {
        if (!plain && strcmp(argv[i], "--") == 0) {
            plain = 1;
        } else if (!plain && (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)) {
            cli_print_help(command);
            return cli_finish_output();
        } else if (!plain && strncmp(argv[i], "--", 2) == 0) {
            int status = take_option(args, argc, argv, &i);
            if (status >= 0)
                return status;
        } else if (!plain && argv[i][0] == '-' && argv[i][1] != '\0') {
            int status = take_letter(args, argc, argv, &i);
            if (status >= 0)
                return status;
        } else if (args->operands < most) {
            args->operand[args->operands++] = argv[i];
        }
    }
    if (args->operands < command->operands || args->operands > command->operands + command->optional) {
        fprintf(stderr, "gersh %s: expected %s; usage: gersh %s %s [OPTIONS]\n", command->name,
                command->operands == 3   ? "three files"
                : command->operands == 2 ? "two files"
                : command->optional > 0  ? "one or two files"
                                         : "one file",
                command->name, command->operand_names);
        return EXIT_BAD;
    }
    return -1;
}

void cli_print_overview(void)
{
    printf("gersh %s: metric learning with signed graphs\n\nusage: gersh COMMAND [OPERANDS] [OPTIONS]\n\n"
           "commands:\n",
           gersh_version());
    for (int i = 0; cli_commands[i] != NULL; i++)
        printf("  %-10s %-13s %s\n", cli_commands[i]->name, cli_commands[i]->operand_names,
               cli_commands[i]->summary);
    printf("  %-10s %-13s %s\n\n'gersh --version' prints the version.\n", "help", "COMMAND",
           "explain a command and its options");
}

/* Prints text wrapped at 78 columns, the lines after the first indented. */
static void print_wrapped(const char *text, int column, int indent)
{
    while (*text != '\0') {
        int word = (int)strcspn(text, " ");
        if (column > indent && column + 1 + word > 78) {
            printf("\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            putchar(' ');
            column++;
        }
        printf("%.*s", word, text);
        column += word;
        text += word + (text[word] == ' ');
    }
    putchar('\n');
}

static void print_option(const char *name, char letter, const char *value, const char *help,
                         const char *initial)
{
    enum { column = 24 };
    char left[160], text[512];
    char brief[] = {'-', letter, ',', ' ', '\0'};
    snprintf(left, sizeof left, "  %s--%s%s%s", letter != 0 ? brief : "", name, value != NULL ? " " : "",
             value != NULL ? value : "");
    int used = (int)strlen(left);
    printf("%s", left);
    if (used > column - 2) {
        putchar('\n');
        used = 0;
    }
    printf("%*s", column - used, "");
    snprintf(text, sizeof text, "%s%s%s%s", help, initial != NULL && *initial ? " (default: " : "",
             initial != NULL && *initial ? initial : "", initial != NULL && *initial ? ")" : "");
    print_wrapped(text, column, column);
}

/* Adds to a text that is cut at its size. */
static void add_words(char *text, size_t size, const char *format, const char *word)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, format, word);
}

/* "; learns from classes, pairs" */
static void add_supervision(char *text, size_t size, const char *first, unsigned bits)
{
    for (unsigned bit = 1; bit <= GERSH_SUPERVISION_QUADRUPLETS; bit *= 2)
        if ((bits & bit) != 0) {
            add_words(text, size, first, gersh_supervision_name((gersh_supervision)bit));
            first = ", %s";
        }
}

static void print_entry(const char *name, const char *text)
{
    enum { column = 14 };
    printf("  %-*s", column - 2, name);
    print_wrapped(text, column, column);
}

static void print_objectives(void)
{
    const gersh_objective_info *info;
    printf("\nobjectives:\n");
    for (int i = 0; (info = gersh_objective_at(i)) != NULL; i++) {
        char text[256], mean[32];
        snprintf(text, sizeof text, "%s", info->help);
        add_supervision(text, sizeof text, "; learns from %s", info->takes);
        add_supervision(text, sizeof text, "; auto for %s", info->automatic);
        add_supervision(text, sizeof text, "; tried second for %s", info->second);
        snprintf(mean, sizeof mean, "%g", info->mean);
        add_words(text, sizeof text, "; mean squared distance %s (--trace auto)", mean);
        print_entry(info->name, text);
    }
}

static void print_solvers(void)
{
    const gersh_solver_info *info;
    printf("\nsolvers:\n");
    for (int i = 0; (info = gersh_solver_at(i)) != NULL; i++) {
        char text[256];
        snprintf(text, sizeof text, "%s%s", info->help,
                 info->bound != GERSH_BOUND_NONE ? "; with a certified bound" : "");
        print_entry(info->name, text);
    }
}

static void print_classifiers(void)
{
    const gersh_classifier_info *info;
    printf("\nclassifiers:\n");
    for (int i = 0; (info = gersh_classifier_at(i)) != NULL; i++) {
        char text[256];
        snprintf(text, sizeof text, "%s%s", info->help, info->regresses ? "; targets too" : "");
        print_entry(info->name, text);
    }
}

/* Whether the command has that setting, or an option of several of its names. */
static int chooses(const cli_command *command, const char *setting, const char *option)
{
    for (int i = 0; command->options != NULL && command->options[i].name != NULL; i++)
        if (strcmp(command->options[i].name, option) == 0)
            return 1;
    return takes(command, setting);
}

/* The help of a setting, and which solvers read it where not all do. */
static void print_setting(const gersh_setting_info *info)
{
    const gersh_solver_info *solver;
    const char *format = "%s";
    char text[400] = "";
    for (int i = 0; (solver = gersh_solver_at(i)) != NULL; i++)
        if (gersh_solver_reads(solver, info->name)) {
            add_words(text, sizeof text, format, solver->name);
            format = ", %s";
        }
    if (*text != '\0')
        add_words(text, sizeof text, "%s", ": ");
    add_words(text, sizeof text, "%s", info->help);
    print_option(info->name, 0, info->value != NULL ? info->value : info->choices, text, info->initial);
}

void cli_print_help(const cli_command *command)
{
    printf("usage: gersh %s %s [OPTIONS]\n\n", command->name, command->operand_names);
    print_wrapped(command->about, 0, 0);
    printf("\noptions:\n");
    for (int i = 0; command->options != NULL && command->options[i].name != NULL; i++)
        print_option(command->options[i].name, command->options[i].letter, command->options[i].value,
                     command->options[i].help, NULL);
    for (int i = 0; i < gersh_settings_count(); i++) {
        const gersh_setting_info *info = gersh_settings_info(i);
        if (takes(command, info->name))
            print_setting(info);
    }
    for (size_t i = 0; i < FLAGS; i++)
        print_option(flags[i].name, 0, NULL, flags[i].help, NULL);
    if (chooses(command, "objective", "objectives"))
        print_objectives();
    if (chooses(command, "solver", "solvers"))
        print_solvers();
    if (chooses(command, "classifier", "classifiers"))
        print_classifiers();
    printf("\nexample:\n  %s\n", command->example);
}
