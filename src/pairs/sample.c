/*
 * Pairs drawn from a population. R rows are chosen at random and dealt out to groups of s_1, s_2, ... rows;
 * two rows of the population are then in one group with the probability
 *
 *     Σ_g s_g (s_g − 1) / (n (n − 1)),
 *
 * whatever rows they are. Of the pairs within groups those of one class are kept with one probability and
 * those of two classes with another, so that rows have about as many partners of either sort; a pair's share
 * is 1 over its chance to be there. Rows of a group lie side by side, so that its pairs stay within the
 * processor's cache.
 */
#include <math.h>

#include "base/alloc.h"
#include "pairs/population.h"

enum { PARTNERS = 32, LARGEST_GROUP = 512 }; /* partners of a row, and rows of a group */

/* How the rows are dealt out, and which pairs are kept. */
typedef struct deal {
    size_t rows, groups;
    double keep[2]; /* chance of a pair of two classes, and of one, within a group */
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
    double rows = fmax(2 * (double)count / PARTNERS, 2 + 2 * sqrt((double)count)); /* at least enough */
    deal d = {.rows = rows < (double)p->n ? (size_t)rows : p->n};
    double partners = 2 * (double)count / (double)d.rows / (sorts > 0 ? sorts : 1), size = 2;
    for (int s = 0; s < 2; s++)
        if (part[s] > 0)
            size = fmax(size, 1 + ceil(partners / part[s]));
    size = fmin(size, fmax(LARGEST_GROUP, 2 * partners)); /* more rows would leave the cache */
    d.groups = (size_t)((double)d.rows / size);
    d.groups = d.groups < 1 ? 1 : d.groups;
    double others = (double)d.rows / (double)d.groups - 1;
    for (int s = 0; s < 2; s++)
        d.keep[s] = part[s] > 0 ? fmin(1, partners / (part[s] * others)) : 0;
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

static gersh_status reserve(gersh__list *list, size_t *capacity, size_t need)
{
    size_t room[4] = {*capacity, *capacity, *capacity, *capacity};
    int failed = gersh__grow(&list->first, &room[0], need, sizeof *list->first) != 0 ||
                 gersh__grow(&list->second, &room[1], need, sizeof *list->second) != 0 ||
                 gersh__grow(&list->similar, &room[2], need, sizeof *list->similar) != 0 ||
                 gersh__grow(&list->share, &room[3], need, sizeof *list->share) != 0;
    *capacity = failed ? *capacity : room[0];
    return failed ? GERSH_ERROR_MEMORY : GERSH_OK;
}

/* The kept pairs of all groups, about as many as expected. */
static gersh_status list_pairs(gersh__list *list, const deal *d, const double *share, const size_t *class,
                               size_t expected, gersh__random *random)
{
    size_t capacity = 0;
    if (reserve(list, &capacity, expected) != GERSH_OK)
        return GERSH_ERROR_MEMORY;
    for (size_t g = 0; g < d->groups; g++) {
        for (size_t i = group_start(d, g); i < group_start(d, g + 1); i++) {
            for (size_t j = group_start(d, g); j < i; j++) {
                int same = class != NULL && class[i] == class[j];
                double keep = d->keep[same];
                if (keep == 0 || (keep < 1 && !(gersh__random_uniform(random) < keep)))
                    continue;
                if (list->count == capacity && reserve(list, &capacity, list->count + 1) != GERSH_OK)
                    return GERSH_ERROR_MEMORY;
                list->first[list->count] = i;
                list->second[list->count] = j;
                list->similar[list->count] = same;
                list->share[list->count++] = share[same];
            }
        }
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
        share[s] = d.keep[s] > 0 ? n * (n - 1) / within / d.keep[s] : 0;
    for (size_t i = 0; status == GERSH_OK && i < d.rows; i++) {
        if (class != NULL)
            class[i] = class_at(p, list.sample[i]);
        list.sample[i] = p->row[list.sample[i]];
    }
    if (status == GERSH_OK)
        status = list_pairs(&list, &d, share, class, count + count / 64, random);
    gersh__free(class);
    if (status != GERSH_OK) {
        gersh__list_clear(&list);
        return status;
    }
    if (p->classes == 0) { /* targets are of the samples, not of the pairs */
        gersh__free(list.similar);
        list.similar = NULL;
    }
    status = gersh__pairs_new_list(out, p->data, p->weight, list, pool);
    if (status == GERSH_OK) {
        (*out)->each = n / (double)d.rows;
        (*out)->units = (double)d.rows;
    }
    return status;
}
