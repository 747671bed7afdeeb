/* The cells of the table of objectives, between its tables and its claims. */
#ifndef GERSH_REPRODUCE_OBJECTIVES_H
#define GERSH_REPRODUCE_OBJECTIVES_H

#include "run.h"

typedef struct repro_objectives {
    repro_source *source; /* REPRO_SOURCES of them */
    repro_fits fits[REPRO_OBJECTIVES][REPRO_SOURCES][REPRO_SCHEMES];
} repro_objectives;

/*
 * The paper's last two columns: the mean over the data sets of the value over PD-cone's, and the data sets where no
 * other of HBNB, PGML and SGML is better. Data sets where one of the four has no value are left out, and where PD-cone
 * is below 1e-9, of the mean. `used` gets how many the mean is over.
 */
double repro_objectives_over(const repro_objectives *all, size_t objective, size_t scheme, size_t *used);
size_t repro_objectives_best(const repro_objectives *all, size_t objective, size_t scheme);

/* Whether the scheme is among the best of HBNB, PGML and SGML. */
int repro_objectives_is_best(const repro_fits *fits, size_t scheme);

void repro_objectives_claims(repro_builder *builder, const repro_objectives *all);

#endif
