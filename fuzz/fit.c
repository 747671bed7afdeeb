/*
 * Fuzz target: the input chooses a small problem: rows, labels or targets or tuples, weights, edge rules, settings. A
 * fit gives a metric or one sentence about the arguments or the data. A metric must pass the independent verifier, also
 * after it was packed and unpacked.
 */
#define FUZZ_MEMORY (256 << 20) /* a fit needs more than the readers are allowed */
#include "fuzz.h"

enum { MOST_ROWS = 12, MOST_FEATURES = 5, MOST_RULES = 3, MOST_TUPLES = 8 };

typedef struct problem {
    size_t n, k;
    double x[MOST_ROWS * MOST_FEATURES], target[MOST_ROWS], weight[MOST_ROWS];
    const char *label[MOST_ROWS];
    gersh_edge_rule rule[MOST_RULES];
    size_t row[4 * MOST_TUPLES];
    int similar[MOST_TUPLES];
    gersh_settings *settings;
    gersh_dataset *data;
    gersh_tuples *tuples;
    gersh_fit_options options;
} problem;

/* Small whole numbers, any mantissa, or one of the numbers that are at the edge of something. */
static double any_number(fuzz_choices *c)
{
    static const double edges[] = {0,     -0.0,  1,     1e-9,   1e9,    1e-150,
                                   1e150, 1e200, 1e300, 1e-300, 5e-324, 1.7976931348623157e308};
    unsigned first = fuzz_byte(c);
    if (first < 160)
        return (double)(int)(first % 16) - 8;
    if (first < 248)
        return ldexp((double)(int)(fuzz_byte(c) + 256 * fuzz_byte(c)) - 32768, (int)(first % 40) - 30);
    double value = edges[fuzz_below(c, sizeof edges / sizeof edges[0])];
    return first % 2 ? -value : value;
}

static void set(problem *p, const char *name, const char *value)
{
    if (gersh_settings_set(p->settings, name, value) != GERSH_OK)
        fuzz_fail("%s cannot be %s", name, value);
}

static void set_one(problem *p, fuzz_choices *c, const char *name, const char *const *values,
                    unsigned count)
{
    unsigned which = fuzz_below(c, 2 * count);
    if (which < count)
        set(p, name, values[which]);
}

#define SET_ONE(p, c, name, ...)                                                                           \
    set_one(p, c, name, (const char *const[]){__VA_ARGS__},                                                \
            sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void choose_settings(problem *p, fuzz_choices *c)
{
    unsigned objectives = 0, solvers = 0;
    while (gersh_objective_at((int)objectives) != NULL)
        objectives++;
    while (gersh_solver_at((int)solvers) != NULL)
        solvers++;
    if (gersh_settings_new(&p->settings) != GERSH_OK)
        fuzz_fail("there are no settings");
    set(p, "threads", "1");
    set(p, "max-time", "0.5");
    set(p, "objective", gersh_objective_at((int)fuzz_below(c, objectives))->name);
    set(p, "solver", gersh_solver_at((int)fuzz_below(c, solvers))->name);
    if (fuzz_below(c, 2))
        return; /* most settings are refused by most solvers */
    SET_ONE(p, c, "max-iter", "1", "2", "3", "10", "30");
    SET_ONE(p, c, "scale", "paper", "none", "zscore");
    SET_ONE(p, c, "trace", "K", "1", "1e-6", "1e6", "1e-150", "1e150", "0", "1e300");
    SET_ONE(p, c, "rho", "0", "1e-9", "0.1", "0.5", "1", "1e-300", "1e300");
    SET_ONE(p, c, "tol", "1e-12", "1e-6", "0.1", "1");
    SET_ONE(p, c, "init", "chain", "hull", "identity", "tree");
    SET_ONE(p, c, "rows-only", "yes");
    SET_ONE(p, c, "diagonals-only", "yes");
    SET_ONE(p, c, "nuclear", "0.1", "1e-9", "1e9");
    SET_ONE(p, c, "seed", "1", "2");
    SET_ONE(p, c, "memory", "0.1", "1e-9");
}

static void choose_tuples(problem *p, fuzz_choices *c)
{
    gersh_tuple_kind kind = (gersh_tuple_kind)fuzz_below(c, 3);
    size_t size = gersh_tuple_size(kind), count = 1 + fuzz_below(c, MOST_TUPLES);
    for (size_t t = 0; t < count; t++) {
        for (size_t i = 0; i < size; i++)
            p->row[t * size + i] = fuzz_below(c, (unsigned)p->n);
        p->similar[t] = (int)fuzz_below(c, 2);
    }
    /* Those that contradict each other are refused, and the problem is then one of labels. */
    gersh_tuples_new(&p->tuples, kind, count, p->row, kind == GERSH_PAIRS ? p->similar : NULL, p->n);
    p->options.tuples = p->tuples;
}

static void choose_rows(problem *p, fuzz_choices *c)
{
    static const char *const names[] = {"a", "b", "c"};
    unsigned kind = fuzz_byte(c);
    p->n = 2 + fuzz_below(c, MOST_ROWS - 1);
    p->k = 1 + fuzz_below(c, MOST_FEATURES);
    for (size_t e = 0; e < p->n * p->k; e++)
        p->x[e] = any_number(c);
    for (size_t i = 0; i < p->n; i++) {
        p->label[i] = names[fuzz_below(c, kind & 1 ? 3 : 2)];
        p->target[i] = kind & 2 ? any_number(c) : 0;
        p->weight[i] = kind & 4 ? fabs(any_number(c)) : 1;
    }
    int regress = (kind & 2) != 0;
    if (gersh_dataset_new(&p->data, p->n, p->k, p->x, p->k, regress ? NULL : p->label,
                          regress ? p->target : NULL, NULL) != GERSH_OK)
        fuzz_fail("%zu × %zu numbers make no data set", p->n, p->k);
    if (kind & 4)
        p->options.weights = p->weight;
    if (kind & 8)
        choose_tuples(p, c);
    for (size_t r = 0; kind & 16 && r < MOST_RULES && p->k > 1; r++) {
        size_t first = fuzz_below(c, (unsigned)p->k), apart = 1 + fuzz_below(c, (unsigned)p->k - 1);
        p->rule[r] = (gersh_edge_rule){first, (first + apart) % p->k, (gersh_edge_kind)fuzz_below(c, 4)};
        p->options.rule_count = r + 1;
        p->options.rules = p->rule;
    }
}

/* What the fit was, for messages. */
static void describe(const problem *p)
{
    static const char *const names[] = {"objective", "solver", "scale",   "trace",     "rho",
                                        "tol",       "init",   "seed",    "rows-only", "diagonals-only",
                                        "nuclear",   "memory", "max-iter"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        fprintf(fuzz_messages, "%s=%s ", names[i], gersh_settings_get(p->settings, names[i]));
    fprintf(fuzz_messages, "\n%zu rows, %zu features, %zu rules, %zu tuples\n", p->n, p->k,
            p->options.rule_count, p->tuples != NULL ? p->tuples->count : 0);
    for (size_t r = 0; r < p->options.rule_count; r++)
        fprintf(fuzz_messages, "%zu %zu %s\n", p->rule[r].first, p->rule[r].second,
                gersh_edge_kind_name(p->rule[r].kind));
    for (size_t i = 0; i < p->n; i++) {
        for (size_t j = 0; j < p->k; j++)
            fprintf(fuzz_messages, "%.17g ", p->x[i * p->k + j]);
        fprintf(fuzz_messages, "| %s %.17g, weight %.17g\n", p->label[i], p->target[i], p->weight[i]);
    }
}

static void verify(const problem *p, const gersh_model *model, const char *what)
{
    gersh_verification report;
    if (gersh_model_verify(&report, model, NULL) != GERSH_OK) {
        describe(p);
        fuzz_fail("%s: the verifier fails", what);
    }
    for (size_t i = 0; i < report.count; i++)
        if (report.check[i].result == GERSH_CHECK_FAILED) {
            describe(p);
            fuzz_fail("%s: %s: %s", what, report.check[i].name, report.check[i].sentence);
        }
}

static void check_model(const problem *p, const gersh_model *model)
{
    char *bytes = NULL;
    size_t size = 0;
    gersh_model *back = NULL;
    verify(p, model, "fitted");
    if (gersh_model_pack(&bytes, &size, model, 1) != GERSH_OK)
        fuzz_fail("the model cannot be packed");
    if (gersh_model_unpack(&back, bytes, size) != GERSH_OK) {
        describe(p);
        fuzz_fail("the model cannot be unpacked");
    }
    verify(p, back, "unpacked");
    gersh_model_free(back);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_choices c = {data, data + size};
    problem p = {0};
    gersh_model *model = NULL;
    choose_settings(&p, &c);
    choose_rows(&p, &c);
    gersh_status status = gersh_model_fit(&model, NULL, p.data, p.settings, &p.options);
    if (status == GERSH_OK) {
        check_model(&p, model);
    } else {
        fuzz_check_failure(status, model);
        /* Of the statuses left, memory is that of the setting. */
        if (status != GERSH_ERROR_ARGUMENT && status != GERSH_ERROR_INPUT && status != GERSH_ERROR_MEMORY) {
            describe(&p);
            fuzz_fail("the fit ends with %s", gersh_status_name(status));
        }
    }
    gersh_model_free(model);
    gersh_tuples_free(p.tuples);
    gersh_dataset_free(p.data);
    gersh_settings_free(p.settings);
    return 0;
}
