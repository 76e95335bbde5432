/* An isovalue as users write it. */
#ifndef ISO_ISOVALUE_H
#define ISO_ISOVALUE_H

#ifdef __cplusplus
extern "C" {
#endif

enum isovalue {
    ISOVALUE_REAL,    /* in real units */
    ISOVALUE_PERCENT, /* "95%": the value below which so many of the finite voxels lie */
    ISOVALUE_SD       /* "3sd": standard deviations above the mean of the finite voxels */
};

#define ISOVALUE_GRAMMAR                                                                                                   \
    "a finite number, in the file's own units, a percentile from 0% to 100%, or standard deviations above the mean, like " \
    "3sd"

/* Reads a number and its unit. Returns a pointer to what follows. NULL: there is no number, it is not finite, or it is not
 * a valid percentile. */
const char *isovalue_parse(const char *text, double *number, enum isovalue *kind);

/* Reads the unit that follows a number; without one it is a value in real units. Returns a pointer to what follows. */
const char *isovalue_unit(const char *text, enum isovalue *kind);

#ifdef __cplusplus
}
#endif
#endif
