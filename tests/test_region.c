/*
 * The linear minimisers of the regions against G written out from its definition, Σ_p g_p Δ_p Δ_pᵀ, and a
 * look at every feature and every pair of features.
 */
#include "check.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "linalg/kernels.h"
#include "regions.h"

/* The atom is one of the region's, its value is zᵀ G z, and its length 1. */
static void check_atom(const world *w, const gersh__region *region, const gersh__candidate *c)
{
    gersh_atom z = c->atom;
    size_t k = w->k;
    assert_null(c->vector);
    assert_true(z.i < k && z.j < k);
    double value = z.a * z.a * w->dense[z.i * k + z.i];
    if (z.i == z.j) {
        assert_true(z.a == 1 && z.b == 0);
    } else {
        value += z.b * z.b * w->dense[z.j * k + z.j] + 2 * z.a * z.b * w->dense[z.i * k + z.j];
        assert_true(region->kind != GERSH__DIAGONAL);
        assert_true(region->row == GERSH__ALL_ROWS || region->row == z.i || region->row == z.j);
        int sign = z.a * z.b < 0 ? NEGATIVE : POSITIVE;
        assert_true(region->rules == NULL || (w->signs[z.i * k + z.j] & sign));
        if (region->kind == GERSH__BALANCED || region->kind == GERSH__GDPA)
            assert_int_equal(sign, w->color[z.i] == w->color[z.j] ? NEGATIVE : POSITIVE);
    }
    if (region->kind == GERSH__GDPA && z.i != z.j) { /* the discs of zzᵀ do not reach below 0 */
        double radius = fabs(z.a * z.b), ratio = w->u[z.j] / w->u[z.i];
        assert_true(z.a * z.a >= radius * ratio * (1 - 1e-12));
        assert_true(z.b * z.b >= radius / ratio * (1 - 1e-12));
    }
    assert_true(fabs(hypot(z.a, z.b) - 1) < 1e-14);
    assert_true(fabs(c->value - value) <= 1e-10 * w->norm);
}

static void check_minimum(const world *w, gersh__region *region, size_t want)
{
    gersh__candidate *list = room(want, sizeof *list);
    size_t found;
    double least, expected = brute_force(w, region);
    assert_ok(gersh__region_minimize(region, w->gradient, -INFINITY, want, list, &found, &least));
    assert_true(found >= 1 && found <= want);
    if (!(fabs(list[0].value - expected) <= 1e-10 * w->norm))
        fail_msg("region %d, %zu features, row %zu: the best value is %.17g, not %.17g", (int)region->kind,
                 w->k, region->row, list[0].value, expected);
    assert_true(least <= list[0].value && least >= expected - 1e-10 * w->norm);
    for (size_t c = 0; c < found; c++) {
        check_atom(w, region, &list[c]);
        assert_true(c == 0 || list[c].value >= list[c - 1].value - 1e-12 * w->norm);
        for (size_t e = 0; e < c; e++) {
            gersh_atom a = list[c].atom, b = list[e].atom;
            assert_false((a.i == b.i && a.j == b.j) || (a.i == b.j && a.j == b.i));
        }
    }
    free(list);
}

static gersh__region *region_of(const world *w, gersh__region_kind kind)
{
    gersh__region *region;
    assert_ok(gersh__region_new(&region, kind, w->pairs, w->rules));
    region->color = kind == GERSH__BALANCED || kind == GERSH__GDPA ? w->color : NULL;
    region->u = kind == GERSH__GDPA ? w->u : NULL;
    return region;
}

/* Every region whose atoms have one or two entries, also of one row only, for two gradients each. */
static void check_all(world *w, gersh__random *random, int gradient, int again)
{
    static const gersh__region_kind kinds[] = {GERSH__DIAGONAL, GERSH__GDPA, GERSH__BALANCED, GERSH__HULL};
    gersh__region *region[4];
    for (int r = 0; r < 4; r++)
        region[r] = region_of(w, kinds[r]);
    for (int round = 0; round < 2; round++) { /* a region is used many times */
        set_gradient(w, random, round == 0 ? gradient : again);
        for (int r = 0; r < 4; r++) {
            region[r]->row = GERSH__ALL_ROWS;
            check_minimum(w, region[r], 1 + (size_t)gersh__random_below(random, 8));
            region[r]->row = (size_t)gersh__random_below(random, w->k);
            check_minimum(w, region[r], 1 + (size_t)gersh__random_below(random, 8));
            check_minimum(w, region[r], GERSH__MOST_CANDIDATES);
        }
    }
    for (int r = 0; r < 4; r++)
        gersh__region_free(region[r]);
}

static void few_features(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 61);
    for (int t = 0; t < cases(300); t++) {
        world w;
        size_t n = 2 + (size_t)gersh__random_below(&random, 20), k = 1 + (size_t)(t * 7 % 60);
        make_world(&w, &random, n, k, t % 4 == 3 ? 1 + (size_t)gersh__random_below(&random, 30) : 0, 0, 1);
        check_all(&w, &random, t % GRADIENTS, (int)gersh__random_below(&random, GRADIENTS));
        drop(&w);
    }
}

static void rules_hold(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 62);
    for (int t = 0; t < cases(200); t++) {
        world w;
        make_world(&w, &random, 2 + (size_t)gersh__random_below(&random, 12), 2 + (size_t)(t * 7 % 39), 0,
                   0, 1);
        set_rules(&w, &random, t % 2);
        for (size_t i = 0; i < w.k; i++) {
            for (size_t j = 0; j < w.k; j++) {
                if (i == j)
                    continue;
                assert_int_equal(gersh__rules_allow(w.rules, i, j, -1),
                                 (w.signs[i * w.k + j] & NEGATIVE) != 0);
                assert_int_equal(gersh__rules_allow(w.rules, i, j, 1),
                                 (w.signs[i * w.k + j] & POSITIVE) != 0);
            }
        }
        check_all(&w, &random, t % GRADIENTS, MIXED);
        drop(&w);
    }
}

static void wrong_rules_are_refused(void **unused)
{
    (void)unused;
    gersh__rules *rules;
    const gersh_edge_rule twice[] = {
        {0, 1, GERSH_EDGE_FORBIDDEN}, {2, 1, GERSH_EDGE_POSITIVE}, {1, 0, GERSH_EDGE_FORBIDDEN}};
    const gersh_edge_rule itself[] = {{0, 1, GERSH_EDGE_FORBIDDEN}, {2, 2, GERSH_EDGE_FORBIDDEN}};
    const gersh_edge_rule outside[] = {{0, 3, GERSH_EDGE_FORBIDDEN}};
    assert_int_equal(gersh__rules_new(&rules, 3, twice, 3), GERSH_ERROR_ARGUMENT);
    assert_string_equal(gersh_last_error(), "two edge rules name features 1 and 2");
    assert_null(rules);
    assert_int_equal(gersh__rules_new(&rules, 3, itself, 2), GERSH_ERROR_ARGUMENT);
    assert_string_equal(gersh_last_error(),
                        "edge rule 2 names features 3 and 3; expected two different ones of 3");
    assert_int_equal(gersh__rules_new(&rules, 3, outside, 1), GERSH_ERROR_ARGUMENT);
    assert_ok(gersh__rules_new(&rules, 3, NULL, 0));
    assert_true(gersh__rules_allow(rules, 0, 2, 1) && gersh__rules_allow(rules, 0, 2, -1));
    gersh__rules_free(rules);
    gersh__rules_free(NULL);
    assert_true(gersh__rules_allow(NULL, 0, 1, 1));
}

/* Where pairs are passed over, and about the number of features from which they are. */
static void many_features(void **unused)
{
    (void)unused;
    static const size_t counts[] = {600, 700, 513, 512};
    static const int gradients[] = {DECOYS, MIXED, BELOW_ZERO, ABOVE_ZERO, FEW, ALL_ZERO};
    gersh__random random;
    gersh__random_seed(&random, 63);
    for (int t = 0; t < cases(24); t++) {
        world w;
        int gradient = gradients[t % 6];
        make_world(&w, &random, t % 2 ? 9 : 18, counts[(t + t / 6) % 4], 0, gradient == DECOYS,
                   t % 3 == 1 ? 1 : 3);
        if (t % 8 == 5)
            set_rules(&w, &random, 0);
        check_all(&w, &random, gradient, gradients[(t + 1 + t / 6) % 6]);
        drop(&w);
    }
}

/*
 * With many features a look at the watched ones is enough where it finds a pair below the limit, and certifies nothing
 * then; asked for ever smaller values it ends with a look at all and the minimum.
 */
static void watched_pairs_come_first(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 67);
    int few = 0, all = 0;
    for (int t = 0; t < cases(16); t++) {
        world w;
        make_world(&w, &random, 5 + (size_t)(t % 7), 1200, 0, t % 4 == 3, 1 + t % 2);
        set_gradient(&w, &random, t % 2 ? MIXED : BELOW_ZERO);
        gersh__region *region = region_of(&w, t % 3 == 0 ? GERSH__BALANCED : GERSH__HULL);
        double expected = brute_force(&w, region), least = -INFINITY, enough = 0;
        while (least == -INFINITY) {
            gersh__candidate list[4];
            size_t found;
            assert_ok(gersh__region_minimize(region, w.gradient, enough, 4, list, &found, &least));
            for (size_t c = 0; c < found; c++)
                check_atom(&w, region, &list[c]);
            if (least == -INFINITY) {
                assert_true(list[0].value < enough);
                few++;
            } else {
                assert_true(fabs(list[0].value - expected) <= 1e-10 * w.norm);
                assert_true(least <= list[0].value && least >= expected - 1e-10 * w.norm);
                all++;
            }
            enough = list[0].value - 1e-9 * fabs(list[0].value); /* by more than rounding */
        }
        check_minimum(&w, region, 5); /* what was found is watched */
        gersh__region_free(region);
        drop(&w);
    }
    assert_true(few > 0 && all > 0);
}

/* The first value that is not between the limits, whatever the length and wherever it is; NaN never is between. */
static void places_beyond_limits_are_found(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 69);
    for (size_t n = 0; n < 300; n++) {
        float x[300];
        const float odd[] = {-1.5f, 2.5f, NAN, INFINITY, -INFINITY};
        for (size_t i = 0; i < n; i++)
            x[i] = (float)(3 * gersh__random_uniform(&random) - 1);
        assert_int_equal(gersh__kernels_here()->outside(n, x, -1, 2), n);
        if (n == 0)
            continue;
        size_t second = (size_t)gersh__random_below(&random, n),
               first = (size_t)gersh__random_below(&random, second + 1);
        x[second] = odd[n % 5];
        x[first] = odd[(n + 2) % 5];
        assert_int_equal(gersh__kernels_here()->outside(n, x, -1, 2), first);
    }
}

/* Columns that are all the same, all zero but one, and of very different sizes; level pairs everywhere. */
static void ties_and_extremes(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 68);
    for (int t = 0; t < cases(12); t++) {
        static const char *const labels[] = {"a", "b", "a", "b", "c", "c", "a", "b"};
        enum { N = 8, K = 700 };
        double *x = room((size_t)N * K, sizeof *x);
        world w = {.n = N, .k = K};
        for (size_t f = 0; f < K; f++)
            for (size_t i = 0; i < N; i++)
                x[i * K + f] = t % 3 == 0   ? (double)((i * 7 + 3) % 5)
                               : t % 3 == 1 ? (f == 5 ? (double)i : 0)
                                            : gersh__random_normal(&random) * pow(10, (double)(f % 13) - 6);
        assert_ok(gersh_dataset_new(&w.data, N, K, x, K, labels, NULL, NULL));
        assert_ok(gersh__pool_new(&w.pool, 1));
        assert_ok(gersh__pairs_new(&w.pairs, w.data, NULL, 0, NULL, NULL, w.pool));
        assert_ok(gersh__gradient_new(&w.gradient, w.pairs, 0));
        w.g = room(gersh__pairs_count(w.pairs), sizeof *w.g);
        w.dense = room((size_t)K * K, sizeof *w.dense);
        w.color = room(K, sizeof *w.color);
        w.u = room(K, sizeof *w.u);
        for (size_t f = 0; f < K; f++) {
            w.color[f] = f % 3 == 0 ? -1 : 1;
            w.u[f] = 1 + (double)(f % 4);
        }
        free(x);
        check_all(&w, &random, t % 2 ? MIXED : BELOW_ZERO, ABOVE_ZERO);
        drop(&w);
    }
}

/* The same candidates with one thread and with three. */
static void threads_do_not_matter(void **unused)
{
    (void)unused;
    gersh__candidate list[2][20];
    size_t found[2];
    for (int s = 0; s < 2; s++) {
        gersh__random random;
        gersh__random_seed(&random, 64);
        world w;
        double least;
        make_world(&w, &random, 12, 900, 0, 0, s == 0 ? 1 : 3);
        set_gradient(&w, &random, MIXED);
        gersh__region *region = region_of(&w, GERSH__BALANCED);
        assert_ok(gersh__region_minimize(region, w.gradient, -INFINITY, 20, list[s], &found[s], &least));
        gersh__region_free(region);
        drop(&w);
    }
    assert_int_equal(found[0], found[1]);
    for (size_t c = 0; c < found[0]; c++) {
        gersh_atom a = list[0][c].atom, b = list[1][c].atom;
        assert_true(a.i == b.i && a.j == b.j && a.a == b.a && a.b == b.b);
        assert_true(list[0][c].value == list[1][c].value);
    }
}

static double form(const world *w, const double *z, const double *y)
{
    double sum = 0;
    for (size_t i = 0; i < w->k; i++)
        for (size_t j = 0; j < w->k; j++)
            sum += z[i] * w->dense[i * w->k + j] * y[j];
    return sum;
}

static void check_psd(const world *w, gersh__region *region, size_t want)
{
    size_t k = w->k, found;
    double *copy = room(k * k, sizeof *copy), *values = room(k, sizeof *values), least;
    gersh__candidate list[GERSH__MOST_CANDIDATES];
    memcpy(copy, w->dense, k * k * sizeof *copy);
    assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', (lapack_int)k, copy, (lapack_int)k, values),
                     0);
    assert_ok(gersh__region_minimize(region, w->gradient, -INFINITY, want, list, &found, &least));
    assert_true(found >= 1 && found <= want && found <= 1 + region->active_count);
    assert_true(least <= values[0] && least >= values[0] - 1e-6 * w->norm - 1e-300);
    assert_true(list[0].value >= least && fabs(list[0].value - values[0]) <= 1e-6 * w->norm);
    for (size_t c = 0; c < found; c++) {
        double length = 0;
        assert_non_null(list[c].vector);
        for (size_t i = 0; i < k; i++)
            length += list[c].vector[i] * list[c].vector[i];
        assert_true(fabs(length - 1) <= 1e-10);
        assert_true(fabs(form(w, list[c].vector, list[c].vector) - list[c].value) <= 1e-10 * w->norm);
        assert_true(c == 0 || (list[c].value < 0 && list[c].value >= list[c - 1].value - 1e-10 * w->norm));
        for (size_t e = 1; e < c; e++) /* Ritz vectors: G is diagonal in them */
            assert_true(fabs(form(w, list[c].vector, list[e].vector)) <= 1e-10 * w->norm);
    }
    free(copy);
    free(values);
}

/* Without atoms, with some, with more than there are features, and the same one twice. */
static void psd_has_the_first_eigenvector(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 65);
    for (int t = 0; t < cases(80); t++) {
        world w;
        size_t k = t % 4 == 3 ? 65 + (size_t)t : 1 + (size_t)(t * 7 % 60), atoms = (size_t)(t % 5) * 5;
        make_world(&w, &random, 2 + (size_t)gersh__random_below(&random, t % 8 == 3 ? 4 : 30), k, 0, 0,
                   1 + t % 2);
        gersh__region *region = region_of(&w, GERSH__PSD);
        double *active = room(atoms * k, sizeof *active);
        for (size_t a = 0; a < atoms; a++) {
            double length = 0;
            for (size_t i = 0; i < k; i++) {
                active[a * k + i] = a % 4 == 3 ? active[(a - 1) * k + i] : gersh__random_normal(&random);
                length += active[a * k + i] * active[a * k + i];
            }
            for (size_t i = 0; i < k; i++)
                active[a * k + i] /= sqrt(length);
        }
        for (int round = 0; round < 3; round++) {
            set_gradient(&w, &random, (t + round) % GRADIENTS);
            region->active = round > 0 ? active : NULL;
            region->active_count = round > 0 ? atoms : 0;
            check_psd(&w, region, round == 2 ? GERSH__MOST_CANDIDATES : 1 + (size_t)(t % 6));
        }
        free(active);
        gersh__region_free(region);
        drop(&w);
    }
}

static void failing_allocations_leak_nothing(void **unused)
{
    (void)unused;
    static const gersh__region_kind kinds[] = {GERSH__DIAGONAL, GERSH__GDPA, GERSH__BALANCED, GERSH__HULL,
                                               GERSH__PSD};
    gersh__random random;
    gersh__random_seed(&random, 66);
    for (int t = 0; t < 6; t++) {
        world w;
        gersh__region_kind kind = kinds[t < 5 ? t : 3];
        make_world(&w, &random, 4, t < 5 ? 6 : 600, 0, 0, 1);
        set_gradient(&w, &random, MIXED);
        const gersh_edge_rule rule[] = {{0, 1, GERSH_EDGE_FORBIDDEN}, {3, 2, GERSH_EDGE_POSITIVE}};
        gersh_status status = GERSH_ERROR_MEMORY;
        for (long n = 1; status != GERSH_OK; n++) {
            gersh__region *region = NULL;
            gersh__rules *rules = NULL;
            gersh__candidate list[4];
            size_t found;
            double least;
            assert_true(n < 100);
            gersh__alloc_fail_at(n);
            status = gersh__rules_new(&rules, w.k, rule, 2);
            if (status == GERSH_OK)
                status = gersh__region_new(&region, kind, w.pairs, kind == GERSH__PSD ? NULL : rules);
            if (status == GERSH_OK) {
                region->color = kind == GERSH__BALANCED || kind == GERSH__GDPA ? w.color : NULL;
                region->u = w.u;
                status = gersh__region_minimize(region, w.gradient, -INFINITY, 4, list, &found, &least);
            }
            gersh__alloc_fail_at(0);
            assert_true(status == GERSH_OK || status == GERSH_ERROR_MEMORY);
            gersh__region_free(region);
            gersh__rules_free(rules);
        }
        drop(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_features),
        cmocka_unit_test(rules_hold),
        cmocka_unit_test(wrong_rules_are_refused),
        cmocka_unit_test(many_features),
        cmocka_unit_test(watched_pairs_come_first),
        cmocka_unit_test(ties_and_extremes),
        cmocka_unit_test(places_beyond_limits_are_found),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(psd_has_the_first_eigenvector),
        cmocka_unit_test(failing_allocations_leak_nothing),
    };
    gersh__blas_hold(); /* small matrices: threads of BLAS would only slow the oracle down */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
