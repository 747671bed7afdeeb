/*
 * The permutation importance of features on one split.
 *
 * With v_r = M x_r of the training samples r and q = xᵀMx, a test sample t has the squared distances
 * d_r = q_t + q_r − 2 x_tᵀv_r. Where the value of feature i is changed by δ, they are in O(1) each
 *
 *     d'_r = λ d_r + (λ² q' − λ q_t) + (1 − λ) q_r − 2 λ δ v_ri ,    q' = q_t + 2 δ v_ti + δ² M_ii ,
 *
 * where λ = 1, or, where samples have unit length, the factor that gives the changed one unit length again. So a feature
 * costs one pass over the training samples for each test sample, whatever the number of features.
 *
 * The test samples are put into a random order, and a feature is permuted by a random cyclic shift of that order: no
 * sample keeps its own value. Where the other value is the same, nothing is computed. Features of the dense data are
 * centred first (not those of unit length), so that the q are no larger than the d.
 *
 * Test samples are divided into parts by their number alone, and the parts' sums are added in order.
 */
#include "experiment/permute.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/policy.h"
#include "base/random.h"
#include "data/dataset.h"
#include "linalg/kernels.h"
#include "model/slots.h"
#include "predict/votes.h"

/* A d below this much of what it is a difference of is 0 but for rounding. */
static const double rounding = 1e-13;

typedef struct work {
    gersh__permute_task *task;
    gersh__slots slots;
    size_t voters, tests, repeats;
    double *v;            /* slots × voters: M x of the training samples, by features */
    double *q;            /* of each */
    double *center;       /* at the slots, taken off all samples */
    double *length;       /* of each test sample before it was scaled to unit length; NULL: it was not */
    double *diagonal;     /* of M, at the slots */
    size_t active;        /* slots whose features an atom has, */
    size_t *which;        /* these */
    size_t *order;        /* of the test samples, random */
    size_t *place;        /* of each in it */
    size_t *shift;        /* active × repeats, from 1 */
    double *loss;         /* parts × (active + 1), the last without a permutation */
    double *scratch;      /* threads × room */
    double *class_weight; /* of the training samples; unused for targets */
    size_t finished;      /* atomic */
    int cancelled;        /* atomic */
} work;

static double weight_of(const gersh_dataset *data, size_t i)
{
    return data->weights != NULL ? data->weights[i] : 1;
}

/* The training samples that vote: all with a weight, or a random part of them, stratified by class. */
static gersh_status choose_voters(gersh_dataset **out, const gersh_dataset *train, size_t most,
                                  uint64_t seed)
{
    gersh_split *split = NULL;
    size_t count = 0, *rows = gersh__alloc(train->n, sizeof *rows);
    gersh_status status = rows != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    if (status == GERSH_OK && train->n > most)
        status = gersh_split_test(&split, train, (double)most / (double)train->n, seed);
    for (size_t i = 0; i < train->n && status == GERSH_OK; i++)
        if (weight_of(train, i) > 0 && (split == NULL || split->part[i] == 1))
            rows[count++] = i;
    if (status == GERSH_OK && count == 0)
        status = gersh__fail(GERSH_ERROR_INPUT, "no training sample of the split has a weight above 0");
    if (status == GERSH_OK)
        status = gersh_dataset_subset(out, train, rows, count);
    gersh_split_free(split);
    gersh__free(rows);
    return status;
}

/* Lengths before samples are brought to unit length; 1 for zero samples, which stay as they are. */
static gersh_status find_lengths(work *w)
{
    const gersh__permute_task *task = w->task;
    const gersh_scaling *scaling = task->scaling;
    gersh_dataset *copy = NULL;
    if (scaling->count == 0 || scaling->map[scaling->count - 1].ops != &gersh__map_unit_length)
        return GERSH_OK;
    double *values = gersh__alloc(task->metric->features, sizeof *values);
    w->length = gersh__alloc(w->tests, sizeof *w->length);
    gersh_status status = values != NULL && w->length != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    if (status == GERSH_OK)
        status = gersh_dataset_copy(&copy, task->test);
    if (status == GERSH_OK)
        status = gersh__scaling_apply_first(scaling, scaling->count - 1, copy);
    for (size_t t = 0; t < w->tests && status == GERSH_OK; t++) {
        double square = 0;
        if (copy->x == NULL)
            gersh__sparse_row(copy->sparse, t, copy->k, values);
        const double *x = copy->x != NULL ? copy->x + t * copy->k : values;
        for (size_t f = 0; f < copy->k; f++)
            square += x[f] * x[f];
        w->length[t] = square > 0 ? sqrt(square) : 1;
    }
    gersh__free(values);
    gersh_dataset_free(copy);
    return status;
}

/* The means of the training samples; 0 for those of unit length. */
static void find_center(work *w, double *x)
{
    size_t slots = w->slots.count;
    for (size_t r = 0; w->length == NULL && r < w->voters; r++) {
        gersh__slots_write(&w->slots, w->task->train, r, x);
        for (size_t s = 0; s < slots; s++)
            w->center[s] += x[s] / (double)w->voters;
    }
}

/* x less the centre, y = M x and q = xᵀ y of one sample. */
static double map_sample(const work *w, const gersh_dataset *data, size_t i, double *x, double *y,
                         double *along)
{
    gersh__slots_write(&w->slots, data, i, x);
    for (size_t s = 0; s < w->slots.count; s++)
        x[s] -= w->center[s];
    gersh__slots_multiply(&w->slots, 1, x, y, along);
    return gersh__kernels_here()->dot(w->slots.count, x, y);
}

static gersh_status map_training(work *w)
{
    const gersh__permute_task *task = w->task;
    size_t slots = w->slots.count, voters = w->voters;
    double *room = gersh__alloc(2 * slots + task->metric->atoms, sizeof *room);
    w->v = gersh__alloc(slots, voters * sizeof *w->v);
    w->q = gersh__alloc(voters, sizeof *w->q);
    w->center = gersh__alloc(slots, sizeof *w->center);
    gersh_status status =
        room != NULL && w->v != NULL && w->q != NULL && w->center != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    if (status == GERSH_OK)
        find_center(w, room);
    for (size_t r = 0; r < voters && status == GERSH_OK; r++) {
        w->q[r] = map_sample(w, task->train, r, room, room + slots, room + 2 * slots);
        for (size_t s = 0; s < slots; s++)
            w->v[s * voters + r] = room[slots + s];
    }
    gersh__free(room);
    return status;
}

/* The features to permute: those that an atom has. */
static gersh_status choose_features(work *w)
{
    const gersh_metric *metric = w->slots.metric;
    size_t slots = w->slots.count;
    w->diagonal = gersh__alloc(slots, sizeof *w->diagonal);
    w->which = gersh__alloc(slots, sizeof *w->which);
    if (w->diagonal == NULL || w->which == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t t = 0; t < metric->atoms; t++) {
        for (size_t s = 0; metric->dense != NULL && s < slots; s++)
            w->diagonal[s] +=
                metric->weight[t] * metric->dense[t * slots + s] * metric->dense[t * slots + s];
        if (metric->dense != NULL)
            continue;
        const gersh_atom *z = &w->slots.atom[t];
        w->diagonal[z->i] += metric->weight[t] * z->a * z->a;
        w->diagonal[z->j] += z->i != z->j ? metric->weight[t] * z->b * z->b : 0;
    }
    for (size_t s = 0; s < slots; s++) {
        if (w->diagonal[s] > 0 || metric->atoms == 0)
            w->which[w->active++] = s;
        w->diagonal[s] += metric->rho;
    }
    return GERSH_OK;
}

static gersh_status draw_permutations(work *w)
{
    gersh__random random;
    gersh__random_seed(&random, w->task->seed);
    w->repeats = (GERSH__PERMUTE_ENOUGH + w->tests - 1) / w->tests;
    w->repeats = w->repeats < GERSH__PERMUTE_REPEATS ? w->repeats : GERSH__PERMUTE_REPEATS;
    w->order = gersh__alloc(w->tests, sizeof *w->order);
    w->place = gersh__alloc(w->tests, sizeof *w->place);
    w->shift = gersh__alloc(w->active, w->repeats * sizeof *w->shift);
    if (w->order == NULL || w->place == NULL || w->shift == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t t = 0; t < w->tests; t++)
        w->order[t] = t;
    gersh__random_shuffle(&random, w->order, w->tests);
    for (size_t t = 0; t < w->tests; t++)
        w->place[w->order[t]] = t;
    for (size_t a = 0; a < w->active;
         a++) { /* a feature's shifts do not depend on which others the metric has */
        uint64_t feature = w->slots.feature != NULL ? w->slots.feature[w->which[a]] : w->which[a];
        gersh__random_seed(&random, w->task->seed + (feature + 1) * UINT64_C(0x9E3779B97F4A7C15));
        for (size_t repeat = 0; repeat < w->repeats; repeat++)
            w->shift[a * w->repeats + repeat] = 1 + (size_t)gersh__random_below(&random, w->tests - 1);
    }
    return GERSH_OK;
}

/* Scratch of a thread, and the test sample that it is at. */
typedef struct scratch {
    double *d, *changed; /* squared distances to the training samples, and after a change */
    double *near;        /* distances of the k nearest */
    double *vote;        /* sums of votes: of each class, or two of targets */
    double *x, *y;       /* the test sample at the slots, and M x */
    double *along;       /* for dense atoms */
    double own, square;  /* xᵀMx and xᵀx */
} scratch;

static size_t vote_columns(const work *w)
{
    return w->task->train->targets != NULL ? 2 : w->task->train->classes;
}

static size_t scratch_room(const work *w)
{
    return 2 * w->voters + w->task->voters.k + vote_columns(w) + 2 * w->slots.count +
           w->slots.metric->atoms;
}

static scratch scratch_of(const work *w, int worker)
{
    size_t k = w->task->voters.k, room = scratch_room(w);
    scratch s = {.d = w->scratch + (size_t)worker * room};
    s.changed = s.d + w->voters;
    s.near = s.changed + w->voters;
    s.vote = s.near + k;
    s.x = s.vote + vote_columns(w);
    s.y = s.x + w->slots.count;
    s.along = s.y + w->slots.count;
    return s;
}

/* What test sample t loses with these distances: 1 for a wrong class, or its squared error. */
static double lose(const work *w, const scratch *s, size_t t, const double *d)
{
    const gersh_dataset *train = w->task->train, *test = w->task->test;
    gersh__votes_direct(s->vote, train, w->voters, d, w->task->voters.k, w->task->voters.by_distance,
                        s->near);
    if (train->targets != NULL) {
        double error = s->vote[1] / s->vote[0] - test->targets[t];
        return error * error;
    }
    return gersh__winner(s->vote, w->class_weight, train->classes, GERSH__EQUAL_VOTES) != test->labels[t];
}

/* The value of test sample t at a slot, less the centre, to the bit as gersh__slots_write has it. */
static double value_at(const work *w, size_t t, size_t slot)
{
    const gersh_dataset *test = w->task->test;
    size_t f = w->slots.feature != NULL ? w->slots.feature[slot] : slot;
    if (test->x != NULL)
        return test->x[t * test->k + f] - w->center[slot];
    const gersh__sparse *x = test->sparse;
    double base = x->shift != NULL ? -(x->factor != NULL ? x->factor[t] : 1) * x->shift[f] : 0;
    return base + gersh__sparse_entry(x, t, f) - w->center[slot];
}

/* The distances after feature `slot` of sample t took the value of sample `other`; 0 where that is the same. */
static int change(const work *w, const scratch *s, size_t t, size_t other, size_t slot)
{
    const double *v = w->v + slot * w->voters, *q = w->q, *d = s->d;
    double theirs = value_at(w, other, slot), factor = 1;
    if (w->length != NULL)
        theirs *= w->length[other] / w->length[t];
    double delta = theirs - s->x[slot];
    if (delta == 0)
        return 0;
    double after = s->own + delta * (2 * s->y[slot] + delta * w->diagonal[slot]);
    if (w->length != NULL) {
        double square = s->square + delta * (2 * s->x[slot] + delta);
        factor = square > 0 ? 1 / sqrt(square) : 1;
    }
    after *= factor * factor;
    double constant = after - factor * s->own, slope = 2 * factor * delta;
    for (size_t r = 0; r < w->voters; r++) {
        double changed = factor * d[r] + constant + (1 - factor) * q[r] - slope * v[r];
        s->changed[r] = changed > rounding * (after + q[r]) ? changed : 0;
    }
    return 1;
}

static void find_distances(const work *w, scratch *s, size_t t)
{
    const gersh__kernels *kernel = gersh__kernels_here();
    size_t slots = w->slots.count;
    s->own = map_sample(w, w->task->test, t, s->x, s->y, s->along);
    s->square = kernel->dot(slots, s->x, s->x);
    for (size_t r = 0; r < w->voters; r++)
        s->d[r] = s->own + w->q[r];
    for (size_t i = 0; i < slots; i++)
        if (s->x[i] != 0)
            kernel->axpy(w->voters, -2 * s->x[i], w->v + i * w->voters, s->d);
    for (size_t r = 0; r < w->voters; r++)
        s->d[r] = s->d[r] > rounding * (s->own + w->q[r]) ? s->d[r] : 0;
}

static void run_sample(const work *w, scratch *s, size_t t, double *loss)
{
    double weight = weight_of(w->task->test, t);
    if (weight == 0)
        return;
    find_distances(w, s, t);
    double plain = lose(w, s, t, s->d);
    loss[w->active] += weight * plain;
    for (size_t a = 0; a < w->active; a++)
        for (size_t repeat = 0; repeat < w->repeats; repeat++) {
            size_t other = w->order[(w->place[t] + w->shift[a * w->repeats + repeat]) % w->tests];
            double now = change(w, s, t, other, w->which[a]) ? lose(w, s, t, s->changed) : plain;
            loss[a] += weight * now / (double)w->repeats;
        }
}

static void run_part(void *context, size_t part, int worker)
{
    work *w = context;
    const gersh__permute_task *task = w->task;
    scratch s = scratch_of(w, worker);
    for (size_t t = part * w->tests / GERSH__PERMUTE_PARTS;
         t < (part + 1) * w->tests / GERSH__PERMUTE_PARTS; t++) {
        if (gersh_cancel_requested(task->cancel)) {
            __atomic_store_n(&w->cancelled, 1, __ATOMIC_RELAXED);
            return;
        }
        run_sample(w, &s, t, w->loss + part * (w->active + 1));
        size_t done = __atomic_add_fetch(&w->finished, 1, __ATOMIC_RELAXED);
        if (worker == 0 && task->progress != NULL) /* the caller's thread */
            task->progress(task->context, done, w->tests);
    }
}

static gersh_status run_parts(work *w)
{
    size_t threads = (size_t)gersh__pool_threads(w->task->pool);
    w->scratch = gersh__alloc(threads, scratch_room(w) * sizeof *w->scratch);
    w->class_weight = gersh__alloc(vote_columns(w), sizeof *w->class_weight);
    w->loss = gersh__alloc(GERSH__PERMUTE_PARTS, (w->active + 1) * sizeof *w->loss);
    if (w->scratch == NULL || w->class_weight == NULL || w->loss == NULL)
        return GERSH_ERROR_MEMORY;
    if (w->task->train->labels != NULL)
        gersh__class_weights(w->class_weight, w->task->train);
    gersh__pool_run(w->task->pool, GERSH__PERMUTE_PARTS, run_part, w);
    return w->cancelled
               ? gersh__fail(GERSH_ERROR_CANCELLED, "interrupted before the features were permuted")
               : GERSH_OK;
}

/* What the losses are shares of: the weight of the test samples, or their squared deviations from the mean target. */
static double whole_of(const gersh_dataset *test)
{
    double total = 0, mean = 0, square = 0;
    for (size_t t = 0; t < test->n; t++)
        total += weight_of(test, t);
    if (test->targets == NULL)
        return total;
    for (size_t t = 0; t < test->n; t++)
        mean += weight_of(test, t) / total * test->targets[t];
    for (size_t t = 0; t < test->n; t++)
        square += weight_of(test, t) * (test->targets[t] - mean) * (test->targets[t] - mean);
    return square;
}

static void finish(const work *w, double whole, double *score, double *loss)
{
    double *sum = w->loss; /* of the first part, and then of all */
    for (size_t part = 1; part < GERSH__PERMUTE_PARTS; part++)
        for (size_t a = 0; a <= w->active; a++)
            sum[a] += w->loss[part * (w->active + 1) + a];
    *score = 1 - sum[w->active] / whole;
    memset(loss, 0, w->slots.metric->features * sizeof *loss);
    for (size_t a = 0; a < w->active; a++) {
        size_t slot = w->which[a];
        loss[w->slots.feature != NULL ? w->slots.feature[slot] : slot] = (sum[a] - sum[w->active]) / whole;
    }
}

static void clear(work *w)
{
    gersh__slots_clear(&w->slots);
    void *all[] = {w->v,     w->q,     w->center, w->length, w->diagonal, w->which,
                   w->order, w->place, w->shift,  w->loss,   w->scratch,  w->class_weight};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        gersh__free(all[i]);
}

gersh_status gersh__permute(double *score, double *loss, gersh__permute_task *task)
{
    gersh__permute_task own = *task;
    gersh_dataset *voters = NULL;
    work w = {.task = &own, .tests = task->test->n};
    double whole = whole_of(task->test);
    if (w.tests < 2 || !(whole > 0))
        return gersh__fail(
            GERSH_ERROR_INPUT,
            "%zu samples are held out, which leaves nothing to measure; more samples are needed", w.tests);
    gersh_status status = gersh__slots_choose(&w.slots, task->metric, task->train);
    size_t most = GERSH__PERMUTE_ENTRIES / (w.slots.count > 0 ? w.slots.count : 1);
    most = most < GERSH__PERMUTE_LEAST_VOTERS ? GERSH__PERMUTE_LEAST_VOTERS
           : most > GERSH__PERMUTE_VOTERS     ? GERSH__PERMUTE_VOTERS
                                              : most;
    if (status == GERSH_OK)
        status = choose_voters(&voters, task->train, most, task->seed);
    if (status == GERSH_OK)
        status = find_lengths(&w);
    if (status == GERSH_OK)
        status = gersh_scaling_apply(task->scaling, voters);
    if (status == GERSH_OK)
        status = gersh_scaling_apply(task->scaling, task->test);
    if (status == GERSH_OK) {
        own.train = voters;
        w.voters = voters->n;
        own.voters.k = own.voters.k < w.voters ? own.voters.k : w.voters;
        status = map_training(&w);
    }
    if (status == GERSH_OK)
        status = choose_features(&w);
    if (status == GERSH_OK)
        status = draw_permutations(&w);
    if (status == GERSH_OK)
        status = run_parts(&w);
    if (status == GERSH_OK)
        finish(&w, whole, score, loss);
    clear(&w);
    gersh_dataset_free(voters);
    return status;
}
