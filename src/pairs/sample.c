/*
 * Pairs drawn from a population. R rows are chosen at random and dealt out to groups of s_1, s_2, ... rows;
 * two rows of the population are then in one group with the probability
 *
 *     Σ_g s_g (s_g − 1) / (n (n − 1)),
 *
 * whatever rows they are. Of the pairs within groups those of one class are kept with one probability and
 * those of two classes with another, at equal distances along the list of either sort, so that rows have about as many
 * partners of either sort; a pair's share is 1 over its chance to be there. Rows of a group lie side by side, so that its pairs stay within the
 * processor's cache.
 */
#include <math.h>

#include "base/alloc.h"
#include "base/policy.h"
#include "pairs/population.h"
#include "pairs/storage.h"

enum {

    ALL = 1 << 24
}; /* partners of a row, rows of a group, and a chance of 1 */

/* How the rows are dealt out, and which pairs are kept. */
typedef struct deal {
    size_t rows, groups;
    size_t keep[2]; /* chance of a pair of two classes, and of one, within a group: so many in ALL */
} deal;

static size_t group_start(const deal *d, size_t group)
{
    return (size_t)((double)group * (double)d->rows / (double)d->groups);
}

static deal plan(const gersh__population *p, gersh__wanted wanted, size_t count)
{
    double all = p->similar + p->dissimilar;
    double part[2] = {wanted.dissimilar ? p->dissimilar / all : 0, wanted.similar ? p->similar / all : 0};
    int sorts = (part[0] > 0) + (part[1] > 0);
    double rows = fmax(2 * (double)count / GERSH__SAMPLED_PARTNERS,
                       2 + 2 * sqrt((double)count)); /* at least enough */
    deal d = {.rows = rows < (double)p->n ? (size_t)rows : p->n};
    double partners = 2 * (double)count / (double)d.rows / (sorts > 0 ? sorts : 1), size = 2;
    for (int s = 0; s < 2; s++)
        if (part[s] > 0)
            size = fmax(size, 1 + ceil(partners / part[s]));
    size = fmin(size, fmax(GERSH__SAMPLED_GROUP, 2 * partners)); /* more rows would leave the cache */
    d.groups = (size_t)((double)d.rows / size);
    d.groups = d.groups < 1 ? 1 : d.groups;
    double others = (double)d.rows / (double)d.groups - 1;
    for (int s = 0; s < 2; s++)
        d.keep[s] = part[s] > 0 ? (size_t)ceil(ALL * fmin(1, partners / (part[s] * others))) : 0;
    return d;
}

/* R rows at random, as positions in the population; the array is the caller's. */
static size_t *choose_rows(const gersh__population *p, size_t rows, gersh__random *random)
{
    size_t *place = gersh__alloc(p->n, sizeof *place);
    for (size_t i = 0; place != NULL && i < p->n; i++)
        place[i] = i;
    for (size_t i = 0; place != NULL && i < rows; i++) {
        size_t other = i + (size_t)gersh__random_below(random, p->n - i), swap = place[i];
        place[i] = place[other];
        place[other] = swap;
    }
    return place;
}

/* The class of each chosen row, by bisection of the starts. */
static size_t class_at(const gersh__population *p, size_t place)
{
    size_t low = 0, high = p->classes;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (p->class_start[middle] <= place)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The pairs of all groups, in order: each writes its own. */
typedef struct writing {
    gersh__list *list;
    const deal *d;
    const size_t *class;
    const double *share;
    size_t (*before)[2]; /* pairs of either sort in the groups before each one */
    size_t offset[2];
} writing;

/* How many of the first `count` pairs of a sort are kept: one in 1/keep, at equal distances from a random start on. */
static size_t kept(const writing *w, int sort, size_t count)
{
    return (w->offset[sort] + count * w->d->keep[sort]) / ALL;
}

/* Counts the pairs of either sort. per_class: 0 for each class, and again afterwards. */
static void count_pairs(writing *w, size_t *per_class)
{
    for (size_t g = 0; g < w->d->groups; g++) {
        size_t begin = group_start(w->d, g), end = group_start(w->d, g + 1), same = 0;
        for (size_t i = begin; w->class != NULL && i < end; i++)
            same += per_class[w->class[i]]++;
        for (size_t i = begin; w->class != NULL && i < end; i++)
            per_class[w->class[i]] = 0;
        w->before[g + 1][1] = w->before[g][1] + same;
        w->before[g + 1][0] = w->before[g][0] + (end - begin) * (end - begin - 1) / 2 - same;
    }
}

static void write_group(void *context, size_t g, int worker)
{
    const writing *w = context;
    gersh__list *list = w->list;
    size_t seen[2] = {w->before[g][0], w->before[g][1]}, begin = group_start(w->d, g);
    size_t before[2] = {kept(w, 0, seen[0]), kept(w, 1, seen[1])}, at = before[0] + before[1];
    (void)worker;
    for (size_t i = begin; i < group_start(w->d, g + 1); i++) {
        for (size_t j = begin; j < i; j++) {
            int same = w->class != NULL && w->class[i] == w->class[j];
            size_t now = kept(w, same, ++seen[same]);
            if (now == before[same])
                continue;
            before[same] = now;
            list->first[at] = i;
            list->second[at] = j;
            if (list->similar != NULL)
                list->similar[at] = same;
            list->importance[at++] = w->share[same];
        }
    }
}

/* The kept pairs of all groups. Targets are of the samples, not of the pairs: then there is no `similar`. */
static gersh_status list_pairs(gersh__list *list, const deal *d, const double *share, const size_t *class,
                               size_t classes, gersh__random *random, gersh__pool *pool)
{
    writing w = {.list = list, .d = d, .class = class, .share = share};
    size_t *per_class = gersh__alloc(classes + 1, sizeof *per_class);
    w.before = gersh__alloc(d->groups + 1, sizeof *w.before);
    gersh_status status = per_class != NULL && w.before != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    for (int s = 0; s < 2; s++)
        w.offset[s] = (size_t)gersh__random_below(random, ALL);
    if (status == GERSH_OK) {
        count_pairs(&w, per_class);
        list->count = kept(&w, 0, w.before[d->groups][0]) + kept(&w, 1, w.before[d->groups][1]);
        list->first = gersh__realloc(NULL, list->count + 1, sizeof *list->first);
        list->second = gersh__realloc(NULL, list->count + 1, sizeof *list->second);
        list->importance = gersh__realloc(NULL, list->count + 1, sizeof *list->importance);
        if (class != NULL)
            list->similar = gersh__realloc(NULL, list->count + 1, sizeof *list->similar);
        if (!list->first || !list->second || !list->importance || (class != NULL && !list->similar))
            status = GERSH_ERROR_MEMORY;
    }
    if (status == GERSH_OK)
        gersh__pool_run(gersh__pool_for(pool, (double)list->count), d->groups, write_group, &w);
    gersh__free(per_class);
    gersh__free(w.before);
    return status;
}

static gersh_status describe_strata(gersh__supervision *to, const gersh__population *p)
{
    to->strata = p->classes;
    to->stratum = gersh__alloc(p->classes, sizeof *to->stratum);
    if (to->stratum == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t c = 0; c < p->classes; c++) {
        gersh__stratum *s = &to->stratum[c];
        s->rows = p->class_start[c + 1] - p->class_start[c];
        for (size_t i = p->class_start[c]; i < p->class_start[c + 1]; i++) {
            double w = p->weight != NULL ? p->weight[p->row[i]] : 1;
            s->rest += fmin(w, s->heaviest);
            s->heaviest = fmax(s->heaviest, w);
        }
        s->weight = s->rest + s->heaviest;
    }
    return GERSH_OK;
}

gersh_status gersh__pairs_new_sampled(gersh__pairs **out, const gersh__population *p, gersh__wanted wanted,
                                      size_t count, gersh__random *random, gersh__pool *pool)
{
    deal d = plan(p, wanted, count);
    gersh__list list = {.n = d.rows};
    size_t *class = NULL;
    double within = 0, n = (double)p->n, share[2];
    *out = NULL;
    list.sample = choose_rows(p, d.rows, random);
    if (p->classes > 0)
        class = gersh__alloc(d.rows, sizeof *class);
    gersh_status status =
        list.sample != NULL && (p->classes == 0 || class != NULL) ? GERSH_OK : GERSH_ERROR_MEMORY;
    for (size_t g = 0; g < d.groups; g++) {
        double size = (double)(group_start(&d, g + 1) - group_start(&d, g));
        within += size * (size - 1);
    }
    for (int s = 0; s < 2; s++)
        share[s] = d.keep[s] > 0 ? n * (n - 1) / within * ALL / (double)d.keep[s] : 0;
    for (size_t i = 0; status == GERSH_OK && i < d.rows; i++) {
        if (class != NULL)
            class[i] = class_at(p, list.sample[i]);
        list.sample[i] = p->row[list.sample[i]];
    }
    if (status == GERSH_OK)
        status = list_pairs(&list, &d, share, class, p->classes, random, pool);
    if (status != GERSH_OK) {
        gersh__list_clear(&list);
        gersh__free(class);
        return status;
    }
    status = gersh__pairs_new_list(out, p->data, p->weight, list, pool);
    if (status != GERSH_OK) {
        gersh__free(class);
        return status;
    }
    (*out)->supervision->units = (double)d.rows;
    (*out)->supervision->stratum_of = class;
    status = class != NULL ? describe_strata((*out)->supervision, p) : GERSH_OK;
    if (status != GERSH_OK) {
        gersh__pairs_free(*out);
        *out = NULL;
    }
    return status;
}
