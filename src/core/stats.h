/* Statistics of a volume's values: range, mean, histogram, percentiles, a good first isovalue. */
#ifndef ISO_STATS_H
#define ISO_STATS_H

#include "iso.h"
#include "isovalue.h"
#include "stats_cells.h"
#include "volume.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STATS_MAX_BINS CELLS_BINS

struct stats {
    struct summary summary;                               /* stored units */
    double real_min, real_max, real_mean, real_deviation; /* real units; 0 if no voxel is finite */
    float lo, hi;  /* histogram interval, stored units; integer types: half a unit past both ends */
    unsigned bins; /* 0: no histogram, since fewer than two distinct finite values */
    uint64_t counts[STATS_MAX_BINS];
    struct cells cells; /* the bins, split where many voxels are in one: percentiles are found in these */
    double split_value; /* real units: Otsu's threshold, clamped to the 5 % and 99.5 % percentiles; outliers that stretch
                         * the histogram are left out */
    double first_value; /* the same, but 0 for a field of distances, whose surface is where the sign changes */
};

/* Computes `stats` by the reduce, histogram and lower_bound ops of `iso`, on the volume it holds. `volume` gives the units.
 * Where outliers stretch the histogram, or many voxels share a value, further histograms of narrower ranges follow.
 * On a GPU, 8-bit volumes are read once: without reduce, unless one of its rungs was chosen.
 * Error: ERR_FAILED. */
int stats_compute(struct stats *stats, struct iso *iso, const struct volume *volume, struct err *err);

/* The steps of it, for a volume that is seen slab by slab (stats_slabs.h): sets what follows from the summary, and what to
 * count in voxels of `type` (no bins: nothing); what to count besides, by n values of a sample, which are put in order;
 * adds what the volume of `iso` has of that; and then the rest, from the counts. bend: stats_bend_of. Error: ERR_FAILED. */
void stats_begin(struct stats *stats, const struct summary *summary, const struct volume *volume, enum voxel_type type);
int stats_split(const struct stats *stats, struct splits *splits, float *sample, size_t n, struct err *err);
int stats_count(struct stats *stats, struct splits *splits, struct iso *iso, struct err *err);
int stats_end(struct stats *stats, const struct splits *splits, struct iso *iso, const struct volume *volume, double bend,
              struct err *err);

/* How much the values of a field bend where rows cross 0, by some of its rows. */
struct stats_bend { /* zero is an empty one */
    double bend, slope;
    size_t crossings;
    float *kept; /* owned: the rows, to be added elsewhere; NULL: they are added here */
    size_t kept_count;
};

/* Adds the rows of `block`, whose first slice is number block->first[2] of the volume; blocks come in order. */
void stats_bend_add(struct stats_bend *sum, const struct volume *volume, const struct grid *block);

/* Where only `slices` of the volume are seen, and not the first: their rows are kept, at most 4 MiB and a row, and added
 * later, in order, by whoever has seen those before. Sums of floats depend on it. stats_bend_free is to be called. Error:
 * ERR_FAILED for memory. */
int stats_bend_keep(struct stats_bend *sum, const struct volume *volume, size_t slices, struct err *err);
void stats_bend_join(struct stats_bend *sum, const struct volume *volume, const void *rows, size_t bytes);
void stats_bend_free(struct stats_bend *sum);

/* As a part of the slope there; infinite if few rows do. */
double stats_bend_of(const struct stats_bend *sum);

/* Sets *value (real units) to where `part` (0..1) of the finite voxels lie below: in the exact cell, linear within it. If
 * all voxels have one value, to that; if none is finite, to 0. Runs the lower_bound op of `iso`, which need not hold the
 * volume. Error: ERR_FAILED, and *value stays. */
int stats_percentile(const struct stats *stats, struct iso *iso, const struct volume *volume, double part, double *value,
                     struct err *err);

/* Sets *value (real units) to what `number` of that kind is. The rest as stats_percentile, which runs for ISOVALUE_PERCENT
 * alone. */
int stats_isovalue(const struct stats *stats, struct iso *iso, const struct volume *volume, enum isovalue kind,
                   double number, double *value, struct err *err);

/* How many standard deviations `value` (real units) lies above the mean; NaN: all voxels have one value. */
double stats_deviations(const struct stats *stats, double value);

/* The part (0..1) of the finite voxels below `value` (real units): exact if its cell is one value, else linear within
 * it. */
double stats_part_below(const struct stats *stats, const struct volume *volume, double value);

/* Moves *value (real units) until `step` (-1..1) more of the finite voxels lie below it, and on to the end of that cell: a
 * step thus gets past a cell that holds many times as much. Error: ERR_FAILED, and *value stays. */
int stats_step(const struct stats *stats, struct iso *iso, const struct volume *volume, double step, double *value,
               struct err *err);

#ifdef __cplusplus
}
#endif
#endif
