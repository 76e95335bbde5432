/* What fused_cpu.c drives, compiled once per instruction set: fused_rows.c, fused_avx2.c, fused_avx512.c. */
#ifndef ISO_FUSED_LEVEL_H
#define ISO_FUSED_LEVEL_H

#include "fused.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A slab is one layer of bricks, 4 slices of voxels. */
struct fused_level {
    bool (*available)(void);
    /* What a slab holds. */
    void (*count)(const struct fused_desc *desc, size_t slab, struct fused_counts *counts, void *memory);
    /* Writes the mesh of slabs [begin, end), of which `start` is owned by the slabs before. */
    void (*emit)(const struct fused_desc *desc, size_t begin, size_t end, struct fused_counts start, void *memory);
    size_t (*memory)(const struct bricks *bricks); /* bytes that emit needs, a multiple of 64 */
};

extern const struct fused_level fused_rows, fused_avx2, fused_avx512;

#ifdef __cplusplus
}
#endif
#endif
