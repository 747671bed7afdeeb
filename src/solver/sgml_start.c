/*
 * Where sgml and pgml begin: the graph of the metric that they start from, or one of the first graphs that the setting
 * `init` names. Adding one is a function here and its name in the list.
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "base/settings.h"
#include "solver/correlations.h"
#include "solver/sgml.h"

static gersh_status add_edge(gersh__sgml *s, size_t i, size_t j, double size)
{
    for (size_t e = 0; e < s->edges; e++) {
        if ((s->edge[e].i == i && s->edge[e].j == j) || (s->edge[e].i == j && s->edge[e].j == i)) {
            s->edge[e].size += size;
            return GERSH_OK;
        }
    }
    if (gersh__grow(&s->edge, &s->capacity, s->edges + 1, sizeof *s->edge) != 0)
        return GERSH_ERROR_MEMORY;
    s->edge[s->edges++] = (gersh__sgml_edge){i, j, size};
    return GERSH_OK;
}

/*
 * The paper's first matrix: C/K on the diagonal, C/K² in size on the edges of a tree, the edge positive where the two
 * features go together (M_ij = −sign(E_ij) C/K²). parent[i] = i has no edge.
 */
static gersh_status start_tree(gersh__sgml *s, const gersh__correlations *c, const size_t *parent,
                               size_t root)
{
    double trace = s->engine->budget + (double)s->k * s->engine->rho, k = (double)s->k;
    gersh_status status = GERSH_OK;
    size_t colored = 1;
    memset(s->color, 0, s->k * sizeof *s->color);
    s->color[root] = 1;
    for (size_t i = 0; i < s->k; i++)
        s->slack[i] = trace / k - s->engine->rho;
    while (colored < s->k && status == GERSH_OK) { /* a level of the tree at a time */
        size_t before = colored;
        for (size_t i = 0; i < s->k && status == GERSH_OK; i++) {
            size_t up = parent[i];
            if (s->color[i] != 0 || s->color[up] == 0)
                continue;
            double correlation = gersh__correlation(c, up, i);
            if (s->positive && correlation <= 0) { /* only edges between features that go together */
                s->color[i] = 1;
            } else {
                s->color[i] = correlation < 0 ? -s->color[up] : s->color[up];
                status = add_edge(s, up, i, trace / (k * k));
                s->slack[i] -= trace / (k * k);
                s->slack[up] -= trace / (k * k);
            }
            colored++;
        }
        if (colored == before)
            break;
    }
    return status;
}

/* The engine's metric: colours along its spanning tree, and of its edges those that they allow. */
static gersh_status start_engine(gersh__sgml *s)
{
    gersh__engine *e = s->engine;
    int balanced;
    gersh_status status = gersh__color_nodes(e, s->color, s->part, &balanced);
    memset(s->slack, 0, s->k * sizeof *s->slack);
    for (size_t i = 0; i < s->k && s->positive; i++)
        s->color[i] = 1;
    for (size_t a = 0; a < e->atoms && status == GERSH_OK; a++) {
        gersh_atom z = e->atom[a];
        double size = e->theta[a] * fabs(z.a * z.b);
        s->slack[z.i] += e->theta[a] * z.a * z.a;
        s->slack[z.j] += e->theta[a] * z.b * z.b;
        if (z.i == z.j || z.a * z.b * s->color[z.i] * s->color[z.j] >= 0)
            continue;
        s->slack[z.i] -= size; /* under u = 1; below 0 until the scalars are made */
        s->slack[z.j] -= size;
        status = add_edge(s, z.i, z.j, size);
    }
    return status;
}

/* The maximum spanning tree of the correlations' sizes, from a random root. */
static gersh_status first_tree(gersh__sgml *s)
{
    gersh__random random;
    gersh__correlations c;
    size_t root = 0;
    gersh_status status = gersh__correlations_new(&c, s->pairs);
    if (status == GERSH_OK) {
        gersh__random_seed(&random, gersh__setting_whole(s->run->settings, GERSH__SEED));
        root = (size_t)gersh__random_below(&random, s->k);
        status = gersh__correlation_tree(s->kept_part, &c, root);
    }
    if (status == GERSH_OK)
        status = start_tree(s, &c, s->kept_part, root);
    gersh__correlations_clear(&c);
    return status;
}

static gersh_status first_chain(gersh__sgml *s)
{
    gersh__correlations c;
    gersh_status status = gersh__correlations_new(&c, s->pairs);
    for (size_t i = 0; i < s->k; i++)
        s->kept_part[i] = i > 0 ? i - 1 : 0;
    if (status == GERSH_OK)
        status = start_tree(s, &c, s->kept_part, 0);
    gersh__correlations_clear(&c);
    return status;
}

static gersh_status first_hull(gersh__sgml *s)
{
    gersh_status status = gersh__solve_region(s->run, &gersh__region_hull, NULL);
    return status == GERSH_OK && s->engine->atoms > 0 ? start_engine(s) : status;
}

static gersh_status first_identity(gersh__sgml *s)
{
    (void)s; /* no edges, as it is */
    return GERSH_OK;
}

#define FIRST_GRAPHS                                                                                       \
    FIRST_GRAPH(tree)                                                                                      \
    FIRST_GRAPH(chain)                                                                                     \
    FIRST_GRAPH(hull)                                                                                      \
    FIRST_GRAPH(identity)

#define FIRST_GRAPH(name) "|" #name
const char gersh__init_choices[] = FIRST_GRAPHS; /* with a bar before the first */
#undef FIRST_GRAPH

#define FIRST_GRAPH(name) {#name, first_##name},
static const struct {
    const char *name;
    gersh_status (*make)(gersh__sgml *s);
} first_graphs[] = {FIRST_GRAPHS};
#undef FIRST_GRAPH

gersh_status gersh__sgml_start(gersh__sgml *s)
{
    for (size_t i = 0; i < s->k; i++) {
        s->color[i] = s->u[i] = 1;
        s->slack[i] = s->engine->budget / (double)s->k;
        s->part[i] = i;
    }
    if (s->engine->atoms > 0)
        return start_engine(s);
    for (size_t f = 0; f < sizeof first_graphs / sizeof first_graphs[0]; f++)
        if (gersh__setting_is(s->run->settings, GERSH__INIT, first_graphs[f].name))
            return first_graphs[f].make(s);
    return GERSH_OK;
}
