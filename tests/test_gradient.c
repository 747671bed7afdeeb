/*
 * The gradient's answers against G written out from its definition, Σ_p g_p Δ_p Δ_pᵀ: with few features and with many, where
 * Y is kept and where it is not, also where squares of G leave the range of double.
 */
#include "check.h"

#include <math.h>
#include <string.h>

#include "regions.h"

static void near_to(const world *w, double value, double expected, double scale)
{
    if (!(fabs(value - expected * scale) <= 1e-11 * w->norm * scale))
        fail_msg("%zu features, %zu samples: %.17g instead of %.17g", w->k, w->n, value, expected * scale);
}

/* Entries and atoms; w->dense times `scale` is G. */
static void check_entries(const world *w, gersh__gradient *gradient, gersh__random *random, double scale)
{
    enum { ATOMS = 40 };
    gersh_atom atom[ATOMS];
    double value[ATOMS], unit = gersh__gradient_unit(gradient);
    const double *diagonal = gersh__gradient_diagonal(gradient);
    size_t k = w->k;
    for (size_t i = 0; i < k; i++)
        near_to(w, unit * diagonal[i], w->dense[i * k + i], scale);
    for (int a = 0; a < ATOMS; a++) {
        size_t i = (size_t)gersh__random_below(random, k), j = (size_t)gersh__random_below(random, k);
        double angle = 6.3 * gersh__random_uniform(random);
        near_to(w, gersh__gradient_entry(gradient, i, j), w->dense[i * k + j], scale);
        near_to(w, unit * gersh__gradient_scaled_entry(gradient, i, j), w->dense[i * k + j], scale);
        atom[a] = (gersh_atom){i, j, i == j ? 1 : cos(angle), i == j ? 0 : sin(angle)};
    }
    gersh__gradient_forms(gradient, ATOMS, atom, value);
    for (int a = 0; a < ATOMS; a++) {
        const double *row = w->dense + atom[a].i * k;
        double x = atom[a].a, y = atom[a].b;
        near_to(w, value[a],
                x * x * row[atom[a].i] + 2 * x * y * row[atom[a].j] + y * y * w->dense[atom[a].j * (k + 1)],
                scale);
    }
}

/* Columns of some features, in any order, and the bounds of all. */
static void check_columns(const world *w, gersh__gradient *gradient, gersh__random *random, double scale)
{
    enum { COLUMNS = 7 };
    size_t feature[COLUMNS], n = w->n, k = w->k;
    double *x = room(COLUMNS * n, sizeof *x), *y = room(COLUMNS * n, sizeof *y), diagonal[COLUMNS];
    double unit = gersh__gradient_unit(gradient);
    const double *bound;
    for (int c = 0; c < COLUMNS; c++)
        feature[c] = (size_t)gersh__random_below(random, k);
    gersh__gradient_columns(gradient, feature, COLUMNS, x, y, diagonal);
    for (int c = 0; c < COLUMNS; c++) {
        near_to(w, unit * diagonal[c], w->dense[feature[c] * (k + 1)], scale);
        for (int e = 0; e < COLUMNS; e++) {
            double sum = 0;
            for (size_t s = 0; s < n; s++)
                sum += x[(size_t)c * n + s] * y[(size_t)e * n + s];
            near_to(w, unit * sum, w->dense[feature[c] * k + feature[e]], scale);
        }
    }
    size_t last = feature[COLUMNS - 1];
    assert_true(gersh__gradient_scaled_entry(gradient, last, last) == diagonal[COLUMNS - 1]);
    assert_ok(gersh__gradient_bounds(gradient, &bound));
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j <= i; j++)
            assert_true(fabs(w->dense[i * k + j]) * scale <=
                        unit * (sqrt(bound[i]) * sqrt(bound[j])) + 1e-11 * w->norm * scale);
    free(x);
    free(y);
}

/* What needs all of Y. */
static void check_whole(const world *w, gersh__gradient *gradient, gersh__random *random, double scale)
{
    size_t k = w->k, n = w->n, from = (size_t)gersh__random_below(random, k);
    double *out = room(k * k, sizeof *out), *v = room(2 * k, sizeof *v),
           unit = gersh__gradient_unit(gradient);
    const double *x, *y;
    assert_true(gersh__gradient_factors(gradient, &x, &y));
    gersh__gradient_block(gradient, from, k - from, out);
    for (size_t i = 0; i < k; i++)
        for (size_t j = from; j < k; j++)
            near_to(w, out[(j - from) * k + i], w->dense[i * k + j], scale);
    double *centred = room(k * n, sizeof *centred), *as_it_is = room(k * k, sizeof *as_it_is);
    for (size_t f = 0; f < k; f++) {
        double mean = 0;
        for (size_t s = 0; s < n; s++)
            mean += x[f * n + s] / (double)n;
        for (size_t s = 0; s < n; s++)
            centred[f * n + s] = x[f * n + s] - mean;
    }
    gersh__gradient_matrix(gradient, 1, 1, centred, out);
    gersh__gradient_matrix(gradient, 0, unit, NULL, as_it_is);
    for (size_t i = 0; i < k; i++) {
        for (size_t j = 0; j <= i; j++) {
            near_to(w, out[j * k + i], w->dense[j * k + i], scale);
            near_to(w, unit * as_it_is[i * k + j], w->dense[i * k + j], scale);
        }
    }
    for (size_t i = 0; i < 2 * k; i++)
        v[i] = gersh__random_normal(random) / sqrt((double)k);
    gersh__gradient_apply(gradient, 2, v, out);
    for (size_t i = 0; i < 2 * k; i++) {
        double sum = 0;
        for (size_t j = 0; j < k; j++)
            sum += w->dense[i % k * k + j] * v[i / k * k + j];
        near_to(w, unit * out[i], sum, scale);
    }
    free(out);
    free(v);
    free(centred);
    free(as_it_is);
}

static void answers_are_those_of_the_matrix(void **unused)
{
    (void)unused;
    static const int powers[] = {0, 0, -700, -520, 520, 900};
    gersh__random random;
    gersh__random_seed(&random, 71);
    for (int t = 0; t < cases(60); t++) {
        world w;
        size_t k = t % 5 == 4 ? 513 + (size_t)gersh__random_below(&random, 90)
                              : 1 + (size_t)gersh__random_below(&random, 40);
        make_world(&w, &random, 2 + (size_t)gersh__random_below(&random, 20), k,
                   t % 4 == 3 ? 1 + (size_t)gersh__random_below(&random, 30) : 0, 0, 1 + t % 2);
        gersh__gradient *gradient;
        int keep = t % 2, power = powers[t % 6];
        assert_ok(gersh__gradient_new(&gradient, w.pairs, keep));
        assert_int_equal(gersh__gradient_kept(gradient), keep || k <= 512);
        for (int round = 0; round < 2; round++) { /* what is known of one update is forgotten at the next */
            set_gradient(&w, &random, (t + round) % GRADIENTS);
            for (size_t p = 0; p < gersh__pairs_count(w.pairs); p++)
                w.g[p] = ldexp(w.g[p], power);
            gersh__gradient_update(gradient, w.g);
            check_columns(&w, gradient, &random, ldexp(1, power));
            check_entries(&w, gradient, &random, ldexp(1, power));
            if (gersh__gradient_kept(gradient))
                check_whole(&w, gradient, &random, ldexp(1, power));
        }
        gersh__gradient_free(gradient);
        drop(&w);
    }
}

/* √R_f, from the columns one value at a time. */
static void sizes_are_those_of_the_samples(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 72);
    for (int t = 0; t < cases(40); t++) {
        world w;
        make_world(&w, &random, 2 + (size_t)gersh__random_below(&random, 20),
                   1 + (size_t)gersh__random_below(&random, 30), 0, 0, 1);
        double *r = room(w.n, sizeof *r), *scratch = room(w.n, sizeof *scratch);
        double all = 0, largest, sum, most = 0, total = 0;
        for (size_t s = 0; s < w.n; s++)
            all += r[s] = gersh__random_uniform(&random);
        for (size_t f = 0; f < w.k; f++) {
            const double *x = gersh__pairs_column(w.pairs, f, scratch);
            double squares = 0, mean = 0;
            for (size_t s = 0; s < w.n; s++) {
                squares += r[s] * x[s] * x[s];
                mean += x[s] / (double)w.n;
            }
            double size = pow(sqrt(squares) + fabs(mean) * sqrt(all), 2);
            most = fmax(most, size);
            total += size;
        }
        gersh__gradient_sizes(w.gradient, r, &largest, &sum);
        assert_true(fabs(largest - most) <= 1e-12 * most && fabs(sum - total) <= 1e-12 * total);
        free(r);
        free(scratch);
        drop(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_those_of_the_matrix),
        cmocka_unit_test(sizes_are_those_of_the_samples),
    };
    gersh__blas_hold();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
