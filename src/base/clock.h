/* A monotonic clock for durations and time limits. */
#ifndef GERSH_SRC_BASE_CLOCK_H
#define GERSH_SRC_BASE_CLOCK_H

/* Seconds since an arbitrary moment; never goes back. */
double gersh__clock_seconds(void);

#endif
