/* How values are distributed: cells between edges, each with its number of voxels, linear within.
 *
 * They begin as the bins of a histogram over the whole range. Where outliers stretch that, most voxels lie in a few bins:
 * a sample of the voxels tells which cells are not linear within, and so which to split. What lies in their parts is
 * counted again, in all voxels. A value that many voxels share becomes a cell of its own, without width. */
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
    SPLITS_COUNTED = 6, /* of those: each is a histogram of all voxels */
    SPLIT_BINS = 512,   /* of such a histogram, at most */
    CELLS_MAX = CELLS_BINS + SPLITS_COUNTED * (SPLIT_BINS + 2) + SPLITS_MAX * 3,
    SAMPLE_VALUES = 65536 /* at most */
};

struct cells {
    unsigned count;            /* 0: there are none */
    bool whole;                /* values are whole numbers */
    float edge[CELLS_MAX + 1]; /* stored units: cell i holds edge[i] to below edge[i + 1], the last one that, too */
    uint64_t upto[CELLS_MAX];  /* voxels up to the end of a cell; before cells_sum: within it */
};

struct split {     /* what a histogram counts: that of all voxels, or of those of some cells once more */
    float lo, hi;  /* both included, stored units */
    unsigned bins; /* 0: all voxels of the cell have the value lo, so nothing is to be counted */
};

struct splits { /* zero is none */
    unsigned count, counted;
    struct split split[SPLITS_MAX];              /* in the order in which they are made */
    uint64_t counts[SPLITS_COUNTED][SPLIT_BINS]; /* of those with bins */
};

/* One for each bin of a histogram, which leaves no bin for values in between if they are whole numbers and it has one for
 * each. */
void cells_begin(struct cells *cells, const struct split *all, const uint64_t *counts, bool whole);

/* Splits the cells that hold lo and hi, and all between them. counts: of the split's bins. What is not in these lies on
 * the sides. */
void cells_split(struct cells *cells, const struct split *split, const uint64_t *counts);

/* Makes numbers up to the end of each cell of numbers within it. */
void cells_sum(struct cells *cells);

/* The cell that holds a value; the first or last if none does. */
unsigned cells_find(const struct cells *cells, double value);

/* Whether cell i has only one value; sets *value to that. */
bool cells_one_value(const struct cells *cells, unsigned i, double *value);

/* Sets `splits` (counts: zero) to those that make an error of any percentile small, by n values of a sample, which are
 * put in order. The rest as cells_begin. Error: ERR_FAILED for memory. */
int splits_find(struct splits *splits, const struct split *all, bool whole, float *sample, size_t n, struct err *err);

/* Voxels of first to end - 1 of a volume of `all`, in order, that are in the sample of it. */
size_t sample_count(size_t all, size_t first, size_t end);

/* Sets `values` to them; `voxels` begins with voxel number `first`. Returns sample_count(). */
size_t sample_take(float *values, const struct grid *voxels, size_t all, size_t first);

#ifdef __cplusplus
}
#endif
#endif
