/* The monotonic clock, and the median of several times. */
#ifndef ISO_TIMING_H
#define ISO_TIMING_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Milliseconds of the monotonic clock. */
double timing_ms(void);

/* Sorts `n` times and returns their median; 0 if n is 0. */
double timing_median(double *ms, size_t n);

#ifdef __cplusplus
}
#endif
#endif
