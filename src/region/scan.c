/*
 * A look at every pair of some features. G is made in blocks of rows, G_block = X_block Yᵀ, scanned and
 * forgotten.
 */
#include <cblas.h>
#include <math.h>

#include "region/pairwise.h"

enum { SCANNED_ROWS = 16 }; /* of a part */

/* One scan: the features in the order of the list. */
typedef struct scan {
    const gersh__region *region;
    const size_t *list;             /* NULL: as they are */
    size_t count;                   /* features */
    const double *x, *y, *diagonal; /* in that order */
    double *blocks;                 /* of rows of G and of scores, a part for each thread */
} scan;

static size_t feature_at(const scan *s, size_t place)
{
    return s->list != NULL ? s->list[place] : place;
}

/* What score_row would do. */
static double score_one_by_one(const scan *s, size_t place, size_t count, const double *b, double *score)
{
    double least = INFINITY;
    for (size_t c = 0; c < count; c++) {
        score[c] = s->region->ops->score(s->region, feature_at(s, place), feature_at(s, place + 1 + c),
                                         s->diagonal[place], b[c], s->diagonal[place + 1 + c], NULL);
        least = score[c] < least ? score[c] : least;
    }
    return least;
}

/* The row at `place` against those behind it, whose entries of G are in b. */
static void scan_row(const scan *s, size_t place, double *b, double *score)
{
    const gersh__region *region = s->region;
    const gersh__rules *rules = region->params.rules;
    gersh__pairwise *p = region->pairwise;
    size_t first = place + 1, count = s->count - first, i = feature_at(s, place);
    for (size_t c = 0; rules != NULL && c < count; c++)
        if (!gersh__rules_allow(rules, i, feature_at(s, first + c), b[c] > 0 ? -1 : 1))
            b[c] = 0;
    double least = region->ops->score_row != NULL
                       ? region->ops->score_row(region, place, count, s->diagonal[place], b,
                                                s->diagonal + first, score)
                       : score_one_by_one(s, place, count, b, score);
    if (least < p->row_value[i]) {
        size_t c = 0;
        while (score[c] != least)
            c++;
        p->row_value[i] = least;
        p->row_partner[i] = feature_at(s, first + c);
    }
}

static void scan_block(void *context, size_t part, int worker)
{
    const scan *s = context;
    gersh__pairwise *p = s->region->pairwise;
    size_t n = gersh__pairs_samples(s->region->pairs), from = part * SCANNED_ROWS,
           to = from + SCANNED_ROWS < s->count ? from + SCANNED_ROWS : s->count;
    size_t width = s->count - from;
    double *block = s->blocks + (size_t)worker * 2 * SCANNED_ROWS * s->count,
           *score = block + SCANNED_ROWS * s->count;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)(to - from), (int)width, (int)n, 1.0,
                s->x + from * n, (int)n, s->y + from * n, (int)n, 0.0, block, (int)width);
    for (size_t place = from; place < to; place++) {
        size_t i = feature_at(s, place);
        p->row_value[i] = s->diagonal[place];
        p->row_partner[i] = i;
        if (place + 1 < s->count)
            scan_row(s, place, block + (place - from) * width + (place + 1 - from), score);
    }
}

gersh_status gersh__pairwise_scan(gersh__region *region, gersh__gradient *gradient, const size_t *list,
                                  size_t count)
{
    gersh__pairwise *p = region->pairwise;
    const gersh__pairs *pairs = region->pairs;
    size_t n = gersh__pairs_samples(pairs), blocks = (size_t)p->threads * 2 * SCANNED_ROWS * count,
           copies = list != NULL ? count * (2 * n + 1) : 0;
    scan s = {.region = region, .list = list, .count = count};
    gersh_status status = gersh__pairwise_reserve(p, blocks + copies);
    if (status != GERSH_OK)
        return status;
    s.blocks = p->memory;
    if (region->ops->arrange != NULL)
        region->ops->arrange(region, list, count);
    if (list != NULL) {
        double *x = p->memory + blocks, *y = x + count * n, *diagonal = y + count * n;
        gersh__gradient_columns(gradient, list, count, x, y, diagonal);
        s.x = x;
        s.y = y;
        s.diagonal = diagonal;
    } else {
        gersh__gradient_factors(gradient, &s.x, &s.y);
        s.diagonal = gersh__gradient_diagonal(gradient);
    }
    gersh__pool_run(gersh__pool_for(gersh__pairs_pool(pairs), (double)(count * count * n)),
                    (count + SCANNED_ROWS - 1) / SCANNED_ROWS, scan_block, &s);
    return GERSH_OK;
}
