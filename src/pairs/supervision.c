/* What objectives learn from; see supervision.h. */
#include "pairs/supervision.h"

#include <string.h>

#include "base/alloc.h"
#include "pairs/storage.h"

static void free_comparisons(gersh__comparisons *comparisons)
{
    if (comparisons == NULL)
        return;
    gersh__free(comparisons->near);
    gersh__free(comparisons->far);
    gersh__free(comparisons->anchor);
    gersh__free(comparisons->weight);
    gersh__free(comparisons->pull);
    gersh__free(comparisons);
}

void gersh__supervision_free(gersh__supervision *s)
{
    if (s == NULL)
        return;
    gersh__free(s->class_start);
    gersh__free(s->class);
    gersh__free(s->target);
    gersh__free(s->weight);
    gersh__free(s->similar);
    gersh__free(s->importance);
    gersh__free(s->stratum_of);
    gersh__free(s->stratum);
    free_comparisons(s->comparisons);
    gersh__free(s);
}

gersh__source gersh__supervision_source(const gersh__supervision *s)
{
    if (s->comparisons != NULL)
        return s->kind == GERSH_TRIPLETS ? GERSH__TRIPLETS : GERSH__QUADRUPLETS;
    if (s->similar != NULL)
        return GERSH__PAIRS;
    return s->classes > 0 ? GERSH__CLASSES : s->target != NULL ? GERSH__TARGETS : GERSH__NOTHING;
}

const double *gersh__supervision_weights(const gersh__supervision *s)
{
    return s->weight;
}

double gersh__supervision_weight(const gersh__supervision *s, size_t sample)
{
    return s->weight != NULL ? s->weight[sample] : 1.0;
}

const double *gersh__supervision_targets(const gersh__supervision *s)
{
    return s->target;
}

size_t gersh__supervision_classes(const gersh__supervision *s, const size_t **start)
{
    *start = s->class_start;
    return s->classes;
}

size_t gersh__supervision_class(const gersh__supervision *s, size_t sample)
{
    return s->class != NULL ? s->class[sample] : 0;
}

const int *gersh__supervision_similarity(const gersh__supervision *s)
{
    return s->similar;
}

int gersh__supervision_similar(const gersh__supervision *s, size_t p, size_t i, size_t j)
{
    return s->similar != NULL ? s->similar[p]
                              : gersh__supervision_class(s, i) == gersh__supervision_class(s, j);
}

double gersh__supervision_pair_weight(const gersh__supervision *s, size_t p, size_t i, size_t j)
{
    double weight = s->weight != NULL ? s->weight[i] * s->weight[j] : 1.0;
    return s->importance != NULL ? weight * s->importance[p] : weight;
}

int gersh__supervision_weighted(const gersh__supervision *s)
{
    return s->weight != NULL || s->importance != NULL;
}

int gersh__supervision_all_dissimilar(const gersh__supervision *s)
{
    return s->all_dissimilar;
}

const gersh__stratum *gersh__supervision_strata(const gersh__supervision *s, size_t *count,
                                                const size_t **of_sample)
{
    *count = s->strata;
    *of_sample = s->stratum_of;
    return s->stratum;
}

double gersh__supervision_units(const gersh__supervision *s)
{
    return s->units;
}

const gersh__comparisons *gersh__supervision_comparisons(const gersh__supervision *s)
{
    return s->comparisons;
}

typedef struct loop {
    const gersh__chunks *chunks;
    gersh__comparisons_chunk chunk;
    void *context;
    double sums[GERSH__MOST_CHUNKS][GERSH__MOST_SUMS];
} loop;

static void run_chunk(void *context, size_t part, int worker)
{
    loop *l = context;
    (void)worker;
    memset(l->sums[part], 0, sizeof l->sums[part]);
    l->chunk(l->context, l->chunks->start[part], l->chunks->start[part + 1], l->sums[part]);
}

void gersh__comparisons_reduce(const gersh__supervision *s, gersh__pool *pool, size_t width,
                               gersh__comparisons_chunk chunk, void *context, double *sums)
{
    loop l = {.chunks = &s->chunks, .chunk = chunk, .context = context};
    gersh__chunks_run(&s->chunks, pool, run_chunk, &l);
    for (size_t part = 0; part < s->chunks.count; part++)
        for (size_t w = 0; w < width; w++)
            sums[w] += l.sums[part][w];
}

gersh_status gersh__comparisons_gram(const gersh__pairs *pairs, gersh__gram_chunk chunk, void *context,
                                     size_t m, double factor, double *h)
{
    return gersh__gram_chunks(pairs, &pairs->supervision->chunks, chunk, context, m, factor, h);
}
