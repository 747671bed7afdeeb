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

enum { MOST_REGIONS = 64 };

static size_t count_regions(void)
{
    size_t count = 0;
    while (gersh__region_at(count) != NULL)
        count++;
    assert_true(count <= MOST_REGIONS);
    return count;
}

/* The atom is one of the region's, its value is zᵀ G z, and its length 1. */
static void check_atom(const world *w, const char *name, const gersh__candidate *c)
{
    gersh_atom z = c->atom;
    size_t k = w->k;
    assert_null(c->vector);
    assert_true(z.i < k && z.j < k);
    double value = z.a * z.a * w->dense[z.i * k + z.i];
    if (z.i == z.j)
        assert_true(z.a == 1 && z.b == 0);
    else
        value += z.b * z.b * w->dense[z.j * k + z.j] + 2 * z.a * z.b * w->dense[z.i * k + z.j];
    assert_true(defined(w, name, z));
    assert_true(fabs(hypot(z.a, z.b) - 1) < 1e-14);
    assert_true(fabs(c->value - value) <= 1e-10 * w->norm);
}

static void check_minimum(const world *w, const char *name, gersh__region *region, size_t want)
{
    static gersh__lmo_answer answer;
    const gersh__candidate *list = answer.candidate;
    const gersh__lmo_request request = full_pass(want);
    double expected = brute_force(w, region);
    assert_ok(gersh__region_minimize(region, w->gradient, &request, &answer));
    assert_true(answer.found >= 1 && answer.found <= want);
    if (!(fabs(list[0].value - expected) <= 1e-10 * w->norm))
        fail_msg("region %s, %zu features: the best value is %.17g, not %.17g", name, w->k, list[0].value,
                 expected);
    assert_true(answer.least <= list[0].value && answer.least >= expected - 1e-10 * w->norm);
    for (size_t c = 0; c < answer.found; c++) {
        check_atom(w, name, &list[c]);
        assert_true(c == 0 || list[c].value >= list[c - 1].value - 1e-12 * w->norm);
        for (size_t e = 0; e < c; e++) {
            gersh_atom a = list[c].atom, b = list[e].atom;
            assert_false((a.i == b.i && a.j == b.j) || (a.i == b.j && a.j == b.i));
        }
    }
}

/* Every region whose atoms have one or two entries, for two gradients each. */
static void check_all(world *w, gersh__random *random, int gradient, int again)
{
    gersh__region *region[MOST_REGIONS] = {NULL};
    visits seen = {0};
    count_regions();
    for (size_t r = 0; gersh__region_at(r) != NULL; r++)
        if (!gersh__region_at(r)->dense)
            region[r] = region_of(w, gersh__region_at(r));
    for (int round = 0; round < 2; round++) { /* a region is used many times */
        set_gradient(w, random, round == 0 ? gradient : again);
        for (size_t r = 0; gersh__region_at(r) != NULL; r++) {
            if (region[r] == NULL)
                continue;
            visit(&seen, gersh__region_at(r)->name);
            check_minimum(w, gersh__region_at(r)->name, region[r],
                          1 + (size_t)gersh__random_below(random, 8));
            check_minimum(w, gersh__region_at(r)->name, region[r], GERSH__MOST_CANDIDATES);
        }
    }
    for (size_t r = 0; r < MOST_REGIONS; r++)
        gersh__region_free(region[r]);
    assert_all_regions(&seen, is_of_pairs);
}

/* What lacks a part is no region: it would be searched, and certified, as another one. */
static void incomplete_regions_are_refused(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 60);
    world w;
    make_world(&w, &random, 4, 3, 0, 0, 1);
    const gersh__region_params params = {.color = w.color, .u = w.u};
    visits seen = {0};
    for (size_t r = 0; gersh__region_at(r) != NULL; r++) {
        visit(&seen, gersh__region_at(r)->name);
        const char *missing[] = {"'init'",   "'minimize'", "'free'",
                                 "'allows'", "'score'",    "a region has no name"};
        for (int m = 0; m < 6; m++) {
            gersh__region_ops ops = *gersh__region_at(r);
            gersh__region *region = NULL;
            ops.init = m == 0 ? NULL : ops.init;
            ops.minimize = m == 1 ? NULL : ops.minimize;
            ops.free = m == 2 ? NULL : ops.free;
            ops.allows = m == 3 ? NULL : ops.allows;
            ops.score = m == 4 ? NULL : ops.score;
            ops.name = m == 5 ? NULL : ops.name;
            assert_int_equal(gersh__region_new(&region, &ops, w.pairs, &params), GERSH_ERROR_ARGUMENT);
            assert_null(region);
            assert_non_null(strstr(gersh_last_error(), "internal error: "));
            assert_non_null(strstr(gersh_last_error(), missing[m]));
        }
    }
    drop(&w);
    assert_all_regions(&seen, any_region);
}

/* Colours, scalars and rules that a region cannot do without, or with. */
static void wrong_parameters_are_refused(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 59);
    world w;
    make_world(&w, &random, 4, 3, 0, 0, 1);
    set_rules(&w, &random, 0);
    const struct {
        const gersh__region_ops *ops;
        gersh__region_params params;
        const char *sentence;
    } wrong[] = {
        {&gersh__region_balanced, {.u = w.u}, "internal error: the region 'balanced' needs colours"},
        {&gersh__region_gdpa, {.u = w.u}, "internal error: the region 'gdpa' needs colours and scalars"},
        {&gersh__region_gdpa,
         {.color = w.color},
         "internal error: the region 'gdpa' needs colours and scalars"},
        {&gersh__region_psd,
         {.rules = w.rules},
         "internal error: the region 'psd' keeps no rules for edges"},
    };
    for (size_t c = 0; c < sizeof wrong / sizeof wrong[0]; c++) {
        gersh__region *region = NULL;
        assert_int_equal(gersh__region_new(&region, wrong[c].ops, w.pairs, &wrong[c].params),
                         GERSH_ERROR_ARGUMENT);
        assert_null(region);
        assert_string_equal(gersh_last_error(), wrong[c].sentence);
    }
    gersh__region *region = NULL;
    assert_int_equal(gersh__region_new(&region, &gersh__region_balanced, w.pairs, NULL),
                     GERSH_ERROR_ARGUMENT);
    gersh__region_free(NULL);
    drop(&w);
}

/* Edges of any angle and sign, those that gdpa has among them. */
static void atoms_are_those_of_the_definition(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 58);
    int has[MOST_REGIONS] = {0}, lacks[MOST_REGIONS] = {0};
    visits seen = {0};
    count_regions();
    for (int t = 0; t < 40; t++) {
        world w;
        make_world(&w, &random, 4, 7, 0, 0, 1);
        if (t % 2)
            set_rules(&w, &random, t % 4 == 1);
        for (size_t r = 0; gersh__region_at(r) != NULL; r++) {
            const gersh__region_ops *ops = gersh__region_at(r);
            gersh__region *region = region_of(&w, ops);
            visit(&seen, ops->name);
            for (size_t i = 0; i < w.k; i++) {
                assert_true(gersh__region_allows(region, (gersh_atom){i, i, 1, 0}));
                for (size_t j = 0; j < w.k; j++) {
                    double angles[MOST_ANGLES + 2];
                    size_t count = single_angles(&w, i, j, angles);
                    angles[count] = angles[0] + 1e-3;
                    angles[count + 1] = 6.3 * gersh__random_uniform(&random);
                    double angle = angles[(i + j) % (count + 2)];
                    gersh_atom z = {i, j, cos(angle), sin(angle)};
                    if (i == j)
                        continue;
                    assert_int_equal(gersh__region_allows(region, z), defined(&w, ops->name, z));
                    has[r] += gersh__region_allows(region, z);
                    lacks[r] += !gersh__region_allows(region, z);
                }
            }
            gersh__region_free(region);
        }
        drop(&w);
    }
    for (size_t r = 0; gersh__region_at(r) != NULL; r++) {
        assert_true(has[r] > 0 || gersh__region_at(r) == &gersh__region_diagonal);
        assert_true(lacks[r] > 0 || gersh__region_at(r) == &gersh__region_psd);
    }
    assert_all_regions(&seen, any_region);
}

/* The score of a pair is the least value of its atoms, and that of the atom that comes with it. */
static void scores_are_those_of_the_best_atom(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 57);
    visits seen = {0};
    for (int t = 0; t < cases(400); t++) {
        world w;
        make_world(&w, &random, 4, 5, 0, 0, 1);
        if (t % 2)
            set_rules(&w, &random, t % 4 == 1);
        for (size_t r = 0; gersh__region_at(r) != NULL; r++) {
            visit(&seen, gersh__region_at(r)->name);
            gersh__region *region = region_of(&w, gersh__region_at(r));
            double a = gersh__random_normal(&random), c = t % 3 == 0 ? a : gersh__random_normal(&random);
            double b = t % 5 == 0 ? 0 : gersh__random_normal(&random) * (t % 7 == 0 ? 1e-9 : 1);
            size_t i = (size_t)gersh__random_below(&random, 5), j = (i + 1 + (size_t)t % 4) % 5;
            double expected = fmin(fmin(a, c), pair_least(&w, region, i, j, a, b, c));
            gersh_atom z = {9, 9, 9, 9};
            double score = gersh__region_score(region, i, j, a, b, c, &z),
                   size = fabs(a) + fabs(b) + fabs(c);
            assert_true(score == gersh__region_score(region, i, j, a, b, c, NULL));
            if (!(fabs(score - expected) <= 1e-12 * size))
                fail_msg("region %s: the score is %.17g, not %.17g", gersh__region_at(r)->name, score,
                         expected);
            assert_true(gersh__region_allows(region, z));
            if (z.i == z.j)
                assert_true((z.i == i ? a : c) <= score + 1e-12 * size && (z.i == i || z.i == j));
            else
                assert_true(z.i == i && z.j == j &&
                            fabs(at_angle(a, b, c, atan2(z.b, z.a)) - score) <= 1e-12 * size);
            gersh__region_free(region);
        }
        drop(&w);
    }
    assert_all_regions(&seen, any_region);
}

/* Many scores at once are those one by one, whatever the order of the features. */
static void rows_have_the_scores_of_their_pairs(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 56);
    for (int t = 0; t < cases(100); t++) {
        world w;
        size_t k = 2 + (size_t)gersh__random_below(&random, 40), list[41];
        double b[41], c[41], score[41];
        make_world(&w, &random, 4, k, 0, 0, 1);
        for (size_t r = 0; gersh__region_at(r) != NULL; r++) {
            const gersh__region_ops *ops = gersh__region_at(r);
            if (ops->score_row == NULL)
                continue;
            gersh__region *region = region_of(&w, ops);
            size_t count = 2 + (size_t)gersh__random_below(&random, k - 1);
            for (size_t p = 0; p < k; p++)
                list[p] = t % 2 ? (p * 7 + 3) % k : p;
            if (ops->arrange != NULL)
                ops->arrange(region, t % 2 ? list : NULL, count);
            size_t place = (size_t)gersh__random_below(&random, count - 1), behind = count - place - 1;
            double a = gersh__random_normal(&random), least = INFINITY;
            for (size_t p = 0; p < behind; p++) {
                b[p] = gersh__random_normal(&random);
                c[p] = gersh__random_normal(&random);
            }
            double found = ops->score_row(region, place, behind, a, b, c, score);
            for (size_t p = 0; p < behind; p++) {
                double one = ops->score(region, list[place], list[place + 1 + p], a, b[p], c[p], NULL);
                assert_true(fabs(score[p] - one) <= 1e-14 * (fabs(a) + fabs(b[p]) + fabs(c[p])));
                least = fmin(least, score[p]);
            }
            assert_true(found == least);
            gersh__region_free(region);
        }
        drop(&w);
    }
}

/* A region that scores pairs one by one has the same minimum. */
static void rows_need_not_be_scored_at_once(void **unused)
{
    (void)unused;
    static const size_t counts[] = {7, 30, 600};
    gersh__random random;
    gersh__random_seed(&random, 55);
    for (int t = 0; t < cases(12); t++) {
        world w;
        make_world(&w, &random, 6, counts[t % 3], 0, 0, 1 + t % 2);
        if (t % 4 == 3)
            set_rules(&w, &random, 0);
        set_gradient(&w, &random, t % GRADIENTS);
        for (size_t r = 0; gersh__region_at(r) != NULL; r++) {
            gersh__region_ops ops = *gersh__region_at(r);
            if (ops.score_row == NULL)
                continue;
            ops.score_row = NULL;
            ops.arrange = NULL;
            gersh__region *region = region_of(&w, &ops);
            check_minimum(&w, ops.name, region, 5);
            gersh__region_free(region);
        }
        drop(&w);
    }
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
 * With many features the working set is enough where one of its pairs is below the threshold, and certifies nothing then;
 * asked for ever smaller values it ends with a full pass and the minimum. What that found is in the working set: another one
 * finds nothing better, also by a region that is given the working set.
 */
static void the_working_set_comes_first(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 67);
    int few = 0, all = 0, better = 0;
    for (int t = 0; t < cases(16); t++) {
        world w;
        make_world(&w, &random, 5 + (size_t)(t % 7), 1200, 0, t % 4 == 3, 1 + t % 2);
        set_gradient(&w, &random, t % 2 ? MIXED : BELOW_ZERO);
        const gersh__region_ops *ops = t % 3 == 0 ? &gersh__region_balanced : &gersh__region_hull;
        gersh__working_set *set;
        assert_ok(gersh__working_set_new(&set, w.k));
        gersh__region_params params = {.color = w.color, .working_set = set};
        gersh__region *region;
        assert_ok(gersh__region_new(&region, ops, w.pairs, &params));
        gersh__lmo_answer answer = {.least = -INFINITY};
        double expected = brute_force(&w, region), threshold = 0;
        while (answer.least == -INFINITY) {
            const gersh__lmo_request request = {.threshold = threshold, .want = 4};
            const gersh__candidate *list = answer.candidate;
            assert_ok(gersh__region_minimize(region, w.gradient, &request, &answer));
            for (size_t c = 0; c < answer.found; c++)
                check_atom(&w, ops->name, &list[c]);
            if (answer.least == -INFINITY) {
                assert_true(list[0].value < threshold && !answer.improved);
                few++;
            } else {
                assert_true(fabs(list[0].value - expected) <= 1e-10 * w.norm);
                assert_true(answer.least <= list[0].value && answer.least >= expected - 1e-10 * w.norm);
                better += answer.improved;
                all++;
            }
            threshold = list[0].value - 1e-9 * fabs(list[0].value); /* by more than rounding */
        }
        for (int again = 0; again < 2; again++) {
            const gersh__lmo_request request = full_pass(5);
            assert_ok(gersh__region_minimize(region, w.gradient, &request, &answer));
            assert_true(!answer.improved && fabs(answer.candidate[0].value - expected) <= 1e-10 * w.norm);
            gersh__region_free(region);
            assert_ok(gersh__region_new(&region, ops, w.pairs, &params));
        }
        gersh__working_set_free(set);
        gersh__region_free(region);
        drop(&w);
    }
    assert_true(few > 0 && all > 0 && (better > 0 || cases(16) < 16));
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
    static gersh__lmo_answer answer[2][MOST_REGIONS];
    visits seen = {0};
    count_regions();
    for (int s = 0; s < 2; s++) {
        gersh__random random;
        gersh__random_seed(&random, 64);
        world w;
        const gersh__lmo_request request = full_pass(20);
        make_world(&w, &random, 12, 900, 0, 0, s == 0 ? 1 : 3);
        set_gradient(&w, &random, MIXED);
        for (size_t r = 0; gersh__region_at(r) != NULL; r++) {
            if (gersh__region_at(r)->dense)
                continue;
            gersh__region *region = region_of(&w, gersh__region_at(r));
            visit(&seen, gersh__region_at(r)->name);
            assert_ok(gersh__region_minimize(region, w.gradient, &request, &answer[s][r]));
            gersh__region_free(region);
        }
        drop(&w);
    }
    for (size_t r = 0; gersh__region_at(r) != NULL; r++) {
        assert_int_equal(answer[0][r].found, answer[1][r].found);
        for (size_t c = 0; c < answer[0][r].found; c++) {
            gersh__candidate x = answer[0][r].candidate[c], y = answer[1][r].candidate[c];
            assert_true(x.atom.i == y.atom.i && x.atom.j == y.atom.j && x.atom.a == y.atom.a &&
                        x.atom.b == y.atom.b && x.value == y.value);
        }
    }
    assert_all_regions(&seen, is_of_pairs);
}

/*
 * Every region has the diagonal's atoms and no others than psd's, and those with one or two entries no others than hull's:
 * its minimum lies between theirs.
 */
static void minima_are_nested(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 54);
    visits seen = {0};
    for (int t = 0; t < cases(100); t++) {
        world w;
        double value[MOST_REGIONS], diagonal = NAN, hull = NAN, psd = NAN;
        size_t count = count_regions();
        make_world(&w, &random, 2 + (size_t)gersh__random_below(&random, 10), 1 + (size_t)(t * 7 % 30), 0,
                   0, 1);
        set_gradient(&w, &random, t % GRADIENTS);
        for (size_t r = 0; r < count; r++) {
            static gersh__lmo_answer answer;
            const gersh__region_ops *ops = gersh__region_at(r);
            gersh__region *region = region_of(&w, ops);
            const gersh__lmo_request request = full_pass(4);
            assert_ok(gersh__region_minimize(region, w.gradient, &request, &answer));
            value[r] = answer.candidate[0].value;
            diagonal = ops == &gersh__region_diagonal ? value[r] : diagonal;
            hull = ops == &gersh__region_hull ? value[r] : hull;
            psd = ops == &gersh__region_psd ? answer.least : psd;
            gersh__region_free(region);
            visit(&seen, ops->name);
        }
        for (size_t r = 0; r < count; r++) {
            const gersh__region_ops *ops = gersh__region_at(r);
            if (!(value[r] <= diagonal + 1e-6 * w.norm) ||
                !(value[r] >= (ops->dense ? psd : hull) - 1e-10 * w.norm))
                fail_msg("region %s: the minimum %.17g, diagonal %.17g, hull %.17g, psd %.17g", ops->name,
                         value[r], diagonal, hull, psd);
        }
        drop(&w);
    }
    assert_all_regions(&seen, any_region);
}

static double form(const world *w, const double *z, const double *y)
{
    double sum = 0;
    for (size_t i = 0; i < w->k; i++)
        for (size_t j = 0; j < w->k; j++)
            sum += z[i] * w->dense[i * w->k + j] * y[j];
    return sum;
}

static void check_psd(const world *w, gersh__region *region, const gersh__lmo_request *request)
{
    static gersh__lmo_answer answer;
    const gersh__candidate *list = answer.candidate;
    size_t k = w->k;
    double *copy = room(k * k, sizeof *copy), *values = room(k, sizeof *values);
    memcpy(copy, w->dense, k * k * sizeof *copy);
    assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', (lapack_int)k, copy, (lapack_int)k, values),
                     0);
    assert_ok(gersh__region_minimize(region, w->gradient, request, &answer));
    size_t found = answer.found;
    double least = answer.least;
    assert_true(found >= 1 && found <= request->want && found <= 1 + request->active_count);
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
        gersh__region *region = region_of(&w, &gersh__region_psd);
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
            gersh__lmo_request request =
                full_pass(round == 2 ? GERSH__MOST_CANDIDATES : 1 + (size_t)(t % 6));
            request.active = round > 0 ? active : NULL;
            request.active_count = round > 0 ? atoms : 0;
            check_psd(&w, region, &request);
        }
        free(active);
        gersh__region_free(region);
        drop(&w);
    }
}

static void failing_allocations_leak_nothing(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 66);
    size_t regions = count_regions();
    for (size_t t = 0; t < 2 * regions; t++) { /* with few features, and with many */
        world w;
        const gersh__region_ops *ops = gersh__region_at(t % regions);
        if (t >= regions && ops->dense)
            continue;
        make_world(&w, &random, 4, t < regions ? 6 : 600, 0, 0, 1);
        set_gradient(&w, &random, MIXED);
        const gersh_edge_rule rule[] = {{0, 1, GERSH_EDGE_FORBIDDEN}, {3, 2, GERSH_EDGE_POSITIVE}};
        gersh_status status = GERSH_ERROR_MEMORY;
        for (long n = 1; status != GERSH_OK; n++) {
            static gersh__lmo_answer answer;
            const gersh__lmo_request request = full_pass(4);
            gersh__region *region = NULL;
            gersh__rules *rules = NULL;
            assert_true(n < 100);
            gersh__alloc_fail_at(n);
            status = gersh__rules_new(&rules, w.k, rule, 2);
            const gersh__region_params params = {ops->dense ? NULL : rules, w.color, w.u, NULL};
            if (status == GERSH_OK)
                status = gersh__region_new(&region, ops, w.pairs, &params);
            if (status == GERSH_OK)
                status = gersh__region_minimize(region, w.gradient, &request, &answer);
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
        cmocka_unit_test(incomplete_regions_are_refused),
        cmocka_unit_test(wrong_parameters_are_refused),
        cmocka_unit_test(atoms_are_those_of_the_definition),
        cmocka_unit_test(scores_are_those_of_the_best_atom),
        cmocka_unit_test(rows_have_the_scores_of_their_pairs),
        cmocka_unit_test(rows_need_not_be_scored_at_once),
        cmocka_unit_test(few_features),
        cmocka_unit_test(rules_hold),
        cmocka_unit_test(wrong_rules_are_refused),
        cmocka_unit_test(many_features),
        cmocka_unit_test(the_working_set_comes_first),
        cmocka_unit_test(ties_and_extremes),
        cmocka_unit_test(places_beyond_limits_are_found),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(minima_are_nested),
        cmocka_unit_test(psd_has_the_first_eigenvector),
        cmocka_unit_test(failing_allocations_leak_nothing),
    };
    gersh__blas_hold(); /* small matrices: threads of BLAS would only slow the oracle down */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
