/*
 * Every tuned constant, by the room that uses it: what it is for, and the command that a change of it is measured with.
 * A constant of which no count of bench/counts and no ratio of bench_threads says anything by 5 % goes, with its branch.
 * What follows from floating point, the widths of blocks that bound an array, the tables of papers, and formats stand
 * where they are used. scripts/constants checks that no name stands twice.
 */
#ifndef GERSH_SRC_BASE_POLICY_H
#define GERSH_SRC_BASE_POLICY_H

/* base */

/* Multiplications or look-ups in memory that are worth waking threads for. bench_threads */
#define GERSH__MUCH_WORK (1 << 17)

/* Looks for the next loop before a thread sleeps: first at once again, for some 50 µs, then after others. bench_threads */
#define GERSH__QUICK_LOOKS 2000
#define GERSH__LOOKS 2600

/* linalg */

/* Unknowns up to which LAPACK is faster than LOBPCG. bench/counts, fit deml psd */
#define GERSH__LAPACK_UNKNOWNS 64

/* Unknowns up to which LAPACK takes over where LOBPCG has made as many iterations in vain. test_linalg */
#define GERSH__RESCUED_UNKNOWNS 2000

/* Iterations of LOBPCG between images of X computed from X itself: rounding adds up meanwhile. test_linalg */
#define GERSH__LOBPCG_REFRESH 24

/* Iterations that LOBPCG makes from one foreign vector, which may be an eigenvector but not the first. test_region */
#define GERSH__LOBPCG_FIRST_LOOK 8

/* data */

/* Features from which entries are kept as lists, where these are at most one in SPARSE_SHARE. bench_growth_k */
#define GERSH__SPARSE_FEATURES 512
#define GERSH__SPARSE_SHARE 4

/* graph */

/* Entries of the alignment below this share of the largest are refined by sweeps. build/gersh reproduce gdpa */
#define GERSH__GDPA_SMALL 0.5

/* Sweeps at most; each costs a product with the matrix. build/gersh reproduce gdpa */
#define GERSH__GDPA_SWEEPS 5000

/* Edges for each node up to which the eigenvector iteration is preconditioned: the factor fills up beyond. bench/counts */
#define GERSH__GDPA_SPARSE 8

/* pairs */

/* Pairs of one chunk of a loop, and comparisons: some 10 µs of work. Loops over fewer PAIRS are not divided. bench_threads */
#define GERSH__ROWED_GRAIN 16384
#define GERSH__ROWED_PAIRS 65536
#define GERSH__EXPLICIT_GRAIN 4096
#define GERSH__COMPARISON_GRAIN 65536

/* Samples up to which distances are sums of squares, which are 0 for equal rows, not differences of products. test_odd */
#define GERSH__SUMMED_SAMPLES 32

/* Features of one part of the distances of so few pairs that their rows are no loop to divide. bench_threads, all glr 100 */
#define GERSH__FEATURE_STRIPE 2048

/* Parts that Gram matrices are divided into: of differences, and of estimates. bench_threads, all glr 2000 */
#define GERSH__DIFFERENCES_SPLIT 4
#define GERSH__ESTIMATE_SPLIT 8

/* Terms that second derivatives of a sum are estimated from: a step is the same to a few percent. bench/counts */
#define GERSH__HESSIAN_SAMPLE 4096

/* Features up to which L(g) X is kept, K × N numbers: all pairs are then looked at each time. bench_growth_k */
#define GERSH__KEPT_FEATURES 512

/* Numbers and features of a block of X and L(g) X that are made together where it is not kept. bench_growth_k */
#define GERSH__GRADIENT_NUMBERS ((size_t)1 << 22)
#define GERSH__GRADIENT_FEATURES 1024

/* Partners of a sampled row, and rows of a group, whose values stay within the cache. bench_coverage */
#define GERSH__SAMPLED_PARTNERS 32
#define GERSH__SAMPLED_GROUP 512

/* Rows that lmnn is mined among, and those that random impostors are from: one product of each size. bench_growth_n */
#define GERSH__MINED_ROWS 16384
#define GERSH__POOLED_ROWS 8192

/* Anchors × rows of one search for impostors, but so many anchors in any case. bench_growth_n */
#define GERSH__MINED_WORK 2e9
#define GERSH__MINED_ANCHORS 4096

/* Impostors of an anchor, half of them the nearest, at least. bench_growth_n */
#define GERSH__LEAST_IMPOSTORS 32

/* Impostors count up to this multiple of the margin's reach, as the metric will move. bench_growth_n */
#define GERSH__IMPOSTOR_REACH 1.2

/* Targets that are searched for in single precision beyond those that are needed. test_drawn */
#define GERSH__SPARE_TARGETS 5

/* objective */

/* Moves of an insertion sort for each entry, beyond which entries are sorted by digits. bench/counts, lsml: +25 % without */
#define GERSH__INSERTION_MOVES 4

/* Rows that are measured with all partners, at least: their error is then Student's with 63 degrees. bench_coverage */
#define GERSH__LEAST_FULL_ROWS 64

/* region */

/* A candidate as good as this share of the best may be proposed. bench/counts: all that lower F cost 12 to 22 % more */
#define GERSH__WORTHY_CANDIDATE 0.25

/* Features of the working set: at first, and what a full pass adds, at least and one in so many. bench_growth_k */
#define GERSH__FIRST_FEATURES 512
#define GERSH__MORE_FEATURES 256
#define GERSH__MORE_FEATURES_SHARE 64

/* Of screening: the share of the limit from which a product is looked at, unless so many are. bench_growth_k */
#define GERSH__NEAR_PRODUCT 0.8
#define GERSH__MOST_NEAR 8192

/* Of screening: the share of the level that the bound of a pair must reach. bench_growth_k */
#define GERSH__WORTHY_BOUND 0.9

/* solver: which pairs a fit learns from (policy.c) */

/* Bytes of the program with its matrix products, and copies of the rows: as read, kept with the model, scaled. bench_growth_n */
#define GERSH__PROGRAM_BYTES 48e6
#define GERSH__ROW_COPIES 3

/* Bytes of a pair: distances, gradients and what the objective has; of a listed one beyond, as the list grows. bench_growth_n */
#define GERSH__PAIR_BYTES 80
#define GERSH__LISTED_PAIR_BYTES 72

/* Share of the pairs of a mined draw that may bring a row of their own. bench_growth_n */
#define GERSH__MINED_ROW_SHARE 0.7

/* Pairs up to which lmnn uses all: its mined ones say nearly the same in a small part of the time. bench_growth_n */
#define GERSH__MOST_ALL_LMNN ((size_t)1 << 20)

/* Sampled pairs: without the least no fit is worth while; more than the most gain nothing to be seen. bench_growth_n */
#define GERSH__LEAST_DRAWN ((size_t)1 << 14)
#define GERSH__MOST_DRAWN ((size_t)1 << 21)
#define GERSH__MOST_MINED ((size_t)1 << 18)

/* Pairs of the first round. bench_growth_n */
#define GERSH__FIRST_SAMPLE ((size_t)1 << 19)
#define GERSH__FIRST_MINED ((size_t)1 << 17)

/* Relative tolerance of the first round: its metric is only where the next begins. bench_growth_n */
#define GERSH__FIRST_TOL 0.02

/* Smoothing at the start of a round, in units of that at the end of the last. bench_threads, mined */
#define GERSH__WIDENING 16

/* Independent draws, and pairs of each, that state a value; Student's quantiles in rounds.c belong to 16. bench_coverage */
#define GERSH__CHECK_DRAWS 16
#define GERSH__CHECK_PAIRS 16384

/* Distances of rows that are measured for each pair learned from, and at least. bench_coverage */
#define GERSH__ROW_WORK 8
#define GERSH__LEAST_ROW_WORK 2097152.0

/* Rounds at most: more are only made of complete draws, which settle in a few. test_drawn */
#define GERSH__MOST_ROUNDS 16

/* solver: where sketches pay, and of what size (policy.c) */

/* Pairs of samples from which a search over a sketch costs less than over all; builds for tests have fewer. bench_threads */
#ifndef GERSH__SKETCHED_PAIRS
#define GERSH__SKETCHED_PAIRS 16384
#endif

/* Features up to which the linear term of a sketch, K × K, costs less than it saves. bench_shares */
#define GERSH__SKETCHED_FEATURES 256

/* Draws of a sketch: one in so many pairs, within limits. glr of 400 × 12, as in bench/counts: +38 % with 2,048 */
#define GERSH__PAIRS_A_DRAW 256
#define GERSH__LEAST_SKETCH 1024
#define GERSH__MOST_SKETCH 2048

/* Of the gap, to which a sketch is solved, or of the tolerance, if that is more. bench_threads, all glr */
#define GERSH__SKETCH_GAP 0.1
#define GERSH__SKETCH_TOL 0.5

/* solver: the engine */

/* Atoms that join in one iteration: fewer need more iterations, more cost Newton steps. bench/counts */
#define GERSH__NEW_ATOMS 6

/* A full pass is made when the working set has this share of the gap left, but at this share of the tolerance at the
 * latest. bench_growth_k */
#define GERSH__PASS_SHARE 0.1
#define GERSH__DONE_SHARE 0.3

/* The weights are right when their own gap is this share of the whole. bench/counts: with 0.1 up to 95 % more */
#define GERSH__INNER_SHARE 0.3

/* Newton steps of one iteration. bench/counts */
#define GERSH__MOST_INNER 12

/* Trials of one line search, after which halving alone has left no bracket. bench/counts */
#define GERSH__MOST_SEARCH 25

/* Where an atom is near the candidate, these ways between the two join too. bench/counts, fit lmnn: 66 % more without 1/64 */
#define GERSH__TURN_FAR 0.125
#define GERSH__TURN_NEAR 0.015625

/* Repeats of a Newton step for the same bounds, where rounding leaves slopes. bench/counts, glr balanced: +7 % without */
#define GERSH__STEP_REPEATS 8

/* solver: where searches begin */

/* Features up to which a search begins with the budget on all alike. bench/counts: +29 % without, +9 % always */
#define GERSH__SPREAD_FEATURES 64

/* Columns of the factor that psd begins with, that may join, and that join at a time: optima have ranks of 6 to 20. bench_pdcone */
#define GERSH__FACTOR_COLUMNS 32
#define GERSH__FACTOR_MORE 32
#define GERSH__FACTOR_AT_ONCE 4

/* The slack at first and the first step, in units of the factor, and a new column in units of both. bench_pdcone */
#define GERSH__FACTOR_SLACK 0.3
#define GERSH__FACTOR_FIRST 0.1
#define GERSH__FACTOR_NEW 0.01

/* Steps of L-BFGS that are kept, and numbers in each half of its memory. mcml of wdbc: twice the steps with 20 */
#define GERSH__LBFGS_MOST 40
#define GERSH__LBFGS_NUMBERS 4e6

/* What is added to the scatter of the samples, of mean diagonal 1, whose root stands for second derivatives. mcml of wdbc: +170 % without it all */
#define GERSH__FACTOR_RIDGE 0.02

/* Share of the tolerance at which the descent ends, and that F has to fall by in so many steps, and steps at most. bench_pdcone */
#define GERSH__FACTOR_SHARE 0.9
#define GERSH__FACTOR_STILL 0.01
#define GERSH__FACTOR_INTERVAL 25
#define GERSH__FACTOR_STEPS 400

/* Steps after a look that found neither an end nor a column. bench_pdcone */
#define GERSH__FACTOR_WAIT 5

/* solver: colours of balanced metrics, until a search that proves its end takes their place. bench/counts, glr balanced */

/* Features whose correlations are computed for colours. bench_growth_k */
#define GERSH__TREE_FEATURES 2048

/* Pairs, and pairs · K², up to which colours of sgml are tried too: some milliseconds. bench_folds */
#define GERSH__SMALL_PAIRS 64
#define GERSH__SMALL_PROBLEM 50000.0

/* Flips that are tried, and pairs of features that they are of. bench_folds */
#define GERSH__MOST_FLIPS 24
#define GERSH__FLIPPED_PAIRS 8

/* Pairs of samples from which flips must have this share to gain beyond the tolerance. bench_folds */
#define GERSH__MANY_SAMPLE_PAIRS 16384
#define GERSH__MUCH_TO_GAIN 0.005

/* model */

/* Terms of a part of the contributions, parts at most, and terms that dense atoms are multiplied with. bench/counts, describe */
#define GERSH__PART_TERMS 256
#define GERSH__MOST_PARTS 16
#define GERSH__DENSE_TERMS 64

/* Entries of M that are multiplied for the smallest eigenvalue of an unbalanced graph, and the steps: a second. bench/counts, describe */
#define GERSH__SUMMARY_WORK 1e8
#define GERSH__SUMMARY_LEAST_STEPS 200
#define GERSH__SUMMARY_MOST_STEPS 20000

/* embed */

/* Queries of a tile at least, and tiles of a search, where queries are enough; bytes of a worker's lists. bench_neighbors */
#define GERSH__TILE_LEAST 16
#define GERSH__TILE_PARTS 16
#define GERSH__TILE_LIST_BYTES ((size_t)64 << 20)

/* Features up to which a dense metric's matrix is made, unless it has fewer atoms than one in so many. bench_neighbors */
#define GERSH__MAP_DENSE 4096
#define GERSH__MAP_ATOMS_SHARE 4

/* Neighbours of a feature that is eliminated from a sparse metric, features then left, narrow maps. bench_neighbors */
#define GERSH__MAP_NEIGHBORS 12
#define GERSH__MAP_LEFT 4096
#define GERSH__MAP_NARROW 2000

/* Features up to which a transform has all eigenvectors from LAPACK. bench_python_overhead */
#define GERSH__TRANSFORM_DENSE 2000

/* predict */

/* Steps of conjugate gradients of the graph classifier, and sweeps of what is left. test_classify */
#define GERSH__GRAPH_STEPS 1000
#define GERSH__GRAPH_SWEEPS 100

/* experiment */

/* Folds and sizes of the comparison with the Euclidean metric: less than a second beside the fit. bench/accuracy.py */
#define GERSH__COMPARED_FOLDS 10
#define GERSH__COMPARED_SAMPLES 5000
#define GERSH__COMPARED_ENTRIES ((size_t)1 << 23)

/* Folds and rows that a choice of the objective is made on, and how much its logarithms weigh. bench/tune.py */
#define GERSH__TUNE_FOLDS 8
#define GERSH__TUNE_ROWS 2000
#define GERSH__TUNE_SURE 0.25

/* Test samples that importances are measured on in each split. bench/informative.py */
#define GERSH__HELD_OUT_ROWS 1000

/* Of permutations: parts, repeats, test samples for which one more repeat tells little, table and voters. bench/informative.py */
#define GERSH__PERMUTE_PARTS 32
#define GERSH__PERMUTE_REPEATS 10
#define GERSH__PERMUTE_ENOUGH 400
#define GERSH__PERMUTE_ENTRIES ((size_t)1 << 24)
#define GERSH__PERMUTE_LEAST_VOTERS 250
#define GERSH__PERMUTE_VOTERS 20000

/* Resamples of a bootstrap for each thread, between two looks at the clock. bench_threads */
#define GERSH__BOOTSTRAP_ROUND 4

#endif
