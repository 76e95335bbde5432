/* Statistics of a volume that does not fit into memory, and counts and measures of its surface: the numbers of
 * stats_compute, iso_count and measure_mesh on the CPU, bit for bit, computed slab by slab. The file is read twice, or four
 * times if the value is a percentile. Each of several processes (team.h) reads a range of slices. Rank 0 merges sums of
 * floats in the order of the volume. */
#ifndef ISO_STREAM_INFO_H
#define ISO_STREAM_INFO_H

#include "measure.h"
#include "stats.h"
#include "store.h"
#include "team.h"

#ifdef __cplusplus
extern "C" {
#endif

struct stream_info_desc {
    const struct store *store;
    bool surface;     /* count and measure the surface at `value`, */
    enum isovalue in; /* which is this */
    double value;
    uint64_t memory; /* bytes that the process may take, including a few MiB for itself */
    size_t layers;   /* of bricks, the most that a slab owns; 0: as many as are worth it */
    struct progress progress;
    struct team *team; /* NULL: alone */
};

struct stream_info {
    struct stats stats;
    double value; /* real units */
    struct cell_counts cells;
    uint64_t vertices, triangles;
    struct measure measure;
    bool gaps; /* parts of the volume are missing in the file: store_has_gaps */
};

/* With several processes, only rank 0 gets all of `info`. iso: on the CPU; it has no volume afterwards. Errors: ERR_INPUT;
 * ERR_FAILED, also if desc->memory is too small or it was cancelled. */
int stream_info_find(struct stream_info *info, const struct stream_info_desc *desc, struct iso *iso, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
