/*
 * The triplets of lmnn from what mine.c finds: each anchor's pairs with its targets and its impostors, and a
 * comparison for each of the two sorts together. The pairs and comparisons of an anchor are its own, so that
 * anchors can be dealt with side by side.
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/policy.h"
#include "pairs/mine.h"
#include "pairs/storage.h"

/* How many anchors, and impostors of each, about `count` pairs are enough for. */
static void set_sizes(gersh__mine *m, size_t count)
{
    size_t targets = GERSH__LMNN_TARGETS;
    double n = (double)m->population->n, most = fmin(n, fmax(GERSH__MINED_ANCHORS, GERSH__MINED_WORK / n));
    size_t anchors = count / (targets + GERSH__LEAST_IMPOSTORS);
    m->targets = targets;
    m->anchors = anchors > (size_t)most ? (size_t)most : anchors < 1 ? 1 : anchors;
    size_t each = count / m->anchors;
    m->near = each > targets + GERSH__LEAST_IMPOSTORS ? (each - targets) / 2 : GERSH__LEAST_IMPOSTORS / 2;
    m->rest = m->near;
    m->impostors = m->near + m->rest;
    m->most = m->near > targets + 8 ? m->near : targets + 8;
}

static gersh_status alloc_found(gersh__mine *m, int workers)
{
    size_t a = m->anchors, n = m->population->n;
    m->anchor = gersh__alloc(a + m->population->classes, sizeof *m->anchor);
    m->pooled = n < GERSH__POOLED_ROWS ? n : GERSH__POOLED_ROWS;
    m->pool = gersh__alloc(m->pooled, sizeof *m->pool);
    m->block = gersh__alloc(a / GERSH__MINE_ANCHORS + 2 * m->population->classes + 1, sizeof *m->block);
    m->scratch = gersh__alloc((size_t)workers, sizeof *m->scratch);
    if (!m->anchor || !m->pool || !m->block || !m->scratch)
        return GERSH_ERROR_MEMORY;
    for (int w = 0; w < workers; w++) {
        gersh__mine_block *s = &m->scratch[w];
        s->tile = gersh__alloc((size_t)GERSH__MINE_ANCHORS * GERSH__MINE_ROWS, sizeof *s->tile);
        s->query = gersh__alloc(GERSH__MINE_ANCHORS, m->k * sizeof *s->query);
        s->heap = gersh__alloc(GERSH__MINE_ANCHORS, m->most * sizeof *s->heap);
        s->limit = gersh__alloc(GERSH__MINE_ANCHORS, sizeof *s->limit);
        s->found = gersh__alloc(GERSH__MINE_ANCHORS, sizeof *s->found);
        if (!s->tile || !s->query || !s->heap || !s->limit || !s->found)
            return GERSH_ERROR_MEMORY;
    }
    return GERSH_OK;
}

/* Room for the results, once the number of anchors is final. */
static gersh_status alloc_results(gersh__mine *m)
{
    size_t a = m->anchors;
    m->target = gersh__alloc(a, m->targets * sizeof *m->target);
    m->target_count = gersh__alloc(a, sizeof *m->target_count);
    m->impostor = gersh__alloc(a, m->impostors * sizeof *m->impostor);
    m->near_count = gersh__alloc(a, sizeof *m->near_count);
    m->rest_count = gersh__alloc(a, sizeof *m->rest_count);
    m->rest_share = gersh__alloc(a, sizeof *m->rest_share);
    m->cut = gersh__alloc(a, sizeof *m->cut);
    return m->target && m->target_count && m->impostor && m->near_count && m->rest_count && m->rest_share &&
                   m->cut
               ? GERSH_OK
               : GERSH_ERROR_MEMORY;
}

static void clear(gersh__mine *m, int workers)
{
    for (int w = 0; m->scratch != NULL && w < workers; w++) {
        gersh__free(m->scratch[w].tile);
        gersh__free(m->scratch[w].query);
        gersh__free(m->scratch[w].heap);
        gersh__free(m->scratch[w].limit);
        gersh__free(m->scratch[w].found);
    }
    gersh__free(m->scratch);
    gersh__free(m->anchor);
    gersh__free(m->pool);
    gersh__free(m->block);
    gersh__free(m->target);
    gersh__free(m->target_count);
    gersh__free(m->impostor);
    gersh__free(m->near_count);
    gersh__free(m->rest_count);
    gersh__free(m->rest_share);
    gersh__free(m->cut);
}

/* `wanted` of the places begin..end at random, in their order. */
static void choose(size_t *to, size_t wanted, size_t begin, size_t end, gersh__random *random)
{
    for (size_t i = begin, taken = 0; taken < wanted; i++)
        if (gersh__random_below(random, end - i) < wanted - taken)
            to[taken++] = i;
}

/*
 * Random anchors of each class in proportion to its size, at least one; a class of c rows with a anchors has
 * the share c / a. Each class begins a block.
 */
static void choose_anchors(gersh__mine *m, double *share, gersh__random *random)
{
    const gersh__population *p = m->population;
    size_t asked = m->anchors;
    m->anchors = m->blocks = 0;
    for (size_t c = 0; c < p->classes; c++) {
        size_t begin = p->class_start[c], size = p->class_start[c + 1] - begin;
        size_t wanted = (size_t)((double)size * (double)asked / (double)p->n);
        wanted = wanted < 1 && size > 0 ? 1 : wanted;
        share[c] = size > 0 ? (double)size / (double)wanted : 0;
        choose(m->anchor + m->anchors, wanted, begin, begin + size, random);
        for (size_t a = 0; a < wanted; a += GERSH__MINE_ANCHORS) {
            size_t count = wanted - a < GERSH__MINE_ANCHORS ? wanted - a : GERSH__MINE_ANCHORS;
            m->block[m->blocks++] =
                (gersh__mine_block){.class = c, .first = m->anchors + a, .count = count};
        }
        m->anchors += wanted;
    }
    choose(m->pool, m->pooled, 0, p->n, random);
}

/* The rows that occur, each once and in their order, and where each is among them. */
static gersh_status collect_samples(gersh__list *list, size_t **at, const gersh__mine *m)
{
    const gersh__population *p = m->population;
    size_t *place = *at = gersh__alloc(p->n, sizeof *place);
    if (place == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t a = 0; a < m->anchors; a++) {
        size_t found = m->near_count[a] + m->rest_count[a];
        place[m->anchor[a]] = 1;
        for (size_t c = 0; c < m->target_count[a]; c++)
            place[m->target[a * m->targets + c]] = 1;
        for (size_t c = 0; c < found; c++)
            place[m->impostor[a * m->impostors + c]] = 1;
        list->count += m->target_count[a] + found;
    }
    for (size_t i = 0; i < p->n; i++)
        list->n += place[i];
    list->sample = gersh__alloc(list->n, sizeof *list->sample);
    if (list->sample == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t i = 0, next = 0; i < p->n; i++) {
        if (place[i] == 0)
            continue;
        list->sample[next] = p->row[i];
        place[i] = next++;
    }
    return GERSH_OK;
}

static void put_pair(gersh__list *list, size_t anchor, size_t other)
{
    list->first[list->count] = anchor > other ? anchor : other;
    list->second[list->count++] = anchor > other ? other : anchor;
}

static void list_pairs(gersh__list *list, const gersh__mine *m, const size_t *at)
{
    list->count = 0;
    for (size_t a = 0; a < m->anchors; a++) {
        for (size_t c = 0; c < m->target_count[a]; c++)
            put_pair(list, at[m->anchor[a]], at[m->target[a * m->targets + c]]);
        for (size_t c = 0; c < m->near_count[a] + m->rest_count[a]; c++)
            put_pair(list, at[m->anchor[a]], at[m->impostor[a * m->impostors + c]]);
    }
}

static size_t class_of_block(const gersh__mine *m, size_t anchor, size_t *block)
{
    while (*block + 1 < m->blocks && m->block[*block + 1].first <= anchor)
        ++*block;
    return m->block[*block].class;
}

static gersh_status alloc_comparisons(gersh__comparisons *c, size_t pairs)
{
    c->near = gersh__alloc(c->count, sizeof *c->near);
    c->far = gersh__alloc(c->count, sizeof *c->far);
    c->weight = gersh__alloc(c->count, sizeof *c->weight);
    c->pull = gersh__alloc(pairs, sizeof *c->pull);
    return c->near && c->far && c->weight && c->pull ? GERSH_OK : GERSH_ERROR_MEMORY;
}

/* The comparisons of all anchors, and chunks of them that end with an anchor. */
static gersh_status compare(gersh__pairs *pairs, const gersh__mine *m, const double *share,
                            const size_t *at)
{
    gersh__supervision *s = pairs->supervision;
    gersh__comparisons *c = s->comparisons = gersh__alloc(1, sizeof *c);
    size_t total = 0, pair = 0, block = 0;
    if (c == NULL)
        return GERSH_ERROR_MEMORY;
    s->kind = GERSH_TRIPLETS;
    for (size_t a = 0; a < m->anchors; a++)
        total += m->target_count[a] * (m->near_count[a] + m->rest_count[a]);
    c->count = total;
    gersh_status status = alloc_comparisons(c, pairs->count);
    if (status != GERSH_OK)
        return status;
    size_t chunks = total / GERSH__COMPARISON_GRAIN < 1 ? 1 : total / GERSH__COMPARISON_GRAIN, next = 0;
    chunks = chunks > GERSH__MOST_CHUNKS ? GERSH__MOST_CHUNKS : chunks;
    for (size_t a = 0; a < m->anchors; a++) {
        size_t t = m->target_count[a], near = m->near_count[a], found = near + m->rest_count[a];
        double own = share[class_of_block(m, a, &block)] * gersh__supervision_weight(s, at[m->anchor[a]]);
        for (size_t x = 0; x < t; x++) {
            double w = own * gersh__supervision_weight(s, at[m->target[a * m->targets + x]]);
            c->pull[pair + x] = (1 - GERSH__LMNN_MU) * w;
            for (size_t y = 0; y < found; y++, next++) {
                c->near[next] = pair + x;
                c->far[next] = pair + t + y;
                c->weight[next] = w * gersh__supervision_weight(s, at[m->impostor[a * m->impostors + y]]) *
                                  (y < near ? 1.0 : m->rest_share[a]);
            }
        }
        pair += t + found;
        while (s->chunks.count + 1 < chunks && next >= total / chunks * (s->chunks.count + 1))
            s->chunks.start[++s->chunks.count] = next;
    }
    s->chunks.start[++s->chunks.count] = total;
    return GERSH_OK;
}

static gersh_status assemble(gersh__pairs **out, const gersh__mine *m, const double *share,
                             gersh__pool *pool)
{
    gersh__list list = {0};
    size_t *at = NULL;
    gersh_status status = collect_samples(&list, &at, m);
    if (status == GERSH_OK) {
        list.first = gersh__alloc(list.count, sizeof *list.first);
        list.second = gersh__alloc(list.count, sizeof *list.second);
        status = list.first != NULL && list.second != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    }
    if (status == GERSH_OK) {
        list_pairs(&list, m, at);
        status = gersh__pairs_new_list(out, m->population->data, m->population->weight, list, pool);
    } else {
        gersh__list_clear(&list);
    }
    if (status == GERSH_OK) {
        (*out)->supervision->units = (double)m->anchors;
        status = compare(*out, m, share, at);
    }
    gersh__free(at);
    return status;
}

gersh_status gersh__pairs_new_mined(gersh__pairs **out, int *complete, const gersh__population *population,
                                    size_t count, gersh__random *random, gersh__pool *pool)
{
    int workers = gersh__pool_threads(pool);
    gersh__mine m = {.population = population,
                     .k = gersh_dataset_features(population->data),
                     .seed = gersh__random_bits(random) >> 1};
    double *share = gersh__alloc(population->classes, sizeof *share);
    *out = NULL;
    set_sizes(&m, count);
    gersh_status status = share != NULL ? alloc_found(&m, workers) : GERSH_ERROR_MEMORY;
    if (status == GERSH_OK) {
        choose_anchors(&m, share, random);
        status = alloc_results(&m);
    }
    if (status == GERSH_OK) {
        gersh__mine_run(&m, pool);
        status = assemble(out, &m, share, pool);
    }
    *complete = m.anchors == population->n;
    for (size_t a = 0; status == GERSH_OK && a < m.anchors; a++)
        *complete = *complete && !m.cut[a];
    if (status != GERSH_OK) {
        gersh__pairs_free(*out);
        *out = NULL;
    }
    clear(&m, workers);
    gersh__free(share);
    return status;
}
