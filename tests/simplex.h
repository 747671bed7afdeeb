/* Linear programs, small and dense: max bᵀy over A y <= c, y >= 0, with c >= 0, by the simplex method. */
#ifndef GERSH_TESTS_SIMPLEX_H
#define GERSH_TESTS_SIMPLEX_H

#include <math.h>
#include <stdlib.h>

#include "check.h"

/* rows × columns + 1, the right sides last; below them the costs of the columns that are 0, and the value. */
typedef struct simplex {
    size_t rows, columns;
    double *entry;
} simplex;

static inline double *simplex_at(const simplex *s, size_t row, size_t column)
{
    return &s->entry[row * (s->columns + 1) + column];
}

static inline simplex simplex_new(size_t rows, size_t columns)
{
    simplex s = {rows, columns, calloc((rows + 1) * (columns + 1), sizeof(double))};
    assert_non_null(s.entry);
    return s;
}

static inline void simplex_free(simplex *s)
{
    free(s->entry);
}

/* The variable of that column takes the place of the one that fills the row. */
static inline void simplex_pivot(simplex *s, size_t row, size_t column)
{
    double pivot = 1 / *simplex_at(s, row, column);
    for (size_t r = 0; r <= s->rows; r++) {
        double factor = *simplex_at(s, r, column) * pivot;
        for (size_t c = 0; r != row && c <= s->columns; c++)
            if (c != column)
                *simplex_at(s, r, c) -= factor * *simplex_at(s, row, c);
        if (r != row)
            *simplex_at(s, r, column) = -factor;
    }
    for (size_t c = 0; c <= s->columns; c++)
        *simplex_at(s, row, c) *= c != column ? pivot : 0;
    *simplex_at(s, row, column) = pivot;
}

/* The maximum. The last row holds b; it must be bounded. */
static inline double simplex_solve(simplex *s)
{
    for (int step = 0; step < 100000; step++) {
        size_t column = s->columns, row = s->rows;
        double best = 1e-11, ratio = INFINITY;
        for (size_t c = 0; c < s->columns;
             c++) /* the steepest, and where nothing moves for long the first */
            if (*simplex_at(s, s->rows, c) > best) {
                column = c;
                best = step % 64 < 48 ? *simplex_at(s, s->rows, c) : INFINITY;
            }
        if (column == s->columns)
            return -*simplex_at(s, s->rows, s->columns);
        for (size_t r = 0; r < s->rows; r++) {
            double a = *simplex_at(s, r, column), here = *simplex_at(s, r, s->columns) / a;
            if (a > 1e-11 && here < ratio) {
                ratio = here;
                row = r;
            }
        }
        assert_true(row < s->rows);
        simplex_pivot(s, row, column);
    }
    fail_msg("the simplex method does not end");
    return NAN;
}

#endif
