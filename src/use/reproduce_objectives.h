/* The cells of the table of objectives, between its tables and its claims. */
#ifndef GERSH_SRC_USE_REPRODUCE_OBJECTIVES_H
#define GERSH_SRC_USE_REPRODUCE_OBJECTIVES_H

#include "use/reproduce_run.h"

enum { GERSH__PDCONE, GERSH__HBNB, GERSH__PGML, GERSH__SGML, GERSH__BALANCED, GERSH__HULL, GERSH__PSD };

typedef struct gersh__objectives {
    gersh__source *source; /* GERSH__SOURCES of them */
    gersh__fits fits[GERSH__OBJECTIVES][GERSH__SOURCES][GERSH__SCHEMES];
} gersh__objectives;

/*
 * The paper's last two columns: the mean over the data sets of the value over PD-cone's, and the data sets where no
 * other of HBNB, PGML and SGML is better. Data sets where one of the four has no value are left out, and where PD-cone
 * is below 1e-9, of the mean. `used` gets how many the mean is over.
 */
double gersh__objectives_over(const gersh__objectives *all, size_t objective, size_t scheme, size_t *used);
size_t gersh__objectives_best(const gersh__objectives *all, size_t objective, size_t scheme);

/* Whether the scheme is among the best of HBNB, PGML and SGML. */
int gersh__objectives_is_best(const gersh__fits *fits, size_t scheme);

void gersh__objectives_claims(gersh__builder *builder, const gersh__objectives *all);

#endif
