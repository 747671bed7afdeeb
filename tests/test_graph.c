/* Signed graphs: building, balance against union-find with parity, witnesses, spanning trees. */
#include "check.h"

#include <stdio.h>

#include "base/alloc.h"
#include "gersh/graph.h"
#include "matrices.h"

#define MOST 60

/* A second way to decide balance: union-find where each node knows its colour relative to its root. */
typedef struct forest {
    size_t up[MOST];
    int sign[MOST];
} forest;

static size_t find_root(forest *f, size_t i, int *sign)
{
    *sign = 1;
    while (f->up[i] != i) {
        *sign *= f->sign[i];
        i = f->up[i];
    }
    return i;
}

static int oracle_balanced(const double *m, size_t n, size_t *components)
{
    forest f;
    int balanced = 1;
    *components = n;
    for (size_t i = 0; i < n; i++) {
        f.up[i] = i;
        f.sign[i] = 1;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            if (m[i * n + j] == 0)
                continue;
            int a, b, edge = m[i * n + j] < 0 ? 1 : -1;
            size_t x = find_root(&f, i, &a), y = find_root(&f, j, &b);
            if (x != y) {
                f.up[x] = y;
                f.sign[x] = a * b * edge;
                --*components;
            } else if (a * b != edge) {
                balanced = 0;
            }
        }
    }
    return balanced;
}

/* Confirms a witness from the matrix alone: a simple cycle whose product of −sign(M_ij) is −1. */
static void confirm_witness(const double *m, size_t n, const size_t *cycle, size_t length)
{
    int seen[MOST] = {0}, product = 1;
    assert_true(length >= 3 && length <= n);
    for (size_t k = 0; k < length; k++) {
        size_t i = cycle[k], j = cycle[(k + 1) % length];
        assert_true(i < n && !seen[i]);
        seen[i] = 1;
        assert_true(m[i * n + j] != 0);
        product *= m[i * n + j] > 0 ? -1 : 1;
    }
    assert_int_equal(product, -1);
}

static void balanced_graphs_get_colours(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 1);
    double m[MOST * MOST];
    int color[MOST];
    for (int t = 0; t < cases(10000); t++) {
        size_t n = 2 + (size_t)gersh__random_below(&random, MOST - 1), components;
        random_balanced(&random, m, color, n, t % SHAPES, 2);
        gersh_graph *graph;
        gersh_balance *balance;
        assert_ok(gersh_graph_from_dense(&graph, n, m, 0, NULL));
        assert_ok(gersh_graph_balance(&balance, graph));
        assert_true(oracle_balanced(m, n, &components));
        assert_true(balance->balanced);
        assert_null(balance->witness);
        assert_int_equal(balance->components, components);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                if (i != j && m[i * n + j] != 0) {
                    assert_int_equal(balance->component[i], balance->component[j]);
                    assert_int_equal(balance->color[i] * balance->color[j], m[i * n + j] < 0 ? 1 : -1);
                }
            }
        gersh_balance_free(balance);
        gersh_graph_free(graph);
    }
}

static void unbalanced_graphs_get_a_witness(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 2);
    double m[MOST * MOST];
    int color[MOST], refused = 0;
    for (int t = 0; refused < cases(10000); t++) {
        size_t n = 3 + (size_t)gersh__random_below(&random, MOST - 2), components;
        random_balanced(&random, m, color, n, t % SHAPES, 2);
        for (int flips = 1 + (int)gersh__random_below(&random, 3); flips > 0; flips--) {
            size_t i = (size_t)gersh__random_below(&random, n), j = (size_t)gersh__random_below(&random, n);
            if (i == j)
                continue;
            double wrong = color[i] * color[j] * (0.1 + gersh__random_uniform(&random));
            m[i * n + j] = m[j * n + i] = wrong;
        }
        if (oracle_balanced(m, n, &components))
            continue;
        refused++;
        gersh_graph *graph;
        gersh_balance *balance;
        gersh_discs *discs;
        assert_ok(gersh_graph_from_dense(&graph, n, m, 0, NULL));
        assert_ok(gersh_graph_balance(&balance, graph));
        assert_false(balance->balanced);
        assert_null(balance->color);
        assert_int_equal(balance->components, components);
        confirm_witness(m, n, balance->witness, balance->witness_length);
        assert_int_equal(gersh_discs_align(&discs, graph, NULL), GERSH_ERROR_UNBALANCED);
        assert_null(discs);
        gersh_balance_free(balance);
        gersh_graph_free(graph);
    }
}

static void edge_lists_give_the_same_graph(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 3);
    double m[MOST * MOST], diagonal[MOST], entry[MOST * MOST];
    size_t first[MOST * MOST], second[MOST * MOST];
    int color[MOST];
    for (int t = 0; t < cases(1000); t++) {
        size_t n = 1 + (size_t)gersh__random_below(&random, MOST), edges = 0;
        random_balanced(&random, m, color, n, t % SHAPES, 2);
        for (size_t i = n; i-- > 0;) { /* another order than the rows' */
            diagonal[i] = m[i * n + i];
            for (size_t j = 0; j < i; j++)
                if (m[i * n + j] != 0) {
                    int turn = (int)gersh__random_below(&random, 2);
                    first[edges] = turn ? i : j;
                    second[edges] = turn ? j : i;
                    entry[edges++] = m[i * n + j];
                }
        }
        gersh_graph *a, *b;
        assert_ok(gersh_graph_from_dense(&a, n, m, 0, NULL));
        assert_ok(gersh_graph_from_edges(&b, n, diagonal, edges, first, second, entry));
        assert_int_equal(a->edges, b->edges);
        assert_memory_equal(a->diagonal, b->diagonal, n * sizeof(double));
        assert_memory_equal(a->start, b->start, (n + 1) * sizeof(size_t));
        if (edges > 0) {
            assert_memory_equal(a->neighbor, b->neighbor, 2 * edges * sizeof(size_t));
            assert_memory_equal(a->entry, b->entry, 2 * edges * sizeof(double));
        }
        gersh_graph_free(a);
        gersh_graph_free(b);
    }
}

static void bad_matrices_are_refused(void **unused)
{
    (void)unused;
    gersh_graph *graph;
    size_t at[2] = {9, 9};
    double asymmetric[] = {1, 2, 3, 2, 1, 5, 3, 4, 1};
    assert_int_equal(gersh_graph_from_dense(&graph, 3, asymmetric, 0, at), GERSH_ERROR_INPUT);
    assert_string_equal(gersh_last_error(),
                        "the matrix is not symmetric: entry (2, 3) is 5 but entry (3, 2) is 4");
    assert_int_equal(at[0], 1);
    assert_int_equal(at[1], 2);
    double endless[] = {1, 0, 0, INFINITY};
    assert_int_equal(gersh_graph_from_dense(&graph, 2, endless, 0, at), GERSH_ERROR_INPUT);
    assert_string_equal(gersh_last_error(), "entry (2, 2) of the matrix is not finite");
    assert_null(graph);
    assert_int_equal(gersh_graph_from_dense(&graph, 0, endless, 0, at), GERSH_ERROR_ARGUMENT);
    assert_int_equal(gersh_graph_from_dense(&graph, 1, endless, -1, at), GERSH_ERROR_ARGUMENT);
    double rounding[] = {1, 0.1, 0.1 + 1e-16, 1};
    assert_ok(gersh_graph_from_dense(&graph, 2, rounding, 0, at));
    assert_true(graph->entry[0] == graph->entry[1]);
    gersh_graph_free(graph);
    assert_ok(gersh_graph_from_dense(&graph, 2, rounding, 0.2, at));
    assert_int_equal(graph->edges, 0);
    gersh_graph_free(graph);

    size_t first[] = {0, 1}, second[] = {1, 0}, beyond[] = {0, 2};
    double diagonal[] = {1, 1}, entry[] = {1, 2}, zero[] = {1, 0};
    assert_int_equal(gersh_graph_from_edges(&graph, 2, diagonal, 2, first, second, entry),
                     GERSH_ERROR_ARGUMENT);
    assert_string_equal(gersh_last_error(), "the edge between nodes 1 and 2 is listed twice");
    assert_int_equal(gersh_graph_from_edges(&graph, 2, diagonal, 2, first, beyond, entry),
                     GERSH_ERROR_ARGUMENT);
    assert_int_equal(gersh_graph_from_edges(&graph, 2, diagonal, 2, first, second, zero),
                     GERSH_ERROR_ARGUMENT);
    assert_int_equal(gersh_graph_from_edges(&graph, 0, diagonal, 0, first, second, zero),
                     GERSH_ERROR_ARGUMENT);
}

/* Kruskal: takes the largest pairs first; the sum of a maximum spanning tree is unique. */
static double oracle_tree_weight(const double *s, size_t n)
{
    size_t group[MOST];
    double total = 0;
    for (size_t i = 0; i < n; i++)
        group[i] = i;
    for (size_t left = n - 1; left > 0; left--) {
        size_t a = 0, b = 0;
        double best = -1;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < i; j++)
                if (group[i] != group[j] && fabs(s[i * n + j]) > best) {
                    best = fabs(s[i * n + j]);
                    a = group[i];
                    b = group[j];
                }
        for (size_t i = 0; i < n; i++)
            group[i] = group[i] == a ? b : group[i];
        total += best;
    }
    return total;
}

static void spanning_trees_are_largest(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 4);
    double s[MOST * MOST];
    size_t parent[MOST];
    for (int t = 0; t < cases(300); t++) {
        size_t n = 1 + (size_t)gersh__random_below(&random, 25);
        size_t root = (size_t)gersh__random_below(&random, n);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j <= i; j++)
                s[i * n + j] = s[j * n + i] =
                    gersh__random_below(&random, 4) ? gersh__random_normal(&random) : 0;
        assert_ok(gersh_graph_spanning_tree(parent, n, s, root));
        double total = 0;
        for (size_t i = 0; i < n; i++) {
            size_t steps = 0;
            for (size_t up = i; up != root; up = parent[up])
                assert_true(++steps < n);
            total += i == root ? 0 : fabs(s[i * n + parent[i]]);
        }
        assert_int_equal(parent[root], root);
        assert_true(fabs(total - oracle_tree_weight(s, n)) <= 1e-12 * (1 + total));
    }
    assert_int_equal(gersh_graph_spanning_tree(parent, 3, s, 3), GERSH_ERROR_ARGUMENT);
}

static void failing_allocations_leak_nothing(void **unused)
{
    (void)unused;
    double balanced[] = {2, -2, 0, -2, 5, 1, 0, 1, 4}, odd[] = {2, 1, 1, 1, 2, 1, 1, 1, 2};
    for (int which = 0; which < 2; which++) {
        gersh_status status = GERSH_ERROR_MEMORY;
        for (long n = 1; status != GERSH_OK; n++) {
            gersh_graph *graph = NULL;
            gersh_balance *balance = NULL;
            assert_true(n < 50);
            gersh__alloc_fail_at(n);
            status = gersh_graph_from_dense(&graph, 3, which ? odd : balanced, 0, NULL);
            if (status == GERSH_OK)
                status = gersh_graph_balance(&balance, graph);
            gersh__alloc_fail_at(0);
            assert_true(status == GERSH_OK || status == GERSH_ERROR_MEMORY);
            gersh_balance_free(balance);
            gersh_graph_free(graph);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balanced_graphs_get_colours),
        cmocka_unit_test(unbalanced_graphs_get_a_witness),
        cmocka_unit_test(edge_lists_give_the_same_graph),
        cmocka_unit_test(bad_matrices_are_refused),
        cmocka_unit_test(spanning_trees_are_largest),
        cmocka_unit_test(failing_allocations_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
