/*
 * Objectives: convex functions F of the distances d of pairs. An objective never sees the metric or the
 * features, only d (one value a pair, numbered as in src/pairs) and the classes, targets and weights of the
 * samples, or tuples of them. Adding one is a file here, which defines a gersh__objective_entry, and its name in
 * registry.c. One objective may have several kinds, for what there is to learn from (gersh__source).
 *
 * Every objective is minimised here. One that is maximised for the user (deml) is the negative of what is
 * reported, and says so in `maximized`.
 */
#ifndef GERSH_SRC_OBJECTIVE_OBJECTIVE_H
#define GERSH_SRC_OBJECTIVE_OBJECTIVE_H

#include "base/text.h"
#include "gersh/objective.h"
#include "pairs/pairs.h"

typedef struct gersh__objective gersh__objective;

/* The pairs that an objective is a function of, as bits: those drawn where there are too many. */
enum { GERSH__NEEDS_DISSIMILAR = 1, GERSH__NEEDS_SIMILAR = 2, GERSH__NEEDS_TRIPLETS = 4 };

/*
 * The mean squared distance under (C/K) I that --trace auto sets. C is to be a safeguard: the optimum of mcml has a scale
 * of its own, and accuracy is flat from 6 to 60 (bench/trace.py). The least of these is taken, as searches take longer with
 * a larger C where classes are separable, as with more features than samples.
 */
#define GERSH__MEAN_DISTANCE 6.0

/* A sum over pairs Σ_p c_p φ(d_p) with φ(d) = exp(−d) or −√d, and the second derivatives c_p φ'' of the last gradient. */
typedef struct gersh__pair_terms {
    int root;             /* φ(d) = −√d */
    const double *c;      /* one a pair, or NULL: */
    double each;          /* all are this */
    const double *second; /* of the one sign or the other */
} gersh__pair_terms;

typedef struct gersh__objective_kind {
    int singular_at_zero; /* its slope is infinite where all distances are 0: no place to begin at */
    int prefers_spread; /* it wants distances to be large, so that its minimum is far from where all are 0 */
    int chained;        /* entries of the gradient are sums over all pairs rather than those of a sample */
    int needs;     /* the pairs that it is a function of; of pairs of tuples, some of each must be there */
    int all_pairs; /* it compares each sample with all others, and cannot use a list of pairs */
    int by_rows;   /* sums over sampled pairs are biased: its values are measured by rows (mcml_rows.h) */
    size_t arrays; /* of `scratch`: 3 at most */
    size_t room;   /* bytes of its own for each pair, besides `scratch` */
    size_t state_size; /* of the struct that starts with gersh__objective */

    /* Fills the state after the common part is set; 0-initialised before. Refuses what it cannot do. */
    gersh_status (*init)(gersh__objective *objective);
    void (*clear)(gersh__objective *objective); /* frees what init made; may be NULL */

    /*
     * F(d), and with g not NULL its gradient (count entries, all written), which the objective may read until the next
     * call.
     */
    double (*evaluate)(gersh__objective *objective, const double *d, double *g);

    /*
     * out = H(d) v, the Hessian of F at d times v. d is that of the last call of `evaluate` with a
     * gradient, so that what was computed there can be used.
     */
    void (*curvature)(gersh__objective *objective, const double *d, const double *v, double *out);

    /*
     * h (m × m, both triangles) = Aᵀ H(d) A for the m atoms whose projections are in t (see
     * gersh__pairs_gram), at the d of the last `evaluate` with a gradient. NULL: made from `curvature`.
     */
    gersh_status (*hessian)(gersh__objective *objective, const double *d, size_t m, const double *t,
                            double *h);

    /*
     * Where log F is convex too: the same for log F, times F; `slope` are its derivatives by the weights of the atoms. Else
     * NULL.
     */
    gersh_status (*log_hessian)(gersh__objective *objective, size_t m, const double *t, const double *slope,
                                double *h);

    /* Its terms, where it is a sum over pairs; else NULL. */
    gersh__pair_terms (*pair_terms)(const gersh__objective *objective);

    /*
     * Of an objective that is `smoothed`, else NULL: its true value at d. F is a smooth function near it, nearer as `width`
     * shrinks.
     */
    double (*exact)(gersh__objective *objective, const double *d);

    /*
     * The same: with g the gradient of the last `evaluate` that wrote one, the constant a for which a + Σ g_p d'_p is nowhere
     * above the objective itself. Of others F's own tangent is such a function.
     */
    double (*constant)(gersh__objective *objective, const double *g);

    /*
     * How far F(d) + Σ g_p (d'_p − d_p), or a + Σ g_p d'_p, may be above the objective at d' for other reasons than rounding in proportion to F(d) and to |g_p|
     * (src/solver/doubt.c), for the last `evaluate` with a gradient. Where g_p is a difference, the size of what cancels
     * is added to the sums `r` of both its samples. NULL: there are no other reasons.
     */
    double (*doubt)(gersh__objective *objective, const double *d, const double *g, double *r);
} gersh__objective_kind;

/* An objective: its facts, and a kind for each group of what `takes` names; NULL where it names none of it. */
typedef struct gersh__objective_entry {
    gersh_objective_info info;
    const gersh__objective_kind *classes; /* and targets */
    const gersh__objective_kind *pairs;
    const gersh__objective_kind *compared; /* triplets and quadruplets */
} gersh__objective_entry;

struct gersh__objective {
    const gersh_objective_info *info;
    const gersh__objective_kind *kind;
    const gersh__pairs *pairs;
    double width;    /* of the smoothing, set by the solver; objectives that are smooth ignore it */
    double *scratch; /* arrays · count entries, 0 at first, for the objective's own use */
    double *work;    /* of the Hessian, kept from call to call; gersh__objective_work makes it larger */
    size_t work_capacity;
};

/*
 * What a sum of `count` products may be off by rounding, in units of the sum of their sizes: count · 2⁻⁵³ at worst, and but with
 * a chance below 1e-20 no more than 10 √count of these (Higham and Mary, 2019).
 */
double gersh__rounding(size_t count);

/* The entries one after the other, from 0; NULL beyond the last. */
const gersh__objective_entry *gersh__objective_at(size_t index);

/* The entry of that name; NULL when there is none. */
const gersh__objective_entry *gersh__objective_find(const char *name);

/* What there is to learn from: the tuples, if any, else the labels of the data. */
gersh__source gersh__objective_source(const gersh_dataset *data, const gersh_tuples *tuples);

/* The name itself, or for "auto" the objective that is `automatic` for this. */
const char *gersh__objective_resolve(const char *name, gersh__source known);

/* The objective that "auto" tries where the one above helps little, or NULL. */
const char *gersh__objective_second(gersh__source known);

/* Fails with one sentence where the objective cannot learn from this, and says what to use instead. */
gersh_status gersh__objective_check(const gersh__objective_entry *entry, gersh__source known);

/* Of the kind for what the pairs know. Where there is none it fails with one sentence that says what to use instead. */
gersh_status gersh__objective_new(gersh__objective **out, const gersh__objective_entry *entry,
                                  const gersh__pairs *pairs);
void gersh__objective_free(gersh__objective *objective);

/* Aᵀ H A by the kind's own way or from its curvature; see `hessian` above. */
gersh_status gersh__objective_hessian(gersh__objective *objective, const double *d, size_t m,
                                      const double *t, double *h);

/* Room for `need` entries in `work`. */
gersh_status gersh__objective_work(gersh__objective *objective, size_t need);

/*
 * "a, b or c": the names of the objectives that take any of that and, unless NULL, pass the test; `last` stands before the last
 * name. For messages.
 */
const char *gersh__objective_list(char list[GERSH__NAME_LIST], unsigned takes,
                                  int (*passes)(const gersh__objective_entry *entry), const char *last);

/* The value as the user knows it: exact, and positive where it is maximised. */
double gersh__objective_value(gersh__objective *objective, const double *d);

#endif
