/*
 * What the distance operator promises, of every storage of pairs, with dense and with sparse samples: each map against its
 * sum over the pairs as their samples say it. A new storage is a line in `storages`.
 */
#include <math.h>
#include <string.h>

#include "check.h"
#include "data/dataset.h"
#include "gersh/tuples.h"
#include "pairs/differences.h"
#include "pairs/population.h"
#include "sparse.h"

/* Makes pairs of the rows of the data. */
typedef gersh_status (*maker)(gersh__pairs **out, const gersh_dataset *data, size_t count,
                              gersh__pool *pool);

static gersh_status make_all(gersh__pairs **out, const gersh_dataset *data, size_t count, gersh__pool *pool)
{
    (void)count;
    return gersh__pairs_new(out, data, NULL, 0, NULL, NULL, pool);
}

static gersh_status make_between(gersh__pairs **out, const gersh_dataset *data, size_t count,
                                 gersh__pool *pool)
{
    (void)count;
    return gersh__pairs_new_between(out, data, NULL, pool);
}

static gersh_status make_explicit(gersh__pairs **out, const gersh_dataset *data, size_t count,
                                  gersh__pool *pool)
{
    size_t n = gersh_dataset_rows(data), *first = malloc(2 * count * sizeof *first),
           *second = first + count;
    gersh__random random;
    gersh__random_seed(&random, 11);
    for (size_t p = 0; p < count; p++) {
        first[p] = (size_t)gersh__random_below(&random, n);
        second[p] = (first[p] + 1 + (size_t)gersh__random_below(&random, n - 1)) % n;
    }
    gersh_status status = gersh__pairs_new(out, data, NULL, count, first, second, pool);
    free(first);
    return status;
}

static gersh_status make_tuples(gersh__pairs **out, const gersh_dataset *data, size_t count,
                                gersh__pool *pool)
{
    size_t n = gersh_dataset_rows(data), *row = malloc(3 * count * sizeof *row);
    gersh_tuples *tuples = NULL;
    gersh__random random;
    gersh__random_seed(&random, 13);
    for (size_t t = 0; t < 3 * count; t += 3) {
        row[t] = (size_t)gersh__random_below(&random, n);
        row[t + 1] = (row[t] + 1 + (size_t)gersh__random_below(&random, n - 1)) % n;
        do
            row[t + 2] = (size_t)gersh__random_below(&random, n);
        while (row[t + 2] == row[t] || row[t + 2] == row[t + 1]);
        if (row[t + 1] > row[t + 2]) { /* no triplet says the opposite of another */
            size_t swap = row[t + 1];
            row[t + 1] = row[t + 2];
            row[t + 2] = swap;
        }
    }
    gersh_status status = gersh_tuples_new(&tuples, GERSH_TRIPLETS, count, row, NULL, n);
    if (status == GERSH_OK)
        status = gersh__pairs_new_tuples(out, data, NULL, tuples, pool);
    gersh_tuples_free(tuples);
    free(row);
    return status;
}

/* Rows are drawn from dense data; of sparse data fits make a dense copy first, which the pairs do not need later. */
static gersh_status make_sampled(gersh__pairs **out, const gersh_dataset *data, size_t count,
                                 gersh__pool *pool)
{
    gersh_dataset *own = NULL;
    gersh__population *population = NULL;
    gersh__random random;
    gersh__random_seed(&random, 12);
    gersh_status status = gersh__dataset_dense(&own, &data);
    if (status == GERSH_OK)
        status = gersh__population_new(&population, data, NULL);
    if (status == GERSH_OK)
        status = gersh__pairs_new_sampled(out, population, (gersh__wanted){1, 1}, count, &random, pool);
    gersh__population_free(population);
    gersh_dataset_free(own);
    return status;
}

/* Under the identity. */
static gersh_status make_mined(gersh__pairs **out, const gersh_dataset *data, size_t count,
                               gersh__pool *pool)
{
    gersh_dataset *own = NULL;
    gersh__population *population = NULL;
    gersh_metric *identity = NULL;
    gersh__random random;
    int complete;
    gersh__random_seed(&random, 14);
    gersh_status status = gersh__dataset_dense(&own, &data);
    if (status == GERSH_OK)
        status = gersh_metric_new(&identity, gersh_dataset_features(data), 1, 0, 0);
    if (status == GERSH_OK)
        status = gersh__population_new(&population, data, NULL);
    if (status == GERSH_OK)
        status = gersh__population_set_metric(population, identity, pool);
    if (status == GERSH_OK)
        status = gersh__pairs_new_mined(out, &complete, population, count, &random, pool);
    gersh__population_free(population);
    gersh_metric_free(identity);
    gersh_dataset_free(own);
    return status;
}

/* Of all pairs of dense data in turn. */
static gersh_status make_differences(gersh__pairs **out, const gersh_dataset *data, size_t count,
                                     gersh__pool *pool)
{
    gersh_dataset *own = NULL;
    gersh__pairs *from = NULL;
    gersh__pick *pick = calloc(count, sizeof *pick);
    gersh_status status = gersh__dataset_dense(&own, &data);
    if (status == GERSH_OK)
        status = gersh__pairs_new(&from, data, NULL, 0, NULL, NULL, pool);
    if (status == GERSH_OK)
        status = gersh__pairs_new_differences(out, gersh_dataset_features(data), count, pool);
    for (size_t p = 0; status == GERSH_OK && p < count; p++) {
        pick[p].pair = p % gersh__pairs_count(from);
        gersh__pairs_ends_of(from, &pick[p].pair, 1, &pick[p].i, &pick[p].j);
    }
    if (status == GERSH_OK)
        gersh__differences_take(*out, from, count, pick);
    gersh__pairs_free(from);
    gersh_dataset_free(own);
    free(pick);
    return status;
}

/* Facts that are not of every storage. */
enum { NO_ENDS = 1, MEAN_OF_ALL = 2 };

static const struct {
    const char *name;
    maker make;
    size_t n, k, count;
    int facts;
} storages[] = {
    {"all, few samples", make_all, 12, 3, 0, MEAN_OF_ALL},
    {"all", make_all, 70, 5, 0, MEAN_OF_ALL},
    {"all, in chunks", make_all, 400, 4, 0, MEAN_OF_ALL},
    {"all, of many features", make_all, 6, 4100, 0, MEAN_OF_ALL},
    {"between, few samples", make_between, 14, 3, 0, MEAN_OF_ALL},
    {"between", make_between, 80, 5, 0, MEAN_OF_ALL},
    {"between, in chunks", make_between, 460, 4, 0, MEAN_OF_ALL},
    {"explicit", make_explicit, 40, 4, 90, 0},
    {"explicit, in chunks", make_explicit, 150, 5, 20000, 0},
    {"explicit, of more features", make_explicit, 60, 30, 9000, 0},
    {"tuples", make_tuples, 50, 4, 100, 0},
    {"sampled", make_sampled, 200, 4, 6000, 0},
    {"mined", make_mined, 60, 4, 4000, 0},
    {"mined, some", make_mined, 120, 6, 900, 0},
    {"differences", make_differences, 40, 4, 700, NO_ENDS},
    {"differences, many", make_differences, 90, 60, 4000, NO_ENDS},
};

enum { STORAGES = sizeof storages / sizeof storages[0], MOST_ATOMS = 12 };

/* Pairs, and what they are compared with. */
typedef struct subject {
    int facts;
    gersh__pool *pool;
    gersh__pairs *pairs;
    size_t n, k, count;
    double *x;       /* k × n, values of the samples from the data, or their differences */
    uint32_t *i, *j; /* of each pair */
    double *g, *t;   /* random: of each pair; MOST_ATOMS × n */
    gersh_atom atom[MOST_ATOMS];
    double weight[MOST_ATOMS];
} subject;

static double *room(size_t count)
{
    double *block = calloc(count + 1, sizeof *block);
    assert_non_null(block);
    return block;
}

static void close_to(double a, double b, double scale)
{
    if (!(fabs(a - b) <= 1e-12 * fmax(scale, 0.01)))
        fail_msg("%.17g is not %.17g (scale %g)", a, b, scale);
}

/* The differences that make_differences takes, from the values of the rows. */
static void fill_differences(subject *s, const gersh_dataset *data, const double *values)
{
    gersh__pairs *from = NULL;
    assert_ok(gersh__pairs_new(&from, data, NULL, 0, NULL, NULL, NULL));
    for (size_t p = 0; p < s->n; p++) {
        uint32_t i, j;
        size_t pair = p % gersh__pairs_count(from);
        gersh__pairs_ends_of(from, &pair, 1, &i, &j);
        for (size_t f = 0; f < s->k; f++)
            s->x[f * s->n + p] =
                values[gersh__pairs_row(from, i) * s->k + f] - values[gersh__pairs_row(from, j) * s->k + f];
    }
    gersh__pairs_free(from);
}

static void subject_make(subject *s, size_t which, const gersh_dataset *data, const double *values,
                         int threads)
{
    gersh__random random;
    gersh__random_seed(&random, 100 + which);
    *s = (subject){.facts = storages[which].facts};
    assert_ok(gersh__pool_new(&s->pool, threads));
    assert_ok(storages[which].make(&s->pairs, data, storages[which].count, s->pool));
    s->n = gersh__pairs_samples(s->pairs);
    s->k = gersh__pairs_features(s->pairs);
    s->count = gersh__pairs_count(s->pairs);
    s->x = room(s->n * s->k);
    s->g = room(s->count);
    s->t = room(MOST_ATOMS * s->n);
    s->i = calloc(s->count, sizeof *s->i);
    s->j = calloc(s->count, sizeof *s->j);
    if (s->facts & NO_ENDS)
        fill_differences(s, data, values);
    else
        gersh__pairs_ends(s->pairs, 0, s->count, s->i, s->j);
    for (size_t i = 0; !(s->facts & NO_ENDS) && i < s->n; i++)
        for (size_t f = 0; f < s->k; f++)
            s->x[f * s->n + i] = values[gersh__pairs_row(s->pairs, i) * s->k + f];
    for (size_t p = 0; p < s->count; p++)
        s->g[p] = gersh__random_normal(&random);
    for (size_t a = 0; a < MOST_ATOMS; a++) {
        double angle = 6.2832 * gersh__random_uniform(&random);
        size_t i = (size_t)gersh__random_below(&random, s->k),
               j = (size_t)gersh__random_below(&random, s->k);
        s->atom[a] = i == j ? (gersh_atom){i, i, 1, 0} : (gersh_atom){i, j, cos(angle), sin(angle)};
        s->weight[a] = a == 3 ? 0 : gersh__random_uniform(&random);
        gersh__pairs_project_atom(s->pairs, s->atom[a], s->t + a * s->n);
    }
    assert_ok(gersh__pairs_reserve(s->pairs, MOST_ATOMS));
}

static void subject_free(subject *s)
{
    gersh__pairs_free(s->pairs);
    gersh__pool_free(s->pool);
    free(s->x);
    free(s->g);
    free(s->t);
    free(s->i);
    free(s->j);
}

/* t_i − t_j of pair p. */
static double apart(const subject *s, size_t p, const double *t)
{
    return s->facts & NO_ENDS ? t[p] : t[s->i[p]] - t[s->j[p]];
}

/* (z_a · (x_i − x_j))² */
static double atom_distance(const subject *s, size_t p, gersh_atom z)
{
    double first = apart(s, p, s->x + z.i * s->n), second = apart(s, p, s->x + z.j * s->n);
    return pow(z.a * first + (z.i != z.j ? z.b * second : 0), 2);
}

/* Σ_f (x_if − x_jf)² */
static double naive_euclidean(const subject *s, size_t p)
{
    double sum = 0;
    for (size_t f = 0; f < s->k; f++)
        sum += pow(apart(s, p, s->x + f * s->n), 2);
    return sum;
}

static void ends_are_the_pairs(const subject *s)
{
    uint32_t i, j;
    gersh__walk w;
    size_t p = 0;
    if (s->facts & NO_ENDS)
        return;
    gersh__walk_start(&w, s->pairs, 0, s->count);
    for (; gersh__walk_next(&w); p++) {
        assert_true(w.pair == p && w.i == s->i[p] && w.j == s->j[p] && w.j < w.i && w.i < s->n);
        gersh__pairs_ends_of(s->pairs, &p, 1, &i, &j);
        assert_true(i == s->i[p] && j == s->j[p]);
    }
    assert_int_equal(p, s->count);
    for (size_t begin = 0; begin < s->count; begin += 1 + s->count / 7) {
        gersh__pairs_ends(s->pairs, begin, 1, &i, &j);
        assert_true(i == s->i[begin] && j == s->j[begin]);
    }
    for (p = 0; p < s->count && p < 300; p++)
        assert_int_equal(gersh__pairs_coincide(s->pairs, s->i[p], s->j[p]), naive_euclidean(s, p) == 0);
}

static void distances_are_those_of_the_samples(const subject *s)
{
    double *d = room(s->count), mean = 0, own;
    gersh__pairs_euclidean(s->pairs, d);
    for (size_t p = 0; p < s->count; p++) {
        double sum = naive_euclidean(s, p);
        close_to(d[p], sum, 10 * (sum + 1));
        mean += d[p] / (double)s->count;
    }
    for (size_t i = 0; s->facts & MEAN_OF_ALL && i < s->n; i++) {
        mean = i == 0 ? 0 : mean;
        for (size_t j = 0; j < i; j++)
            for (size_t f = 0; f < s->k; f++)
                mean += 2 * pow(s->x[f * s->n + i] - s->x[f * s->n + j], 2) / (double)(s->n * (s->n - 1));
    }
    assert_ok(gersh__pairs_mean(s->pairs, &own));
    close_to(own, mean, 10 * mean);
    free(d);
}

/* Σ_a weight_a (z_a · (x_i − x_j))² for any number of atoms, with the atoms, and with their projections alone. */
static void distances_of_a_metric(const subject *s)
{
    static const size_t numbers[] = {1, 3, 5, MOST_ATOMS};
    double *base = room(s->count), *d = room(s->count), *e = room(s->count);
    for (size_t p = 0; p < s->count; p++)
        base[p] = fabs(s->g[p]);
    for (size_t c = 0; c < sizeof numbers / sizeof numbers[0]; c++) {
        gersh__terms terms = {numbers[c], s->atom, s->t, s->weight},
                     plain = {numbers[c], NULL, s->t, s->weight};
        gersh__pairs_squared_distances(s->pairs, &terms, base, d);
        memcpy(e, base, s->count * sizeof *e);
        gersh__pairs_squared_distances(s->pairs, &plain, e, e);
        double *by_features = room(s->count), largest = 0;
        int there = gersh__pairs_metric_distances(s->pairs, &terms, base, by_features);
        for (size_t p = 0; p < s->count; p++)
            largest = fmax(largest, d[p]);
        for (size_t p = 0; p < s->count; p++) {
            double sum = base[p];
            for (size_t a = 0; a < numbers[c]; a++)
                sum += s->weight[a] * atom_distance(s, p, s->atom[a]);
            close_to(d[p], sum, 10 * largest);
            close_to(e[p], sum, 10 * largest);
            if (there)
                close_to(by_features[p], sum, 10 * largest);
        }
        free(by_features);
    }
    gersh__pairs_add(s->pairs, -0.75, s->t, base);
    for (size_t p = 0; p < s->count; p++)
        close_to(base[p], fabs(s->g[p]) - 0.75 * pow(apart(s, p, s->t), 2),
                 1 + fabs(s->g[p]) + pow(apart(s, p, s->t), 2));
    free(base);
    free(d);
    free(e);
}

/* y = L(g) v, and with it ⟨g, D(zzᵀ)⟩ = ⟨D*(g), zzᵀ⟩ and the scores zᵀ D*(g) z. */
static void the_adjoint(const subject *s)
{
    static const size_t numbers[] = {1, 3, MOST_ATOMS, 40};
    double *y = room(40 * s->n), *naive = room(40 * s->n), *v = room(40 * s->n), score[MOST_ATOMS];
    for (size_t e = 0; e < 40 * s->n; e++)
        v[e] = s->t[e % (MOST_ATOMS * s->n)] + (double)(e / (MOST_ATOMS * s->n));
    for (size_t c = 0; c < sizeof numbers / sizeof numbers[0]; c++) {
        double largest = 0;
        memset(naive, 0, 40 * s->n * sizeof *naive);
        gersh__pairs_adjoint(s->pairs, s->g, numbers[c], v, y);
        for (size_t column = 0; column < numbers[c]; column++)
            for (size_t p = 0; p < s->count; p++) {
                double term = s->g[p] * apart(s, p, v + column * s->n);
                naive[column * s->n + (s->facts & NO_ENDS ? p : s->i[p])] += term;
                if (!(s->facts & NO_ENDS))
                    naive[column * s->n + s->j[p]] -= term;
                largest = fmax(largest, fabs(term));
            }
        for (size_t e = 0; e < numbers[c] * s->n; e++)
            close_to(y[e], naive[e], largest * (double)s->n);
    }
    gersh__pairs_adjoint(s->pairs, s->g, MOST_ATOMS, s->t, y);
    gersh__pairs_scores(s->pairs, s->g, MOST_ATOMS, s->t, score);
    for (size_t a = 0; a < MOST_ATOMS; a++) {
        double left = 0, right = 0, size = 0;
        for (size_t p = 0; p < s->count; p++) {
            left += s->g[p] * atom_distance(s, p, s->atom[a]);
            size += fabs(s->g[p]) * atom_distance(s, p, s->atom[a]);
        }
        for (size_t i = 0; i < s->n; i++)
            right += s->t[a * s->n + i] * y[a * s->n + i];
        close_to(right, left, 100 * size);
        close_to(score[a], left, 100 * size);
    }
    free(y);
    free(naive);
    free(v);
}

static void sizes_are_sums_of_sizes(const subject *s)
{
    double *r = room(s->n), *naive = room(s->n);
    gersh__pairs_sizes(s->pairs, s->g, r);
    for (size_t p = 0; p < s->count; p++) {
        naive[s->facts & NO_ENDS ? p : s->i[p]] += fabs(s->g[p]);
        if (!(s->facts & NO_ENDS))
            naive[s->j[p]] += fabs(s->g[p]);
    }
    for (size_t i = 0; i < s->n; i++)
        close_to(r[i], naive[i], 10 * naive[i]);
    free(r);
    free(naive);
}

/* Of either sign of c, with some of them 0; and the estimate, which is exact of a few pairs and near of many. */
static void gram_is_the_sum_of_products(const subject *s)
{
    for (size_t m = 1; m <= MOST_ATOMS; m += m < 3 ? 1 : 3)
        for (int mixed = 0; mixed < 2; mixed++) {
            double h[MOST_ATOMS * MOST_ATOMS], near[MOST_ATOMS * MOST_ATOMS],
                naive[MOST_ATOMS * MOST_ATOMS] = {0}, size[MOST_ATOMS * MOST_ATOMS] = {0},
                                   *c = room(s->count);
            for (size_t p = 0; p < s->count; p++) {
                c[p] = p % 5 == 0 ? 0 : mixed ? s->g[p] : fabs(s->g[p]);
                for (size_t e = 0; e < m * m; e++) {
                    double term = c[p] * pow(apart(s, p, s->t + e / m * s->n), 2) *
                                  pow(apart(s, p, s->t + e % m * s->n), 2);
                    naive[e] += term;
                    size[e] += fabs(term);
                }
            }
            assert_ok(gersh__pairs_gram(s->pairs, c, m, s->t, h));
            for (size_t e = 0; e < m * m; e++)
                close_to(h[e], naive[e], 10 * size[e]);
            if (!mixed) {
                assert_ok(gersh__pairs_gram_estimate(s->pairs, c, m, s->t, NULL, near));
                for (size_t e = 0; e < m * m; e++)
                    assert_true(fabs(near[e] - naive[e]) <=
                                (gersh__pairs_estimates(s->pairs) ? 0.5 : 1e-11) * size[e]);
            }
            free(c);
        }
}

typedef struct visit {
    const subject *s;
    int *seen;
} visit;

static double visit_sum(void *context, size_t begin, size_t end)
{
    const visit *v = context;
    double sum = 0;
    for (size_t p = begin; p < end; p++) {
        v->seen[p]++;
        sum += v->s->g[p];
    }
    return sum;
}

static void visit_each(void *context, size_t begin, size_t end)
{
    visit_sum(context, begin, end);
}

static void loops_visit_every_pair_once(const subject *s)
{
    visit v = {s, calloc(s->count, sizeof(int))};
    double sum = 0, size = 0;
    for (size_t p = 0; p < s->count; p++) {
        sum += s->g[p];
        size += fabs(s->g[p]);
    }
    close_to(gersh__pairs_reduce(s->pairs, visit_sum, &v), sum, 10 * size);
    gersh__pairs_each(s->pairs, visit_each, &v);
    for (size_t p = 0; p < s->count; p++)
        assert_int_equal(v.seen[p], 2);
    free(v.seen);
}

/* Most of the chance with every tenth pair, none with every third. */
static double chance(void *context, size_t p)
{
    const subject *s = context;
    return p % 3 == 0 ? 0 : p % 10 == 1 ? 50 + fabs(s->g[p]) : fabs(s->g[p]);
}

static void set_chances(void *context, size_t begin, size_t end, double *out)
{
    for (size_t p = begin; p < end; p++)
        out[p - begin] = chance(context, p);
}

static void no_chance(void *context, size_t begin, size_t end, double *out)
{
    (void)context;
    memset(out, 0, (end - begin) * sizeof *out);
}

/* Picks are pairs in their order with their samples; what they were drawn for is what they stand for. */
static void subsamples_are_pairs(const subject *s)
{
    enum { DRAWS = 64 };
    gersh__pick pick[DRAWS];
    double unit, sum = 0, all = 0;
    subject own = *s;
    size_t last = 0, places = 0;
    if (s->facts & NO_ENDS)
        return;
    for (size_t p = 0; p < s->count; p++)
        all += chance(&own, p);
    assert_false(gersh__pairs_subsample(pick, &unit, s->pairs, no_chance, NULL, DRAWS));
    assert_true(gersh__pairs_subsample(pick, &unit, s->pairs, set_chances, &own, DRAWS));
    close_to(unit * DRAWS, all, 10 * all);
    for (size_t e = 0; e < DRAWS; e++) {
        if (pick[e].times == 0)
            continue;
        size_t p = pick[e].pair;
        assert_true(p < s->count && (places == 0 || p > last));
        assert_true(pick[e].i == s->i[p] && pick[e].j == s->j[p]);
        /* As often as its chance says, but for where the draws fall. */
        assert_true(fabs(pick[e].times - chance(&own, p) / unit) <= 1);
        sum += pick[e].times;
        last = p;
        places++;
    }
    assert_true(sum == DRAWS && places > 0);
}

static void projections_are_those_of_the_samples(const subject *s)
{
    double *z = room(s->k), *t = room(s->n), *scratch = room(s->n), *turned = room(3 * s->n);
    z[s->atom[1].i] += s->atom[1].a;
    if (s->atom[1].i != s->atom[1].j)
        z[s->atom[1].j] += s->atom[1].b;
    gersh__pairs_project_vector(s->pairs, z, t);
    double scale = 1;
    for (size_t i = 0; i < s->n; i++)
        scale = fmax(scale, fabs(s->t[s->n + i]));
    for (size_t p = 0; p < s->count; p++)
        close_to(pow(apart(s, p, t), 2), atom_distance(s, p, s->atom[1]), 100 * scale * scale);
    for (size_t i = 0; i < s->n; i++)
        close_to(t[i], s->t[s->n + i], 10 * scale);
    for (size_t f = 0; f < s->k; f += 1 + s->k / 9) {
        const double *column = gersh__pairs_column(s->pairs, f, scratch);
        double sum = 0, size = 0;
        for (size_t i = 0; i < s->n; i++) {
            sum += column[i] * t[i];
            size += (fabs(column[i]) + 10) * fabs(t[i]);
            close_to(column[i] - column[0], s->x[f * s->n + i] - s->x[f * s->n], 1000);
        }
        close_to(gersh__pairs_column_dot(s->pairs, f, t), sum, 100 * size);
    }
    gersh__pairs_transpose(s->pairs, 3, s->t, NULL, turned);
    for (size_t i = 0; i < s->n; i++)
        assert_true(turned[3 * i + 2] == s->t[2 * s->n + i]);
    free(z);
    free(t);
    free(scratch);
    free(turned);
}

static void (*const properties[])(const subject *s) = {ends_are_the_pairs,
                                                       distances_are_those_of_the_samples,
                                                       distances_of_a_metric,
                                                       the_adjoint,
                                                       sizes_are_sums_of_sizes,
                                                       gram_is_the_sum_of_products,
                                                       loops_visit_every_pair_once,
                                                       subsamples_are_pairs,
                                                       projections_are_those_of_the_samples};

typedef void (*visitor)(size_t which, const gersh_dataset *data, const double *values);

/* Every storage, with dense and with sparse samples, of its size and of smaller ones. */
static void for_every_storage(visitor visit_one)
{
    gersh__random random;
    gersh__random_seed(&random, 21);
    for (size_t which = 0; which < STORAGES; which++)
        for (int sparse = 0; sparse < 2; sparse++) {
            twins t;
            size_t n = storages[which].n;
            for (int round = 0; round < (n <= 80 ? cases(20) : 1); round++) {
                size_t rows = round == 0 ? n : 4 + (size_t)gersh__random_below(&random, n - 3);
                twins_make(&t, &random, rows, storages[which].k, 0.5, 0);
                visit_one(which, sparse ? t.sparse : t.dense, gersh_dataset_values(t.dense));
                twins_free(&t);
            }
        }
}

static void check_properties(size_t which, const gersh_dataset *data, const double *values)
{
    subject s;
    subject_make(&s, which, data, values, 3);
    for (size_t p = 0; p < sizeof properties / sizeof properties[0]; p++)
        properties[p](&s);
    subject_free(&s);
}

static void every_storage_is_an_operator(void **unused)
{
    (void)unused;
    for_every_storage(check_properties);
}

/* All that is computed, one behind the other. */
static double *outputs(const subject *s, size_t *count)
{
    size_t m = MOST_ATOMS;
    double *out = room(4 * s->count + m * s->n + 2 * m * m + m + 8), *next = out;
    gersh__terms terms = {m, s->atom, s->t, s->weight};
    gersh__pairs_euclidean(s->pairs, next);
    next += s->count;
    gersh__pairs_squared_distances(s->pairs, &terms, out, next);
    next += s->count;
    terms.atom = NULL;
    gersh__pairs_squared_distances(s->pairs, &terms, out, next);
    next += s->count;
    memcpy(next, out, s->count * sizeof *next);
    gersh__pairs_add(s->pairs, 0.5, s->t, next);
    next += s->count;
    gersh__pairs_adjoint(s->pairs, s->g, m, s->t, next);
    next += m * s->n;
    assert_ok(gersh__pairs_gram(s->pairs, s->g, m, s->t, next));
    next += m * m;
    assert_ok(gersh__pairs_gram_estimate(s->pairs, out, m, s->t, NULL, next));
    next += m * m;
    gersh__pairs_scores(s->pairs, s->g, m, s->t, next);
    next += m;
    visit v = {s, calloc(s->count, sizeof(int))};
    *next++ = gersh__pairs_reduce(s->pairs, visit_sum, &v);
    free(v.seen);
    *count = (size_t)(next - out);
    return out;
}

static void check_threads(size_t which, const gersh_dataset *data, const double *values)
{
    double *first = NULL;
    for (int threads = 1; threads <= 3; threads++) {
        subject s;
        size_t count;
        subject_make(&s, which, data, values, threads);
        double *own = outputs(&s, &count);
        if (first != NULL && memcmp(first, own, count * sizeof *own) != 0)
            fail_msg("%s: %d threads change a bit", storages[which].name, threads);
        if (first != NULL)
            free(own);
        else
            first = own;
        subject_free(&s);
    }
    free(first);
}

static void threads_change_no_bit(void **unused)
{
    (void)unused;
    for_every_storage(check_threads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_storage_is_an_operator),
        cmocka_unit_test(threads_change_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
