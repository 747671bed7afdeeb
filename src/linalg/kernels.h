/*
 * The hot loops, compiled once for each level of the processor (see CMakeLists.txt) and chosen at run time,
 * so that one binary runs on every x86-64 and uses AVX2 or AVX-512 where they are.
 */
#ifndef GERSH_SRC_LINALG_KERNELS_H
#define GERSH_SRC_LINALG_KERNELS_H

#include <stddef.h>

typedef struct gersh__kernels {
    const char *level;

    /* Σ_i x_i y_i */
    double (*dot)(size_t n, const double *x, const double *y);

    /* Σ_i x_i (y_i − z_i) */
    double (*difference_dot)(size_t n, const double *x, const double *y, const double *z);

    /* Σ_i x_i t_i² */
    double (*square_dot)(size_t n, const double *x, const double *t);

    /* y_i += a x_i */
    void (*axpy)(size_t n, double a, const double *x, double *y);

    /* y_i = (x_i − mean_i) · factor_i: one row of a table scaled by features; x may be y */
    void (*standardize)(size_t n, const double *x, const double *mean, const double *factor, double *y);

    /* Σ_e |entry_e| u[index_e]: a disc's radius under the scalars 1/u, times u_i */
    double (*radius)(size_t n, const double *entry, const size_t *index, const double *u);

    /* Σ_e entry_e x[index_e]: a row of a sparse matrix times a vector */
    double (*gather)(size_t n, const double *entry, const size_t *index, const double *x);

    /* Two samples' values under n atoms, x and y: Σ_a (x_a − y_a)²; s_a += factor (x_a − y_a)²; and
     * out_a = factor (x_a − y_a)² */
    double (*distance)(size_t n, const double *x, const double *y);
    void (*add_squares)(size_t n, double factor, const double *x, const double *y, double *s);
    void (*set_squares)(size_t n, double factor, const double *x, const double *y, double *out);

    /*
     * h_ab += factor Σ_i x_ai x_bi for a <= b, x being m rows of n entries, and h m × m: as BLAS has it for long rows, but
     * for the few and short ones of a block
     */
    void (*gram)(size_t n, size_t m, double factor, const double *x, double *h);

    /*
     * Rows of pairs: one sample, whose own values are scalars, against n others, whose values are arrays.
     */

    /* Σ_j x_j */
    double (*sum)(size_t n, const double *x);

    /* s_j += |x_j|, and Σ_j |x_j| */
    double (*sizes)(size_t n, const double *x, double *s);

    /* out_p = factor_p (t[first_p] − t[second_p])² */
    void (*square_gather)(size_t n, const double *factor, const size_t *first, const size_t *second,
                          const double *t, double *out);

    /* d_j += factor (own − t_j)² */
    void (*square_add)(size_t n, double factor, double own, const double *t, double *d);

    /* out_j = factor_j (own − t_j)²; factor may be NULL: all 1 */
    void (*square_scale)(size_t n, const double *factor, double own, const double *t, double *out);

    /* y_j = exp(x_j) to the last bits for x_j up to 709, and 0 where x_j < −708. So in all that follow. */
    void (*exps)(size_t n, const double *x, double *y);

    /* Σ_j c_j exp(−d_j); c may be NULL: all are `each` */
    double (*exp_sum)(size_t n, const double *c, double each, const double *d);

    /* The same; g_j = −c_j exp(−d_j) */
    double (*exp_terms)(size_t n, const double *c, double each, const double *d, double *g);

    /* Σ_j c_j √d_j, with d_j < 0 as 0 */
    double (*root_sum)(size_t n, const double *c, const double *d);

    /* The same; g_j = −c_j / (2 √f_j) and e_j = c_j / (4 f_j √f_j) with f_j = max(d_j, floor) */
    double (*root_terms)(size_t n, const double *c, const double *d, double floor, double *g, double *e);

    /* The smallest d_j; low_j = min(low_j, d_j) */
    double (*lowest)(size_t n, const double *d, double *low);

    /* Σ_j w_j exp(shift − d_j); z_j += weight · exp(shifts_j − d_j) */
    double (*soft_sum)(size_t n, const double *d, double shift, const double *shifts, double weight,
                       const double *w, double *z);

    /* The same; the terms of the sum go to a, those added to z to b */
    double (*soft_terms)(size_t n, const double *d, double shift, const double *shifts, double weight,
                         const double *w, double *z, double *a, double *b);

    /* a_j *= factor, b_j *= factors_j, g_j = −(a_j + b_j) */
    void (*soft_gradient)(size_t n, double factor, const double *factors, double *a, double *b, double *g);

    /* Σ_j a_j v_j; s_j += b_j v_j */
    double (*two_sums)(size_t n, const double *a, const double *b, const double *v, double *s);

    /* The same with v_j = (own − t_j)² */
    double (*square_sums)(size_t n, const double *a, const double *b, double own, const double *t,
                          double *s);

    /* out_j = a_j (v_j − mean) + b_j (v_j − means_j) */
    void (*soft_product)(size_t n, const double *a, const double *b, const double *v, double mean,
                         const double *means, double *out);

    /* Σ_j w_j (d_j − shift); s_j += weight · (d_j − shifts_j) */
    double (*pull)(size_t n, const double *d, double shift, const double *shifts, double weight,
                   const double *w, double *s);

    /*
     * Hinges h(x) at x = bound − d_j, smooth: 0 for x <= 0, x²/(2 width) up to width and
     * x − width/2 beyond. The sum of scale · w_j h(own − d_j) + weight · c_j h(bounds_j − d_j).
     */
    double (*hinge_sum)(size_t n, const double *d, double width, double own, double scale, const double *w,
                        const double *bounds, double weight, const double *c);

    /*
     * The derivatives: g_j −= scale w_j h'(own − d_j) + weight c_j h'(bounds_j − d_j), with the second
     * term added to s_j and the sum of w_j h'(own − d_j) returned.
     */
    double (*hinge_gradient)(size_t n, const double *d, double width, double own, double scale,
                             const double *w, const double *bounds, double weight, const double *c,
                             double *g, double *s);

    /*
     * Second derivatives along v: as hinge_gradient, with h'(bound − d_j) replaced by
     * h''(bound − d_j) (v of the bound − v_j); own_v and bounds_v are those of the bounds.
     */
    double (*hinge_product)(size_t n, const double *d, const double *v, double width, double own,
                            double own_v, double scale, const double *w, const double *bounds,
                            const double *bounds_v, double weight, const double *c, double *out, double *s);

    /*
     * The first place whose value is not within low..high, or not a number; n where all are.
     */
    size_t (*outside)(size_t n, const float *x, float low, float high);

    /* y_i = (float)(factor (x_i − mean)) */
    void (*to_single)(size_t n, double factor, double mean, const double *x, float *y);

    /* y_i += a x_i */
    void (*single_axpy)(size_t n, float a, const float *x, float *y);

    /*
     * out_j = the smallest eigenvalue of [a, b_j; b_j, c_j], where b_j counts only if s · sign_j · b_j > 0
     * (sign NULL: always). Returns the smallest of them.
     */
    double (*pair_values)(size_t n, double a, const double *b, const double *c, double s,
                          const double *sign, double *out);

    /*
     * out_j = the smallest of a, c_j and (a u_j² + c_j u² − 2 s · sign_j · b_j u u_j) / (u² + u_j²): the values of
     * features and edges whose discs stay aligned under the scalars 1/u. Returns the smallest of them.
     */
    double (*disc_values)(size_t n, double a, const double *b, const double *c, double u, const double *us,
                          double s, const double *sign, double *out);
} gersh__kernels;

const gersh__kernels *gersh__kernels_here(void);

#endif
