/* What all storages of pairs have in common; see pairs.h. */
#include "pairs/pairs.h"

size_t gersh__pairs_count(const gersh__pairs *pairs)
{
    return pairs->count;
}

size_t gersh__pairs_samples(const gersh__pairs *pairs)
{
    return pairs->n;
}

size_t gersh__pairs_features(const gersh__pairs *pairs)
{
    return pairs->k;
}

gersh__pool *gersh__pairs_pool(const gersh__pairs *pairs)
{
    return pairs->pool;
}

size_t gersh__pairs_row(const gersh__pairs *pairs, size_t sample)
{
    return pairs->sample[sample];
}

int gersh__pairs_all_dissimilar(const gersh__pairs *pairs)
{
    return pairs->between && pairs->weight == NULL;
}

const double *gersh__pairs_targets(const gersh__pairs *pairs)
{
    return pairs->target;
}

const double *gersh__pairs_weights(const gersh__pairs *pairs)
{
    return pairs->weight;
}

const double *gersh__pairs_columns(const gersh__pairs *pairs)
{
    return pairs->x;
}

/* The sample whose pairs with earlier ones pair p is among. */
static size_t sample_of(const gersh__pairs *pairs, size_t p)
{
    size_t low = 0, high = pairs->n;
    while (high > low + 1) {
        size_t middle = low + (high - low) / 2;
        if (pairs->row[middle] <= p)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void gersh__pairs_ends(const gersh__pairs *pairs, size_t begin, size_t count, uint32_t *i, uint32_t *j)
{
    if (pairs->first != NULL) {
        for (size_t p = 0; p < count; p++) {
            i[p] = (uint32_t)pairs->first[begin + p];
            j[p] = (uint32_t)pairs->second[begin + p];
        }
        return;
    }
    for (size_t p = 0, sample = sample_of(pairs, begin); p < count; sample++) {
        size_t from = begin + p - pairs->row[sample], left = pairs->row[sample + 1] - (begin + p);
        for (size_t e = 0; e < left && p < count; e++, p++) {
            i[p] = (uint32_t)sample;
            j[p] = (uint32_t)(from + e);
        }
    }
}

typedef struct loop {
    const gersh__pairs *pairs;
    gersh__pairs_sum sum;
    gersh__pairs_task task;
    void *context;
    double partial[GERSH__MOST_PARTS];
} loop;

static void run_chunk(void *context, size_t part, int worker)
{
    loop *l = context;
    size_t begin = gersh__pairs_begin(l->pairs, part), end = gersh__pairs_begin(l->pairs, part + 1);
    (void)worker;
    if (l->sum != NULL)
        l->partial[part] = l->sum(l->context, begin, end);
    else
        l->task(l->context, begin, end);
}

double gersh__pairs_reduce(const gersh__pairs *pairs, gersh__pairs_sum chunk, void *context)
{
    loop l = {.pairs = pairs, .sum = chunk, .context = context};
    double sum = 0;
    gersh__pairs_run(pairs, run_chunk, &l);
    for (size_t part = 0; part < pairs->parts; part++)
        sum += l.partial[part];
    return sum;
}

void gersh__pairs_each(const gersh__pairs *pairs, gersh__pairs_task chunk, void *context)
{
    gersh__pairs_run(pairs, run_chunk, &(loop){.pairs = pairs, .task = chunk, .context = context});
}
