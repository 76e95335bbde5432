/* count_cells: strips -> how many voxels are inside, how many cells the surface crosses, and how many vertices lie
 * inside cells.
 *
 * It serves reports, not the frame, so one implementation per backend is enough: it is a member of struct backend_ops.
 * Reads only the inside and inner bits of the strips. `out` is in the backend's memory. Returns 0 or the backend's
 * code; queued, as every op is. */
#ifndef ISO_COUNT_CELLS_H
#define ISO_COUNT_CELLS_H

#include "backend.h"
#include "strips.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cell_counts {
    uint64_t inside; /* voxels */
    uint64_t active; /* cells whose corners are not all on one side */
    uint64_t inner;  /* vertices inside cells */
};

int count_cells_cpu(const struct strips *strips, struct cell_counts *out, struct exec *x);
int count_cells_cuda(const struct strips *strips, struct cell_counts *out, struct exec *x);

#ifdef __cplusplus
}
#endif
#endif
