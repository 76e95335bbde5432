/* An isovalue as people give it. */
#ifndef ISO_ISOVALUE_H
#define ISO_ISOVALUE_H

#ifdef __cplusplus
extern "C" {
#endif

enum isovalue {
    ISOVALUE_REAL,    /* in real units */
    ISOVALUE_PERCENT, /* "95%": below which so many of the finite voxels lie */
    ISOVALUE_SD       /* "3sd": so many standard deviations above the mean of the finite voxels */
};

#define ISOVALUE_GRAMMAR                                                                                                   \
    "a finite number, in the file's own units, a percentile from 0% to 100%, or standard deviations above the mean, like " \
    "3sd"

/* Reads a number and what it counts. Returns what follows; NULL: there is none, or it is not finite, or no percentile. */
const char *isovalue_parse(const char *text, double *number, enum isovalue *kind);

/* Reads what a number counts, from what stands behind it: nothing of that is a value. Returns what follows. */
const char *isovalue_unit(const char *text, enum isovalue *kind);

#ifdef __cplusplus
}
#endif
#endif
