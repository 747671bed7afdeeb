/*
 * The paper's numeric examples of Gershgorin disc perfect alignment and signed graphs, recomputed.
 *
 * Two of its figures are slips: the numbers that it prints as scalars s of the 3×3 example are the entries of the
 * first eigenvector v, while its theorem has s = 1/v; and an edge's weight being −M_ij, features that correlate are to
 * be joined by M_ij = −sign(E_ij) C/K² in the first tree, where it prints the opposite sign.
 */
#include <math.h>
#include <string.h>

#include "gersh/graph.h"
#include "gersh/metric.h"
#include "paper.h"
#include "run.h"

#define ALIGNED 1e-9 /* left-ends that differ by less are one */
#define ROUNDED 5e-5 /* half of the paper's last digit */

/* A line of the table: a quantity, ours, the paper's, and whether the two agree. */
static void add_line(repro_builder *b, const char *example, const char *quantity, const char *key,
                     double ours)
{
    double paper;
    repro_report_row(b, 0);
    repro_report_cell(b, "%s", example);
    repro_report_cell(b, "%s", quantity);
    repro_report_cell(b, "%.4f", ours);
    if (key == NULL || !repro_paper_value(&paper, "gdpa", "value", example, key, NULL))
        return;
    repro_report_cell(b, "%.4f", paper);
    repro_report_cell(b, "%s", fabs(ours - paper) <= ROUNDED ? "yes" : "no");
}

static gersh_status align(gersh_discs **discs, size_t n, const double *m)
{
    gersh_graph *graph = NULL;
    gersh_status status = gersh_graph_from_dense(&graph, n, m, 0, NULL);
    if (status == GERSH_OK)
        status = gersh_discs_align(discs, graph, NULL);
    gersh_graph_free(graph);
    return status;
}

/* How far apart the left-ends of S M S⁻¹ are. */
static double spread(size_t n, const double *m, const double *s, double *smallest)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        double end = m[i * n + i];
        for (size_t j = 0; j < n; j++)
            end -= j != i ? fabs(m[i * n + j]) * s[i] / s[j] : 0;
        low = fmin(low, end);
        high = fmax(high, end);
    }
    *smallest = low;
    return high - low;
}

static gersh_status add_3x3(repro_run *run, repro_builder *b)
{
    static const double m[9] = {2, -2, -1, -2, 5, -2, -1, -2, 4};
    static const char *const ends[] = {"left-end 1", "left-end 2", "left-end 3"};
    static const char *const scalars[] = {"s_1", "s_2", "s_3"};
    gersh_discs *discs = NULL;
    double printed[3] = {0}, low, lambda = 0, gap;
    gersh_status status = align(&discs, 3, m);
    if (status != GERSH_OK)
        return status;
    double bound = INFINITY;
    for (size_t i = 0; i < 3; i++) {
        double end = discs->center[i] - discs->radius[i];
        bound = fmin(bound, end);
        add_line(b, "3x3", ends[i], ends[i], end);
    }
    add_line(b, "3x3", "smallest left-end", "bound before", bound);
    add_line(b, "3x3", "lambda_min", "lambda_min", discs->lambda_min);
    for (size_t i = 0; i < 3; i++) {
        char quantity[64];
        repro_paper_value(&printed[i], "gdpa", "value", "3x3", scalars[i], NULL);
        snprintf(quantity, sizeof quantity, "v_%zu (printed as s_%zu)", i + 1, i + 1);
        add_line(b, "3x3", quantity, scalars[i], 1 / discs->scalar[i]);
        snprintf(quantity, sizeof quantity, "s_%zu = 1/v_%zu", i + 1, i + 1);
        add_line(b, "3x3", quantity, NULL, discs->scalar[i]);
    }
    gap = spread(3, m, discs->scalar, &low);
    add_line(b, "3x3", "left-ends after alignment", "lambda_min", low);
    repro_paper_value(&lambda, "gdpa", "value", "3x3", "lambda_min", NULL);
    repro_report_claim(
        b, repro_judge(1, bound < 0 && discs->lambda_min > 0 && fabs(bound + 1) < ALIGNED),
        "the plain Gershgorin bound of the 3×3 example is loose: -1 although lambda_min is 0.1078",
        "bound %.4f, lambda_min %.4f", bound, discs->lambda_min);
    repro_report_claim(b, repro_judge(1, gap < ALIGNED && fabs(low - lambda) <= ROUNDED),
                       "with s = 1/v all left-ends of the 3×3 example are lambda_min (Theorem 1)",
                       "left-ends from %.10f to %.10f", low, low + gap);
    gap = spread(3, m, printed, &low);
    repro_report_claim(
        b, repro_judge(1, gap < 1e-3),
        "with the printed s = (0.7511, 0.4886, 0.4440) all left-ends of the 3×3 example are lambda_min",
        "left-ends from %.4f to %.4f: the printed numbers are v, not 1/v", low, low + gap);
    status = repro_run_write(run, "gdpa-discs", "svg", repro_svg_discs, discs);
    gersh_discs_free(discs);
    return status;
}

/* Two features, an edge of weight w and self-loops 2|w|: positive semidefinite whatever the sign of w. */
static gersh_status add_two_features(repro_builder *b)
{
    double worst = INFINITY, distance = 0;
    gersh_status status = GERSH_OK;
    for (int sign = -1; sign <= 1 && status == GERSH_OK; sign += 2) {
        double w = sign, d = 2 * fabs(w) + w, m[4] = {d, -w, -w, d};
        gersh_discs *discs = NULL;
        status = align(&discs, 2, m);
        if (status != GERSH_OK)
            return status;
        add_line(b, "anti-correlation", sign < 0 ? "lambda_min, w = -1" : "lambda_min, w = 1", NULL,
                 discs->lambda_min);
        worst = fmin(worst, discs->lambda_min);
        if (sign < 0) {
            const double step[2] = {0.7, -0.7};
            for (size_t e = 0; e < 4; e++)
                distance += step[e / 2] * m[e] * step[e % 2];
            add_line(b, "anti-correlation", "distance of (0.7, -0.7), w = -1", "distance", distance);
        }
        gersh_discs_free(discs);
    }
    repro_report_claim(
        b, repro_judge(1, worst > -ALIGNED),
        "two features with self-loops 2|w| give a positive semidefinite M for either sign of w",
        "smallest eigenvalue %.3g", worst);
    repro_report_claim(b, repro_judge(1, fabs(distance) < ALIGNED),
                       "a negative edge makes the distance of f_i - f_j = (η, -η) zero", "distance %.3g",
                       distance);
    return GERSH_OK;
}

/* The colours that the signs of edges ask for; 0 where there are none. `sign` is that of the weights. */
static gersh_status color(int *out, size_t n, const int *sign, double *spread_after)
{
    double m[25] = {0}, low;
    gersh_graph *graph = NULL;
    gersh_balance *balance = NULL;
    gersh_discs *discs = NULL;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            m[i * n + j] = -sign[i * n + j];
        m[i * n + i] = (double)n + (double)i;
    }
    *spread_after = INFINITY;
    gersh_status status = gersh_graph_from_dense(&graph, n, m, 0, NULL);
    if (status == GERSH_OK)
        status = gersh_graph_balance(&balance, graph);
    if (status == GERSH_OK && balance->balanced)
        status = gersh_discs_align(&discs, graph, NULL);
    for (size_t i = 0; status == GERSH_OK && i < n; i++)
        out[i] = balance->balanced ? balance->color[i] : 0;
    if (status == GERSH_OK && discs != NULL)
        *spread_after = spread(n, m, discs->scalar, &low);
    gersh_discs_free(discs);
    gersh_balance_free(balance);
    gersh_graph_free(graph);
    return status;
}

/* Whether the colours are the given ones, up to exchanging the two in all nodes. */
static int same_colors(size_t n, const int *a, const int *b)
{
    int same = 1;
    for (size_t i = 0; i < n; i++)
        same = same && a[i] != 0 && a[i] * a[0] == b[i] * b[0];
    return same;
}

static void add_colors(repro_builder *b, const char *example, const char *expected, size_t n,
                       const int *found)
{
    char text[32] = "not balanced";
    for (size_t i = 0; i < n && found[0] != 0; i++)
        snprintf(text + 2 * i, sizeof text - 2 * i, "%c ", found[i] > 0 ? 'b' : 'r');
    repro_report_row(b, 0);
    repro_report_cell(b, "%s", example);
    repro_report_cell(b, "%s", "colours (b blue, r red)");
    repro_report_cell(b, "%s", text);
    repro_report_cell(b, "%s", expected);
}

static gersh_status add_triangles(repro_builder *b)
{
    static const int friends[9] = {0, 1, -1, 1, 0, -1, -1, -1, 0}, odd[9] = {0, 1, -1, 1, 0, 1, -1, 1, 0};
    static const int clusters[3] = {1, 1, -1};
    int found[3];
    double after;
    gersh_status status = color(found, 3, friends, &after);
    if (status != GERSH_OK)
        return status;
    add_colors(b, "3 nodes", "b b r", 3, found);
    repro_report_claim(
        b, repro_judge(1, same_colors(3, found, clusters) && after < ALIGNED),
        "the triangle with signs +, -, - is balanced, with the clusters {A, B} and {C}, and its discs "
        "align",
        "left-ends differ by %.2g", after);
    status = color(found, 3, odd, &after);
    if (status != GERSH_OK)
        return status;
    add_colors(b, "3 nodes", "not balanced", 3, found);
    repro_report_claim(b, repro_judge(1, found[0] == 0), "the triangle with signs +, +, - is not balanced",
                       "%s", found[0] == 0 ? "an odd cycle was found" : "it was coloured");
    return GERSH_OK;
}

/* The figure gives the colours; here every pair of nodes is joined, with the signs that they ask for. */
static gersh_status add_five_nodes(repro_builder *b)
{
    static const int given[2][5] = {{1, 1, -1, -1, 1}, {-1, 1, -1, -1, 1}};
    static const char *const texts[2] = {"b b r r b", "r b r r b"};
    int all = 1;
    double worst = 0;
    for (size_t g = 0; g < 2; g++) {
        int sign[25] = {0}, found[5];
        double after;
        for (size_t e = 0; e < 25; e++)
            sign[e] = e / 5 != e % 5 ? given[g][e / 5] * given[g][e % 5] : 0;
        gersh_status status = color(found, 5, sign, &after);
        if (status != GERSH_OK)
            return status;
        int same = same_colors(5, found, given[g]), flip = found[0] != given[g][0];
        for (size_t i = 0; i < 5; i++)
            found[i] = flip ? -found[i] : found[i];
        add_colors(b, "5 nodes", texts[g], 5, found);
        all = all && same;
        worst = fmax(worst, after);
    }
    repro_report_claim(
        b, repro_judge(1, all && worst < ALIGNED),
        "the two 5-node graphs, with node 1 blue and node 1 red, are both balanced, and their discs "
        "align (Theorem 3)",
        "left-ends differ by at most %.2g", worst);
    return GERSH_OK;
}

/* The first tree, with the edges (1,2), (1,3), (3,4), from correlations of which the second is negative. */
static gersh_status add_tree(repro_builder *b)
{
    static const double e[16] = {1, .9, -.8, .1, .9, 1, .2, .1, -.8, .2, 1, .7, .1, .1, .7, 1};
    enum { k = 4 };
    const double c = k;
    size_t parent[k];
    gersh_status status = gersh_graph_spanning_tree(parent, k, e, 0);
    if (status != GERSH_OK)
        return status;
    int edges = parent[1] == 0 && parent[2] == 0 && parent[3] == 2;
    for (int sign = 1; sign >= -1; sign -= 2) {
        double m[16] = {0}, smallest, ones[k] = {1, 1, 1, 1};
        gersh_discs *discs = NULL;
        for (size_t i = 0; i < k; i++)
            m[i * k + i] = c / k;
        for (size_t i = 1; i < k; i++)
            m[i * k + parent[i]] = m[parent[i] * k + i] =
                sign * (e[i * k + parent[i]] > 0 ? 1 : -1) * c / (double)(k * k);
        status = align(&discs, k, m);
        if (status != GERSH_OK)
            return status;
        const int *colors = discs->balance->color;
        int agree = colors[0] == colors[1] && colors[0] != colors[2] && colors[2] == colors[3];
        spread(k, m, ones, &smallest);
        if (sign > 0) {
            add_line(b, "4-node tree", "smallest left-end, C = 4", NULL, smallest);
            add_line(b, "4-node tree", "lambda_min, C = 4", NULL, discs->lambda_min);
            repro_report_claim(
                b, repro_judge(1, edges && smallest > 0 && discs->lambda_min > 0),
                "the first tree is a graph metric: its left-ends are positive before any scaling",
                "smallest left-end %.4f, lambda_min %.4f for C = 4", smallest, discs->lambda_min);
        }
        repro_report_claim(
            b, repro_judge(1, agree),
            sign > 0 ? "with the printed M_ij = sign(E_ij) C/K², features that correlate have one colour"
                     : "with M_ij = -sign(E_ij) C/K², features that correlate have one colour",
            "%s", sign > 0 ? "an edge's weight is -M_ij, so that the sign is to be turned" : "");
        gersh_discs_free(discs);
    }
    return GERSH_OK;
}

/* δ <= 4C for rows of at most unit length: random metrics of trace C, and the case of equality. */
static gersh_status add_limit(repro_builder *b)
{
    enum { k = 6, tries = 2000 };
    const double c = 3;
    repro_random random;
    gersh_metric *metric = NULL;
    double largest = 0, equal = 0;
    gersh_status status = gersh_metric_new(&metric, k, 0, 2, 1);
    repro_random_seed(&random, 0);
    for (int t = 0; t <= tries && status == GERSH_OK; t++) {
        double rows[4][k]; /* two atoms and two samples, of unit length */
        for (size_t r = 0; r < 4; r++) {
            double length = 0;
            for (size_t i = 0; i < k; i++) {
                rows[r][i] = repro_random_normal(&random);
                length += rows[r][i] * rows[r][i];
            }
            for (size_t i = 0; i < k; i++)
                rows[r][i] /= sqrt(length);
        }
        for (size_t i = 0; t == tries && i < k; i++) {
            rows[2][i] = rows[0][i];
            rows[3][i] = -rows[0][i];
        }
        memcpy(metric->dense, rows, 2 * sizeof rows[0]);
        metric->weight[0] = t == tries ? c : c * repro_random_uniform(&random);
        metric->weight[1] = c - metric->weight[0];
        double distance = gersh_metric_distance(metric, rows[2], rows[3]);
        if (t == tries)
            equal = distance;
        else
            largest = fmax(largest, distance);
    }
    gersh_metric_free(metric);
    if (status != GERSH_OK)
        return status;
    add_line(b, "bound", "largest distance / C, random", NULL, largest / c);
    add_line(b, "bound", "distance / C, extreme case", NULL, equal / c);
    repro_report_claim(b, repro_judge(1, largest <= 4 * c && equal <= 4 * c * (1 + ALIGNED)),
                       "distances of rows of unit length are at most 4C",
                       "%d random cases: at most %.3f C; M = C zzᵀ with the rows z and -z: %.6f C",
                       (int)tries, largest / c, equal / c);
    return GERSH_OK;
}

static gersh_status run_gdpa(repro_run *run, repro_builder *b)
{
    repro_report_table(b, "gdpa", 1, "Numeric examples, ours beside the paper's");
    repro_report_column(b, "example");
    repro_report_column(b, "quantity");
    repro_report_column(b, "ours");
    repro_report_column(b, "paper");
    repro_report_column(b, "agrees");
    gersh_status status = add_3x3(run, b);
    if (status == GERSH_OK)
        status = add_two_features(b);
    if (status == GERSH_OK)
        status = add_triangles(b);
    if (status == GERSH_OK)
        status = add_five_nodes(b);
    if (status == GERSH_OK)
        status = add_tree(b);
    if (status == GERSH_OK)
        status = add_limit(b);
    repro_report_note(
        b, "the paper shows the colours of its 5-node graphs, but no weights: here every pair is joined "
           "by a weight of 1 with the sign that the colours ask for");
    return status;
}

const repro_experiment repro_experiment_gdpa = {
    .name = "gdpa", .title = "Gershgorin disc perfect alignment: the paper's examples", .run = run_gdpa};
