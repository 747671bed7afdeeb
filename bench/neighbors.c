/*
 * bench_neighbors: the time of a search for nearest neighbours beside that of its matrix products alone,
 * and its memory.
 *
 * usage: bench_neighbors [ROWS [FEATURES [QUERIES [K [METRIC [THREADS]]]]]]
 *
 * METRIC is none (Euclidean), sparse (a random tree of edges) or dense (as many dense atoms as features).
 * The numbers are standard normal, around 10 centres, from the library's generator with seed 1. The
 * products are those of all tiles, 512 queries by 1,024 rows, in double precision, by as many threads. The
 * peak of memory is the process's largest, less what it was when the data were there.
 */
#include <cblas.h>
#include <math.h>

#include "base/clock.h"
#include "base/threads.h"
#include "bench.h"

enum { CENTERS = 10, TILE_QUERIES = 512, TILE_ROWS = 1024, REPEATS = 3 };

static double *make_points(uint64_t seed, size_t rows, size_t features)
{
    gersh__random centers, random;
    double *x = room(rows * features, sizeof *x), *center = room(CENTERS * features, sizeof *center);
    gersh__random_seed(&centers, 1);
    gersh__random_seed(&random, seed);
    for (size_t e = 0; e < CENTERS * features; e++)
        center[e] = 0.5 * gersh__random_normal(&centers);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < features; j++)
            x[i * features + j] = center[i % CENTERS * features + j] + gersh__random_normal(&random);
    free(center);
    return x;
}

static gersh_metric *make_metric(const char *kind, size_t k)
{
    gersh__random random;
    gersh_metric *metric = NULL;
    int dense = strcmp(kind, "dense") == 0;
    if (strcmp(kind, "none") == 0)
        return NULL;
    if (!dense && strcmp(kind, "sparse") != 0) {
        fprintf(stderr, "bench: METRIC is '%s', not none, sparse or dense\n", kind);
        exit(1);
    }
    gersh__random_seed(&random, 2);
    must(gersh_metric_new(&metric, k, 1e-3, k, dense));
    for (size_t t = 0; t < k; t++) {
        double angle = 6.28 * gersh__random_uniform(&random), square = 0;
        metric->weight[t] = 0.1 + gersh__random_uniform(&random);
        for (size_t j = 0; dense && j < k; j++) {
            metric->dense[t * k + j] = gersh__random_normal(&random);
            square += metric->dense[t * k + j] * metric->dense[t * k + j];
        }
        for (size_t j = 0; dense && j < k; j++)
            metric->dense[t * k + j] /= sqrt(square);
        if (!dense)
            metric->atom[t] = (gersh_atom){.i = t,
                                           .j = t > 0 ? (size_t)gersh__random_below(&random, t) : 0,
                                           .a = t > 0 ? cos(angle) : 1,
                                           .b = t > 0 ? sin(angle) : 0};
    }
    return metric;
}

typedef struct products {
    size_t rows, queries, features;
    const double *x, *q;
    double **tile; /* of each worker */
} products;

static void multiply(void *context, size_t part, int worker)
{
    products *p = context;
    size_t first = part * TILE_QUERIES, k = p->features;
    size_t count = p->queries - first < TILE_QUERIES ? p->queries - first : TILE_QUERIES;
    for (size_t begin = 0; begin < p->rows; begin += TILE_ROWS) {
        size_t rows = p->rows - begin < TILE_ROWS ? p->rows - begin : TILE_ROWS;
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, (int)rows, (int)k, -2,
                    p->q + first * k, (int)k, p->x + begin * k, (int)k, 0, p->tile[worker], TILE_ROWS);
    }
}

static size_t number(int argc, char **argv, int which, size_t otherwise)
{
    return argc > which ? (size_t)strtoull(argv[which], NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
    size_t rows = number(argc, argv, 1, 20000), features = number(argc, argv, 2, 256);
    size_t queries = number(argc, argv, 3, 4000), k = number(argc, argv, 4, 10);
    const char *kind = argc > 5 ? argv[5] : "none";
    int threads = (int)number(argc, argv, 6, 0);
    double *x = make_points(3, rows, features), *q = make_points(4, queries, features);
    gersh_metric *metric = make_metric(kind, features);
    size_t *nearest = room(queries * k, sizeof *nearest);
    double *distance = room(queries * k, sizeof *distance), search[REPEATS], bare[REPEATS];
    gersh__pool *pool;
    must(gersh__pool_new(&pool, threads));
    products p = {rows, queries, features, x, q, room((size_t)gersh__pool_threads(pool), sizeof *p.tile)};
    double before = peak_megabytes(), peak = 0, build = 0;
    for (int r = 0; r < REPEATS; r++) {
        gersh_neighbors *index;
        double begin = gersh__clock_seconds();
        must(gersh_neighbors_new(&index, metric, rows, features, x, features, threads));
        build = gersh__clock_seconds() - begin;
        must(gersh_neighbors_find(index, distance, nearest, queries, q, features, k, NULL));
        search[r] = gersh__clock_seconds() - begin;
        gersh_neighbors_free(index);
        if (r == 0) {
            peak = peak_megabytes();
            for (int w = 0; w < gersh__pool_threads(pool); w++)
                p.tile[w] = room((size_t)TILE_QUERIES * TILE_ROWS, sizeof(double));
        }
        begin = gersh__clock_seconds();
        gersh__pool_run(pool, (queries + TILE_QUERIES - 1) / TILE_QUERIES, multiply, &p);
        bare[r] = gersh__clock_seconds() - begin;
    }
    print_version();
    double ours = median(REPEATS, search), theirs = median(REPEATS, bare);
    printf("%zu rows of %zu features, %zu queries, k = %zu, metric: %s, %d threads; medians of %d\n", rows,
           features, queries, k, kind, gersh__pool_threads(pool), REPEATS);
    printf("index and search %.3f s (the last index: %.3f s), products alone %.3f s: ratio %.2f\n", ours,
           build, theirs, ours / theirs);
    printf("memory: the data %.0f MB, beyond them at the peak %.0f MB\n",
           (double)((rows + queries) * features * sizeof *x) / 1048576, peak - before);
    for (int w = 0; w < gersh__pool_threads(pool); w++)
        free(p.tile[w]);
    free(p.tile);
    gersh__pool_free(pool);
    gersh_metric_free(metric);
    free(x);
    free(q);
    free(nearest);
    free(distance);
    print_peak();
    return 0;
}
