/* What a model claims of M itself: signs, colours, edge rules, smallest eigenvalue, trace. */
#include <math.h>

#include "base/alloc.h"
#include "data/dataset.h"
#include "verify/verify.h"

static const double limit_error = 1e-9; /* of ρ and C, relative */
static const double rounding = 1e-12;   /* of entries of M, as a share of the trace */

/* Edges, and those of negative weight. */
typedef struct tally {
    size_t edges, negative;
} tally;

static tally count_edges(const gersh__dense *dense)
{
    tally t = {0, 0};
    for (size_t a = 0; a < dense->touched; a++)
        for (size_t b = 0; b < a; b++)
            if (gersh__dense_is_edge(dense, a, b)) {
                t.edges++;
                t.negative += dense->m[a * dense->touched + b] > 0;
            }
    return t;
}

/* sign(M_ij) = −σ_i σ_j wherever M_ij is not 0 but for rounding. */
static size_t count_contradictions(const gersh__verification *v)
{
    const gersh__dense *dense = &v->dense;
    size_t s = dense->touched, wrong = 0;
    for (size_t a = 0; a < s; a++)
        for (size_t b = 0; b < a; b++) {
            int same = v->model->color[dense->feature[a]] == v->model->color[dense->feature[b]];
            wrong += gersh__dense_is_edge(dense, a, b) && (dense->m[a * s + b] > 0) == same;
        }
    return wrong;
}

/* Whether some colouring agrees with all signs: one from every uncoloured node on, along the edges. */
static gersh_status is_balanced(int *balanced, const gersh__dense *dense)
{
    size_t s = dense->touched, filled;
    int *color = gersh__alloc(s + 1, sizeof *color);
    size_t *queue = gersh__alloc(s + 1, sizeof *queue);
    *balanced = 1;
    for (size_t root = 0; color != NULL && queue != NULL && root < s; root++) {
        if (color[root] != 0)
            continue;
        color[root] = 1;
        queue[0] = root;
        filled = 1;
        for (size_t next = 0; next < filled; next++)
            for (size_t b = 0, a = queue[next]; b < s; b++) {
                if (a == b || !gersh__dense_is_edge(dense, a, b))
                    continue;
                int other = dense->m[a * s + b] > 0 ? -color[a] : color[a];
                if (color[b] == 0)
                    queue[filled++] = b;
                *balanced = *balanced && (color[b] == 0 || color[b] == other);
                color[b] = other;
            }
    }
    gersh_status status = color != NULL && queue != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    gersh__free(color);
    gersh__free(queue);
    return status;
}

static gersh_status check_signs(gersh__verification *v)
{
    tally t = count_edges(&v->dense);
    const char *solver = v->solver->info.name;
    if (v->solver->info.signs == GERSH_SIGNS_NO_EDGES)
        gersh__verify_add(v, "edges", t.edges == 0 ? GERSH_CHECK_PASSED : GERSH_CHECK_FAILED,
                          "%zu edges; metrics of the solver %s have none", t.edges, solver);
    if (v->solver->info.signs == GERSH_SIGNS_POSITIVE)
        gersh__verify_add(v, "edges", t.negative == 0 ? GERSH_CHECK_PASSED : GERSH_CHECK_FAILED,
                          "%zu negative edges; metrics of the solver %s have none", t.negative, solver);
    if (v->model->color != NULL) {
        size_t wrong = count_contradictions(v);
        gersh__verify_add(v, "colours", wrong == 0 ? GERSH_CHECK_PASSED : GERSH_CHECK_FAILED,
                          "%zu of %zu edges contradict the colours", wrong, t.edges);
        return GERSH_OK;
    }
    int balanced;
    gersh_status status = is_balanced(&balanced, &v->dense);
    if (status == GERSH_OK && balanced)
        gersh__verify_add(v, "colours", GERSH_CHECK_FAILED,
                          "the model has no colours, but its graph is balanced");
    else if (status == GERSH_OK && v->solver->info.signs != GERSH_SIGNS_FREE)
        gersh__verify_add(v, "colours", GERSH_CHECK_FAILED,
                          "the graph is not balanced; those of the solver %s are", solver);
    return status;
}

/* Every edge has a sign that the rules allow; once a pair is allowed by name, the edges that no rule names
 * are wrong. */
static void check_rules(gersh__verification *v)
{
    const gersh_model *model = v->model;
    const gersh__dense *dense = &v->dense;
    size_t s = dense->touched, edges = count_edges(dense).edges, named = 0, wrong = 0;
    int others = 1;
    for (size_t r = 0; r < model->rule_count; r++) {
        const gersh_edge_rule *rule = &model->rules[r];
        size_t a = dense->place[rule->first], b = dense->place[rule->second];
        others = others && rule->kind != GERSH_EDGE_ALLOWED;
        if (a == GERSH__NONE || b == GERSH__NONE || !gersh__dense_is_edge(dense, a, b))
            continue;
        named++;
        /* The weight of an edge is −M_ij. */
        wrong += rule->kind == GERSH_EDGE_FORBIDDEN ||
                 (rule->kind == GERSH_EDGE_POSITIVE && dense->m[a * s + b] > 0) ||
                 (rule->kind == GERSH_EDGE_NEGATIVE && dense->m[a * s + b] < 0);
    }
    wrong += others || edges < named ? 0 : edges - named;
    if (model->rule_count > 0)
        gersh__verify_add(v, "edge rules", wrong == 0 ? GERSH_CHECK_PASSED : GERSH_CHECK_FAILED,
                          "%zu edges are not allowed by the %zu rules", wrong, model->rule_count);
}

gersh_status gersh__verify_metric(gersh__verification *v)
{
    const gersh_fit_info *info = &v->model->info;
    double trace = gersh__dense_trace(&v->dense), smallest, tolerance;
    gersh_status status = check_signs(v);
    check_rules(v);
    if (status == GERSH_OK)
        status = gersh__dense_smallest(&smallest, &v->dense);
    if (status != GERSH_OK)
        return status;
    tolerance = limit_error * info->rho + rounding * trace;
    gersh_check *check = gersh__verify_add(
        v, "smallest eigenvalue",
        smallest >= info->rho - tolerance ? GERSH_CHECK_PASSED : GERSH_CHECK_FAILED,
        "the smallest eigenvalue of M is %.10g, to be at least %.10g", smallest, info->rho);
    check->stated = info->rho;
    check->recomputed = smallest;
    check->tolerance = tolerance;
    tolerance = limit_error * info->budget;
    check = gersh__verify_add(v, "trace",
                              trace <= info->budget + tolerance ? GERSH_CHECK_PASSED : GERSH_CHECK_FAILED,
                              "the trace of M is %.10g, to be at most %.10g", trace, info->budget);
    check->stated = info->budget;
    check->recomputed = trace;
    check->tolerance = tolerance;
    return GERSH_OK;
}
