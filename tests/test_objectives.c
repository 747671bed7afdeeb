/* Values of the objectives against their definitions, derivatives against differences, and convexity. */
#include "objectives.h"

/* Problems of all kinds that the objective can do. */
static wish random_wish(gersh__random *random, const char *name, int round)
{
    wish w = {.n = 3 + (size_t)gersh__random_below(random, 14),
              .k = 1 + (size_t)gersh__random_below(random, 4)};
    w.classes = 2 + (size_t)gersh__random_below(random, 3);
    if (objective_is(name, learns_targets) && round % 4 == 0)
        w.classes = 0;
    w.lone = w.classes > 0 && round % 3 == 0;
    w.weighted = round % 2;
    if (objective_is(name, uses_lists) && round % 5 == 1)
        w.listed = 1 + (size_t)gersh__random_below(random, 40);
    return w;
}

static void values_are_those_of_the_definitions(void **unused)
{
    const char *name;
    gersh__random random;
    visits seen = {0};
    (void)unused;
    gersh__random_seed(&random, 11);
    for (size_t which = 0; (name = objective_name(which, learns_classes)) != NULL; which++) {
        visit(&seen, name);
        for (int round = 0; round < cases(300); round++) {
            problem q = make(&random, random_wish(&random, name, round));
            gersh__objective *f = objective_of(name, &q);
            double *d = random_distances(&random, &q, pow(10, 2 * gersh__random_uniform(&random) - 1));
            double *g = malloc(gersh__pairs_count(q.pairs) * sizeof *g);
            f->width = 0.4;
            double right = oracle(name, &q, d, f->width), value = f->kind->evaluate(f, d, NULL);
            double room = oracle_cancels(name, &q, d);
            assert_close(value, right, 1e-12 * (fabs(right) + room));
            assert_close(f->kind->evaluate(f, d, g), value, 1e-14 * (fabs(right) + room));
            if (f->kind->exact != NULL)
                right = oracle(name, &q, d, 1e-200);
            assert_close(gersh__objective_value(f, d), f->info->maximized ? -right : right,
                         1e-12 * (fabs(right) + room));
            gersh__objective_free(f);
            free(d);
            free(g);
            drop(&q);
        }
    }
    assert_all_objectives(&seen, learns_classes);
}

/* max |a − b| against max |b|. */
static double relative(size_t count, const double *a, const double *b, double extra)
{
    double off = 0, size = extra;
    for (size_t i = 0; i < count; i++) {
        off = fmax(off, fabs(a[i] - b[i]));
        size = fmax(size, fabs(b[i]));
    }
    return off / size;
}

static void move(size_t count, const double *d, double step, const double *v, double *out)
{
    for (size_t p = 0; p < count; p++)
        out[p] = d[p] + step * v[p];
}

static void check_derivatives(gersh__random *random, const char *name, const problem *q)
{
    size_t count = gersh__pairs_count(q->pairs);
    gersh__objective *f = objective_of(name, q);
    double *d = random_distances(random, q, 0.5), *v = malloc(count * sizeof *v),
           *to = malloc(count * sizeof *to);
    double *g = malloc(count * sizeof *g), *up = malloc(count * sizeof *up),
           *down = malloc(count * sizeof *down);
    double slope = 0, size = 0, h = 1e-5;
    f->width = 2;
    for (size_t p = 0; p < count; p++) {
        d[p] += 0.1; /* away from 0, where a difference is no derivative */
        v[p] = gersh__random_normal(random) * d[p];
    }
    f->kind->evaluate(f, d, g);
    for (size_t p = 0; p < count; p++) {
        slope += g[p] * v[p];
        size += fabs(g[p] * v[p]);
    }
    move(count, d, h, v, to);
    double above = f->kind->evaluate(f, to, NULL);
    move(count, d, -h, v, to);
    double below = f->kind->evaluate(f, to, NULL);
    assert_close((above - below) / (2 * h), slope, 1e-6 * (size + 1e-3 * fabs(above)) + 1e-10);
    /* One pair alone. */
    size_t p = (size_t)gersh__random_below(random, count);
    memcpy(to, d, count * sizeof *to);
    to[p] = d[p] * (1 + h);
    above = f->kind->evaluate(f, to, NULL);
    to[p] = d[p] * (1 - h);
    below = f->kind->evaluate(f, to, NULL);
    assert_close((above - below) / (2 * h * d[p]), g[p], 1e-5 * (fabs(g[p]) + 1e-3 * fabs(above)) + 1e-9);
    /* The curvature, with a step so short that next to no kink of the gradient is in it. */
    h = 1e-7;
    move(count, d, h, v, to);
    f->kind->evaluate(f, to, up);
    move(count, d, -h, v, to);
    f->kind->evaluate(f, to, down);
    for (size_t e = 0; e < count; e++)
        up[e] = (up[e] - down[e]) / (2 * h);
    f->kind->evaluate(f, d, g);
    f->kind->curvature(f, d, v, down);
    double off = relative(count, down, up, 1e-2 * fabs(size) + 1e-200);
    if (!(off < 1e-5))
        fail_msg("%s: the curvature is off by %g", name, off);
    gersh__objective_free(f);
    free(d);
    free(v);
    free(to);
    free(g);
    free(up);
    free(down);
}

/* a + Σ g_p d'_p is nowhere above the true value, and at d, where g is from, not below it by more than width/16 a hinge. */
static void lmnn_is_above_its_lines(void **unused)
{
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 14);
    for (int round = 0; round < cases(200); round++) {
        problem q = make(&random, random_wish(&random, "lmnn", round));
        gersh__objective *f = objective_of("lmnn", &q);
        size_t count = gersh__pairs_count(q.pairs);
        double *d = random_distances(&random, &q, 0.3), *g = malloc(count * sizeof *g), hinges = 0;
        f->width = pow(10, 2 * gersh__random_uniform(&random) - 1.5);
        f->kind->evaluate(f, d, g);
        double a = f->kind->constant(f, g), right = gersh__objective_value(f, d);
        for (size_t i = 0; i < q.n; i++)
            for (size_t l = 0; l < q.n; l++)
                hinges += same_class(&q, i, l) ? 0 : 0.5 * 3 * 3 * row_weight(&q, i) * row_weight(&q, l);
        for (int other = 0; other < 5; other++) {
            double *there = other == 0 ? d : random_distances(&random, &q, 0.3 * other), line = a,
                   size = fabs(a);
            for (size_t p = 0; p < count; p++) {
                line += g[p] * there[p];
                size += fabs(g[p] * there[p]);
            }
            double value = gersh__objective_value(f, there);
            assert_true(line <= value + 1e-12 * size);
            assert_true(other > 0 || line >= right - hinges * f->width / 16 - 1e-12 * size);
            if (other > 0)
                free(there);
        }
        gersh__objective_free(f);
        free(d);
        free(g);
        drop(&q);
    }
}

static void derivatives_are_those_of_differences(void **unused)
{
    const char *name;
    gersh__random random;
    visits seen = {0};
    (void)unused;
    gersh__random_seed(&random, 12);
    for (size_t which = 0; (name = objective_name(which, learns_classes)) != NULL; which++) {
        visit(&seen, name);
        for (int round = 0; round < cases(200); round++) {
            problem q = make(&random, random_wish(&random, name, round));
            check_derivatives(&random, name, &q);
            drop(&q);
        }
    }
    assert_all_objectives(&seen, learns_classes);
}

/* The second derivatives of log F at d, times F, from those of F and its slopes: F'' − F'F'ᵀ/F. */
static void check_log_hessian(gersh__objective *f, const double *d, size_t m, const double *t,
                              const double *a, const double *second, double near)
{
    size_t count = gersh__pairs_count(f->pairs);
    double *g = malloc(count * sizeof *g), *h = malloc(m * m * sizeof *h),
           *slope = calloc(m, sizeof *slope), value = f->kind->evaluate(f, d, g);
    if (value > 0) {
        for (size_t e = 0; e < m; e++)
            for (size_t p = 0; p < count; p++)
                slope[e] += g[p] * a[e * count + p] / value;
        assert_ok(f->kind->log_hessian(f, m, t, slope, h));
        for (size_t e = 0; e < m * m; e++)
            assert_close(h[e], second[e] - value * slope[e / m] * slope[e % m], near);
    }
    free(g);
    free(h);
    free(slope);
}

/* Aᵀ H A from products of the curvature with the columns of A, and a value in between that must not count. near: how far
 * off it may be, as a share of its largest entry. */
static void check_hessian(gersh__random *random, const char *name, const problem *q, size_t m, double near)
{
    size_t count = gersh__pairs_count(q->pairs), n = gersh__pairs_samples(q->pairs);
    gersh__objective *f = objective_of(name, q);
    double *d = random_distances(random, q, 0.5), *t = malloc(n * m * sizeof *t),
           *a = calloc(count * m, sizeof *a);
    double *g = malloc(count * sizeof *g), *image = malloc(count * sizeof *image),
           *h = malloc(m * m * sizeof *h);
    double *right = calloc(m * m, sizeof *right);
    f->width = 2;
    for (size_t e = 0; e < n * m; e++)
        t[e] = gersh__random_normal(random);
    for (size_t e = 0; e < m; e++)
        gersh__pairs_add(q->pairs, 1.0, t + e * n, a + e * count);
    f->kind->evaluate(f, d, g);
    f->kind->evaluate(f, a, NULL);
    assert_ok(gersh__objective_hessian(f, d, m, t, h));
    f->kind->evaluate(f, d, g);
    for (size_t b = 0; b < m; b++) {
        f->kind->curvature(f, d, a + b * count, image);
        for (size_t e = 0; e < m; e++)
            for (size_t p = 0; p < count; p++)
                right[e * m + b] += a[e * count + p] * image[p];
    }
    /* Between squares that cancel, as in mcml, the precision is that of the squares. */
    double size = 0, squares = 0;
    for (size_t e = 0; e < m; e++)
        size = fmax(size, fabs(right[e * m + e]));
    for (size_t e = 0; e < count * m; e++)
        squares = fmax(squares, a[e] * a[e]);
    for (size_t e = 0; e < m * m; e++) {
        assert_close(h[e], right[e], near * size + 1e-14 * squares * (double)n);
        assert_true(h[e] == h[e % m * m + e / m]);
    }
    for (size_t e = 0; e < m; e++)
        assert_true(h[e * m + e] >= -1e-11 * size - 1e-14 * squares * (double)n);
    if (f->kind->log_hessian != NULL)
        check_log_hessian(f, d, m, t, a, right, near * size);
    gersh__objective_free(f);
    free(d);
    free(t);
    free(a);
    free(g);
    free(image);
    free(h);
    free(right);
}

static void hessians_of_atoms_agree_with_the_curvature(void **unused)
{
    const char *name;
    gersh__random random;
    visits seen = {0};
    (void)unused;
    gersh__random_seed(&random, 13);
    for (size_t which = 0; (name = objective_name(which, learns_classes)) != NULL; which++) {
        visit(&seen, name);
        for (int round = 0; round < cases(100); round++) {
            wish w = random_wish(&random, name, round);
            w.duplicates = round % 4 == 0 ? 1 : 0;
            problem q = make(&random, w);
            check_hessian(&random, name, &q, 1 + (size_t)gersh__random_below(&random, 6), 1e-11);
            drop(&q);
        }
        problem q = make(&random, (wish){.n = 44, .k = 3, .classes = 3, .threads = 3});
        check_hessian(&random, name, &q, 12, 1e-11);
        drop(&q);
        q = make(&random, (wish){.n = 400, .k = 3, .classes = 3, .threads = 3});
        assert_true(gersh__pairs_estimates(q.pairs)); /* a part stands for all where the objective allows */
        check_hessian(&random, name, &q, 12, 0.2);
        drop(&q);
    }
    assert_all_objectives(&seen, learns_classes);
}

static void every_objective_is_convex(void **unused)
{
    const char *name;
    gersh__random random;
    visits seen = {0};
    (void)unused;
    gersh__random_seed(&random, 14);
    for (size_t which = 0; (name = objective_name(which, learns_classes)) != NULL; which++) {
        visit(&seen, name);
        for (int round = 0; round < cases(200); round++) {
            problem q = make(&random, random_wish(&random, name, round));
            gersh__objective *f = objective_of(name, &q);
            size_t count = gersh__pairs_count(q.pairs);
            double *d[3], *g = malloc(count * sizeof *g), value[3], slope = 0,
                          share = gersh__random_uniform(&random);
            f->width = round % 3 == 0 ? 0 : 0.5;
            for (int end = 0; end < 3; end++)
                d[end] = malloc(count * sizeof *d[end]);
            for (size_t p = 0; p < count; p++) {
                for (int end = 0; end < 2; end++)
                    d[end][p] = pow(gersh__random_normal(&random), 2) + 1e-3;
                d[2][p] = (1 - share) * d[0][p] + share * d[1][p];
            }
            for (int end = 2; end >= 0; end--)
                value[end] = f->kind->evaluate(f, d[end], g);
            for (size_t p = 0; p < count; p++)
                slope += g[p] * (d[1][p] - d[0][p]);
            double room = 1e-11 * (fabs(value[0]) + fabs(value[1]) + fabs(slope) + 1);
            assert_true(value[2] <= (1 - share) * value[0] + share * value[1] + room);
            assert_true(value[1] >= value[0] + slope - room); /* the gradient bounds from below */
            for (int end = 0; end < 3; end++)
                free(d[end]);
            free(g);
            gersh__objective_free(f);
            drop(&q);
        }
    }
    assert_all_objectives(&seen, learns_classes);
}

/* Whole weights are repeated rows. */
static void weights_are_repetitions(void **unused)
{
    size_t able = count_objectives(copies_count_for_nothing);
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 15);
    for (int round = 0; round < cases(100); round++) {
        const char *name = objective_name((size_t)round % able, copies_count_for_nothing);
        size_t classes = objective_is(name, learns_targets) && round % 2 == 0 ? 0 : 3, k = 2, rows[60],
               count = 0;
        problem q = make(&random, (wish){.n = 12, .k = k, .classes = classes, .weighted = 1});
        problem r = {.n = 0};
        for (size_t i = 0; i < q.n; i++)
            for (int copy = 0; copy < q.weight[i]; copy++)
                rows[count++] = i;
        r.n = count;
        assert_ok(gersh_dataset_subset(&r.data, q.data, rows, count));
        assert_ok(gersh__pairs_new(&r.pairs, r.data, NULL, 0, NULL, NULL, NULL));
        gersh__objective *f = objective_of(name, &q), *e = objective_of(name, &r);
        double *d = malloc(gersh__pairs_count(q.pairs) * sizeof *d),
               *c = malloc(gersh__pairs_count(r.pairs) * sizeof *c);
        gersh__pairs_euclidean(q.pairs, d);
        gersh__pairs_euclidean(r.pairs, c);
        double right = e->kind->evaluate(e, c, NULL);
        assert_close(f->kind->evaluate(f, d, NULL), right, 1e-12 * fabs(right));
        gersh__objective_free(f);
        gersh__objective_free(e);
        free(d);
        free(c);
        drop(&q);
        drop(&r);
    }
}

static void threads_change_no_bit(void **unused)
{
    const char *name;
    gersh__random random;
    visits seen = {0};
    (void)unused;
    for (size_t which = 0; (name = objective_name(which, learns_classes)) != NULL; which++) {
        visit(&seen, name);
        double value[2], *g[2], *c[2], h[2][9];
        size_t count = 0;
        for (int run = 0; run < 2; run++) {
            gersh__random_seed(&random, 16);
            problem q = make(&random, (wish){.n = 450, .k = 3, .classes = 3, .threads = run == 0 ? 1 : 3});
            gersh__objective *f = objective_of(name, &q);
            double *d = random_distances(&random, &q, 0.3);
            count = gersh__pairs_count(q.pairs);
            g[run] = malloc(count * sizeof(double));
            c[run] = malloc(count * sizeof(double));
            f->width = 0.5;
            value[run] = f->kind->evaluate(f, d, g[run]);
            f->kind->curvature(f, d, d, c[run]);
            assert_ok(gersh__objective_hessian(f, d, 3, gersh__pairs_columns(q.pairs), h[run]));
            if (!oracle_is_long(name)) { /* of 10^9 terms here */
                double right = oracle(name, &q, d, 0.5);
                assert_close(value[run], right, 1e-12 * fabs(right));
            }
            gersh__objective_free(f);
            free(d);
            drop(&q);
        }
        assert_true(value[0] == value[1]);
        assert_memory_equal(g[0], g[1], count * sizeof(double));
        assert_memory_equal(c[0], c[1], count * sizeof(double));
        assert_memory_equal(h[0], h[1], sizeof h[0]);
        for (int run = 0; run < 2; run++) {
            free(g[run]);
            free(c[run]);
        }
    }
    assert_all_objectives(&seen, learns_classes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_of_the_definitions),
        cmocka_unit_test(derivatives_are_those_of_differences),
        cmocka_unit_test(lmnn_is_above_its_lines),
        cmocka_unit_test(hessians_of_atoms_agree_with_the_curvature),
        cmocka_unit_test(every_objective_is_convex),
        cmocka_unit_test(weights_are_repetitions),
        cmocka_unit_test(threads_change_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
