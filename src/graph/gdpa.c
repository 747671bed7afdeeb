/*
 * Gershgorin disc perfect alignment (Theorems 1 and 2 of the paper).
 *
 * Row i of M has the disc of centre M_ii and radius Σ_j |M_ij|. For a connected balanced graph let v be the
 * first eigenvector and u = |v|. With s_i = 1/u_i the discs of S M S⁻¹ have the left-ends
 *
 *     M_ii − Σ_j |M_ij| u_j/u_i = λ_min   for all i.                                              (disc)
 *
 * Each component is one such problem. Flipping the red nodes turns it into A = diag(M_ii) − |M_ij|, whose
 * first eigenvector is u itself (Perron and Frobenius).
 *
 * Any u > 0 gives left-ends the smallest of which is a lower bound of λ_min. A computed u misses (disc) in
 * row i by (A u − λ u)_i / u_i, so that small entries must be right relatively, not only absolutely. They
 * are refined by sweeps u_i ← Σ_j |M_ij| u_j / (M_ii − λ). On long paths they fall below what a double
 * holds; there u_i stays at a floor, which only moves that left-end up.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/policy.h"
#include "gersh/graph.h"
#include "gersh/linalg.h"
#include "graph/factor.h"
#include "graph/gdpa.h"
#include "linalg/kernels.h"

#define FLOOR 1e-290  /* smallest entry of u, the largest being near 1 */
#define DOUBTFUL 1e-6 /* entries of an eigenvector below this share of the largest are not trusted */
#define LEFT_END_ROUNDING                                                                                  \
    1e-14 /* what a left-end may be off by, where the largest entry of the matrix is 1 */
#define ALIGNED_TOL 1e-13
#define SHIFT 1e-9 /* keeps the preconditioner definite, where the largest entry of the matrix is 1 */

/* One component: its matrix A, divided by `unit` so that the largest entry is 1. */
typedef struct component {
    gersh_graph graph;
    size_t *node; /* the component's nodes in the whole graph, ascending */
    double unit;
} component;

void gersh_discs_free(gersh_discs *discs)
{
    if (discs == NULL)
        return;
    gersh_balance_free(discs->balance);
    gersh__free(discs->scalar);
    gersh__free(discs->center);
    gersh__free(discs->radius);
    gersh__free(discs->aligned);
    gersh__free(discs->lambda);
    gersh__free(discs->lower);
    gersh__free(discs);
}

static gersh_discs *allocate(const gersh_graph *graph, gersh_balance *balance)
{
    size_t n = graph->nodes;
    gersh_discs *discs = gersh__alloc(1, sizeof *discs);
    if (discs == NULL) {
        gersh_balance_free(balance);
        return NULL;
    }
    discs->nodes = n;
    discs->balance = balance;
    discs->scalar = gersh__alloc(n, sizeof(double));
    discs->center = gersh__alloc(n, sizeof(double));
    discs->radius = gersh__alloc(n, sizeof(double));
    discs->aligned = gersh__alloc(n, sizeof(double));
    discs->lambda = gersh__alloc(balance->components, sizeof(double));
    discs->lower = gersh__alloc(balance->components, sizeof(double));
    if (!discs->scalar || !discs->center || !discs->radius || !discs->aligned || !discs->lambda ||
        !discs->lower) {
        gersh_discs_free(discs);
        return NULL;
    }
    return discs;
}

/* Takes the component of the nodes node[0..count) out of the graph; local[i] is i's number in it. */
static void extract(component *c, const gersh_graph *graph, const size_t *local, size_t count)
{
    c->unit = DBL_MIN;
    for (size_t k = 0; k < count; k++) {
        size_t i = c->node[k];
        c->unit = fmax(c->unit, fabs(graph->diagonal[i]));
        for (size_t e = graph->start[i]; e < graph->start[i + 1]; e++)
            c->unit = fmax(c->unit, fabs(graph->entry[e]));
    }
    size_t next = 0;
    for (size_t k = 0; k < count; k++) {
        size_t i = c->node[k];
        c->graph.diagonal[k] = graph->diagonal[i] / c->unit;
        c->graph.start[k] = next;
        for (size_t e = graph->start[i]; e < graph->start[i + 1]; e++, next++) {
            c->graph.neighbor[next] = local[graph->neighbor[e]];
            c->graph.entry[next] = -fabs(graph->entry[e]) / c->unit;
        }
    }
    c->graph.start[count] = next;
    c->graph.nodes = count;
    c->graph.edges = next / 2;
}

/* M_ii − Σ_j |M_ij| u_j/u_i */
static double left_end(const gersh_graph *a, const double *u, size_t i)
{
    size_t from = a->start[i], count = a->start[i + 1] - from;
    return a->diagonal[i] -
           gersh__kernels_here()->radius(count, a->entry + from, a->neighbor + from, u) / u[i];
}

/* Left-ends far above λ do no harm, those below spoil the bound: how far u is from a perfect alignment. */
static double misfit(const gersh_graph *a, const double *u, double lambda)
{
    double worst = 0;
    for (size_t i = 0; i < a->nodes; i++)
        worst = fmax(worst, lambda - left_end(a, u, i));
    return worst;
}

/* Sweeps, forward and backward in turn, over the small entries of u; keeps the best u that it saw. */
static void refine(const gersh_graph *a, double *u, double *kept, double lambda, int most)
{
    const gersh__kernels *kernel = gersh__kernels_here();
    size_t n = a->nodes;
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, u[i]);
    memcpy(kept, u, n * sizeof *u);
    double best = misfit(a, u, lambda);
    for (int sweep = 0; sweep < most; sweep++) {
        double change = 0;
        for (size_t k = 0; k < n; k++) {
            size_t i = sweep % 2 ? n - 1 - k : k;
            double room = a->diagonal[i] - lambda;
            if (u[i] >= GERSH__GDPA_SMALL * largest || !(room > 0))
                continue;
            size_t from = a->start[i], count = a->start[i + 1] - from;
            double sum = kernel->radius(count, a->entry + from, a->neighbor + from, u);
            double value = fmin(fmax(sum / room, FLOOR), GERSH__GDPA_SMALL * largest);
            change = fmax(change, fabs(value - u[i]) / u[i]);
            u[i] = value;
        }
        if (sweep % 8 == 7 || change < 1e-14) {
            double now = misfit(a, u, lambda);
            if (now <= fmax(best, LEFT_END_ROUNDING)) {
                best = now;
                memcpy(kept, u, n * sizeof *u);
            }
            if (change < 1e-14)
                break;
        }
    }
    memcpy(u, kept, n * sizeof *u);
}

/*
 * The first eigenpair. On a sparse graph the iteration is helped by the incomplete Cholesky factor of the
 * matrix shifted to just below its smallest left-end: on trees, an inverse iteration.
 */
static gersh_status first_eigenpair(gersh_lobpcg_result *eigen, double *u, const component *c,
                                    const gersh__align *how)
{
    const gersh_graph *a = &c->graph;
    gersh_lobpcg_options options = {.tol = how->tol, .cancel = how->cancel};
    gersh_lobpcg *solver = NULL;
    gersh__factor *factor = NULL;
    gersh_status status = gersh_lobpcg_new(&solver, a->nodes);
    if (status == GERSH_OK && a->edges <= GERSH__GDPA_SPARSE * a->nodes) {
        double shift = INFINITY;
        for (size_t i = 0; i < a->nodes; i++)
            u[i] = 1;
        for (size_t i = 0; i < a->nodes; i++)
            shift = fmin(shift, left_end(a, u, i));
        status = gersh__factor_new(&factor, a, shift - SHIFT);
        options.preconditioner = gersh__factor_solve;
        options.preconditioner_context = factor;
    }
    if (status == GERSH_OK && how->start != NULL) {
        for (size_t i = 0; i < a->nodes; i++)
            u[i] = how->start[c->node[i]];
        gersh_lobpcg_start(solver, u);
    }
    if (status == GERSH_OK)
        status = gersh_lobpcg_solve(eigen, u, solver, gersh_graph_apply, (void *)a, &options);
    gersh__factor_free(factor);
    gersh_lobpcg_free(solver);
    return status;
}

/* λ_min and the scalars of one component, written to its places in discs. */
static gersh_status align_component(gersh_discs *discs, const component *c, size_t which, double *u,
                                    double *scratch, const gersh__align *how)
{
    const gersh_graph *a = &c->graph;
    gersh_lobpcg_result eigen = {.value = a->diagonal[0]};
    double largest = 0;
    u[0] = 1;
    if (a->nodes > 1) {
        gersh_status status = first_eigenpair(&eigen, u, c, how);
        if (status != GERSH_OK)
            return status;
        for (size_t i = 0; i < a->nodes; i++)
            largest = fmax(largest, fabs(u[i]));
        /* Absolutely accurate only: what is small is raised, and sweeps bring it down to what it must be.
         */
        for (size_t i = 0; i < a->nodes; i++)
            u[i] = fmax(fabs(u[i]), DOUBTFUL * largest);
        refine(a, u, scratch, eigen.value, how->sweeps);
    }
    double length = 0, lower = INFINITY;
    for (size_t i = 0; i < a->nodes; i++)
        length = hypot(length, u[i]);
    for (size_t i = 0; i < a->nodes; i++) {
        size_t node = c->node[i], degree = a->start[i + 1] - a->start[i];
        double end = left_end(a, u, i), reach = fabs(a->diagonal[i]) + fabs(a->diagonal[i] - end);
        lower = fmin(lower, end - (double)(degree + 4) * DBL_EPSILON * reach);
        discs->scalar[node] = length / u[i];
        discs->aligned[node] = (a->diagonal[i] - end) * c->unit;
        discs->below = fmax(discs->below, (eigen.value - end) * c->unit);
        discs->above = fmax(discs->above, (end - eigen.value) * c->unit);
        discs->smallest = fmin(discs->smallest, u[i] / length);
    }
    discs->lambda[which] = eigen.value * c->unit;
    discs->lower[which] = a->nodes > 1 ? lower * c->unit : discs->lambda[which];
    discs->lambda_min = fmin(discs->lambda_min, discs->lambda[which]);
    discs->lambda_lower = fmin(discs->lambda_lower, discs->lower[which]);
    return GERSH_OK;
}

static gersh_status unbalanced(const gersh_balance *balance)
{
    return gersh__fail(
        GERSH_ERROR_UNBALANCED,
        "the signed graph is not balanced: the cycle of %zu nodes through node %zu has an odd "
        "number of negative edges",
        balance->witness_length, balance->witness[0] + 1);
}

gersh_status gersh__discs_align(gersh_discs **out, const gersh_graph *graph, const gersh__align *how)
{
    size_t n = graph->nodes, slots = graph->start[n];
    *out = NULL;
    gersh_balance *balance = NULL;
    gersh_status status = gersh_graph_balance(&balance, graph);
    if (status != GERSH_OK)
        return status;
    if (!balance->balanced) {
        status = unbalanced(balance);
        gersh_balance_free(balance);
        return status;
    }
    gersh_discs *discs = allocate(graph, balance);
    component c = {.graph = {.diagonal = gersh__alloc(n, sizeof(double)),
                             .start = gersh__alloc(n + 1, sizeof(size_t)),
                             .neighbor = gersh__alloc(slots, sizeof(size_t)),
                             .entry = gersh__alloc(slots, sizeof(double))},
                   .node = gersh__alloc(n, sizeof(size_t))};
    size_t *local = gersh__alloc(n, sizeof *local);
    size_t *order = gersh__alloc(n, sizeof *order);
    size_t *first = gersh__alloc(n + 1, sizeof *first);
    double *u = gersh__alloc(n, sizeof *u), *scratch = gersh__alloc(n, sizeof *scratch);
    status = GERSH_ERROR_MEMORY;
    if (!discs || !c.graph.diagonal || !c.graph.start || !c.graph.neighbor || !c.graph.entry || !c.node ||
        !local || !order || !first || !u || !scratch)
        goto out;

    /* 1. The discs as they are. */
    for (size_t i = 0; i < n; i++) {
        discs->center[i] = graph->diagonal[i];
        for (size_t e = graph->start[i]; e < graph->start[i + 1]; e++)
            discs->radius[i] += fabs(graph->entry[e]);
    }
    /* 2. Nodes by component. */
    for (size_t i = 0; i < n; i++)
        local[i] = first[balance->component[i] + 1]++;
    for (size_t k = 0; k < balance->components; k++)
        first[k + 1] += first[k];
    for (size_t i = 0; i < n; i++)
        order[first[balance->component[i]] + local[i]] = i;
    /* 3. Each component on its own. */
    discs->lambda_min = discs->lambda_lower = INFINITY;
    discs->smallest = 1;
    status = GERSH_OK;
    for (size_t k = 0; k < balance->components && status == GERSH_OK; k++) {
        size_t count = first[k + 1] - first[k];
        memcpy(c.node, order + first[k], count * sizeof *order);
        extract(&c, graph, local, count);
        status = align_component(discs, &c, k, u, scratch, how);
    }
    if (status == GERSH_OK) {
        *out = discs;
        discs = NULL;
    }
out:
    gersh_discs_free(discs);
    gersh__free(c.graph.diagonal);
    gersh__free(c.graph.start);
    gersh__free(c.graph.neighbor);
    gersh__free(c.graph.entry);
    gersh__free(c.node);
    gersh__free(local);
    gersh__free(order);
    gersh__free(first);
    gersh__free(u);
    gersh__free(scratch);
    return status;
}

gersh_status gersh_discs_align(gersh_discs **out, const gersh_graph *graph, const gersh_cancel *cancel)
{
    gersh__align exact = {.tol = ALIGNED_TOL, .sweeps = GERSH__GDPA_SWEEPS, .cancel = cancel};
    return gersh__discs_align(out, graph, &exact);
}
