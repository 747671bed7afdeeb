/* The hot loops, plain and as this processor has them, against the C library and plain sums. */
#include "check.h"

#include <math.h>

#include "base/random.h"
#include "linalg/kernels.h"

extern const gersh__kernels gersh__kernels_baseline;

/* The largest error of the kernels' exp, in units of the last place of libm's. */
static void check_exp(const gersh__kernels *kernels)
{
    enum { count = 4099 };
    double x[count], y[count], worst = 0;
    gersh__random random;
    gersh__random_seed(&random, 8);
    for (int round = 0; round < cases(200); round++) {
        for (int i = 0; i < count; i++) {
            double size = pow(10, 20 * gersh__random_uniform(&random) - 17);
            x[i] = round % 2 == 0 ? -708 * gersh__random_uniform(&random)
                                  : (gersh__random_uniform(&random) - 0.9) * fmin(size, 700);
        }
        kernels->exps(count, x, y);
        for (int i = 0; i < count; i++) {
            double right = exp(x[i]);
            worst = fmax(worst, fabs(y[i] - right) / (nextafter(right, INFINITY) - right));
        }
    }
    if (!(worst <= 2))
        fail_msg("%s: off by %g units of the last place", kernels->level, worst);
    static const double edges[] = {0, -0.0, -708, -708.5, -745, -1e4, -1e300, -INFINITY, 1, 709, NAN};
    kernels->exps(11, edges, y);
    assert_true(y[0] == 1 && y[1] == 1 && y[3] == 0 && y[4] == 0 && y[5] == 0 && y[6] == 0 && y[7] == 0);
    assert_true(fabs(y[2] / exp(-708) - 1) < 1e-15 && fabs(y[9] / exp(709) - 1) < 1e-15);
    assert_true(fabs(y[8] - exp(1)) < 1e-15 && isnan(y[10]));
}

static void exp_is_right_to_the_last_bits(void **unused)
{
    (void)unused;
    check_exp(&gersh__kernels_baseline);
    check_exp(gersh__kernels_here());
}

enum { MOST_ROWS = 23, MOST_ENTRIES = 300 };

/* A sum with terms of this size, to rounding. */
static void check_sum(const gersh__kernels *kernels, double value, double right, double size)
{
    if (!(fabs(value - right) <= 1e-13 * size))
        fail_msg("%s: %.17g is not %.17g", kernels->level, value, right);
}

/* Products of rows with each other, and with differences; numbers of every remainder by the width of a register. */
static void check_products(const gersh__kernels *kernels, gersh__random *random)
{
    static double x[MOST_ROWS * MOST_ENTRIES], h[MOST_ROWS * MOST_ROWS];
    size_t m = 1 + (size_t)gersh__random_below(random, MOST_ROWS);
    size_t n = (size_t)gersh__random_below(random, MOST_ENTRIES + 1);
    double factor = gersh__random_normal(random);
    for (size_t e = 0; e < m * n; e++)
        x[e] = gersh__random_normal(random);
    for (size_t e = 0; e < m * m; e++)
        h[e] = (double)e;
    kernels->gram(n, m, factor, x, h);
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b < m; b++) {
            double sum = 0, size = (double)(a * m + b) + 1;
            for (size_t i = 0; i < n && a <= b; i++) {
                sum += factor * x[a * n + i] * x[b * n + i];
                size += fabs(factor * x[a * n + i] * x[b * n + i]);
            }
            check_sum(kernels, h[a * m + b], (double)(a * m + b) + sum, size);
        }
    if (m < 3)
        return;
    double sum = 0, size = 1;
    for (size_t i = 0; i < n; i++) {
        sum += x[i] * (x[n + i] - x[2 * n + i]);
        size += fabs(x[i] * (x[n + i] - x[2 * n + i]));
    }
    check_sum(kernels, kernels->difference_dot(n, x, x + n, x + 2 * n), sum, size);
}

static void check_gather(const gersh__kernels *kernels, gersh__random *random)
{
    double t[50], factor[MOST_ENTRIES], out[MOST_ENTRIES + 1];
    size_t first[MOST_ENTRIES], second[MOST_ENTRIES],
        n = (size_t)gersh__random_below(random, MOST_ENTRIES + 1);
    for (int i = 0; i < 50; i++)
        t[i] = gersh__random_normal(random);
    for (size_t p = 0; p < n; p++) {
        factor[p] = gersh__random_normal(random);
        first[p] = (size_t)gersh__random_below(random, 50);
        second[p] = (size_t)gersh__random_below(random, 50);
    }
    out[n] = 7;
    kernels->square_gather(n, factor, first, second, t, out);
    for (size_t p = 0; p < n; p++) {
        double right = factor[p] * pow(t[first[p]] - t[second[p]], 2);
        check_sum(kernels, out[p], right, fabs(right));
    }
    assert_true(out[n] == 7);
}

static void products_are_the_sums(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 10);
    for (int round = 0; round < cases(400); round++) {
        const gersh__kernels *kernels = round % 2 == 0 ? &gersh__kernels_baseline : gersh__kernels_here();
        check_products(kernels, &random);
        check_gather(kernels, &random);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp_is_right_to_the_last_bits),
        cmocka_unit_test(products_are_the_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
