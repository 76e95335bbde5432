/* The distribution of values: cells between edges, each with its number of voxels, assumed to be spread evenly within it.
 *
 * The cells begin as the bins of a histogram over the whole range. If outliers stretch the range, most voxels lie in a few
 * bins. A sample of the voxels then tells which cells are not evenly filled and must be split. All voxels are read again to
 * count the parts of these cells. A value that many voxels share becomes a cell of its own, of width 0. */
#ifndef ISO_STATS_CELLS_H
#define ISO_STATS_CELLS_H

#include "error.h"
#include "kernels/grid.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CELLS_BINS = 1024,  /* of the histogram, at most */
    SPLITS_MAX = 512,   /* of cells */
    SPLITS_COUNTED = 6, /* of those, at most: each takes a histogram of all voxels */
    SPLIT_BINS = 512,   /* of such a histogram, at most */
    CELLS_MAX = CELLS_BINS + SPLITS_COUNTED * (SPLIT_BINS + 2) + SPLITS_MAX * 3,
    SAMPLE_VALUES = 65536 /* at most */
};

struct cells {
    unsigned count;            /* 0: there are none */
    bool whole;                /* values are whole numbers */
    float edge[CELLS_MAX + 1]; /* stored units: cell i holds edge[i] <= v < edge[i + 1]; the last includes its end */
    uint64_t upto[CELLS_MAX];  /* voxels up to the end of the cell; before cells_sum: within it */
};

struct split {     /* the range of a histogram: of all voxels, or of those in some cells */
    float lo, hi;  /* both included, stored units */
    unsigned bins; /* 0: all voxels of the cell have the value lo; no need to count */
};

struct splits { /* zero is none */
    unsigned count, counted;
    struct split split[SPLITS_MAX];              /* in the order in which to make them */
    uint64_t counts[SPLITS_COUNTED][SPLIT_BINS]; /* for those with bins */
};

/* Makes a cell for each bin of a histogram. whole: values are whole numbers. If each of those has a bin, each cell holds a
 * single value. */
void cells_begin(struct cells *cells, const struct split *all, const uint64_t *counts, bool whole);

/* Splits the cells that hold lo and hi, and all cells between them. counts: of the split's bins. The remaining voxels of
 * these cells lie below lo or above hi. */
void cells_split(struct cells *cells, const struct split *split, const uint64_t *counts);

/* Turns the number of voxels within each cell into the running total up to its end. */
void cells_sum(struct cells *cells);

/* Returns the cell that holds a value; the first or last cell if none does. */
unsigned cells_find(const struct cells *cells, double value);

/* Whether cell i has only one value; sets *value to that. */
bool cells_one_value(const struct cells *cells, unsigned i, double *value);

/* Sets `splits`, with counts of 0, to those that keep the error of every percentile small, judged by n values of a sample.
 * It sorts the sample. `all` and `whole` as in cells_begin. Error: ERR_FAILED for memory. */
int splits_find(struct splits *splits, const struct split *all, bool whole, float *sample, size_t n, struct err *err);

/* How many of voxels first to end - 1 belong to the sample of a volume of `all` voxels. */
size_t sample_count(size_t all, size_t first, size_t end);

/* Copies those in `voxels`, which begins with voxel number `first`, to `values`. Returns their number: sample_count(). */
size_t sample_take(float *values, const struct grid *voxels, size_t all, size_t first);

#ifdef __cplusplus
}
#endif
#endif
