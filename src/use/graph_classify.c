/*
 * `graph`: labels that are smooth on the graph of all rows, training and new ones, with the weights w_ij =
 * exp(−d_ij), times the weight of the training row. For each class, zᵀLz with z = 1 on its training rows
 * and 0 on the others is smallest where every new row is the mean of all other rows: with
 * p_ij = w_ij / Σ_j w_ij,
 *
 *     f_i = Σ_{new j} p_ij f_j + b_i,     b_i = Σ p_ij over the training rows j of the class.   (harmonic)
 *
 * The p_ij do not change when the distances of row i are all taken less its smallest one m_i, so that
 * nothing underflows but what does not count beside the nearest rows. (harmonic) times w_i = Σ_j w_ij is
 * the system L_uu f = W_uk z; scaled to unit diagonal (Jacobi's preconditioner) with h_i = f_i √w_i it has
 * the symmetric matrix I − S,
 *
 *     S_ij = w_ij / √(w_i w_j) = exp(e_i + e_j − d_ij),
 *     e_i = −½ log w_i = ½ (m_i − log Σ_j exp(m_i − d_ij)),
 *
 * and is solved by conjugate gradients, one run for each class, whose products with S are shared. S is made
 * anew in tiles for each product; only the distances of the new rows are kept, where they are not too many.
 *
 * The values of all classes sum up to 1 in a row. Where they do not, the row's w_i is too small beside the
 * others' for the gradients to see it, or rows are tied to each other so strongly that what ties them to
 * the rest is lost in rounding. For such rows, the others being fixed, (harmonic) is solved by elimination,
 * which is right to the last digits (harmonic.c). Should they be too many for that, they start at 0 and are
 * swept over by (harmonic): f_i is then the chance that a walk from row i has come to that class so far,
 * and only the shares of the classes count. A row that nothing within the range of double ties to any class
 * is classified as by `knn` with one neighbour. Ties are decided as votes.h says.
 */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/policy.h"
#include "base/threads.h"
#include "linalg/kernels.h"
#include "use/classify.h"
#include "use/harmonic.h"
#include "use/map.h"
#include "use/votes.h"

enum { GRAPH_TILE = 64, GRAPH_WIDTH = 512 };

static const double tolerance = 1e-13;  /* of the residual, beside the right-hand side */
static const double sum_error = 1e-7;   /* of the classes' sum in a row that is solved */
static const double share_error = 1e-6; /* of the classes' shares; those that differ by less are equal */

typedef struct points {
    size_t n;
    double *x; /* n × columns, in the space where d is Euclidean */
    double *square;
} points;

typedef struct solution {
    const gersh__classify_task *task;
    const gersh__graph_limits *limits;
    gersh__map *map;
    gersh__pool *pool;
    double *center;
    points known, fresh;
    double *log_weight; /* of the known rows, or NULL */
    size_t classes;
    double *kept;        /* distances of the new rows, n × n, or NULL */
    double *e;           /* e_i of each new row */
    double *log_root;    /* log √w_i, less the largest of them */
    double *b;           /* n × classes */
    unsigned char *weak; /* rows that are swept over */
    double *f;           /* n × classes */
    double *scratch;     /* of each worker: scratch_size doubles */
    size_t scratch_size;
    /* of the product that runs now */
    int sweeping; /* p_ij, else S_ij */
    const double *from;
    double *to;
} solution;

static void clear(solution *s)
{
    gersh__map_free(s->map);
    gersh__pool_free(s->pool);
    gersh__free(s->center);
    gersh__free(s->known.x);
    gersh__free(s->known.square);
    gersh__free(s->fresh.x);
    gersh__free(s->fresh.square);
    gersh__free(s->log_weight);
    gersh__free(s->kept);
    gersh__free(s->e);
    gersh__free(s->log_root);
    gersh__free(s->b);
    gersh__free(s->weak);
    gersh__free(s->f);
    gersh__free(s->scratch);
}

static gersh_status make_points(points *p, const solution *s, const gersh_dataset *data)
{
    const gersh__map *map = s->map;
    size_t k = map->features, columns = map->columns;
    const double *x = gersh_dataset_values(data);
    p->n = gersh_dataset_rows(data);
    p->x = gersh__alloc(p->n, columns * sizeof *p->x);
    p->square = gersh__alloc(p->n, sizeof *p->square);
    double *row = gersh__alloc(k + map->widest, sizeof *row);
    gersh_status status = p->x != NULL && p->square != NULL && row != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < p->n && status == GERSH_OK; i++) {
        for (size_t j = 0; j < k; j++)
            row[j] = x[i * k + j] - s->center[j];
        gersh__map_apply(map, p->x + i * columns, 1, row, k, row + k);
        p->square[i] = gersh__kernels_here()->dot(columns, p->x + i * columns, p->x + i * columns);
        if (!(p->square[i] < 1e300))
            status = gersh__fail(
                GERSH_ERROR_NUMERIC,
                "row %zu is so far from the mean that its distances overflow; scale the data first", i + 1);
    }
    gersh__free(row);
    return status;
}

/* d (count × GRAPH_WIDTH): the new rows from `first` on against `width` others. */
static void distances(const solution *s, double *d, size_t first, size_t count, const points *to,
                      size_t begin, size_t width)
{
    int columns = (int)s->map->columns;
    if (columns > 0)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, (int)width, columns, -2,
                    s->fresh.x + first * s->map->columns, columns, to->x + begin * s->map->columns, columns,
                    0, d, GRAPH_WIDTH);
    else
        memset(d, 0, count * GRAPH_WIDTH * sizeof *d);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < width; j++) {
            double value = s->fresh.square[first + i] + to->square[begin + j] + d[i * GRAPH_WIDTH + j];
            d[i * GRAPH_WIDTH + j] = value > 0 ? value : 0;
        }
}

/* The same between new rows, from what is kept if it is. */
static void fresh_distances(const solution *s, double *d, size_t first, size_t count, size_t begin,
                            size_t width)
{
    if (s->kept == NULL) {
        distances(s, d, first, count, &s->fresh, begin, width);
        return;
    }
    for (size_t i = 0; i < count; i++)
        memcpy(d + i * GRAPH_WIDTH, s->kept + (first + i) * s->fresh.n + begin, width * sizeof *d);
}

/*
 * Adds Σ exp(m − d_j) to *sum, where m is the smallest d_j so far, in this call or before it; earlier sums
 * and the `classes` parts are brought to a new m. The terms go to `term`.
 */
static void add_terms(double *m, double *sum, double *part, size_t classes, size_t width, const double *d,
                      double *term)
{
    const gersh__kernels *kernel = gersh__kernels_here();
    double least = *m;
    for (size_t j = 0; j < width; j++)
        least = d[j] < least ? d[j] : least;
    if (least < *m) {
        double factor = exp(least - *m);
        *sum *= factor;
        for (size_t c = 0; c < classes; c++)
            part[c] *= factor;
        *m = least;
    }
    for (size_t j = 0; j < width; j++)
        term[j] = *m - d[j];
    kernel->exps(width, term, term);
    *sum += kernel->sum(width, term);
}

/* m_i, Σ_j exp(m_i − d_ij) and b_i of a tile of new rows. */
static void sum_part(void *context, size_t tile, int worker)
{
    solution *s = context;
    const int *label = gersh_dataset_labels(s->task->train);
    double *d = s->scratch + (size_t)worker * s->scratch_size, *term = d + GRAPH_TILE * GRAPH_WIDTH;
    double m[GRAPH_TILE], sum[GRAPH_TILE] = {0};
    size_t first = tile * GRAPH_TILE,
           count = s->fresh.n - first < GRAPH_TILE ? s->fresh.n - first : GRAPH_TILE;
    if (gersh_cancel_requested(s->task->cancel))
        return;
    for (size_t i = 0; i < count; i++)
        m[i] = INFINITY;
    for (size_t begin = 0; begin < s->known.n; begin += GRAPH_WIDTH) {
        size_t width = s->known.n - begin < GRAPH_WIDTH ? s->known.n - begin : GRAPH_WIDTH;
        distances(s, d, first, count, &s->known, begin, width);
        for (size_t i = 0; i < count; i++) {
            double *row = d + i * GRAPH_WIDTH, *b = s->b + (first + i) * s->classes;
            for (size_t j = 0; j < width && s->log_weight != NULL; j++)
                row[j] -= s->log_weight[begin + j];
            add_terms(&m[i], &sum[i], b, s->classes, width, row, term);
            for (size_t j = 0; j < width; j++)
                b[label[begin + j]] += term[j];
        }
    }
    for (size_t begin = 0; begin < s->fresh.n; begin += GRAPH_WIDTH) {
        size_t width = s->fresh.n - begin < GRAPH_WIDTH ? s->fresh.n - begin : GRAPH_WIDTH;
        distances(s, d, first, count, &s->fresh, begin, width);
        for (size_t i = 0; i < count; i++) {
            double *row = d + i * GRAPH_WIDTH;
            if (s->kept != NULL)
                memcpy(s->kept + (first + i) * s->fresh.n + begin, row, width * sizeof *row);
            if (first + i >= begin && first + i < begin + width)
                row[first + i - begin] = INFINITY; /* no row is its own neighbour */
            add_terms(&m[i], &sum[i], s->b + (first + i) * s->classes, s->classes, width, row, term);
        }
    }
    for (size_t i = 0; i < count; i++) {
        s->e[first + i] = 0.5 * (m[i] - log(sum[i]));
        for (size_t c = 0; c < s->classes; c++)
            s->b[(first + i) * s->classes + c] /= sum[i];
    }
}

/* to = S from, or P from while sweeping, for a tile of rows. */
static void multiply_part(void *context, size_t tile, int worker)
{
    solution *s = context;
    const gersh__kernels *kernel = gersh__kernels_here();
    double *d = s->scratch + (size_t)worker * s->scratch_size;
    size_t first = tile * GRAPH_TILE,
           count = s->fresh.n - first < GRAPH_TILE ? s->fresh.n - first : GRAPH_TILE;
    int classes = (int)s->classes, any = !s->sweeping;
    for (size_t i = 0; i < count; i++)
        any |= s->weak[first + i];
    if (!any || gersh_cancel_requested(s->task->cancel))
        return;
    for (size_t begin = 0; begin < s->fresh.n; begin += GRAPH_WIDTH) {
        size_t width = s->fresh.n - begin < GRAPH_WIDTH ? s->fresh.n - begin : GRAPH_WIDTH;
        fresh_distances(s, d, first, count, begin, width);
        for (size_t i = 0; i < count; i++) {
            double *row = d + i * GRAPH_WIDTH, own = s->e[first + i];
            for (size_t j = 0; j < width; j++)
                row[j] = own + (s->sweeping ? own : s->e[begin + j]) - row[j];
            kernel->exps(width, row, row);
            if (first + i >= begin && first + i < begin + width)
                row[first + i - begin] = 0;
        }
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)count, classes, (int)width, 1, d,
                    GRAPH_WIDTH, s->from + begin * s->classes, classes, begin > 0,
                    s->to + first * s->classes, classes);
    }
}

static void multiply(solution *s, double *to, const double *from, int sweeping)
{
    s->to = to;
    s->from = from;
    s->sweeping = sweeping;
    gersh__pool_run(s->pool, (s->fresh.n + GRAPH_TILE - 1) / GRAPH_TILE, multiply_part, s);
}

/* out[c] = Σ_i u_ic v_ic */
static void class_dots(const solution *s, double *out, const double *u, const double *v)
{
    memset(out, 0, s->classes * sizeof *out);
    for (size_t i = 0; i < s->fresh.n; i++)
        for (size_t c = 0; c < s->classes; c++)
            out[c] += u[i * s->classes + c] * v[i * s->classes + c];
}

/* Conjugate gradients on (I − S) h = √w b, all classes side by side; f = h / √w where w is within range. */
static gersh_status solve(solution *s)
{
    size_t classes = s->classes, size = s->fresh.n * classes;
    gersh_status status = GERSH_ERROR_MEMORY;
    double *r = gersh__alloc(size, sizeof *r), *p = gersh__alloc(size, sizeof *p);
    double *image = gersh__alloc(size, sizeof *image), *dots = gersh__alloc(classes, 4 * sizeof *dots);
    if (r == NULL || p == NULL || image == NULL || dots == NULL)
        goto out;
    double *square = dots, *curvature = dots + classes, *next = dots + 2 * classes,
           *goal = dots + 3 * classes;
    for (size_t e = 0; e < size; e++)
        r[e] = p[e] = s->b[e] * exp(s->log_root[e / classes]);
    class_dots(s, square, r, r);
    for (size_t c = 0; c < classes; c++)
        goal[c] = tolerance * tolerance * square[c];
    for (int step = 0; step < GERSH__GRAPH_STEPS; step++) {
        int going = 0;
        for (size_t c = 0; c < classes; c++)
            going |= square[c] > goal[c];
        if (!going || gersh_cancel_requested(s->task->cancel))
            break;
        multiply(s, image, p, 0);
        for (size_t e = 0; e < size; e++)
            image[e] = p[e] - image[e];
        class_dots(s, curvature, p, image);
        for (size_t c = 0; c < classes; c++) /* 0: this class is done, or rounding is all that is left */
            curvature[c] = square[c] > goal[c] && curvature[c] > 0 ? square[c] / curvature[c] : 0;
        for (size_t e = 0; e < size; e++) {
            s->f[e] += curvature[e % classes] * p[e];
            r[e] -= curvature[e % classes] * image[e];
        }
        class_dots(s, next, r, r);
        for (size_t c = 0; c < classes; c++) {
            double ratio = curvature[c] > 0 ? next[c] / square[c] : 0;
            square[c] = curvature[c] > 0 ? next[c] : 0;
            next[c] = ratio;
        }
        for (size_t e = 0; e < size; e++)
            p[e] = r[e] + next[e % classes] * p[e];
    }
    for (size_t e = 0; e < size; e++)
        s->f[e] *= exp(-s->log_root[e / classes]);
    status = GERSH_OK;
out:
    gersh__free(dots);
    gersh__free(image);
    gersh__free(p);
    gersh__free(r);
    return status;
}

static double row_sum(const solution *s, const double *f, size_t row)
{
    double sum = 0;
    for (size_t c = 0; c < s->classes; c++)
        sum += f[row * s->classes + c];
    return sum;
}

/* Rows that were not solved for: their number, and their values become 0. */
static size_t find_weak(solution *s)
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
static void fill_weak(const solution *s, double *p, size_t count, const size_t *which)
{
    const gersh__kernels *kernel = gersh__kernels_here();
    size_t classes = s->classes, stride = count + classes;
    for (size_t a = 0; a < count; a++) {
        double *row = p + a * stride, *d = s->scratch;
        size_t i = which[a], next = 0;
        memcpy(row + count, s->b + i * classes, classes * sizeof *row);
        for (size_t begin = 0; begin < s->fresh.n; begin += GRAPH_WIDTH) {
            size_t width = s->fresh.n - begin < GRAPH_WIDTH ? s->fresh.n - begin : GRAPH_WIDTH;
            fresh_distances(s, d, i, 1, begin, width);
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
static gersh_status solve_weak(solution *s, size_t count)
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
static gersh_status sweep(solution *s)
{
    size_t classes = s->classes;
    double *image = gersh__alloc(s->fresh.n, classes * sizeof *image), change = 1;
    if (image == NULL)
        return GERSH_ERROR_MEMORY;
    for (int sweeps = 0; sweeps < GERSH__GRAPH_SWEEPS && change > 1e-9; sweeps++) {
        if (gersh_cancel_requested(s->task->cancel))
            break;
        multiply(s, image, s->f, 1);
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

/* The classes of `count` rows, by their nearest training row. */
static gersh_status take_nearest(const solution *s, int *label, double *proba, const size_t *which,
                                 size_t count)
{
    size_t classes = s->classes;
    gersh_dataset *rows = NULL;
    int *found = gersh__alloc(count, sizeof *found);
    double *share = gersh__alloc(count, classes * sizeof *share);
    gersh_status status = found != NULL && share != NULL
                              ? gersh_dataset_subset(&rows, s->task->test, which, count)
                              : GERSH_ERROR_MEMORY;
    if (status == GERSH_OK) {
        gersh__classify_task task = *s->task;
        task.test = rows;
        task.voters = (gersh__voters){1, 0};
        status = gersh__classifier_knn.classify(found, share, &task);
    }
    for (size_t i = 0; i < count && status == GERSH_OK; i++) {
        label[which[i]] = found[i];
        memcpy(proba + which[i] * classes, share + i * classes, classes * sizeof *share);
    }
    gersh_dataset_free(rows);
    gersh__free(share);
    gersh__free(found);
    return status;
}

/* The shares of the classes, and the largest. */
static gersh_status finish(const solution *s, int *label, double *proba)
{
    size_t classes = s->classes, lost = 0, *which = gersh__alloc(s->fresh.n, sizeof *which);
    double *weight = gersh__alloc(classes, sizeof *weight);
    gersh_status status = which != NULL && weight != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    if (status == GERSH_OK)
        gersh__class_weights(weight, s->task->train);
    for (size_t i = 0; i < s->fresh.n && status == GERSH_OK; i++) {
        double *mine = proba + i * classes, sum = 0;
        for (size_t c = 0; c < classes; c++) {
            mine[c] = fmax(s->f[i * classes + c], 0);
            sum += mine[c];
        }
        if (!(sum > 0) || !isfinite(sum)) {
            which[lost++] = i;
            continue;
        }
        for (size_t c = 0; c < classes; c++)
            mine[c] /= sum;
        label[i] = gersh__winner(mine, weight, classes, share_error);
    }
    if (lost > 0)
        status = take_nearest(s, label, proba, which, lost);
    gersh__free(weight);
    gersh__free(which);
    return status;
}

static gersh_status start(solution *s)
{
    const gersh_dataset *train = s->task->train;
    const double *weights = gersh_dataset_weights(train);
    size_t k = gersh_dataset_features(train), known = gersh_dataset_rows(train);
    size_t n = gersh_dataset_rows(s->task->test);
    gersh_status status = gersh__pool_new(&s->pool, s->task->threads);
    if (status == GERSH_OK)
        status = gersh__map_new(&s->map, s->task->metric, k);
    if (status != GERSH_OK)
        return status;
    s->scratch_size = GRAPH_TILE * GRAPH_WIDTH + GRAPH_WIDTH;
    s->center = gersh__alloc(k, sizeof *s->center);
    s->log_weight = weights != NULL ? gersh__alloc(known, sizeof *s->log_weight) : NULL;
    s->e = gersh__alloc(n, sizeof *s->e);
    s->log_root = gersh__alloc(n, sizeof *s->log_root);
    s->b = gersh__alloc(n, s->classes * sizeof *s->b);
    s->weak = gersh__alloc(n, 1);
    s->f = gersh__alloc(n, s->classes * sizeof *s->f);
    s->scratch = gersh__alloc((size_t)gersh__pool_threads(s->pool), s->scratch_size * sizeof *s->scratch);
    if (!s->center || (weights && !s->log_weight) || !s->e || !s->log_root || !s->b || !s->weak || !s->f ||
        !s->scratch)
        return GERSH_ERROR_MEMORY;
    if (n <= s->limits->kept_bytes / sizeof(double) / n) {
        s->kept = gersh__alloc(n, n * sizeof *s->kept);
        if (s->kept == NULL)
            return GERSH_ERROR_MEMORY;
    }
    for (size_t i = 0; i < known; i++)
        for (size_t j = 0; j < k; j++)
            s->center[j] += gersh_dataset_values(train)[i * k + j] / (double)known;
    for (size_t i = 0; weights != NULL && i < known; i++)
        s->log_weight[i] = log(weights[i]);
    status = make_points(&s->known, s, train);
    return status == GERSH_OK ? make_points(&s->fresh, s, s->task->test) : status;
}

gersh_status gersh__classify_graph(int *label, double *proba, const gersh__classify_task *task,
                                   const gersh__graph_limits *limits)
{
    solution s = {.task = task, .limits = limits, .classes = gersh_dataset_classes(task->train)};
    gersh_status status = start(&s);
    if (status == GERSH_OK) {
        double largest = -INFINITY;
        gersh__pool_run(s.pool, (s.fresh.n + GRAPH_TILE - 1) / GRAPH_TILE, sum_part, &s);
        for (size_t i = 0; i < s.fresh.n; i++)
            largest = fmax(largest, -s.e[i]);
        for (size_t i = 0; i < s.fresh.n; i++)
            s.log_root[i] = -s.e[i] - largest;
        status = gersh_cancel_requested(task->cancel) ? GERSH_OK : solve(&s);
    }
    if (status == GERSH_OK && !gersh_cancel_requested(task->cancel)) {
        size_t weak = find_weak(&s);
        if (weak > 0)
            status = weak <= limits->eliminated ? solve_weak(&s, weak) : sweep(&s);
    }
    if (status == GERSH_OK && gersh_cancel_requested(task->cancel))
        status = gersh__fail(GERSH_ERROR_CANCELLED, "the labels on the graph were cancelled");
    double *shares = proba;
    if (status == GERSH_OK && proba == NULL) {
        shares = gersh__alloc(s.fresh.n, s.classes * sizeof *shares);
        status = shares != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    }
    if (status == GERSH_OK)
        status = finish(&s, label, shares);
    if (shares != proba)
        gersh__free(shares);
    clear(&s);
    return status;
}

static gersh_status classify(int *label, double *proba, const gersh__classify_task *task)
{
    static const gersh__graph_limits limits = {.kept_bytes = (size_t)512 << 20, .eliminated = 2048};
    return gersh__classify_graph(label, proba, task, &limits);
}

const gersh__classifier gersh__classifier_graph = {
    .info = {.name = "graph", .help = "the labels that are smoothest on the graph of all rows"},
    .classify = classify,
};
