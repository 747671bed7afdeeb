/* One level of the hot loops; GERSH__LEVEL is its name. See kernels.h. */
#include "linalg/kernels.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

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

static double difference_dot(size_t n, const double *x, const double *y, const double *z)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++)
        sum += x[i] * (y[i] - z[i]);
    return sum;
}

static double square_dot(size_t n, const double *x, const double *t)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++)
        sum += x[i] * (t[i] * t[i]);
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

static double distance(size_t n, const double *x, const double *y)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t a = 0; a < n; a++)
        sum += (x[a] - y[a]) * (x[a] - y[a]);
    return sum;
}

static void add_squares(size_t n, double factor, const double *x, const double *y, double *s)
{
#pragma omp simd
    for (size_t a = 0; a < n; a++)
        s[a] += factor * ((x[a] - y[a]) * (x[a] - y[a]));
}

static void set_squares(size_t n, double factor, const double *x, const double *y, double *out)
{
#pragma omp simd
    for (size_t a = 0; a < n; a++)
        out[a] = factor * ((x[a] - y[a]) * (x[a] - y[a]));
}

static void square_gather(size_t n, const double *factor, const size_t *first, const size_t *second,
                          const double *t, double *out)
{
#pragma omp simd
    for (size_t p = 0; p < n; p++) {
        double difference = t[first[p]] - t[second[p]];
        out[p] = factor[p] * (difference * difference);
    }
}

/* As many doubles as a register of this level holds, wherever they lie. */
#if defined(__AVX512F__)
enum { LANES = 8, ACROSS = 4 };
#elif defined(__AVX__)
enum { LANES = 4, ACROSS = 2 };
#else
enum { LANES = 2, ACROSS = 2 };
#endif
typedef double packed __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double))));

/* Products of DOWN rows x with ACROSS rows y, each of n entries: the sums stay in registers. */
enum { DOWN = 4 };
static void tile(size_t n, const double *x, const double *y, double out[DOWN][ACROSS])
{
    packed sum[DOWN][ACROSS] = {0};
    size_t whole = n - n % LANES;
    for (size_t i = 0; i < whole; i += LANES) {
        packed right[ACROSS];
        for (size_t c = 0; c < ACROSS; c++)
            right[c] = *(const packed *)(y + c * n + i);
        for (size_t r = 0; r < DOWN; r++) {
            packed left = *(const packed *)(x + r * n + i);
            for (size_t c = 0; c < ACROSS; c++)
                sum[r][c] += left * right[c];
        }
    }
    for (size_t r = 0; r < DOWN; r++)
        for (size_t c = 0; c < ACROSS; c++) {
            out[r][c] = 0;
            for (size_t lane = 0; lane < LANES; lane++)
                out[r][c] += sum[r][c][lane];
            for (size_t i = whole; i < n; i++)
                out[r][c] += x[r * n + i] * y[c * n + i];
        }
}

static void gram(size_t n, size_t m, double factor, const double *x, double *h)
{
    double product[DOWN][ACROSS];
    size_t whole = m - m % DOWN;
    for (size_t b = 0; b < whole; b += DOWN)
        for (size_t a = 0; a < b + DOWN; a += ACROSS) {
            tile(n, x + b * n, x + a * n, product);
            for (size_t i = 0; i < DOWN; i++)
                for (size_t j = 0; j < ACROSS && a + j <= b + i; j++)
                    h[(a + j) * m + b + i] += factor * product[i][j];
        }
    for (size_t b = whole; b < m; b++)
        for (size_t a = 0; a <= b; a++)
            h[a * m + b] += factor * dot(n, x + a * n, x + b * n);
}

static double smallest(size_t n, const double *x)
{
    enum { lanes = 8 };
    double least[lanes], all = INFINITY;
    size_t whole = n - n % lanes;
    for (size_t lane = 0; lane < lanes; lane++)
        least[lane] = INFINITY;
    for (size_t j = 0; j < whole; j += lanes) {
#pragma omp simd
        for (size_t lane = 0; lane < lanes; lane++)
            least[lane] = x[j + lane] < least[lane] ? x[j + lane] : least[lane];
    }
    for (size_t lane = 0; lane < lanes; lane++)
        all = least[lane] < all ? least[lane] : all;
    for (size_t j = whole; j < n; j++)
        all = x[j] < all ? x[j] : all;
    return all;
}

/* The smallest eigenvalue of [a, b; b, c]. */
static inline double pair_value(double a, double b, double c)
{
    double half = 0.5 * (a - c);
    return 0.5 * (a + c) - sqrt(half * half + b * b);
}

static double pair_values(size_t n, double a, const double *b, const double *c, double s,
                          const double *sign, double *out)
{
    if (sign == NULL) {
#pragma omp simd
        for (size_t j = 0; j < n; j++)
            out[j] = pair_value(a, b[j], c[j]);
    } else {
#pragma omp simd
        for (size_t j = 0; j < n; j++) {
            double off = s * sign[j] * b[j];
            out[j] = pair_value(a, off > 0 ? off : 0, c[j]);
        }
    }
    return smallest(n, out);
}

static double add_up(size_t n, const double *x)
{
    double total = 0;
#pragma omp simd reduction(+ : total)
    for (size_t j = 0; j < n; j++)
        total += x[j];
    return total;
}

static double sizes(size_t n, const double *x, double *s)
{
    double total = 0;
#pragma omp simd reduction(+ : total)
    for (size_t j = 0; j < n; j++) {
        double size = x[j] < 0 ? -x[j] : x[j];
        total += size;
        s[j] += size;
    }
    return total;
}

static void square_add(size_t n, double factor, double own, const double *t, double *d)
{
#pragma omp simd
    for (size_t j = 0; j < n; j++)
        d[j] += factor * ((own - t[j]) * (own - t[j]));
}

static void square_scale(size_t n, const double *factor, double own, const double *t, double *out)
{
    if (factor == NULL) {
#pragma omp simd
        for (size_t j = 0; j < n; j++)
            out[j] = (own - t[j]) * (own - t[j]);
        return;
    }
#pragma omp simd
    for (size_t j = 0; j < n; j++)
        out[j] = factor[j] * ((own - t[j]) * (own - t[j]));
}

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define MULTIPLY_ADD(a, b, c) __builtin_fma(a, b, c)
#else
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#endif

/*
 * exp(x) = 2^m exp(r), m the whole number nearest to x/ln 2 and |r| <= ln(2)/2. Adding `round` leaves m in
 * the low bits of the sum. ln 2 is taken off in two parts, the first with so many zero bits at its end that
 * m times it is exact. The Taylor series of exp(r) up to r¹³ errs by less than 1e-17. For x from −708 to
 * 709 all is within the range of normal numbers; what is below −708 becomes 0.
 */
static inline double exponential(double x)
{
    const double round = 0x1.8p52;
    double shifted = x * 0x1.71547652b82fep+0 + round;
    double m = shifted - round;
    double r = x - m * 0x1.62e42feep-1;
    r = r - m * 0x1.a39ef35793c76p-33;
    double q = 1.0 / 6227020800.0;
    q = MULTIPLY_ADD(q, r, 1.0 / 479001600.0);
    q = MULTIPLY_ADD(q, r, 1.0 / 39916800.0);
    q = MULTIPLY_ADD(q, r, 1.0 / 3628800.0);
    q = MULTIPLY_ADD(q, r, 1.0 / 362880.0);
    q = MULTIPLY_ADD(q, r, 1.0 / 40320.0);
    q = MULTIPLY_ADD(q, r, 1.0 / 5040.0);
    q = MULTIPLY_ADD(q, r, 1.0 / 720.0);
    q = MULTIPLY_ADD(q, r, 1.0 / 120.0);
    q = MULTIPLY_ADD(q, r, 1.0 / 24.0);
    q = MULTIPLY_ADD(q, r, 1.0 / 6.0);
    q = MULTIPLY_ADD(q, r, 0.5);
    double value = 1.0 + MULTIPLY_ADD(r * r, q, r);
    uint64_t power, bits;
    memcpy(&power, &shifted, sizeof power);
    memcpy(&bits, &value, sizeof bits);
    uint64_t kept = x < -708.0 ? 0 : UINT64_MAX;
    bits = (bits + (power << 52)) & kept;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void exps(size_t n, const double *x, double *y)
{
#pragma omp simd
    for (size_t j = 0; j < n; j++)
        y[j] = exponential(x[j]);
}

static double exp_sum(size_t n, const double *c, double each, const double *d)
{
    double total = 0;
    if (c == NULL) {
#pragma omp simd reduction(+ : total)
        for (size_t j = 0; j < n; j++)
            total += exponential(-d[j]);
        return each * total;
    }
#pragma omp simd reduction(+ : total)
    for (size_t j = 0; j < n; j++)
        total += c[j] * exponential(-d[j]);
    return total;
}

static double exp_terms(size_t n, const double *c, double each, const double *d, double *g)
{
    double total = 0;
    if (c == NULL) {
#pragma omp simd reduction(+ : total)
        for (size_t j = 0; j < n; j++) {
            double term = each * exponential(-d[j]);
            total += term;
            g[j] = -term;
        }
        return total;
    }
#pragma omp simd reduction(+ : total)
    for (size_t j = 0; j < n; j++) {
        double term = c[j] * exponential(-d[j]);
        total += term;
        g[j] = -term;
    }
    return total;
}

static double root_sum(size_t n, const double *c, const double *d)
{
    double total = 0;
#pragma omp simd reduction(+ : total)
    for (size_t j = 0; j < n; j++)
        total += c[j] * sqrt(d[j] > 0 ? d[j] : 0.0);
    return total;
}

static double root_terms(size_t n, const double *c, const double *d, double floor, double *g, double *e)
{
    double total = 0;
#pragma omp simd reduction(+ : total)
    for (size_t j = 0; j < n; j++) {
        double f = d[j] > floor ? d[j] : floor;
        double slope = 0.5 * c[j] / sqrt(f);
        total += c[j] * sqrt(d[j] > 0 ? d[j] : 0.0);
        g[j] = -slope;
        e[j] = 0.5 * slope / f;
    }
    return total;
}

static double lowest(size_t n, const double *d, double *low)
{
    enum { lanes = 8 };
    double least[lanes], all = INFINITY;
    size_t whole = n - n % lanes;
    for (size_t lane = 0; lane < lanes; lane++)
        least[lane] = INFINITY;
    for (size_t j = 0; j < whole; j += lanes) {
#pragma omp simd
        for (size_t lane = 0; lane < lanes; lane++) {
            double now = d[j + lane];
            least[lane] = now < least[lane] ? now : least[lane];
            low[j + lane] = now < low[j + lane] ? now : low[j + lane];
        }
    }
    for (size_t lane = 0; lane < lanes; lane++)
        all = least[lane] < all ? least[lane] : all;
    for (size_t j = whole; j < n; j++) {
        all = d[j] < all ? d[j] : all;
        low[j] = d[j] < low[j] ? d[j] : low[j];
    }
    return all;
}

static double soft_sum(size_t n, const double *d, double shift, const double *shifts, double weight,
                       const double *w, double *z)
{
    double total = 0;
#pragma omp simd reduction(+ : total)
    for (size_t j = 0; j < n; j++) {
        total += w[j] * exponential(shift - d[j]);
        z[j] += weight * exponential(shifts[j] - d[j]);
    }
    return total;
}

static double soft_terms(size_t n, const double *d, double shift, const double *shifts, double weight,
                         const double *w, double *z, double *a, double *b)
{
    double total = 0;
#pragma omp simd reduction(+ : total)
    for (size_t j = 0; j < n; j++) {
        a[j] = w[j] * exponential(shift - d[j]);
        b[j] = weight * exponential(shifts[j] - d[j]);
        total += a[j];
        z[j] += b[j];
    }
    return total;
}

static void soft_gradient(size_t n, double factor, const double *factors, double *a, double *b, double *g)
{
#pragma omp simd
    for (size_t j = 0; j < n; j++) {
        a[j] *= factor;
        b[j] *= factors[j];
        g[j] = -(a[j] + b[j]);
    }
}

static double two_sums(size_t n, const double *a, const double *b, const double *v, double *s)
{
    double total = 0;
#pragma omp simd reduction(+ : total)
    for (size_t j = 0; j < n; j++) {
        total += a[j] * v[j];
        s[j] += b[j] * v[j];
    }
    return total;
}

static double square_sums(size_t n, const double *a, const double *b, double own, const double *t,
                          double *s)
{
    double total = 0;
#pragma omp simd reduction(+ : total)
    for (size_t j = 0; j < n; j++) {
        double square = (own - t[j]) * (own - t[j]);
        total += a[j] * square;
        s[j] += b[j] * square;
    }
    return total;
}

static void soft_product(size_t n, const double *a, const double *b, const double *v, double mean,
                         const double *means, double *out)
{
#pragma omp simd
    for (size_t j = 0; j < n; j++)
        out[j] = a[j] * (v[j] - mean) + b[j] * (v[j] - means[j]);
}

static double pull(size_t n, const double *d, double shift, const double *shifts, double weight,
                   const double *w, double *s)
{
    double total = 0;
#pragma omp simd reduction(+ : total)
    for (size_t j = 0; j < n; j++) {
        total += w[j] * (d[j] - shift);
        s[j] += weight * (d[j] - shifts[j]);
    }
    return total;
}

/* h' · width: the part of x within the smoothed zone. A bound of −∞ gives 0 everywhere. */
static inline double zone(double x, double width)
{
    double above = x > 0 ? x : 0.0;
    return above < width ? above : width;
}

static inline double hinge(double x, double width, double half_inverse)
{
    double inside = zone(x, width);
    double beyond = x - width;
    return inside * inside * half_inverse + (beyond > 0 ? beyond : 0.0);
}

static inline double hinge_curvature(double x, double width, double inverse)
{
    double below = x < width ? inverse : 0.0;
    return x > 0 ? below : 0.0;
}

static double hinge_sum(size_t n, const double *d, double width, double own, double scale, const double *w,
                        const double *bounds, double weight, const double *c)
{
    double total = 0, half_inverse = 0.5 / width;
#pragma omp simd reduction(+ : total)
    for (size_t j = 0; j < n; j++)
        total += scale * (w[j] * hinge(own - d[j], width, half_inverse)) +
                 weight * (c[j] * hinge(bounds[j] - d[j], width, half_inverse));
    return total;
}

static double hinge_gradient(size_t n, const double *d, double width, double own, double scale,
                             const double *w, const double *bounds, double weight, const double *c,
                             double *g, double *s)
{
    double total = 0, inverse = 1.0 / width;
#pragma omp simd reduction(+ : total)
    for (size_t j = 0; j < n; j++) {
        double mine = w[j] * (zone(own - d[j], width) * inverse);
        double theirs = weight * (c[j] * (zone(bounds[j] - d[j], width) * inverse));
        total += mine;
        s[j] += theirs;
        g[j] -= scale * mine + theirs;
    }
    return total;
}

static double hinge_product(size_t n, const double *d, const double *v, double width, double own,
                            double own_v, double scale, const double *w, const double *bounds,
                            const double *bounds_v, double weight, const double *c, double *out, double *s)
{
    double total = 0, inverse = 1.0 / width;
#pragma omp simd reduction(+ : total)
    for (size_t j = 0; j < n; j++) {
        double mine = w[j] * (hinge_curvature(own - d[j], width, inverse) * (own_v - v[j]));
        double theirs =
            weight * (c[j] * (hinge_curvature(bounds[j] - d[j], width, inverse) * (bounds_v[j] - v[j])));
        total += mine;
        s[j] += theirs;
        out[j] -= scale * mine + theirs;
    }
    return total;
}

static double disc_values(size_t n, double a, const double *b, const double *c, double u, const double *us,
                          double s, const double *sign, double *out)
{
#pragma omp simd
    for (size_t j = 0; j < n; j++) {
        double ratio = us[j] / u, squared = ratio * ratio;
        double edge = (a * squared + c[j] - 2 * s * sign[j] * b[j] * ratio) / (1 + squared);
        double single = a < c[j] ? a : c[j];
        out[j] = edge < single ? edge : single;
    }
    return smallest(n, out);
}

static size_t outside(size_t n, const float *x, float low, float high)
{
    enum { block = 64 };
    size_t j = 0;
    for (; j + block <= n; j += block) {
        int any = 0;
#pragma omp simd reduction(| : any)
        for (size_t c = 0; c < block; c++)
            any |= !((x[j + c] >= low) & (x[j + c] <= high));
        if (any)
            break;
    }
    while (j < n && x[j] >= low && x[j] <= high)
        j++;
    return j;
}

static void to_single(size_t n, double factor, double mean, const double *x, float *y)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        y[i] = (float)(factor * (x[i] - mean));
}

static void single_axpy(size_t n, float a, const float *x, float *y)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        y[i] += a * x[i];
}

const gersh__kernels JOIN(gersh__kernels_, GERSH__LEVEL) = {
    .level = TEXT(GERSH__LEVEL),
    .dot = dot,
    .square_dot = square_dot,
    .axpy = axpy,
    .standardize = standardize,
    .radius = radius,
    .gather = gather,
    .distance = distance,
    .add_squares = add_squares,
    .set_squares = set_squares,
    .difference_dot = difference_dot,
    .square_gather = square_gather,
    .gram = gram,
    .pair_values = pair_values,
    .disc_values = disc_values,
    .outside = outside,
    .to_single = to_single,
    .single_axpy = single_axpy,
    .sum = add_up,
    .sizes = sizes,
    .square_add = square_add,
    .square_scale = square_scale,
    .exps = exps,
    .exp_sum = exp_sum,
    .exp_terms = exp_terms,
    .root_sum = root_sum,
    .root_terms = root_terms,
    .lowest = lowest,
    .soft_sum = soft_sum,
    .soft_terms = soft_terms,
    .soft_gradient = soft_gradient,
    .two_sums = two_sums,
    .square_sums = square_sums,
    .soft_product = soft_product,
    .pull = pull,
    .hinge_sum = hinge_sum,
    .hinge_gradient = hinge_gradient,
    .hinge_product = hinge_product,
};
