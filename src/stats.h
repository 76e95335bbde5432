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
    struct summary summary;            /* stored units */
    double real_min, real_max, real_mean, real_deviation; /* real units; 0 where no voxel is finite */
    float lo, hi;                      /* histogram interval, stored units; integer types: half a unit past both ends */
    unsigned bins;                     /* 0: no histogram, since fewer than two distinct finite values */
    uint64_t counts[STATS_MAX_BINS];
    double first_value;                /* real units: Otsu's threshold, clamped to the 5 % and 99.5 % percentiles */
};

/* Runs reduce and histogram of `iso` on the volume that it holds. */
int stats_compute(struct stats *stats, struct iso *iso, const struct volume *volume, struct err *err);

/* Real value below which `part` (0..1) of the counted voxels lie, by the histogram. */
double stats_percentile(const struct stats *stats, const struct volume *volume, double part);

#ifdef __cplusplus
}
#endif
#endif
