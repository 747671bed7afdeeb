/* One level of the hot loops; GERSH__LEVEL is its name. See kernels.h. */
#include "linalg/kernels.h"

#include <math.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

extern const gersh__kernels JOIN(gersh__kernels_, GERSH__LEVEL);

static double dot(size_t n, const double *x, const double *y)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

static void axpy(size_t n, double a, const double *x, double *y)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        y[i] += a * x[i];
}

static void standardize(size_t n, const double *x, const double *mean, const double *factor, double *y)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        y[i] = (x[i] - mean[i]) * factor[i];
}

static double radius(size_t n, const double *entry, const size_t *index, const double *u)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t e = 0; e < n; e++)
        sum += fabs(entry[e]) * u[index[e]];
    return sum;
}

static double gather(size_t n, const double *entry, const size_t *index, const double *x)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t e = 0; e < n; e++)
        sum += entry[e] * x[index[e]];
    return sum;
}

const gersh__kernels JOIN(gersh__kernels_, GERSH__LEVEL) = {TEXT(GERSH__LEVEL), dot,    axpy,
                                                            standardize,        radius, gather};
