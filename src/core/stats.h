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
    float lo, hi;  /* histogram interval, stored units; integers: half a unit past both ends */
    unsigned bins; /* 0: no histogram (fewer than two distinct finite values) */
    uint64_t counts[STATS_MAX_BINS];
    struct cells cells; /* the bins, split where one has many voxels; percentiles are looked up here */
    double split_value; /* real units: Otsu's threshold, clamped to the 5 % and 99.5 % percentiles; without outliers that
                         * stretch the histogram */
    double first_value; /* the same, but 0 for a distance field, whose surface is where the sign changes */
};

/* Computes `stats` of the volume that `iso` holds, by its reduce, histogram and lower_bound ops. `volume` gives the units.
 * If outliers stretch the histogram, or many voxels share a value, further histograms of narrower ranges follow.
 * On a GPU, 8-bit volumes are read only once, without reduce, unless one of reduce's rungs was chosen.
 * Error: ERR_FAILED. */
int stats_compute(struct stats *stats, struct iso *iso, const struct volume *volume, struct err *err);

/* The steps of stats_compute, for a volume that is seen slab by slab (stats_slabs.h):
 *
 *    stats_begin  sets what follows from the summary, and what to count in voxels of `type` (no bins: nothing)
 *    stats_split  decides what else to count, from n values of a sample, which it sorts
 *    stats_count  adds the counts of the volume of `iso`
 *    stats_end    sets the rest from the counts. bend: stats_bend_of
 *
 * Error: ERR_FAILED. */
void stats_begin(struct stats *stats, const struct summary *summary, const struct volume *volume, enum voxel_type type);
int stats_split(const struct stats *stats, struct splits *splits, float *sample, size_t n, struct err *err);
int stats_count(struct stats *stats, struct splits *splits, struct iso *iso, struct err *err);
int stats_end(struct stats *stats, const struct splits *splits, struct iso *iso, const struct volume *volume, double bend,
              struct err *err);

/* How much the values of a field bend where its rows cross 0, measured on some of the rows. */
struct stats_bend { /* zero is an empty one */
    double bend, slope;
    size_t crossings;
    float *kept; /* owned: rows that another process will add; NULL: they are added here */
    size_t kept_count;
};

/* Adds the rows of `block`, whose first slice is number block->first[2] of the volume. Blocks must come in order. */
void stats_bend_add(struct stats_bend *sum, const struct volume *volume, const struct grid *block);

/* For a process that sees only `slices` slices of the volume, and not the first ones. Their rows are kept, at most 4 MiB
 * and a row. The process that has seen the slices before adds them later with stats_bend_join, because float sums depend on
 * the order. The caller must call stats_bend_free. Error: ERR_FAILED for memory. */
int stats_bend_keep(struct stats_bend *sum, const struct volume *volume, size_t slices, struct err *err);
void stats_bend_join(struct stats_bend *sum, const struct volume *volume, const void *rows, size_t bytes);
void stats_bend_free(struct stats_bend *sum);

/* Returns the bend as a fraction of the slope at the crossings; infinite if too few rows cross 0. */
double stats_bend_of(const struct stats_bend *sum);

/* Sets *value (real units) to the value below which the fraction `part` (0..1) of the finite voxels lies. The cell is
 * exact; within it the value is interpolated linearly. If all voxels have one value, *value is that; if none is finite, 0.
 * Runs the lower_bound op of `iso`, which need not hold the volume. Error: ERR_FAILED, and *value is unchanged. */
int stats_percentile(const struct stats *stats, struct iso *iso, const struct volume *volume, double part, double *value,
                     struct err *err);

/* Converts `number` of that kind to *value (real units). ISOVALUE_PERCENT is stats_percentile, with its errors, but kept to
 * the volume's values; other kinds run no op. */
int stats_isovalue(const struct stats *stats, struct iso *iso, const struct volume *volume, enum isovalue kind,
                   double number, double *value, struct err *err);

/* How many standard deviations `value` (real units) lies above the mean; NaN: all voxels have one value. */
double stats_deviations(const struct stats *stats, double value);

/* The fraction (0..1) of the finite voxels below `value` (real units): exact if its cell is a single value, else linear
 * within the cell. */
double stats_part_below(const struct stats *stats, const struct volume *volume, double value);

/* Moves *value (real units) until the fraction of finite voxels below it has changed by `step` (-1..1), and then on to the
 * end of that cell. So a step gets past a cell that holds many times as much. Error: ERR_FAILED, and *value is
 * unchanged. */
int stats_step(const struct stats *stats, struct iso *iso, const struct volume *volume, double step, double *value,
               struct err *err);

#ifdef __cplusplus
}
#endif
#endif
