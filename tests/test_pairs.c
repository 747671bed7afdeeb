/* The maps between metrics and distances, against sums over the pairs of rows of the data set. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "pairs/combine.h"
#include "pairs/pairs.h"
#include "samples.h"

typedef struct problem {
    gersh_dataset *data;
    gersh__pairs *pairs;
    gersh__pool *pool;
    double *weight;
    size_t *list_first, *list_second, listed;
} problem;

static double *randoms(gersh__random *random, size_t count)
{
    double *x = malloc((count + 1) * sizeof *x);
    for (size_t i = 0; i < count; i++)
        x[i] = gersh__random_normal(random);
    return x;
}

/* listed = 0: all pairs. */
static problem make(gersh__random *random, size_t n, size_t k, size_t classes, int weighted, size_t listed,
                    int threads)
{
    problem q = {.data = random_data(random, n, k, classes), .listed = listed};
    if (weighted) {
        q.weight = malloc(n * sizeof *q.weight);
        for (size_t i = 0; i < n; i++)
            q.weight[i] = (double)(1 + gersh__random_below(random, 3));
    }
    if (listed > 0) {
        q.list_first = malloc(listed * sizeof *q.list_first);
        q.list_second = malloc(listed * sizeof *q.list_second);
        for (size_t p = 0; p < listed; p++) {
            q.list_first[p] = (size_t)gersh__random_below(random, n);
            q.list_second[p] = (q.list_first[p] + 1 + (size_t)gersh__random_below(random, n - 1)) % n;
        }
    }
    assert_ok(gersh__pool_new(&q.pool, threads));
    assert_ok(gersh__pairs_new(&q.pairs, q.data, q.weight, listed, q.list_first, q.list_second, q.pool));
    return q;
}

static void drop(problem *q)
{
    gersh__pairs_free(q->pairs);
    gersh__pool_free(q->pool);
    gersh_dataset_free(q->data);
    free(q->weight);
    free(q->list_first);
    free(q->list_second);
}

/* The two samples of pair p, found by counting. */
static void pair_samples(const gersh__pairs *pairs, size_t p, size_t *i, size_t *j)
{
    if (pairs->first != NULL) {
        *i = pairs->first[p];
        *j = pairs->second[p];
        return;
    }
    for (*i = 1; p >= *i; p -= (*i)++)
        ;
    *j = p;
}

static void close_to(double a, double b, double scale)
{
    if (!(fabs(a - b) <= 1e-12 * scale))
        fail_msg("%.17g is not %.17g (scale %g)", a, b, scale);
}

static void samples_are_in_the_order_of_classes(void **unused)
{
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 1);
    for (int round = 0; round < cases(200); round++) {
        size_t n = 2 + (size_t)gersh__random_below(&random, 30),
               k = 1 + (size_t)gersh__random_below(&random, 4);
        size_t classes = (size_t)gersh__random_below(&random, 5);
        problem q = make(&random, n, k, classes, round % 2, 0, 1);
        const gersh__pairs *pairs = q.pairs;
        const int *labels = gersh_dataset_labels(q.data);
        assert_int_equal(pairs->n, n);
        assert_int_equal(pairs->count, n * (n - 1) / 2);
        for (size_t i = 0; i < n; i++) {
            size_t row = pairs->sample[i];
            for (size_t f = 0; f < k; f++)
                assert_true(fabs(pairs->x[f * n + i] - pairs->x[f * n] -
                                 (gersh_dataset_values(q.data)[row * k + f] -
                                  gersh_dataset_values(q.data)[pairs->sample[0] * k + f])) < 1e-14);
            assert_true((pairs->weight != NULL) == (q.weight != NULL));
            if (q.weight != NULL)
                assert_true(pairs->weight[i] == q.weight[row]);
            if (labels != NULL)
                assert_int_equal(gersh__pairs_class(pairs, i), labels[row]);
            else
                assert_true(gersh__pairs_class(pairs, i) == 0 &&
                            pairs->target[i] == gersh_dataset_targets(q.data)[row]);
            if (i > 0 && (labels == NULL || labels[row] == labels[pairs->sample[i - 1]]))
                assert_true(row > pairs->sample[i - 1]);
        }
        drop(&q);
    }
}

static void check_maps(gersh__random *random, const problem *q, size_t columns)
{
    const gersh__pairs *pairs = q->pairs;
    size_t n = pairs->n, count = pairs->count, i, j;
    double *t = randoms(random, n), *g = randoms(random, count), *v = randoms(random, n * columns);
    double *d = malloc(count * sizeof *d), *e = malloc(count * sizeof *e);
    double *y = malloc(n * columns * sizeof *y), *naive = calloc(n * columns + 1, sizeof *naive);
    const double *x = gersh_dataset_values(q->data);
    gersh__pairs_euclid(pairs, d);
    memcpy(e, d, count * sizeof *e);
    gersh__pairs_add(pairs, -0.75, t, e);
    for (size_t p = 0; p < count; p++) {
        pair_samples(pairs, p, &i, &j);
        assert_true(i > j);
        if (q->listed > 0) {
            size_t a = pairs->sample[i], b = pairs->sample[j];
            assert_true((a == q->list_first[p] && b == q->list_second[p]) ||
                        (b == q->list_first[p] && a == q->list_second[p]));
        }
        double sum = 0;
        for (size_t f = 0; f < pairs->k; f++)
            sum += pow(x[pairs->sample[i] * pairs->k + f] - x[pairs->sample[j] * pairs->k + f], 2);
        close_to(d[p], sum, sum);
        close_to(e[p], d[p] - 0.75 * pow(t[i] - t[j], 2), d[p] + 1);
        for (size_t c = 0; c < columns; c++) {
            naive[c * n + i] += g[p] * (v[c * n + i] - v[c * n + j]);
            naive[c * n + j] += g[p] * (v[c * n + j] - v[c * n + i]);
        }
    }
    gersh__pairs_laplacian(pairs, g, columns, v, y);
    for (size_t c = 0; c < n * columns; c++)
        close_to(y[c], naive[c], 10 * sqrt((double)count));
    free(t);
    free(g);
    free(v);
    free(d);
    free(e);
    free(y);
    free(naive);
}

static void maps_are_the_sums_over_pairs(void **unused)
{
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 2);
    for (int round = 0; round < cases(300); round++) {
        size_t n = 2 + (size_t)gersh__random_below(&random, round % 10 == 0 ? 120 : 25);
        problem q = make(&random, n, 1 + (size_t)gersh__random_below(&random, 6),
                         (size_t)gersh__random_below(&random, 4), round % 2,
                         round % 3 == 0 ? 1 + (size_t)gersh__random_below(&random, 60) : 0, 1);
        check_maps(&random, &q, 1 + (size_t)gersh__random_below(&random, 12));
        drop(&q);
    }
}

static void maps_of_many_pairs_in_threads(void **unused)
{
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 3);
    problem q = make(&random, 420, 3, 3, 0, 0, 3);
    assert_true(q.pairs->parts > 1);
    check_maps(&random, &q, 1);
    check_maps(&random, &q, 70);
    drop(&q);
    q = make(&random, 300, 3, 3, 0, 100000, 3);
    assert_true(q.pairs->parts > 1);
    check_maps(&random, &q, 5);
    drop(&q);
}

/* ⟨D(zzᵀ), g⟩ = zᵀ Xᵀ L(g) X z. */
/* Few pairs of many features, whose distances are sums over parts of the features. */
static void maps_of_many_features(void **unused)
{
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 8);
    for (int threads = 1; threads <= 3; threads += 2) {
        problem q = make(&random, 6, 4100, 2, 0, 0, threads);
        assert_int_equal(q.pairs->parts, 1);
        check_maps(&random, &q, 2);
        drop(&q);
    }
}

static void the_maps_are_adjoint(void **unused)
{
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 4);
    for (int round = 0; round < cases(200); round++) {
        size_t n = 2 + (size_t)gersh__random_below(&random, 40),
               k = 1 + (size_t)gersh__random_below(&random, 5);
        problem q = make(&random, n, k, 2, 0, round % 2 ? 30 : 0, 1);
        const gersh__pairs *pairs = q.pairs;
        double *z = randoms(&random, k), *g = randoms(&random, pairs->count);
        double *d = calloc(pairs->count, sizeof *d), *t = calloc(n, sizeof *t);
        double *y = malloc(n * k * sizeof *y);
        double left = 0, right = 0, scale = 0;
        for (size_t f = 0; f < k; f++)
            for (size_t i = 0; i < n; i++)
                t[i] += pairs->x[f * n + i] * z[f];
        gersh__pairs_add(pairs, 1.0, t, d);
        gersh__pairs_laplacian(pairs, g, k, pairs->x, y);
        for (size_t p = 0; p < pairs->count; p++) {
            left += d[p] * g[p];
            scale += d[p] * fabs(g[p]);
        }
        for (size_t i = 0; i < n; i++)
            for (size_t f = 0; f < k; f++)
                right += t[i] * y[f * n + i] * z[f];
        close_to(left, right, 100 * scale);
        free(z);
        free(g);
        free(d);
        free(t);
        free(y);
        drop(&q);
    }
}

static void check_gram(gersh__random *random, const problem *q, size_t m, int negative)
{
    const gersh__pairs *pairs = q->pairs;
    size_t n = pairs->n, i, j;
    double *t = randoms(random, n * m), *c = randoms(random, pairs->count),
           *h = malloc((m * m + 1) * sizeof *h);
    double *naive = calloc(m * m + 1, sizeof *naive), *size = calloc(m * m + 1, sizeof *size);
    double *a = malloc((m + 1) * sizeof *a);
    for (size_t p = 0; p < pairs->count; p++) {
        c[p] = negative ? c[p] : fabs(c[p]);
        pair_samples(pairs, p, &i, &j);
        if (pairs->classes > 0 && gersh__pairs_class(pairs, i) == gersh__pairs_class(pairs, j))
            c[p] = 0;
        for (size_t e = 0; e < m; e++)
            a[e] = pow(t[e * n + i] - t[e * n + j], 2);
        for (size_t e = 0; e < m * m; e++) {
            naive[e] += c[p] * a[e / m] * a[e % m];
            size[e] += fabs(c[p]) * a[e / m] * a[e % m];
        }
    }
    assert_ok(gersh__pairs_gram(pairs, c, m, t, h));
    for (size_t e = 0; e < m * m; e++)
        close_to(h[e], naive[e], size[e]);
    free(t);
    free(c);
    free(h);
    free(naive);
    free(size);
    free(a);
}

static void gram_is_the_sum_of_outer_products(void **unused)
{
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 5);
    for (int round = 0; round < cases(300); round++) {
        size_t n = 2 + (size_t)gersh__random_below(&random, 50);
        problem q = make(&random, n, 2, (size_t)gersh__random_below(&random, 4), 0,
                         round % 3 == 0 ? 1 + (size_t)gersh__random_below(&random, 700) : 0, 1);
        check_gram(&random, &q, (size_t)gersh__random_below(&random, round % 10 == 0 ? 60 : 8), round % 2);
        drop(&q);
    }
    problem q = make(&random, 400, 2, 3, 0, 0, 3);
    check_gram(&random, &q, 7, 1);
    drop(&q);
}

/* All pairs and listed ones, three times as many as are looked at and more: near the whole sum, and not it. */
static void gram_of_a_part_is_near_that_of_all(void **unused)
{
    enum { M = 3 };
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 6);
    for (int round = 0; round < 8; round++) {
        problem q = make(&random, 400, 2, 2, 0, round % 2 ? 60000 : 0, 1 + round % 3);
        double *t = randoms(&random, q.pairs->n * M), *c = randoms(&random, q.pairs->count);
        double all[M * M], part[M * M];
        for (size_t p = 0; p < q.pairs->count; p++)
            c[p] = fabs(c[p]);
        assert_ok(gersh__pairs_gram(q.pairs, c, M, t, all));
        assert_ok(gersh__pairs_gram_estimate(q.pairs, c, M, t, NULL, part));
        for (size_t e = 0; e < M * M; e++) {
            assert_true(fabs(part[e] - all[e]) <= 0.15 * all[e]);
            assert_true(part[e] != all[e]);
        }
        free(t);
        free(c);
        drop(&q);
    }
}

/* c and its opposite give the same, to the bit: of drawn pairs, of all, and of so few that they are added one by one. */
static void gram_estimate_takes_either_sign(void **unused)
{
    enum { M = 3 };
    static const size_t rows[] = {400, 90, 5};
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 9);
    for (int round = 0; round < 12; round++) {
        problem q = make(&random, rows[round / 4], 2, 2, 0, round % 2 ? 100 : 0, 1);
        size_t count = q.pairs->count;
        double *t = randoms(&random, q.pairs->n * M), *c = randoms(&random, count), h[2][M * M],
               minus_mean[M] = {-0.1, -0.2, -0.3};
        for (int run = 0; run < 2; run++) {
            for (size_t p = 0; p < count; p++)
                c[p] = run == 0 ? fabs(c[p]) : -c[p];
            assert_ok(
                gersh__pairs_gram_estimate(q.pairs, c, M, t, round % 4 < 2 ? minus_mean : NULL, h[run]));
        }
        assert_memory_equal(h[0], h[1], sizeof h[0]);
        free(t);
        free(c);
        drop(&q);
    }
}

/* Every map of the pairs between classes against that of all pairs, with nothing on those within classes. */
static void check_between(gersh__random *random, size_t n, size_t classes, int weighted, int threads)
{
    enum { M = 7 };
    problem q = make(random, n, 3, classes, weighted, 0, threads);
    const gersh__pairs *all = q.pairs;
    gersh__pairs *few;
    assert_ok(gersh__pairs_new_between(&few, q.data, q.weight, q.pool));
    size_t rows = all->n, count = 0;
    double *t = randoms(random, rows * M), *g = calloc(all->count + 1, sizeof *g),
           *h = malloc(2 * M * M * sizeof *h), *d = calloc(all->count + 1, sizeof *d),
           *own_g = calloc(few->count + 1, sizeof *own_g), *own_d = calloc(few->count + 1, sizeof *own_d),
           *y = malloc(2 * M * rows * sizeof *y),
           *scratch = malloc(M * (rows + GERSH__MOST_PARTS) * sizeof *scratch), weight[M], mean = 0,
           own_mean;
    for (size_t a = 0; a < M; a++) {
        double center = 0;
        for (size_t i = 0; i < rows; i++)
            center += t[a * rows + i] / (double)rows;
        for (size_t i = 0; i < rows; i++)
            t[a * rows + i] -= center;
        weight[a] = gersh__random_uniform(random);
    }
    gersh__pairs_euclid(all, d);
    gersh__pairs_euclid(few, own_d);
    for (size_t p = 0; p < all->count; p++)
        mean += d[p] / (double)all->count;
    assert_ok(gersh__pairs_mean(few, &own_mean));
    close_to(own_mean, mean, mean);
    gersh__pairs_combine(all, M, t, weight, scratch, d, d);
    gersh__pairs_combine(few, M, t, weight, scratch, own_d, own_d);
    for (size_t i = 1; i < rows; i++)
        for (size_t j = 0; j < i; j++)
            if (gersh__pairs_class(all, i) != gersh__pairs_class(all, j)) {
                size_t p = gersh__pair(i, j);
                close_to(own_d[count], d[p], 1 + d[p]);
                g[p] = own_g[count++] = gersh__random_normal(random);
            }
    assert_int_equal(count, few->count);
    gersh__pairs_laplacian(all, g, M, t, y);
    gersh__pairs_laplacian(few, own_g, M, t, y + M * rows);
    for (size_t e = 0; e < M * rows; e++)
        close_to(y[M * rows + e], y[e], 100 + fabs(y[e]));
    assert_ok(gersh__pairs_gram(all, g, M, t, h));
    assert_ok(gersh__pairs_gram(few, own_g, M, t, h + M * M));
    for (size_t e = 0; e < M * M; e++)
        close_to(h[M * M + e], h[e], 10 * (double)count);
    free(t);
    free(g);
    free(h);
    free(d);
    free(own_g);
    free(own_d);
    free(y);
    free(scratch);
    gersh__pairs_free(few);
    drop(&q);
}

static void pairs_between_classes_are_a_part_of_all(void **unused)
{
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 7);
    for (int round = 0; round < cases(200); round++)
        check_between(&random, 2 + (size_t)gersh__random_below(&random, 150),
                      1 + (size_t)gersh__random_below(&random, 5), round % 2, 1);
    check_between(&random, 500, 2, 0, 3);
    check_between(&random, 500, 4, 1, 3);
}

/* The distances of many atoms of one or two features: by the features, and adding atom after atom. */
static void check_many_atoms(gersh__random *random, const gersh__pairs *pairs)
{
    enum { M = 9 };
    size_t n = pairs->n, k = pairs->k;
    gersh_atom atom[M];
    double weight[M], *t = malloc(M * n * sizeof *t), *scratch = malloc(M * n * sizeof *scratch),
                      *d = calloc(pairs->count + 1, sizeof *d),
                      *slow = calloc(pairs->count + 1, sizeof *slow), largest = 0;
    for (size_t a = 0; a < M; a++) {
        double angle = 6.2832 * gersh__random_uniform(random), center = 0, *own = t + a * n;
        size_t i = (size_t)gersh__random_below(random, k), j = (size_t)gersh__random_below(random, k);
        atom[a] = i == j ? (gersh_atom){i, i, 1, 0} : (gersh_atom){i, j, cos(angle), sin(angle)};
        weight[a] = a == 3 ? 0 : gersh__random_uniform(random);
        gersh__pairs_project(pairs, i, atom[a].a, j, atom[a].b, own);
        for (size_t r = 0; r < n; r++)
            center += own[r] / (double)n;
        for (size_t r = 0; r < n; r++)
            own[r] -= center;
        gersh__pairs_add(pairs, weight[a], own, slow);
    }
    assert_true(gersh__pairs_many_atoms(pairs, M));
    gersh__pairs_metric(pairs, M, atom, t, weight, scratch, d, d);
    for (size_t p = 0; p < pairs->count; p++)
        largest = fmax(largest, slow[p]);
    for (size_t p = 0; p < pairs->count; p++)
        close_to(d[p], slow[p], largest);
    free(t);
    free(scratch);
    free(d);
    free(slow);
}

static void many_atoms_are_as_one_after_the_other(void **unused)
{
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 8);
    for (int round = 0; round < cases(200); round++) {
        problem q = make(&random, 40 + (size_t)gersh__random_below(&random, 100),
                         1 + (size_t)gersh__random_below(&random, 4), 2, 0, 0, 1 + round % 3);
        gersh__pairs *between;
        assert_ok(gersh__pairs_new_between(&between, q.data, NULL, q.pool));
        check_many_atoms(&random, q.pairs);
        check_many_atoms(&random, between);
        gersh__pairs_free(between);
        drop(&q);
    }
}

/* One distance in 500 between classes, of all pairs and of listed ones: that of its place among all, in order. */
static void threads_change_no_bit(void **unused)
{
    gersh__random random;
    double *d[2], *y[2], *h[2];
    size_t n = 500, columns = 40, m = 6;
    (void)unused;
    for (int run = 0; run < 2; run++) {
        gersh__random_seed(&random, 6);
        problem q = make(&random, n, 4, 2, 0, 0, run == 0 ? 1 : 3);
        double *g = randoms(&random, q.pairs->count), *v = randoms(&random, n * columns);
        d[run] = malloc(q.pairs->count * sizeof(double));
        y[run] = malloc(n * columns * sizeof(double));
        h[run] = malloc(m * m * sizeof(double));
        gersh__pairs_euclid(q.pairs, d[run]);
        gersh__pairs_add(q.pairs, 0.5, v, d[run]);
        gersh__pairs_laplacian(q.pairs, g, columns, v, y[run]);
        assert_ok(gersh__pairs_gram(q.pairs, g, m, v, h[run]));
        free(g);
        free(v);
        drop(&q);
    }
    assert_memory_equal(d[0], d[1], n * (n - 1) / 2 * sizeof(double));
    assert_memory_equal(y[0], y[1], n * columns * sizeof(double));
    assert_memory_equal(h[0], h[1], m * m * sizeof(double));
    for (int run = 0; run < 2; run++) {
        free(d[run]);
        free(y[run]);
        free(h[run]);
    }
}

static void rows_of_weight_0_are_left_out(void **unused)
{
    static const double x[] = {1, 2, 3, 4, 5};
    static const char *const labels[] = {"b", "a", "b", "a", "b"};
    static const double weight[] = {1, 0, 2, 3, 0.5};
    static const size_t first[] = {0, 1, 2}, second[] = {1, 2, 3};
    gersh_dataset *data;
    gersh__pairs *pairs;
    (void)unused;
    assert_ok(gersh_dataset_new(&data, 5, 1, x, 1, labels, NULL, NULL));
    assert_ok(gersh__pairs_new(&pairs, data, weight, 0, NULL, NULL, NULL));
    assert_int_equal(pairs->n, 4);
    assert_int_equal(pairs->count, 6);
    static const size_t rows[] = {3, 0, 2, 4};
    assert_memory_equal(pairs->sample, rows, sizeof rows);
    assert_true(pairs->class_start[1] == 1 && pairs->class_start[2] == 4);
    gersh__pairs_free(pairs);
    assert_ok(gersh__pairs_new(&pairs, data, weight, 3, first, second, NULL));
    assert_int_equal(pairs->count, 1);
    assert_true(pairs->sample[pairs->first[0]] == 2 && pairs->sample[pairs->second[0]] == 3);
    gersh__pairs_free(pairs);
    assert_int_equal(gersh__pairs_new(&pairs, data, weight, 1, first, second, NULL), GERSH_ERROR_INPUT);
    assert_string_equal(gersh_last_error(),
                        "every listed pair has a row of weight 0; at least one pair must count");
    gersh_dataset_free(data);
}

static void wrong_arguments_are_refused(void **unused)
{
    static const double x[] = {1, 2, 3}, negative[] = {1, -1, 1}, nan[] = {1, NAN, 1}, one[] = {0, 0, 1};
    static const size_t first[] = {0, 1}, second[] = {1, 3}, same[] = {0, 2};
    gersh_dataset *data, *single;
    gersh__pairs *pairs = (gersh__pairs *)x;
    (void)unused;
    assert_ok(gersh_dataset_new(&data, 3, 1, x, 1, NULL, x, NULL));
    assert_ok(gersh_dataset_new(&single, 1, 1, x, 1, NULL, x, NULL));
    assert_int_equal(gersh__pairs_new(&pairs, single, NULL, 0, NULL, NULL, NULL), GERSH_ERROR_INPUT);
    assert_null(pairs);
    assert_string_equal(gersh_last_error(), "the data set has 1 row; pairs need at least two");
    assert_int_equal(gersh__pairs_new(&pairs, data, one, 0, NULL, NULL, NULL), GERSH_ERROR_INPUT);
    assert_string_equal(gersh_last_error(),
                        "the data set has 1 row of a weight above 0; pairs need at least two");
    assert_int_equal(gersh__pairs_new(&pairs, data, negative, 0, NULL, NULL, NULL), GERSH_ERROR_ARGUMENT);
    assert_string_equal(gersh_last_error(),
                        "row 2: the weight is -1; a weight must be 0, or from 1e-30 to 1e+30");
    assert_int_equal(gersh__pairs_new(&pairs, data, nan, 0, NULL, NULL, NULL), GERSH_ERROR_ARGUMENT);
    assert_int_equal(gersh__pairs_new(&pairs, data, NULL, 2, first, second, NULL), GERSH_ERROR_ARGUMENT);
    assert_string_equal(gersh_last_error(),
                        "pair 2 has row 3 (counted from 0), but the data set has 3 rows");
    assert_int_equal(gersh__pairs_new(&pairs, data, NULL, 1, first, same, NULL), GERSH_ERROR_ARGUMENT);
    assert_string_equal(gersh_last_error(),
                        "pair 1 joins row 0 (counted from 0) with itself; a pair needs two rows");
    assert_int_equal(gersh__pairs_new(&pairs, data, NULL, 0, first, second, NULL), GERSH_ERROR_ARGUMENT);
    assert_int_equal(gersh__pairs_new(&pairs, data, NULL, 1, first, NULL, NULL), GERSH_ERROR_ARGUMENT);
    assert_int_equal(gersh__pairs_new(&pairs, data, NULL, 1, NULL, second, NULL), GERSH_ERROR_ARGUMENT);
    gersh_dataset_free(data);
    gersh_dataset_free(single);
}

static void allocation_failures(void **unused)
{
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 7);
    for (int listed = 0; listed < 2; listed++) {
        problem q = make(&random, 20, 2, 2, 1, listed ? 40 : 0, 1);
        double *c = randoms(&random, q.pairs->count), *t = randoms(&random, 20 * 40), h[1600];
        gersh_status status;
        long failures = 0;
        do {
            gersh__pairs *pairs;
            gersh__alloc_fail_at(++failures);
            status =
                gersh__pairs_new(&pairs, q.data, q.weight, q.listed, q.list_first, q.list_second, NULL);
            if (status == GERSH_OK)
                status = gersh__pairs_gram(pairs, c, 40, t, h);
            gersh__alloc_fail_at(0);
            assert_true(status == GERSH_OK || status == GERSH_ERROR_MEMORY);
            gersh__pairs_free(pairs);
        } while (status != GERSH_OK);
        assert_in_range(failures, 8, 20);
        free(c);
        free(t);
        drop(&q);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_in_the_order_of_classes),
        cmocka_unit_test(maps_are_the_sums_over_pairs),
        cmocka_unit_test(maps_of_many_pairs_in_threads),
        cmocka_unit_test(maps_of_many_features),
        cmocka_unit_test(the_maps_are_adjoint),
        cmocka_unit_test(gram_is_the_sum_of_outer_products),
        cmocka_unit_test(gram_of_a_part_is_near_that_of_all),
        cmocka_unit_test(gram_estimate_takes_either_sign),
        cmocka_unit_test(pairs_between_classes_are_a_part_of_all),
        cmocka_unit_test(many_atoms_are_as_one_after_the_other),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(rows_of_weight_0_are_left_out),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
