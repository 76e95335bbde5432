/* The last values of a repeated measurement. */
#ifndef ISO_SERIES_H
#define ISO_SERIES_H

#ifdef __cplusplus
extern "C" {
#endif

#define SERIES_LENGTH 120

struct series {                  /* zero is an empty one */
    double value[SERIES_LENGTH]; /* a ring */
    unsigned count, next;
};

/* Adds `value`. If there are SERIES_LENGTH already, it replaces the oldest. */
void series_add(struct series *series, double value);

/* The newest value, and the median of all; 0 if the series is empty. */
double series_last(const struct series *series);
double series_median(const struct series *series);

/* The value that `percent` of the series do not exceed (by nearest rank); 0 if it is empty. */
double series_percentile(const struct series *series, double percent);

/* Value number `i` of series->count, counted from the oldest. */
double series_at(const struct series *series, unsigned i);

#ifdef __cplusplus
}
#endif
#endif
