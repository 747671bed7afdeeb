/*
 * What these programs add to the registries: a line for an objective and one for its definition in the verifier (contrast.c),
 * one for a region and one for a solver that ends in it (dominant.c).
 */
#define GERSH__PLUG_OBJECTIVES OBJECTIVE(contrast)
#define GERSH__PLUG_REFERENCES REFERENCE(contrast)
#define GERSH__PLUG_REGIONS REGION(dominant)
#define GERSH__PLUG_SOLVERS SOLVER(dominant)
