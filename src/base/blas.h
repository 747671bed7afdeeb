/*
 * The memory of BLAS. OpenBLAS takes a buffer for each thread that calls it at the same time, at the first call, keeps
 * it, and tries for ever where it cannot have it. So its buffers are taken beforehand, as many as there is room for.
 * Another BLAS is left alone.
 */
#ifndef GERSH_SRC_BASE_BLAS_H
#define GERSH_SRC_BASE_BLAS_H

#include "gersh/base.h"

/*
 * How many threads, at most as many as asked for, may call BLAS at the same time; 0 where there is no memory for one, which
 * gersh__fail then says.
 */
int gersh__blas_reserve(int threads);

/* Before the first call of BLAS outside of a pool, which has reserved for its threads. */
gersh_status gersh__blas_check(void);

#endif
