/* What the panel and `info` say of a volume's values: range, mean, histogram, percentiles, a good first isovalue. */
#ifndef ISO_STATS_H
#define ISO_STATS_H

#include "iso.h"
#include "volume.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STATS_MAX_BINS 1024

struct stats {
    struct summary summary;                               /* stored units */
    double real_min, real_max, real_mean, real_deviation; /* real units; 0 where no voxel is finite */
    float lo, hi;  /* histogram interval, stored units; integer types: half a unit past both ends */
    unsigned bins; /* 0: no histogram, since fewer than two distinct finite values */
    uint64_t counts[STATS_MAX_BINS];
    double first_value; /* real units: Otsu's threshold, clamped to the 5 % and 99.5 % percentiles */
};

/* Runs reduce and histogram of `iso` on the volume that it holds. */
int stats_compute(struct stats *stats, struct iso *iso, const struct volume *volume, struct err *err);

/* The real value below which `part` (0..1) of the finite voxels lie: linear within a bin of the histogram, and exact as to
 * which bin, however many voxels there are. By the op search on `iso`, which need not hold the volume. On error *value stays.
 * Where all voxels have one value it is that, where none is finite 0. */
int stats_percentile(const struct stats *stats, struct iso *iso, const struct volume *volume, double part, double *value,
                     struct err *err);

/* Part of the finite voxels below a real value: exact where each bin is one value, else linear within the bin. */
double stats_part_below(const struct stats *stats, const struct volume *volume, double value);

/* Moves *value up or down until `step` (-1..1) more of the finite voxels lie below it, on to the end of the bin that is
 * reached, so that it gets past a bin that holds many times as much. */
int stats_step(const struct stats *stats, struct iso *iso, const struct volume *volume, double step, double *value,
               struct err *err);

#ifdef __cplusplus
}
#endif
#endif
