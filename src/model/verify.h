/* What the verifier's files share; see gersh_model_verify. */
#ifndef GERSH_SRC_MODEL_VERIFY_H
#define GERSH_SRC_MODEL_VERIFY_H

#include "model/model.h"

/*
 * M from the atoms. Features that no atom touches have M_ii = ρ and nothing else, so that the matrix is
 * kept for the touched ones only.
 */
typedef struct gersh__dense {
    size_t features;
    double rho;
    size_t touched;
    size_t *feature; /* touched of them: their features, ascending */
    size_t *place;   /* features of them: the place among the touched, GERSH__NONE for the others */
    double *m;       /* touched × touched */
} gersh__dense;

/* A metric with the rows that it is held against. */
typedef struct gersh__verify_problem {
    size_t n;
    const gersh_dataset *data;  /* scaled */
    const gersh_tuples *tuples; /* or NULL */
    const gersh__dense *dense;
    double *image; /* n × touched: M (x − first row) on the touched features */
    double *row;   /* n: scratch */
    double
        margins; /* Σ of the numbers that lmnn takes differences of, weighted: how large its rounding errors are */
} gersh__verify_problem;

double gersh__verify_weight(const gersh__verify_problem *p, size_t row);

/* (x − y)ᵀ M (x − y) of two rows */
double gersh__verify_distance(const gersh__verify_problem *p, size_t i, size_t j);

/* The value of the objective of that name on scaled data, and on tuples where there are any, by its
 * definition. margins: see above; may be NULL. */
gersh_status gersh__verify_value(double *out, double *margins, const char *objective,
                                 const gersh__dense *dense, const gersh_dataset *scaled,
                                 const gersh_tuples *tuples);

/* Length of a pair, its weight, and whether it is similar, or of one class. */
typedef struct gersh__verify_span {
    double length, weight;
    int same;
} gersh__verify_span;

/* lsml: Σ w_s w_t (s − t)² over similar s and others t with s > t; margins: Σ w_s w_t (s² + t²) over all s and t. */
gersh_status gersh__verify_lsml(double *out, double *margins, const gersh__verify_span *spans,
                                size_t count);

/* gersh__verify_value where there are tuples; see verify_tuples.c. */
gersh_status gersh__verify_tuples(double *out, const char *objective, gersh__verify_problem *p);

#endif
