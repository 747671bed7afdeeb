/* The rows that conjugate gradients do not solve for, and what is done about them; see the head of graph_classify.c. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/policy.h"
#include "linalg/kernels.h"
#include "predict/graph_classify.h"
#include "predict/harmonic.h"

static const double sum_error = 1e-7; /* of the classes' sum in a row that is solved */

static double row_sum(const gersh__graph_solution *s, const double *f, size_t row)
{
    double sum = 0;
    for (size_t c = 0; c < s->classes; c++)
        sum += f[row * s->classes + c];
    return sum;
}

/* Rows that were not solved for: their number, and their values become 0. */
static size_t find_weak(gersh__graph_solution *s)
{
    size_t count = 0;
    for (size_t i = 0; i < s->fresh.n; i++) {
        s->weak[i] = !(fabs(row_sum(s, s->f, i) - 1) <= sum_error);
        count += s->weak[i];
        for (size_t c = 0; c < s->classes && s->weak[i]; c++)
            s->f[i * s->classes + c] = 0;
    }
    return count;
}

/* Rows of p over the weak rows and then the classes, what leads to other rows being taken as theirs. */
static void fill_weak(const gersh__graph_solution *s, double *p, size_t count, const size_t *which)
{
    const gersh__kernels *kernel = gersh__kernels_here();
    size_t classes = s->classes, stride = count + classes;
    for (size_t a = 0; a < count; a++) {
        double *row = p + a * stride, *d = s->scratch;
        size_t i = which[a], next = 0;
        memcpy(row + count, s->b + i * classes, classes * sizeof *row);
        for (size_t begin = 0; begin < s->fresh.n; begin += GERSH__GRAPH_WIDTH) {
            size_t width =
                s->fresh.n - begin < GERSH__GRAPH_WIDTH ? s->fresh.n - begin : GERSH__GRAPH_WIDTH;
            gersh__graph_distances(s, d, i, 1, begin, width);
            for (size_t j = 0; j < width; j++)
                d[j] = 2 * s->e[i] - d[j];
            kernel->exps(width, d, d);
            for (size_t j = 0; j < width; j++) {
                if (s->weak[begin + j])
                    row[next++] = begin + j == i ? 0 : d[j];
                else
                    kernel->axpy(classes, d[j], s->f + (begin + j) * classes, row + count);
            }
        }
    }
}

/* Solves (harmonic) for the weak rows by elimination. */
static gersh_status solve_weak(gersh__graph_solution *s, size_t count)
{
    size_t classes = s->classes, next = 0;
    double *p = gersh__alloc(count, (count + classes) * sizeof *p);
    double *f = gersh__alloc(count, classes * sizeof *f);
    size_t *which = gersh__alloc(count, sizeof *which);
    gersh_status status = p != NULL && f != NULL && which != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < s->fresh.n && status == GERSH_OK; i++)
        if (s->weak[i])
            which[next++] = i;
    if (status == GERSH_OK) {
        fill_weak(s, p, count, which);
        gersh__harmonic(f, p, count, classes, s->task->cancel);
        for (size_t a = 0; a < count; a++)
            memcpy(s->f + which[a] * classes, f + a * classes, classes * sizeof *f);
    }
    gersh__free(which);
    gersh__free(f);
    gersh__free(p);
    return status;
}

/* Sweeps over the weak rows until their shares stand still. */
static gersh_status sweep(gersh__graph_solution *s)
{
    size_t classes = s->classes;
    double *image = gersh__alloc(s->fresh.n, classes * sizeof *image), change = 1;
    if (image == NULL)
        return GERSH_ERROR_MEMORY;
    for (int sweeps = 0; sweeps < GERSH__GRAPH_SWEEPS && change > 1e-9; sweeps++) {
        if (gersh_cancel_requested(s->task->cancel))
            break;
        gersh__graph_multiply(s, image, s->f, 1);
        change = 0;
        for (size_t i = 0; i < s->fresh.n; i++) {
            if (!s->weak[i])
                continue;
            for (size_t c = 0; c < classes; c++)
                image[i * classes + c] += s->b[i * classes + c];
            double before = row_sum(s, s->f, i), after = row_sum(s, image, i);
            for (size_t c = 0; c < classes; c++) {
                double *f = &s->f[i * classes + c], value = image[i * classes + c];
                double share = after > 0 ? value / after : 0, old = before > 0 ? *f / before : 0;
                change = fmax(change, fabs(share - old));
                *f = value;
            }
        }
    }
    gersh__free(image);
    return GERSH_OK;
}

gersh_status gersh__graph_strengthen(gersh__graph_solution *s)
{
    size_t weak = find_weak(s);
    if (weak == 0)
        return GERSH_OK;
    return weak <= s->limits->eliminated ? solve_weak(s, weak) : sweep(s);
}
