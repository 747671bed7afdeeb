/* Tuples as listed pairs; the objectives of tuples against their definitions and against those of classes.
 */
#include "models.h"
#include "objective/objective.h"
#include "pairs.h"
#include "tuples.h"

/* A random problem: rows, a random metric's distances, weights of which some are 0, and tuples. */
typedef struct random_case {
    gersh_dataset *data;
    gersh_tuples *tuples;
    gersh__pairs *pairs;
    double *weight, *d;
    size_t n, k;
} random_case;

static void drop_case(random_case *q)
{
    gersh__pairs_free(q->pairs);
    gersh_tuples_free(q->tuples);
    gersh_dataset_free(q->data);
    free(q->weight);
    free(q->d);
}

/* The distances of all rows, and those of the listed pairs. */
static double *pair_distances(const random_case *q)
{
    double *d = malloc(gersh__pairs_count(q->pairs) * sizeof *d);
    for (size_t p = 0; p < gersh__pairs_count(q->pairs); p++)
        d[p] = q->d[pair_row(q->pairs, p) * q->n + pair_other_row(q->pairs, p)];
    return d;
}

static random_case make_case(gersh__random *random, gersh_tuple_kind kind, int weighted)
{
    random_case q = {.n = 6 + (size_t)gersh__random_below(random, 8),
                     .k = 1 + (size_t)gersh__random_below(random, 4)};
    static const double ones[] = {1, 1, 1, 1};
    q.data = plain_data(random, q.n, q.k);
    q.tuples = true_tuples(random, q.data, kind, 25 + (size_t)gersh__random_below(random, 20), ones,
                           1.5 * (double)q.k);
    q.weight = weighted ? malloc(q.n * sizeof *q.weight) : NULL;
    for (size_t i = 0; weighted && i < q.n; i++)
        q.weight[i] = i == 0 ? 0 : (double)(1 + gersh__random_below(random, 3));
    q.d = calloc(q.n * q.n, sizeof *q.d);
    const double *x = gersh_dataset_values(q.data);
    double size = 0.3 * exp(gersh__random_normal(random));
    for (size_t atom = 0; atom <= q.k; atom++) {
        double z[4];
        for (size_t f = 0; f < q.k; f++)
            z[f] = gersh__random_normal(random);
        for (size_t i = 0; i < q.n; i++)
            for (size_t j = 0; j < q.n; j++) {
                double along = 0;
                for (size_t f = 0; f < q.k; f++)
                    along += z[f] * (x[i * q.k + f] - x[j * q.k + f]);
                q.d[i * q.n + j] += size * along * along;
            }
    }
    assert_ok(gersh__pairs_new_tuples(&q.pairs, q.data, q.weight, q.tuples, NULL));
    return q;
}

static int row_is(const random_case *q, size_t sample, size_t row)
{
    return gersh__pairs_row(q->pairs, sample) == row;
}

static int pair_is(const random_case *q, size_t p, size_t a, size_t b)
{
    size_t i = pair_first(q->pairs, p), j = pair_second(q->pairs, p);
    return (row_is(q, i, a) && row_is(q, j, b)) || (row_is(q, i, b) && row_is(q, j, a));
}

static void tuples_become_listed_pairs(void **unused)
{
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 32);
    for (int round = 0; round < cases(600); round++) {
        gersh_tuple_kind kind = (gersh_tuple_kind)(round % 3);
        random_case q = make_case(&random, kind, round % 2);
        const gersh__supervision *known = gersh__pairs_supervision(q.pairs);
        size_t size = gersh_tuple_size(kind), at = 0;
        for (size_t t = 0; t < q.tuples->count; t++) {
            const size_t *r = q.tuples->row + t * size;
            double weight = 1;
            for (size_t c = 0; c < size; c++)
                weight *= q.weight != NULL ? q.weight[r[c]] : 1;
            if (weight == 0)
                continue;
            if (kind == GERSH_PAIRS) {
                assert_true(pair_is(&q, at, r[0], r[1]) &&
                            gersh__supervision_similarity(known)[at] == q.tuples->similar[t]);
            } else {
                const gersh__comparisons *c = gersh__supervision_comparisons(known);
                size_t third = kind == GERSH_TRIPLETS ? r[0] : r[2];
                assert_true(pair_is(&q, c->near[at], r[0], r[1]) &&
                            pair_is(&q, c->far[at], third, r[size - 1]));
                assert_true(c->weight[at] == weight);
                assert_true(kind == GERSH_QUADRUPLETS ? c->anchor == NULL
                                                      : row_is(&q, c->anchor[at], r[0]));
            }
            at++;
        }
        assert_int_equal(at, kind == GERSH_PAIRS ? gersh__pairs_count(q.pairs)
                                                 : gersh__supervision_comparisons(known)->count);
        for (size_t p = 0; p < gersh__pairs_count(q.pairs) && kind != GERSH_PAIRS; p++)
            for (size_t o = 0; o < p; o++)
                assert_false(pair_first(q.pairs, p) == pair_first(q.pairs, o) &&
                             pair_second(q.pairs, p) == pair_second(q.pairs, o));
        assert_int_equal(gersh__supervision_source(known), GERSH__PAIRS << kind);
        drop_case(&q);
    }
}

/* One that the objective can learn from: not all pairs may be similar, for one. */
static random_case useful_case(gersh__random *random, const char *name, gersh_tuple_kind kind, int weighted)
{
    for (;;) {
        random_case q = make_case(random, kind, weighted);
        gersh__objective *objective = NULL;
        gersh_status status = gersh__objective_new(&objective, gersh__objective_find(name), q.pairs);
        gersh__objective_free(objective);
        if (status == GERSH_OK)
            return q;
        assert_int_equal(status, GERSH_ERROR_INPUT);
        drop_case(&q);
    }
}

/* Calls the function for every objective with every kind of tuples that it takes. */
static void for_all(uint64_t seed, int rounds,
                    void (*check)(gersh__random *random, const char *name, const random_case *q))
{
    const char *name;
    gersh__random random;
    visits seen = {0};
    gersh__random_seed(&random, seed);
    for (size_t which = 0; (name = objective_name(which, learns_tuples)) != NULL; which++)
        for (int round = 0; round < 3 * cases(rounds); round++) {
            gersh_tuple_kind kind = (gersh_tuple_kind)(round % 3);
            if (!takes_kind(name, kind))
                continue;
            random_case q = useful_case(&random, name, kind, round / 3 % 2);
            check(&random, name, &q);
            drop_case(&q);
            visit(&seen, name);
        }
    assert_all_objectives(&seen, learns_tuples);
}

static gersh__objective *objective_of(const char *name, const random_case *q)
{
    gersh__objective *objective = NULL;
    assert_ok(gersh__objective_new(&objective, gersh__objective_find(name), q->pairs));
    assert_string_equal(objective->info->name, name);
    return objective;
}

static void check_value(gersh__random *random, const char *name, const random_case *q)
{
    gersh__objective *f = objective_of(name, q);
    tuple_case c = {q->n, q->tuples, q->weight, q->d};
    double *d = pair_distances(q), *g = malloc(gersh__pairs_count(q->pairs) * sizeof *g);
    (void)random;
    f->width = 0.4;
    defined_value sum = naive_sum(name, &c, 0.4);
    double right = sum.value, room = sum.size;
    assert_close(f->kind->evaluate(f, d, NULL), right, 1e-12 * (fabs(right) + room));
    assert_close(f->kind->evaluate(f, d, g), right, 1e-12 * (fabs(right) + room));
    double user = naive_value(name, &c, 1e-200) * objective_sign(name);
    assert_close(gersh__objective_value(f, d), user, 1e-12 * (fabs(user) + room));
    gersh__objective_free(f);
    free(d);
    free(g);
}

static void values_are_those_of_the_definitions(void **unused)
{
    (void)unused;
    for_all(33, 200, check_value);
}

/* Each pair alone, and the curvature along a direction, by differences; the Hessian of atoms by the
 * curvature. */
static void check_derivatives(gersh__random *random, const char *name, const random_case *q)
{
    gersh__objective *f = objective_of(name, q);
    size_t count = gersh__pairs_count(q->pairs), n = gersh__pairs_samples(q->pairs), m = 3;
    double *d = pair_distances(q), *g = malloc(6 * count * sizeof *g), *up = g + count, *down = up + count,
           *v = down + count, *image = v + count, *atom = image + count;
    double *t = malloc(m * n * sizeof *t), h[9], slope = 0;
    f->width = 2;
    for (size_t p = 0; p < count; p++) {
        d[p] += 0.1;
        v[p] = gersh__random_normal(random) * d[p];
    }
    double value = f->kind->evaluate(f, d, g), largest_slope = 0;
    for (size_t p = 0; p < count; p++)
        largest_slope = fmax(largest_slope, fabs(g[p]));
    for (size_t p = 0; p < count; p++) {
        double step = 1e-5 * d[p], kept = d[p];
        d[p] = kept + step;
        double above = f->kind->evaluate(f, d, NULL);
        d[p] = kept - step;
        double below = f->kind->evaluate(f, d, NULL);
        d[p] = kept;
        slope += fabs(g[p]);
        assert_close((above - below) / (2 * step), g[p],
                     2e-5 * (largest_slope + 1e-3 * fabs(value) + 1)); /* 1: the kink of lsml at x = y */
    }
    for (int side = 0; side < 2; side++) {
        for (size_t p = 0; p < count; p++)
            atom[p] = d[p] + (side ? -1e-7 : 1e-7) * v[p];
        f->kind->evaluate(f, atom, side ? down : up);
    }
    f->kind->evaluate(f, d, g);
    f->kind->curvature(f, d, v, image);
    for (size_t p = 0; p < count; p++)
        assert_close(image[p], (up[p] - down[p]) / 2e-7, 1e-4 * (slope + 1e-6));
    for (size_t e = 0; e < m * n; e++)
        t[e] = gersh__random_normal(random);
    assert_ok(gersh__objective_hessian(f, d, m, t, h));
    for (size_t b = 0; b < m; b++) {
        double largest = 0;
        memset(v, 0, count * sizeof *v);
        gersh__pairs_add(q->pairs, 1, t + b * n, v);
        f->kind->curvature(f, d, v, image);
        for (size_t p = 0; p < count; p++)
            largest = fmax(largest, v[p] * v[p]);
        for (size_t a = 0; a < m; a++) {
            double sum = 0;
            memset(atom, 0, count * sizeof *atom);
            gersh__pairs_add(q->pairs, 1, t + a * n, atom);
            for (size_t p = 0; p < count; p++)
                sum += atom[p] * image[p];
            assert_close(h[a * m + b], sum, 1e-11 * fabs(sum) + 1e-12 * slope * (largest + 1));
            assert_true(h[a * m + b] == h[b * m + a]);
        }
    }
    gersh__objective_free(f);
    free(d);
    free(g);
    free(t);
}

static void derivatives_are_those_of_differences(void **unused)
{
    (void)unused;
    for_all(34, 100, check_derivatives);
}

static void check_convex(gersh__random *random, const char *name, const random_case *q)
{
    gersh__objective *f = objective_of(name, q);
    size_t count = gersh__pairs_count(q->pairs);
    double *from = malloc(3 * count * sizeof *from), *to = from + count, *g = to + count, slope = 0;
    f->width = gersh__random_below(random, 2) ? 0 : 0.5;
    for (size_t p = 0; p < count; p++) {
        from[p] = pow(gersh__random_normal(random), 2) + 1e-3;
        to[p] = pow(gersh__random_normal(random), 2) + 1e-3;
    }
    double before = f->kind->evaluate(f, from, g), after = f->kind->evaluate(f, to, NULL);
    for (size_t p = 0; p < count; p++)
        slope += g[p] * (to[p] - from[p]);
    assert_true(after >= before + slope - 1e-11 * (fabs(before) + fabs(after) + fabs(slope) + 1));
    if (f->info->nonnegative)
        assert_true(before >= 0);
    if (f->kind->constant != NULL) { /* a linear function that is nowhere above the true value */
        f->kind->evaluate(f, from, g);
        double line = f->kind->constant(f, g), value = gersh__objective_value(f, to);
        for (size_t p = 0; p < count; p++)
            line += g[p] * to[p];
        assert_true(line <= value + 1e-11 * (fabs(value) + fabs(line)));
    }
    gersh__objective_free(f);
    free(from);
}

static void every_objective_is_convex(void **unused)
{
    (void)unused;
    for_all(35, 300, check_convex);
}

/* Pairs of rows with the same features: finite derivatives, and none for what cannot change. */
static void equal_rows(void **unused)
{
    static const double x[] = {0, 0, 1, 4};
    gersh_dataset *data = unlabelled(4, 1, x);
    gersh_tuples *tuples = NULL;
    gersh__pairs *pairs = NULL;
    gersh__objective *f = NULL;
    double d[4], g[4], out[4];
    (void)unused;
    /* Rows 2 and 3 against rows 0 and 1; and rows 0 and 1, which hold for sure. */
    assert_ok(gersh_tuples_new(&tuples, GERSH_QUADRUPLETS, 2, (size_t[]){2, 3, 0, 1, 0, 1, 1, 2}, NULL, 4));
    assert_ok(gersh__pairs_new_tuples(&pairs, data, NULL, tuples, NULL));
    assert_ok(gersh__objective_new(&f, gersh__objective_find("lsml"), pairs));
    gersh__pairs_euclidean(pairs, d);
    assert_close(f->kind->evaluate(f, d, g), 9, 1e-12);
    f->kind->curvature(f, d, d, out);
    for (size_t p = 0; p < gersh__pairs_count(pairs); p++) {
        assert_true(isfinite(g[p]) && isfinite(out[p]));
        assert_true(d[p] != 0 || (g[p] == 0 && out[p] == 0));
        assert_close(g[p], d[p] == 9 ? 1 : 0, 1e-12);
    }
    gersh__objective_free(f);
    gersh__pairs_free(pairs);
    gersh_tuples_free(tuples);
    gersh_dataset_free(data);
}

static double value_of(const gersh__pairs *pairs, const char *name)
{
    gersh__objective *f = NULL;
    double *d = malloc(gersh__pairs_count(pairs) * sizeof *d);
    gersh__pairs_euclidean(pairs, d);
    assert_ok(gersh__objective_new(&f, gersh__objective_find(name), pairs));
    for (size_t p = 0; p < gersh__pairs_count(pairs); p++)
        d[p] *= 0.3;
    double value = gersh__objective_value(f, d);
    gersh__objective_free(f);
    free(d);
    return value;
}

/* The triplets of lmnn: each row with its three nearest class mates and all rows of other classes. */
static gersh_tuples *lmnn_triplets(const gersh_dataset *data)
{
    size_t n = gersh_dataset_rows(data), k = gersh_dataset_features(data), count = 0, *row = NULL;
    const double *x = gersh_dataset_values(data);
    const int *label = gersh_dataset_labels(data);
    gersh_tuples *tuples = NULL;
    row = malloc(9 * n * n * sizeof *row);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            size_t nearer = 0;
            double d[2] = {0, 0};
            for (size_t f = 0; f < k; f++)
                d[0] += pow(x[i * k + f] - x[j * k + f], 2);
            for (size_t o = 0; o < n; o++) {
                d[1] = 0;
                for (size_t f = 0; f < k; f++)
                    d[1] += pow(x[i * k + f] - x[o * k + f], 2);
                nearer +=
                    o != i && o != j && label[o] == label[i] && (d[1] < d[0] || (d[1] == d[0] && o < j));
            }
            for (size_t l = 0; i != j && label[i] == label[j] && nearer < 3 && l < n; l++)
                if (label[l] != label[i]) {
                    row[3 * count] = i;
                    row[3 * count + 1] = j;
                    row[3 * count++ + 2] = l;
                }
        }
    assert_ok(gersh_tuples_new(&tuples, GERSH_TRIPLETS, count, row, NULL, n));
    free(row);
    return tuples;
}

/* With all pairs listed, or all triplets, the objectives are those of the classes. */
static void tuples_of_classes_give_the_same_values(void **unused)
{
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 36);
    for (int round = 0; round < cases(200); round++) {
        size_t n = 6 + (size_t)gersh__random_below(&random, 8), count = 0, row[200];
        int similar[100];
        double weight[16];
        gersh_dataset *data = ready_data(&random, n, 2, 3), *scaled = data;
        gersh_scaling *scaling = NULL;
        gersh__pairs *all = NULL, *listed = NULL, *compared = NULL;
        gersh_tuples *pairs = NULL, *triplets = NULL;
        assert_ok(gersh_scaling_fit(&scaling, data, "zscore"));
        assert_ok(gersh_scaling_apply(scaling, scaled));
        for (size_t i = 0; i < n; i++) {
            weight[i] = (double)(1 + gersh__random_below(&random, 3));
            for (size_t j = 0; j < i; j++) {
                row[2 * count] = gersh__random_below(&random, 2) ? i : j;
                row[2 * count + 1] = row[2 * count] == i ? j : i;
                similar[count++] = gersh_dataset_labels(data)[i] == gersh_dataset_labels(data)[j];
            }
        }
        const double *w = round % 2 ? weight : NULL;
        assert_ok(gersh_tuples_new(&pairs, GERSH_PAIRS, count, row, similar, n));
        assert_ok(gersh__pairs_new(&all, data, w, 0, NULL, NULL, NULL));
        assert_ok(gersh__pairs_new_tuples(&listed, data, w, pairs, NULL));
        int mates = 0;
        for (size_t p = 0; p < count; p++)
            mates |= similar[p];
        const char *name;
        for (size_t which = 0; mates && (name = objective_name(which, learns_pairs)) != NULL; which++) {
            double right = value_of(all, name);
            assert_close(value_of(listed, name), right, 1e-12 * (fabs(right) + (double)n));
        }
        if (mates) {
            triplets = lmnn_triplets(data);
            assert_ok(gersh__pairs_new_tuples(&compared, data, w, triplets, NULL));
            double right = value_of(all, "lmnn");
            assert_close(value_of(compared, "lmnn"), right, 1e-12 * right);
        }
        gersh__pairs_free(all);
        gersh__pairs_free(listed);
        gersh__pairs_free(compared);
        gersh_tuples_free(pairs);
        gersh_tuples_free(triplets);
        gersh_scaling_free(scaling);
        gersh_dataset_free(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tuples_become_listed_pairs),
        cmocka_unit_test(values_are_those_of_the_definitions),
        cmocka_unit_test(derivatives_are_those_of_differences),
        cmocka_unit_test(every_objective_is_convex),
        cmocka_unit_test(equal_rows),
        cmocka_unit_test(tuples_of_classes_give_the_same_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
