/* Student's distribution, the incomplete beta function and the corrected t test, against closed forms and tables. */
#include "evaluate.h"
#include "experiment/evaluate_trial.h"

static void students_tails_are_right(void **unused)
{
    (void)unused;
    const double pi = acos(-1.0);
    for (double t = 0.001; t < 1e4; t *= 1.7) {
        double s = t / sqrt(3.0);
        assert_near(gersh__student_tails(t, 1), 1 - 2 / pi * atan(t), 1e-13);
        assert_near(gersh__student_tails(-t, 2), 1 - t / sqrt(2 + t * t), 1e-13);
        assert_near(gersh__student_tails(t, 3), 1 - 2 / pi * (s / (1 + s * s) + atan(s)), 1e-13);
        assert_near(gersh__student_tails(t, 1e7), erfc(t / sqrt(2.0)), 1e-6);
    }
    /* Quantiles from tables. */
    static const double table[][3] = {{1, 12.706204736174705, 0.05},  {9, 2.2621571627982055, 0.05},
                                      {9, 3.2498355415921263, 0.01},  {9, 4.7809125859311391, 0.001},
                                      {29, 2.0452296421327043, 0.05}, {99, 2.6264054572808275, 0.01}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        assert_near(gersh__student_tails(table[i][1], table[i][0]), table[i][2], 1e-13);
    assert_true(gersh__student_tails(0, 9) == 1 && gersh__student_tails(HUGE_VAL, 9) == 0);
    assert_true(gersh__student_tails(50, 1000) > 0); /* far tails keep their digits */
}

static void the_incomplete_beta_function_is_right(void **unused)
{
    (void)unused;
    for (double x = 0; x <= 1; x += 1.0 / 64) {
        assert_near(gersh__incomplete_beta(1, 7.5, x), 1 - pow(1 - x, 7.5), 1e-13);
        assert_near(gersh__incomplete_beta(0.25, 1, x), pow(x, 0.25), 1e-13);
        for (int a = 1; a < 9; a++)
            for (int b = 1; b < 9; b++) { /* a sum of binomial probabilities */
                double sum = 0;
                for (int j = a; j < a + b; j++) {
                    double term = pow(x, j) * pow(1 - x, a + b - 1 - j);
                    for (int i = 0; i < j; i++)
                        term *= (double)(a + b - 1 - i) / (double)(i + 1);
                    sum += term;
                }
                assert_near(gersh__incomplete_beta(a, b, x), sum, 1e-13);
            }
    }
}

static void the_t_test_is_corrected(void **unused)
{
    (void)unused;
    const double d[] = {0.02, -0.01, 0.03, 0.01, 0.05}, none[] = {0, 0, 0}, same[] = {0.25, 0.25, 0.25};
    /* mean 0.02, variance 0.0005; (1/5 + 10/90) 0.0005 = 0.000155556; t = 1.60357 with 4 degrees of freedom */
    double t = 0.02 / sqrt(0.0005 * (1.0 / 5 + 10.0 / 90));
    /* of 4 degrees of freedom, with u = t² / (4 + t²): 1 − √u (3 − u)/2 */
    double u = t * t / (4 + t * t);
    assert_near(gersh__corrected_t_test(5, d, 90, 10), 1 - sqrt(u) * (3 - u) / 2, 1e-13);
    assert_true(gersh__corrected_t_test(5, d, 10, 90) > gersh__corrected_t_test(5, d, 90, 10));
    assert_true(gersh__corrected_t_test(3, none, 90, 10) == 1);
    assert_true(gersh__corrected_t_test(3, same, 90, 10) == 0);
    double mean, deviation;
    gersh__mean_and_deviation(&mean, &deviation, 5, d);
    assert_near(mean, 0.02, 1e-16);
    assert_near(deviation, sqrt(0.0005), 1e-16);
    gersh__mean_and_deviation(&mean, &deviation, 1, d);
    assert_true(mean == 0.02 && isnan(deviation));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(students_tails_are_right),
        cmocka_unit_test(the_incomplete_beta_function_is_right),
        cmocka_unit_test(the_t_test_is_corrected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
