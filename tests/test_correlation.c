/* The correlations of features that edges join: against the textbook's formula. */
#include "base/alloc.h"
#include "models.h"
#include "sparse.h"
#include "tuples.h"

/* Of features a and b, in long doubles; NaN for a constant one. */
static double naive_correlation(size_t n, size_t k, const double *x, const double *w, size_t a, size_t b)
{
    long double total = 0, mean_a = 0, mean_b = 0, aa = 0, ab = 0, bb = 0;
    for (size_t i = 0; i < n; i++)
        total += w != NULL ? w[i] : 1;
    for (size_t i = 0; i < n; i++) {
        long double share = (w != NULL ? w[i] : 1) / total;
        mean_a += share * x[i * k + a];
        mean_b += share * x[i * k + b];
    }
    int varies_a = 0, varies_b = 0;
    for (size_t i = 0; i < n; i++) {
        long double share = (w != NULL ? w[i] : 1) / total;
        varies_a |= x[i * k + a] != x[a];
        varies_b |= x[i * k + b] != x[b];
        aa += share * (x[i * k + a] - mean_a) * (x[i * k + a] - mean_a);
        ab += share * (x[i * k + a] - mean_a) * (x[i * k + b] - mean_b);
        bb += share * (x[i * k + b] - mean_b) * (x[i * k + b] - mean_b);
    }
    return varies_a && varies_b ? (double)(ab / sqrtl(aa * bb)) : NAN;
}

/* Any graph of the model's features will do. */
static gersh_graph *random_graph(gersh__random *random, size_t k, double share)
{
    gersh_graph *graph = NULL;
    double *m = calloc(k * k, sizeof *m);
    for (size_t i = 0; i < k; i++) {
        m[i * k + i] = 1;
        for (size_t j = 0; j < i; j++)
            m[i * k + j] = m[j * k + i] =
                gersh__random_uniform(random) < share ? gersh__random_normal(random) : 0;
    }
    assert_ok(gersh_graph_from_dense(&graph, k, m, 0, NULL));
    free(m);
    return graph;
}

static void compare_all(const gersh_model *model, const gersh_graph *graph, const double *x,
                        const double *w)
{
    size_t n = gersh_model_rows(model), k = gersh_model_features(model);
    double *out = calloc(2 * graph->edges + 1, sizeof *out);
    assert_ok(gersh_model_correlations(out, model, graph));
    for (size_t i = 0; i < k; i++)
        for (size_t at = graph->start[i]; at < graph->start[i + 1]; at++) {
            double wanted = naive_correlation(n, k, x, w, i, graph->neighbor[at]);
            assert_true(isnan(wanted) == isnan(out[at]));
            if (!isnan(wanted))
                assert_close(out[at], wanted, 1e-9);
        }
    free(out);
}

static void correlations_are_those_of_the_formula(void **unused)
{
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 1);
    for (int round = 0; round < cases(100); round++) {
        twins t;
        size_t n = 20 + 200 * (size_t)(round % 3), k = 24;
        double *w = calloc(n, sizeof *w);
        twins_make(&t, &random, n, k, 0.4, 0);
        for (size_t i = 0; i < n; i++)
            w[i] = gersh__random_uniform(&random);
        if (round % 2) {
            assert_ok(gersh_dataset_set_weights(t.dense, w));
            assert_ok(gersh_dataset_set_weights(t.sparse, w));
        }
        gersh_graph *graph = random_graph(&random, k, round % 5 == 0 ? 1 : 0.1);
        for (int sparse = 0; sparse < 2; sparse++) {
            gersh_scaling scaling = {.inputs = k, .width = k};
            struct gersh_model model = {
                .scaling = &scaling, .rows = n, .features = k, .data = sparse ? t.sparse : t.dense};
            compare_all(&model, graph, gersh_dataset_values(t.dense), round % 2 ? w : NULL);
        }
        assert_null(t.sparse->x);
        gersh_graph_free(graph);
        twins_free(&t);
        free(w);
    }
}

/* Values far beyond the range of squares, and a copy. */
static void large_values_and_copies(void **unused)
{
    enum { N = 30, K = 3 };
    gersh__random random;
    double x[N * K];
    gersh_dataset *data = NULL;
    (void)unused;
    gersh__random_seed(&random, 2);
    for (size_t i = 0; i < N; i++) {
        x[i * K] = gersh__random_normal(&random);
        x[i * K + 1] = 1e250 * x[i * K];
        x[i * K + 2] = -1e-250 * x[i * K];
    }
    assert_ok(gersh_dataset_new(&data, N, K, x, K, NULL, NULL, NULL));
    gersh_scaling scaling = {.inputs = K, .width = K};
    struct gersh_model model = {.scaling = &scaling, .rows = N, .features = K, .data = data};
    gersh_graph *graph = random_graph(&random, K, 1);
    double out[6];
    assert_ok(gersh_model_correlations(out, &model, graph));
    assert_close(out[0], 1, 1e-12);
    assert_close(out[1], -1, 1e-12);
    assert_true(out[0] == out[2] && out[1] == out[4] && out[3] == out[5]);
    gersh_graph_free(graph);
    gersh_dataset_free(data);
}

static void summaries_have_them(void **unused)
{
    gersh_model *model = random_model(3, 40, 5, 2, "glr", "psd", 1), *back = NULL;
    gersh_model_summary *summary = NULL;
    (void)unused;
    assert_ok(gersh_model_summarize(&summary, model));
    assert_true(summary->graph->edges > 0);
    for (size_t at = 0; at < 2 * summary->graph->edges; at++)
        assert_true(fabs(summary->correlation[at]) <= 1);
    gersh_model_summary_free(summary);
    assert_ok(gersh_model_write(model, model_path, 0));
    assert_ok(gersh_model_read(&back, model_path));
    assert_ok(gersh_model_summarize(&summary, back));
    assert_null(summary->correlation);
    double *out = calloc(2 * summary->graph->edges, sizeof *out);
    assert_ok(gersh_model_correlations(out, back, summary->graph));
    for (size_t at = 0; at < 2 * summary->graph->edges; at++)
        assert_true(isnan(out[at]));
    free(out);
    gersh_model_summary_free(summary);
    gersh_model_free(back);
    for (long at = 1;; at++) {
        gersh__alloc_fail_at(at);
        gersh_status status = gersh_model_summarize(&summary, model);
        int done = gersh__alloc_fail_at(0) < at;
        assert_true(status == (done ? GERSH_OK : GERSH_ERROR_MEMORY));
        if (done)
            break;
    }
    gersh_model_summary_free(summary);
    gersh_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(correlations_are_those_of_the_formula),
        cmocka_unit_test(large_values_and_copies),
        cmocka_unit_test(summaries_have_them),
    };
    return cmocka_run_group_tests(tests, models_start, models_end);
}
