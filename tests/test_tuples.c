/* Tuples: checked, and read from files. */
#include "models.h"
#include "tuples.h"

static void refused(gersh_tuple_kind kind, size_t count, const size_t *row, const int *similar,
                    const char *message)
{
    gersh_tuples *tuples = NULL;
    assert_int_equal(gersh_tuples_new(&tuples, kind, count, row, similar, 5), GERSH_ERROR_ARGUMENT);
    assert_null(tuples);
    assert_string_equal(gersh_last_error(), message);
}

static void bad_tuples_are_refused(void **unused)
{
    static const int both[] = {1, 0};
    (void)unused;
    refused(GERSH_PAIRS, 1, (size_t[]){0, 5}, both,
            "pair 1: there is no row 5 (counted from 0); the data has 5 rows");
    refused(GERSH_PAIRS, 2, (size_t[]){0, 1, 2, 2}, both,
            "pair 2: row 2 (counted from 0) is compared with itself; name two different rows");
    refused(GERSH_PAIRS, 2, (size_t[]){0, 1, 1, 0}, both,
            "pair 2: says the opposite of pair 1; leave one of the two out");
    refused(GERSH_TRIPLETS, 1, (size_t[]){0, 1, 1}, NULL,
            "triplet 1: row 1 (counted from 0) is compared with itself; name two different rows");
    refused(GERSH_TRIPLETS, 1, (size_t[]){3, 1, 3}, NULL,
            "triplet 1: row 3 (counted from 0) is compared with itself; name two different rows");
    refused(GERSH_TRIPLETS, 3, (size_t[]){0, 1, 2, 1, 2, 0, 0, 2, 1}, NULL,
            "triplet 3: says the opposite of triplet 1; leave one of the two out");
    refused(GERSH_QUADRUPLETS, 1, (size_t[]){0, 1, 1, 0}, NULL,
            "quadruplet 1: a pair of rows is compared with itself; name two different pairs");
    refused(GERSH_QUADRUPLETS, 1, (size_t[]){0, 1, 2, 2}, NULL,
            "quadruplet 1: row 2 (counted from 0) is compared with itself; name two different rows");
    refused(GERSH_QUADRUPLETS, 2, (size_t[]){0, 1, 2, 3, 3, 2, 0, 1}, NULL,
            "quadruplet 2: says the opposite of quadruplet 1; leave one of the two out");
    gersh_tuples *tuples = NULL;
    assert_int_equal(gersh_tuples_new(&tuples, GERSH_PAIRS, 0, (size_t[]){0}, both, 5),
                     GERSH_ERROR_ARGUMENT);
    assert_int_equal(gersh_tuples_new(&tuples, GERSH_PAIRS, 1, (size_t[]){0, 1}, NULL, 5),
                     GERSH_ERROR_ARGUMENT);
    assert_int_equal(gersh_tuples_new(&tuples, GERSH_TRIPLETS, 1, (size_t[]){0, 1, 2}, both, 5),
                     GERSH_ERROR_ARGUMENT);
    /* The same thing twice is no contradiction. */
    assert_ok(gersh_tuples_new(&tuples, GERSH_PAIRS, 2, (size_t[]){0, 1, 1, 0}, (int[]){1, 7}, 5));
    assert_true(tuples->count == 2 && tuples->similar[1] == 1);
    gersh_tuples_free(tuples);
    gersh_tuples_free(NULL);
}

/* Whether t says the opposite of u, by going through the ways to write a tuple. */
static int opposite(const gersh_tuples *tuples, size_t t, size_t u)
{
    size_t size = gersh_tuple_size(tuples->kind);
    const size_t *a = tuples->row + t * size, *b = tuples->row + u * size;
    if (tuples->kind == GERSH_PAIRS)
        return tuples->similar[t] != tuples->similar[u] &&
               ((a[0] == b[0] && a[1] == b[1]) || (a[0] == b[1] && a[1] == b[0]));
    if (tuples->kind == GERSH_TRIPLETS)
        return a[0] == b[0] && a[1] == b[2] && a[2] == b[1];
    for (int way = 0; way < 4; way++)
        if (a[0] == b[2 + way % 2] && a[1] == b[3 - way % 2] && a[2] == b[way / 2] &&
            a[3] == b[1 - way / 2])
            return 1;
    return 0;
}

static void contradictions_are_found(void **unused)
{
    gersh__random random;
    int found = 0;
    (void)unused;
    gersh__random_seed(&random, 31);
    for (int round = 0; round < cases(3000); round++) {
        gersh_tuple_kind kind = (gersh_tuple_kind)(round % 3);
        size_t size = gersh_tuple_size(kind), count = 1 + (size_t)gersh__random_below(&random, 8), row[32];
        int similar[8], wrong = 0;
        gersh_tuples given = {kind, count, row, kind == GERSH_PAIRS ? similar : NULL}, *tuples = NULL;
        for (size_t t = 0; t < count; t++) {
            for (size_t c = 0; c < size; c++)
                row[t * size + c] = row_but(&random, 4, row + t * size, c);
            similar[t] = (int)gersh__random_below(&random, 2);
            for (size_t u = 0; u < t; u++)
                wrong |= opposite(&given, t, u);
        }
        found += wrong;
        assert_int_equal(gersh_tuples_new(&tuples, kind, count, row, given.similar, 4) == GERSH_OK, !wrong);
        gersh_tuples_free(tuples);
    }
    assert_true(found > cases(3000) / 10);
}

static void read_text(const char *text, gersh_tuple_kind kind, const char *message)
{
    char expected[512];
    gersh_tuples *tuples = NULL;
    write_bytes(model_path, text, strlen(text));
    gersh_status status = gersh_tuples_read(&tuples, model_path, kind, 9);
    if (message == NULL) {
        assert_ok(status);
        gersh_tuples_free(tuples);
        return;
    }
    snprintf(expected, sizeof expected, "%s: %s", model_path, message);
    assert_int_equal(status, GERSH_ERROR_INPUT);
    assert_null(tuples);
    assert_string_equal(gersh_last_error(), expected);
}

static void files_are_read(void **unused)
{
    (void)unused;
    gersh_tuples *tuples = NULL;
    static const char text[] =
        "one,other,what\n1,2,similar\n# between\n3,9,-1\n4,5,Dissimilar\n6,7,1\n6,7,+1.0\n";
    write_bytes(model_path, text, sizeof text - 1);
    assert_ok(gersh_tuples_read(&tuples, model_path, GERSH_PAIRS, 9));
    static const size_t rows[] = {0, 1, 2, 8, 3, 4, 5, 6, 5, 6};
    static const int similar[] = {1, 0, 0, 1, 1};
    assert_true(tuples->kind == GERSH_PAIRS && tuples->count == 5);
    assert_memory_equal(tuples->row, rows, sizeof rows);
    assert_memory_equal(tuples->similar, similar, sizeof similar);
    gersh_tuples_free(tuples);
    read_text("1,2,3\n3,4,5\n", GERSH_TRIPLETS, NULL);
    read_text("a,b,c,d\n3,4,5,6\n", GERSH_QUADRUPLETS, NULL);
    read_text("1,2,1\n3,4,2\n", GERSH_PAIRS,
              "line 2, column 3: '2' is not one of 1, similar, -1 and dissimilar");
    read_text("1,2,1\n3,4,alike\n", GERSH_PAIRS,
              "line 2, column 3: 'alike' is not one of 1, similar, -1 and dissimilar");
    read_text("1,2,1\n3,4,\n", GERSH_PAIRS,
              "line 2, column 3: it is missing what the pair is; expected 1, similar, -1 or dissimilar");
    read_text("1,2,3\n\n3,10,5\n", GERSH_TRIPLETS,
              "line 3, column 2: there is no row '10'; expected a whole number from 1 to 9, the rows of "
              "the data");
    read_text(
        "1,2,3\n0,1,5\n", GERSH_TRIPLETS,
        "line 2, column 1: there is no row '0'; expected a whole number from 1 to 9, the rows of the data");
    read_text("1,2,3\n1.5,1,5\n", GERSH_TRIPLETS,
              "line 2, column 1: there is no row '1.5'; expected a whole number from 1 to 9, the rows of "
              "the data");
    read_text("1,2,3\n1,two,5\n", GERSH_TRIPLETS,
              "line 2, column 2: there is no row 'two'; expected a whole number from 1 to 9, the rows of "
              "the data");
    read_text("1,2,3\n1,,5\n", GERSH_TRIPLETS,
              "line 2, column 2: the row number is missing; expected a whole number from 1 to 9");
    read_text("1,2,3\n4,4,5\n", GERSH_TRIPLETS,
              "line 2, column 2: row 4 is compared with itself; name two different rows");
    read_text("1,2,3\n1,3,2\n", GERSH_TRIPLETS,
              "line 2, column 2: says the opposite of line 1; leave one of the two out");
    read_text("1,2\n", GERSH_PAIRS, "pairs have 3 columns (row, row, and 1 or -1), but there are 2");
    read_text(
        "1,2,3\n", GERSH_QUADRUPLETS,
        "quadruplets have 4 columns (row, row nearer to it, row, row farther from it), but there are 3");
    assert_int_equal(gersh_tuples_read(&tuples, "/nowhere/pairs", GERSH_PAIRS, 9), GERSH_ERROR_IO);
    assert_int_equal(gersh_tuples_read(&tuples, model_path, (gersh_tuple_kind)7, 9), GERSH_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_tuples_are_refused),
        cmocka_unit_test(contradictions_are_found),
        cmocka_unit_test(files_are_read),
    };
    return cmocka_run_group_tests(tests, models_start, models_end);
}
