/* Fuzz target: the input is a file of pairs, triplets, quadruplets and edge rules about a data set of five rows. */
#include "fuzz.h"

#include "data/tuples.h"

enum { ROWS = 5, FEATURES = 3 };

static void read_tuples(const char *path, gersh_tuple_kind kind)
{
    gersh_tuples *tuples = NULL;
    gersh_status status = gersh_tuples_read(&tuples, path, kind, ROWS);
    if (status != GERSH_OK)
        fuzz_check_failure(status, tuples);
    else if (tuples->kind != kind || gersh__tuples_check(tuples, ROWS, NULL) != GERSH_OK)
        fuzz_fail("what was read as %s is refused", gersh_tuple_kind_name(kind));
    gersh_tuples_free(tuples);
}

static void read_rules(const char *path)
{
    static const double x[ROWS * FEATURES] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    static const char *const names[FEATURES] = {"a", "2.5", "b,c"};
    gersh_dataset *data = NULL;
    gersh_edge_rule *rules = NULL;
    size_t count = 0;
    gersh_status status = gersh_dataset_new(&data, ROWS, FEATURES, x, FEATURES, NULL, NULL, names);
    if (status != GERSH_OK)
        fuzz_fail("there is no data set");
    status = gersh_edge_rules_read(&rules, &count, path, data);
    if (status != GERSH_OK)
        fuzz_check_failure(status, rules);
    for (size_t r = 0; status == GERSH_OK && r < count; r++)
        if (rules[r].first >= FEATURES || rules[r].second >= FEATURES ||
            rules[r].first == rules[r].second || gersh_edge_kind_name(rules[r].kind) == NULL)
            fuzz_fail("rule %zu is impossible", r);
    free(rules);
    gersh_dataset_free(data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(data, size);
    for (int kind = GERSH_PAIRS; kind <= GERSH_QUADRUPLETS; kind++)
        read_tuples(path, (gersh_tuple_kind)kind);
    read_rules(path);
    return 0;
}
