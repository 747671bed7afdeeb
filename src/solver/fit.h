/* What the parts of a fit share: one fit to given pairs, and the plan for data with too many of them. */
#ifndef GERSH_SRC_SOLVER_FIT_H
#define GERSH_SRC_SOLVER_FIT_H

#include "pairs/population.h"
#include "solver/policy.h"
#include "solver/solver.h"

typedef struct gersh__fit {
    const gersh_dataset *data;
    const gersh_settings *settings;
    const gersh_fit_options *options;
    const gersh__solver *solver;
    const gersh__objective_entry *objective; /* NULL: the custom one of the options */
    gersh__pool *pool;
    gersh__rules *rules;
    gersh__limits limits;
    double trace, rho;      /* C and ρ, once gersh__fit_budget has set them */
    gersh__witness witness; /* of the bound over all pairs, once it is there */
} gersh__fit;

/* Sets C and ρ for samples whose mean squared distance is `mean`. `of`: words for what the mean is over. */
gersh_status gersh__fit_budget(gersh__fit *fit, double mean, const char *of);

/* Whether no limit ended the search. */
int gersh__stop_by_itself(gersh_stop stop);

/*
 * Sets gap and relative gap from value and bound, both as minimised, and says whether a search that no limit ended
 * converged: to info->tol, or settled. `floor`: the least scale of a relative gap.
 */
void gersh__info_certify(gersh_fit_info *info, double value, double bound, double floor);

/*
 * Learns from the pairs, from the metric `start` on unless NULL. The numbers of `info` are added to: it is 0
 * before the first fit. *witness, which is to be freed, and *width, the smoothing at the end, may be NULL.
 */
gersh_status gersh__fit_pairs(gersh_metric **out, gersh_fit_info *info, gersh__witness *witness,
                              double *width, const gersh__fit *fit, const gersh__pairs *pairs,
                              gersh__objective *objective, const gersh_metric *start);

/* gersh_fit with the witness of the bound; *witness is to be freed. */
gersh_status gersh__fit_certified(gersh_metric **out, gersh__witness *witness, gersh_fit_info *info,
                                  const gersh_dataset *data, const gersh_settings *settings,
                                  const gersh_fit_options *options);

/* The plan for n rows that count, of the data without tuples, or one sentence on why there is none. */
gersh_status gersh__plan_make(gersh__plan *plan, const gersh__fit *fit, size_t n);

/* Learns from sampled pairs, in rounds. */
gersh_status gersh__fit_drawn(gersh_metric **out, gersh_fit_info *info, gersh__fit *fit,
                              const gersh__plan *plan, gersh__population *population);

#endif
