/* Square matrices in files: the input of GDPA on its own. */
#ifndef GERSH_MATRIX_H
#define GERSH_MATRIX_H

#include "gersh/base.h"
#include "gersh/settings.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gersh_matrix {
    size_t n;
    double *values; /* n × n, by rows */
    char **names;   /* of the rows and columns; "1", "2", ... where the file has none */
} gersh_matrix;

/*
 * Reads a square matrix from text or NPY, gzipped or not. Names come from a header line, or from a first
 * column of text. Of the settings, `format` and `header` count; settings may be NULL.
 */
GERSH_API gersh_status gersh_matrix_read(gersh_matrix **out, const char *path,
                                         const gersh_settings *settings);
GERSH_API void gersh_matrix_free(gersh_matrix *matrix);

#ifdef __cplusplus
}
#endif
#endif
