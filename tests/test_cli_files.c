/* The lists of files that commands read and write: an option that is in none of them would not be protected. */
#include "check.h"

#include <string.h>

#include "../cli/cli.h"

/* The values that options have whose files are not known to cli_check_files: words, numbers and folders. */
static const char *const others[] = {"LIST", "S", "N", "B", "R", "HOW", "SHARE", "paper", "DIR", "TABLE"};

static int names_file(const char *value)
{
    for (size_t i = 0; value != NULL && i < sizeof others / sizeof others[0]; i++)
        if (strcmp(value, others[i]) == 0)
            return 0;
    return value != NULL;
}

static void test_every_file_is_listed(void **state)
{
    (void)state;
    size_t files = 0;
    for (size_t c = 0; cli_commands[c] != NULL; c++) {
        const cli_command *command = cli_commands[c];
        for (const cli_option *o = command->options; o != NULL && o->name != NULL; o++) {
            int listed = cli_lists(command->reads, o->name) + cli_lists(command->writes, o->name);
            if (listed != names_file(o->value))
                fail_msg("gersh %s --%s %s is in %d of the lists 'reads' and 'writes'", command->name,
                         o->name, o->value, listed);
            files += (size_t)listed;
        }
    }
    assert_true(files >= 15);
}

/* What is listed is an option of the command. */
static void test_every_list_is_of_options(void **state)
{
    (void)state;
    for (size_t c = 0; cli_commands[c] != NULL; c++)
        for (int w = 0; w < 2; w++) {
            char words[128] = "";
            const char *list = w ? cli_commands[c]->writes : cli_commands[c]->reads;
            if (list == NULL)
                continue;
            assert_true(strlen(list) < sizeof words);
            strcpy(words, list);
            for (char *word = strtok(words, " "); word != NULL; word = strtok(NULL, " ")) {
                const cli_option *o = cli_commands[c]->options;
                while (o->name != NULL && strcmp(o->name, word) != 0)
                    o++;
                if (o->name == NULL)
                    fail_msg("gersh %s has no option --%s", cli_commands[c]->name, word);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_file_is_listed),
        cmocka_unit_test(test_every_list_is_of_options),
    };
    return cmocka_run_group_tests_name("cli_files", tests, NULL, NULL);
}
