/*
 * A search for false bounds in random fits; see false_bounds.h. It prints counts for every objective and solver: fits, those
 * refused with a sentence (as "no row is in a similar pair and in a dissimilar one"), those that claim no bound, bounds of 0
 * of objectives that are never negative, comparisons with attained values, false bounds with the worst one relative to
 * the value, and how near below a value a bound came. The status is 1 where any bound is false.
 *
 *   false_bounds [FITS [SEED]]    at least so many fits (200,000), from the problem with that number on (1)
 */
#include "false_bounds.h"

#include "bench.h"

int main(int argc, char **argv)
{
    long wanted = argc > 1 ? atol(argv[1]) : 200000, fits = 0;
    unsigned long long first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1, seed = first;
    bounds_search s = bounds_start(1);
    print_version();
    for (; fits < wanted; seed++) {
        bounds_run(&s, seed, BOUNDS_ROWS);
        fits = bounds_fits(&s);
    }
    printf("problems %llu to %llu\n", first, seed - 1);
    return bounds_report(&s) > 0;
}
