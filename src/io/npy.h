/* The header of an NPY file (npy_header.c), for npy.c. */
#ifndef GERSH_SRC_IO_NPY_H
#define GERSH_SRC_IO_NPY_H

#include "io/read.h"

typedef struct gersh__npy {
    char kind;            /* f, i, u, b, S or U */
    size_t item;          /* bytes of an element */
    int big;              /* the most significant byte comes first */
    int fortran;          /* column by column */
    size_t rows, columns; /* one column for one axis */
    size_t offset;        /* of the first element in the file */
} gersh__npy;

int gersh__npy_fits(const gersh__content *content);
gersh_status gersh__npy_read_header(gersh__npy *npy, const gersh__table *table,
                                    const gersh__content *content);

#endif
