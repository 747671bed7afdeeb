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
 * which is right to the last digits (graph_weak.c, harmonic.c). Should they be too many for that, they start at 0 and are
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
#include "linalg/kernels.h"
#include "predict/graph_classify.h"
#include "predict/votes.h"

static const double tolerance = 1e-13;  /* of the residual, beside the right-hand side */
static const double share_error = 1e-6; /* of the classes' shares; those that differ by less are equal */

static void clear(gersh__graph_solution *s)
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

static gersh_status make_points(gersh__graph_points *p, const gersh__graph_solution *s,
                                const gersh_dataset *data)
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

/* d (count × GERSH__GRAPH_WIDTH): the new rows from `first` on against `width` others. */
static void distances(const gersh__graph_solution *s, double *d, size_t first, size_t count,
                      const gersh__graph_points *to, size_t begin, size_t width)
{
    int columns = (int)s->map->columns;
    if (columns > 0)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, (int)width, columns, -2,
                    s->fresh.x + first * s->map->columns, columns, to->x + begin * s->map->columns, columns,
                    0, d, GERSH__GRAPH_WIDTH);
    else
        memset(d, 0, count * GERSH__GRAPH_WIDTH * sizeof *d);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < width; j++) {
            double value =
                s->fresh.square[first + i] + to->square[begin + j] + d[i * GERSH__GRAPH_WIDTH + j];
            d[i * GERSH__GRAPH_WIDTH + j] = value > 0 ? value : 0;
        }
}

void gersh__graph_distances(const gersh__graph_solution *s, double *d, size_t first, size_t count,
                            size_t begin, size_t width)
{
    if (s->kept == NULL) {
        distances(s, d, first, count, &s->fresh, begin, width);
        return;
    }
    for (size_t i = 0; i < count; i++)
        memcpy(d + i * GERSH__GRAPH_WIDTH, s->kept + (first + i) * s->fresh.n + begin, width * sizeof *d);
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
    gersh__graph_solution *s = context;
    const int *label = gersh_dataset_labels(s->task->train);
    double *d = s->scratch + (size_t)worker * s->scratch_size,
           *term = d + GERSH__GRAPH_TILE * GERSH__GRAPH_WIDTH;
    double m[GERSH__GRAPH_TILE], sum[GERSH__GRAPH_TILE] = {0};
    size_t first = tile * GERSH__GRAPH_TILE,
           count = s->fresh.n - first < GERSH__GRAPH_TILE ? s->fresh.n - first : GERSH__GRAPH_TILE;
    if (gersh_cancel_requested(s->task->cancel))
        return;
    for (size_t i = 0; i < count; i++)
        m[i] = INFINITY;
    for (size_t begin = 0; begin < s->known.n; begin += GERSH__GRAPH_WIDTH) {
        size_t width = s->known.n - begin < GERSH__GRAPH_WIDTH ? s->known.n - begin : GERSH__GRAPH_WIDTH;
        distances(s, d, first, count, &s->known, begin, width);
        for (size_t i = 0; i < count; i++) {
            double *row = d + i * GERSH__GRAPH_WIDTH, *b = s->b + (first + i) * s->classes;
            for (size_t j = 0; j < width && s->log_weight != NULL; j++)
                row[j] -= s->log_weight[begin + j];
            add_terms(&m[i], &sum[i], b, s->classes, width, row, term);
            for (size_t j = 0; j < width; j++)
                b[label[begin + j]] += term[j];
        }
    }
    for (size_t begin = 0; begin < s->fresh.n; begin += GERSH__GRAPH_WIDTH) {
        size_t width = s->fresh.n - begin < GERSH__GRAPH_WIDTH ? s->fresh.n - begin : GERSH__GRAPH_WIDTH;
        distances(s, d, first, count, &s->fresh, begin, width);
        for (size_t i = 0; i < count; i++) {
            double *row = d + i * GERSH__GRAPH_WIDTH;
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
    gersh__graph_solution *s = context;
    const gersh__kernels *kernel = gersh__kernels_here();
    double *d = s->scratch + (size_t)worker * s->scratch_size;
    size_t first = tile * GERSH__GRAPH_TILE,
           count = s->fresh.n - first < GERSH__GRAPH_TILE ? s->fresh.n - first : GERSH__GRAPH_TILE;
    int classes = (int)s->classes, any = !s->sweeping;
    for (size_t i = 0; i < count; i++)
        any |= s->weak[first + i];
    if (!any || gersh_cancel_requested(s->task->cancel))
        return;
    for (size_t begin = 0; begin < s->fresh.n; begin += GERSH__GRAPH_WIDTH) {
        size_t width = s->fresh.n - begin < GERSH__GRAPH_WIDTH ? s->fresh.n - begin : GERSH__GRAPH_WIDTH;
        gersh__graph_distances(s, d, first, count, begin, width);
        for (size_t i = 0; i < count; i++) {
            double *row = d + i * GERSH__GRAPH_WIDTH, own = s->e[first + i];
            for (size_t j = 0; j < width; j++)
                row[j] = own + (s->sweeping ? own : s->e[begin + j]) - row[j];
            kernel->exps(width, row, row);
            if (first + i >= begin && first + i < begin + width)
                row[first + i - begin] = 0;
        }
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)count, classes, (int)width, 1, d,
                    GERSH__GRAPH_WIDTH, s->from + begin * s->classes, classes, begin > 0,
                    s->to + first * s->classes, classes);
    }
}

void gersh__graph_multiply(gersh__graph_solution *s, double *to, const double *from, int sweeping)
{
    s->to = to;
    s->from = from;
    s->sweeping = sweeping;
    gersh__pool_run(s->pool, (s->fresh.n + GERSH__GRAPH_TILE - 1) / GERSH__GRAPH_TILE, multiply_part, s);
}

/* out[c] = Σ_i u_ic v_ic */
static void class_dots(const gersh__graph_solution *s, double *out, const double *u, const double *v)
{
    memset(out, 0, s->classes * sizeof *out);
    for (size_t i = 0; i < s->fresh.n; i++)
        for (size_t c = 0; c < s->classes; c++)
            out[c] += u[i * s->classes + c] * v[i * s->classes + c];
}

/* Conjugate gradients on (I − S) h = √w b, all classes side by side; f = h / √w where w is within range. */
static gersh_status solve(gersh__graph_solution *s)
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
        gersh__graph_multiply(s, image, p, 0);
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

/* The classes of `count` rows, by their nearest training row. */
static gersh_status take_nearest(const gersh__graph_solution *s, int *label, double *proba,
                                 const size_t *which, size_t count)
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
static gersh_status finish(const gersh__graph_solution *s, int *label, double *proba)
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

static gersh_status start(gersh__graph_solution *s)
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
    s->scratch_size = GERSH__GRAPH_TILE * GERSH__GRAPH_WIDTH + GERSH__GRAPH_WIDTH;
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
    gersh__graph_solution s = {
        .task = task, .limits = limits, .classes = gersh_dataset_classes(task->train)};
    gersh_status status = start(&s);
    if (status == GERSH_OK) {
        double largest = -INFINITY;
        gersh__pool_run(s.pool, (s.fresh.n + GERSH__GRAPH_TILE - 1) / GERSH__GRAPH_TILE, sum_part, &s);
        for (size_t i = 0; i < s.fresh.n; i++)
            largest = fmax(largest, -s.e[i]);
        for (size_t i = 0; i < s.fresh.n; i++)
            s.log_root[i] = -s.e[i] - largest;
        status = gersh_cancel_requested(task->cancel) ? GERSH_OK : solve(&s);
    }
    if (status == GERSH_OK && !gersh_cancel_requested(task->cancel))
        status = gersh__graph_strengthen(&s);
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
