/* What fused_cpu.c drives, compiled once per instruction set: fused_rows.c, fused_avx2.c, fused_avx512.c. */
#ifndef ISO_FUSED_CPU_H
#define ISO_FUSED_CPU_H

#include "fused.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A slab is one layer of bricks, 4 slices of voxels. What is known of its active bricks is kept in `slab`: memory() bytes,
 * aligned to 64, left to the level. */
struct fused_isa {
    bool (*available)(void);
    size_t (*memory)(const struct bricks *bricks);
    /* Reads slab z, none if past the last; *counts is what it holds. Its vertices and triangles are numbered from 0. */
    void (*find)(const struct fused_desc *desc, size_t z, void *slab, struct fused_counts *counts);
    /* Writes the mesh of a slab. before[0]: what comes before it, before[1]: before the one above. */
    void (*emit)(const struct fused_desc *desc, const void *slab, const void *above, const struct fused_counts before[2]);
};

extern const struct fused_isa fused_rows, fused_avx2, fused_avx512;

#ifdef __cplusplus
}
#endif
#endif
