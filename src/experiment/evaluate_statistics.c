/*
 * Means, deviations and the corrected t test; see evaluate_trial.h.
 *
 * Differences d_1..d_n of two methods on n random splits are not independent, as the training rows overlap. Nadeau
 * and Bengio multiply their sample variance s² by 1/n + test/train instead of 1/n:
 *
 *     t = mean d / √((1/n + test/train) s²),   with n − 1 degrees of freedom.
 *
 * The tails of Student's distribution with f degrees of freedom are I_x(f/2, 1/2) at x = f / (f + t²). I_x(a, b) is
 * x^a (1 − x)^b / (a B(a, b)) times the continued fraction 1/(1 + c_1/(1 + c_2/(1 + ...))) with
 *
 *     c_{2m}   =  m (b − m) x / ((a + 2m − 1)(a + 2m)),
 *     c_{2m+1} = −(a + m)(a + b + m) x / ((a + 2m)(a + 2m + 1)),
 *
 * which converges fast for x below (a + 1)/(a + b + 2); beyond, I_x(a, b) = 1 − I_{1−x}(b, a).
 */
#include "experiment/evaluate_trial.h"

#include <math.h>

void gersh__mean_and_deviation(double *mean, double *deviation, size_t count, const double *value)
{
    double sum = 0, square = 0;
    for (size_t i = 0; i < count; i++)
        sum += value[i];
    *mean = sum / (double)count;
    for (size_t i = 0; i < count; i++)
        square += (value[i] - *mean) * (value[i] - *mean);
    *deviation = count > 1 ? sqrt(square / (double)(count - 1)) : NAN;
}

/* ln Γ(x) for x > 0 by Stirling's series, from 10 on right to the last digits; the C library's keeps a global. */
static double log_gamma(double x)
{
    const double half_log_two_pi = 0.91893853320467274178;
    double product = 1;
    for (; x < 10; x++)
        product *= x;
    double inverse = 1 / x, square = inverse * inverse;
    double series =
        inverse *
        (1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260 - square * (1.0 / 1680 - square / 1188))));
    return (x - 0.5) * log(x) - x + half_log_two_pi + series - log(product);
}

/* 1 + c_1/(1 + c_2/(1 + ...)), by ratios of successive numerators and denominators. */
static double beta_fraction(double a, double b, double x)
{
    enum { MOST = 100000 };
    const double tiny = 1e-300, enough = 1e-16;
    double value = 1, above = 1, below = 0;
    for (int i = 1; i <= MOST; i++) {
        double m = floor(0.5 * i);
        double c = i % 2 == 0 ? m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
                              : -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        below = 1 + c * below;
        below = 1 / (fabs(below) < tiny ? tiny : below);
        above = 1 + c / above;
        above = fabs(above) < tiny ? tiny : above;
        value *= above * below;
        if (fabs(above * below - 1) < enough)
            break;
    }
    return value;
}

/* I_x(a, b) with y = 1 − x, which near x = 1 is known better than x. */
static double beta_share(double a, double b, double x, double y)
{
    if (x <= 0 || y <= 0)
        return x <= 0 ? 0 : 1;
    if (x > (a + 1) / (a + b + 2))
        return 1 - beta_share(b, a, y, x);
    double log_beta = log_gamma(a) + log_gamma(b) - log_gamma(a + b);
    return exp(a * log(x) + b * log(y) - log_beta) / (a * beta_fraction(a, b, x));
}

double gersh__incomplete_beta(double a, double b, double x)
{
    return beta_share(a, b, x, 1 - x);
}

double gersh__student_tails(double t, double freedom)
{
    double square = t * t, sum = freedom + square;
    return isinf(sum) ? 0 : beta_share(0.5 * freedom, 0.5, freedom / sum, square / sum);
}

double gersh__corrected_t_test(size_t count, const double *difference, size_t train, size_t test)
{
    double mean, deviation;
    gersh__mean_and_deviation(&mean, &deviation, count, difference);
    if (mean == 0)
        return 1;
    double factor = 1 / (double)count + (double)test / (double)train;
    return gersh__student_tails(mean / (sqrt(factor) * deviation), (double)(count - 1));
}
