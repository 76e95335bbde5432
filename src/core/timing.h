/* Times: the monotonic clock, and the last runs of something measured again and again. */
#ifndef ISO_TIMING_H
#define ISO_TIMING_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SERIES_LENGTH 120

struct series {                  /* zero is an empty one */
    double value[SERIES_LENGTH]; /* a ring */
    unsigned count, next;
};

double timing_ms(void);

/* Sorts n times, and gives their median, 0 if there are none. */
double timing_median(double *ms, size_t n);

void series_add(struct series *series, double value);
double series_last(const struct series *series);   /* 0 if empty */
double series_median(const struct series *series); /* 0 if empty */

#ifdef __cplusplus
}
#endif
#endif
