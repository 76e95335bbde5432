/* Verifies the surface of a volume that does not fit into memory against its voxels: computes the numbers of
 * mesh_topology_find and grid_topology_find slab by slab. The file is read twice. The first pass finds the truth from the
 * voxels, and the counts of layers. The second makes the mesh, and does not read what holds no surface (ranges.h). */
#ifndef ISO_STREAM_VERIFY_H
#define ISO_STREAM_VERIFY_H

#include "iso.h"
#include "store.h"
#include "verify.h"

#ifdef __cplusplus
extern "C" {
#endif

struct stream_verify_desc {
    const struct store *store;
    double value;    /* real units */
    uint64_t memory; /* bytes that the process may take, including a few MiB for itself */
    size_t layers;   /* of bricks, the most that a slab owns; 0: as many as are worth it */
    struct progress progress;
};

struct stream_verify {
    struct mesh_topology mesh;
    struct grid_topology voxels;
};

/* Finds both, for verify_judge. iso: on the CPU; it has no volume afterwards. Errors: ERR_INPUT; ERR_USAGE for NaN;
 * ERR_FAILED, also if desc->memory is too small or it was cancelled. */
int stream_verify_find(struct stream_verify *found, const struct stream_verify_desc *desc, struct iso *iso,
                       struct err *err);

#ifdef __cplusplus
}
#endif
#endif
