/*
 * A look at every pair of some features. G is made in blocks of rows, G_block = X_block Yᵀ, scanned and
 * forgotten.
 */
#include "region/scan.h"

#include <cblas.h>
#include <string.h>

#include "linalg/kernels.h"

enum {
    ROWS = 16,
    FEW_ROWS = 8, /* where features are few, for more parts */
    FEW = 256,
    MUCH_WORK = 500000 /* multiplications that are worth waking threads for */
};

/* One scan: the features in the order of the list. */
typedef struct scan {
    gersh__region *region;
    const size_t *list;                         /* NULL: as they are */
    size_t count, rows;                         /* features, and those of a part */
    const double *x, *y, *diagonal, *color, *u; /* in that order */
    double *blocks;                             /* of rows of G and of values, a part for each thread */
} scan;

static size_t feature_at(const scan *s, size_t place)
{
    return s->list != NULL ? s->list[place] : place;
}

/* The row at `place` against those behind it, whose entries of G are in b. */
static void scan_row(const scan *s, size_t place, double *b, double *values)
{
    gersh__region *r = s->region;
    size_t first = place + 1, count = s->count - first, i = feature_at(s, place);
    for (size_t c = 0; r->rules != NULL && c < count; c++)
        if (!gersh__rules_allow(r->rules, i, feature_at(s, first + c), b[c] > 0 ? -1 : 1))
            b[c] = 0;
    double least;
    if (r->kind == GERSH__GDPA)
        least = gersh__kernels_here()->disc_values(count, s->diagonal[place], b, s->diagonal + first,
                                                   s->u[place], s->u + first, s->color[place],
                                                   s->color + first, values);
    else
        least = gersh__kernels_here()->pair_values(count, s->diagonal[place], b, s->diagonal + first,
                                                   s->color != NULL ? s->color[place] : 1,
                                                   s->color != NULL ? s->color + first : NULL, values);
    if (least < r->row_value[i]) {
        size_t c = 0;
        while (values[c] != least)
            c++;
        r->row_value[i] = least;
        r->row_partner[i] = feature_at(s, first + c);
    }
}

static void scan_block(void *context, size_t part, int worker)
{
    const scan *s = context;
    gersh__region *r = s->region;
    size_t n = r->n, from = part * s->rows, to = from + s->rows < s->count ? from + s->rows : s->count;
    size_t width = s->count - from;
    double *block = s->blocks + (size_t)worker * 2 * ROWS * s->count, *values = block + ROWS * s->count;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)(to - from), (int)width, (int)n, 1.0,
                s->x + from * n, (int)n, s->y + from * n, (int)n, 0.0, block, (int)width);
    for (size_t place = from; place < to; place++) {
        size_t i = feature_at(s, place);
        r->row_value[i] = s->diagonal[place];
        r->row_partner[i] = i;
        if (place + 1 < s->count)
            scan_row(s, place, block + (place - from) * width + (place + 1 - from), values);
    }
}

/* Copies what belongs to the listed features in their order; from: room for all of it. */
static void lay_out(scan *s, gersh__gradient *gradient, double *from)
{
    const gersh__region *r = s->region;
    size_t n = r->n, count = s->count;
    double *x = from, *y = x + count * n, *diagonal = y + count * n, *color = diagonal + count,
           *u = color + count;
    gersh__gradient_columns(gradient, s->list, count, x, y, diagonal);
    for (size_t p = 0; p < count; p++) {
        size_t f = s->list[p];
        color[p] = r->color != NULL ? r->color[f] : 1;
        u[p] = r->u != NULL ? r->u[f] : 1;
    }
    s->x = x;
    s->y = y;
    s->diagonal = diagonal;
    s->color = r->kind == GERSH__HULL || r->color == NULL ? NULL : color;
    s->u = u;
}

gersh_status gersh__region_scan(gersh__region *r, gersh__gradient *gradient, const size_t *list,
                                size_t count)
{
    size_t blocks = (size_t)r->threads * 2 * ROWS * count,
           copies = list != NULL ? count * (2 * r->n + 3) : 0;
    scan s = {.region = r, .list = list, .count = count, .rows = count < FEW ? FEW_ROWS : ROWS};
    gersh_status status = gersh__region_reserve(r, blocks + copies);
    if (status != GERSH_OK)
        return status;
    s.blocks = r->memory;
    if (list != NULL) {
        lay_out(&s, gradient, r->memory + blocks);
    } else {
        gersh__gradient_factors(gradient, &s.x, &s.y);
        s.diagonal = gersh__gradient_diagonal(gradient);
        s.color = r->kind == GERSH__HULL ? NULL : r->color;
        s.u = r->u;
    }
    gersh__pool_run(count * count * r->n > MUCH_WORK ? gersh__pairs_pool(r->pairs) : NULL,
                    (count + s.rows - 1) / s.rows, scan_block, &s);
    return GERSH_OK;
}
