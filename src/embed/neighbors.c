/*
 * The index of nearest neighbours; see gersh/neighbors.h. The search is in neighbors_search.c.
 *
 * Rows and queries are centred, mapped into a space where d is Euclidean (map.h), and kept there as floats,
 * scaled by a power of two s. With n = ‖a‖² of a point a, d s² is about n_a + n_b − 2ab, where ab is a
 * product of floats. This is wrong by less than err_a + err_b, where for either point, u = 2⁻²⁴ and r
 * columns,
 *
 *     err = ε n + 2 η²/u + e + tiny,   ε = 1.1 (r + 16) u.
 *
 * r u is for the product; 16 u is for rounding the point to floats, ‖a − α‖ ≤ u‖a‖ + η, and for the sums. η
 * = g √t s‖x‖ is for the map, t being the trace of M and g the double's rounding of a product of K terms,
 * and e = 8 g t s²‖x‖² for the factor of M and for the exact distance itself. Products (‖a‖ + ‖b‖)(η_a +
 * η_b) are split by 2pq ≤ u p² + q²/u.
 */
#include "embed/neighbors.h"

#include <float.h>
#include <math.h>

#include "base/alloc.h"
#include "base/error.h"

#define BEYOND_FLOATS 0x1p60 /* a squared length from which floats are not used */

static const double unit = 0x1p-24;
static const double rounding = 1e-20; /* of a distance that is 0, beside the trace times ‖x − y‖² */

void gersh_neighbors_free(gersh_neighbors *index)
{
    if (index == NULL)
        return;
    gersh__map_free(index->map);
    gersh__free(index->center);
    gersh__free(index->point);
    gersh__free(index->low);
    gersh__free(index->high);
    gersh__free(index);
}

gersh_status gersh__neighbors_check(const char *what, size_t rows, size_t features, const double *x,
                                    size_t stride)
{
    if (stride < features)
        return gersh__fail(GERSH_ERROR_ARGUMENT,
                           "the stride is %zu; it must be at least the number of features, %zu", stride,
                           features);
    gersh_status status = gersh__check_array(rows, stride, sizeof *x);
    for (size_t i = 0; i < rows && status == GERSH_OK; i++)
        for (size_t j = 0; j < features; j++)
            if (!isfinite(x[i * stride + j]))
                return gersh__fail(GERSH_ERROR_INPUT,
                                   "%s %zu, feature %zu: the value is not finite; all values must be", what,
                                   i + 1, j + 1);
    return status;
}

double gersh__neighbors_euclidean(size_t n, const double *x, const double *y)
{
    double sum = 0;
    for (size_t j = 0; j < n; j++)
        sum += (x[j] - y[j]) * (x[j] - y[j]);
    return sum;
}

/* n − err and n + err of a point of that squared length, whose row has the squared length `square`. */
static gersh__bounds find_bounds(const gersh_neighbors *index, double length, double square)
{
    double columns = (double)index->map->columns, g = ((double)index->features + 8) * DBL_EPSILON;
    double whole = index->map->square * index->scale * index->scale * square;
    double error = 1.1 * (columns + 16) * unit * length + (2 / unit * g * g + 8 * g) * whole +
                   16 * (columns + 4) * 0x1p-126;
    return (gersh__bounds){length - error, length + error};
}

void gersh__neighbors_round(gersh_neighbors *index)
{
    double zero = rounding * index->map->square;
    index->zero = index->metric != NULL && index->metric->rho <= zero ? zero : 0;
}

size_t gersh__neighbors_room(const gersh_neighbors *index)
{
    return GERSH__MAPPED * (index->features + index->map->columns + index->map->widest);
}

void gersh__neighbors_points(const gersh_neighbors *index, float *point, gersh__bounds *bounds, size_t rows,
                             const double *x, size_t stride, double *room)
{
    size_t k = index->features, columns = index->map->columns;
    double *mapped = room + GERSH__MAPPED * k;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < k; j++)
            room[i * k + j] = x[i * stride + j] - index->center[j];
    gersh__map_apply(index->map, mapped, rows, room, k, mapped + GERSH__MAPPED * columns);
    for (size_t i = 0; i < rows; i++) {
        double square = gersh__neighbors_euclidean(k, x + i * stride, index->center), length = 0;
        int far = !(index->map->square * index->scale * index->scale * square < BEYOND_FLOATS);
        for (size_t c = 0; c < columns; c++) {
            float value = far ? 0 : (float)(index->scale * mapped[i * columns + c]);
            point[i * columns + c] = value;
            length += (double)value * value;
        }
        bounds[i] = far ? (gersh__bounds){-1e300, 1e300} : find_bounds(index, length, square);
    }
}

typedef struct fill {
    gersh_neighbors *index;
    double *room; /* of each worker */
} fill;

static void fill_part(void *context, size_t part, int worker)
{
    fill *f = context;
    gersh_neighbors *index = f->index;
    gersh__bounds bounds[GERSH__MAPPED];
    size_t begin = part * GERSH__MAPPED, rows = index->rows - begin;
    rows = rows < GERSH__MAPPED ? rows : GERSH__MAPPED;
    gersh__neighbors_points(index, index->point + begin * index->map->columns, bounds, rows,
                            index->x + begin * index->stride, index->stride,
                            f->room + (size_t)worker * gersh__neighbors_room(index));
    for (size_t i = 0; i < rows; i++) {
        float low = (float)bounds[i].low;
        index->low[begin + i] = (double)low > bounds[i].low ? nextafterf(low, -INFINITY) : low;
        index->high[begin + i] = bounds[i].high;
    }
}

/* The centre of the rows, and the scale that brings the farthest of them to a length of at most 1. */
static gersh_status place(gersh_neighbors *index)
{
    size_t k = index->features;
    double farthest = 0;
    int exponent = 0;
    for (size_t i = 0; i < index->rows; i++)
        for (size_t j = 0; j < k; j++)
            index->center[j] += index->x[i * index->stride + j] / (double)index->rows;
    for (size_t i = 0; i < index->rows; i++) {
        double square = gersh__neighbors_euclidean(k, index->x + i * index->stride, index->center);
        double weighted = square * index->map->square;
        if (!(square < DBL_MAX / 64) || !(weighted < DBL_MAX / 64))
            return gersh__fail(
                GERSH_ERROR_NUMERIC,
                "row %zu is so far from the mean that its distances overflow; scale the data first", i + 1);
        farthest = fmax(farthest, weighted);
    }
    frexp(sqrt(farthest), &exponent);
    index->scale = farthest > 0 ? ldexp(1, -(exponent < -300 ? -300 : exponent)) : 1;
    return GERSH_OK;
}

gersh_status gersh_neighbors_new(gersh_neighbors **out, const gersh_metric *metric, size_t rows,
                                 size_t features, const double *x, size_t stride, int threads)
{
    *out = NULL;
    if (rows == 0 || features == 0 || x == NULL)
        return gersh__fail(
            GERSH_ERROR_ARGUMENT,
            "an index of neighbours needs at least one row and one feature, but %zu × %zu are given", rows,
            features);
    gersh_status status = gersh__neighbors_check("row", rows, features, x, stride);
    if (status != GERSH_OK)
        return status;
    gersh__pool *pool = NULL;
    gersh_neighbors *index = gersh__alloc(1, sizeof *index);
    if (index == NULL)
        return GERSH_ERROR_MEMORY;
    fill f = {.index = index};
    *index = (gersh_neighbors){
        .metric = metric, .rows = rows, .features = features, .stride = stride, .x = x, .threads = threads};
    status = gersh__pool_new(&pool, threads);
    if (status == GERSH_OK)
        status = gersh__map_new(&index->map, metric, features);
    if (status != GERSH_OK)
        goto out;
    index->center = gersh__alloc(features, sizeof *index->center);
    index->point = gersh__alloc(rows, index->map->columns * sizeof *index->point);
    index->low = gersh__alloc(rows, sizeof *index->low);
    index->high = gersh__alloc(rows, sizeof *index->high);
    status = index->center && index->point && index->low && index->high ? place(index) : GERSH_ERROR_MEMORY;
    if (status == GERSH_OK) {
        f.room =
            gersh__alloc((size_t)gersh__pool_threads(pool), gersh__neighbors_room(index) * sizeof *f.room);
        status = f.room != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    }
    if (status == GERSH_OK)
        gersh__pool_run(pool, (rows + GERSH__MAPPED - 1) / GERSH__MAPPED, fill_part, &f);
out:
    gersh__pool_free(pool);
    gersh__free(f.room);
    if (status == GERSH_OK)
        *out = index;
    else
        gersh_neighbors_free(index);
    return status;
}

double gersh__neighbors_select(double *value, size_t count, size_t which)
{
    size_t low = 0, high = count;
    while (high - low > 1) {
        double pivot = value[low + (high - low) / 2];
        size_t below = low, at = low, above = high;
        while (at < above) { /* smaller ones, then equal ones, then larger ones */
            double v = value[at];
            if (v < pivot) {
                value[at++] = value[below];
                value[below++] = v;
            } else if (v > pivot) {
                value[at] = value[--above];
                value[above] = v;
            } else {
                at++;
            }
        }
        if (which < below)
            high = below;
        else if (which >= above)
            low = above;
        else
            return pivot;
    }
    return value[low];
}
