/* What fused_cpu.c drives: one implementation per instruction set, in fused_cpu_rows.c, fused_cpu_avx2.c,
 * fused_cpu_avx512.c and fused_cpu_gather.c. */
#ifndef ISO_FUSED_CPU_H
#define ISO_FUSED_CPU_H

#include "fused.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A slab is one layer of bricks, 4 slices of voxels. `slab` holds the records of its active bricks: memory() bytes,
 * aligned to 64, private to the implementation. */
struct fused_isa {
    size_t (*memory)(const struct bricks *bricks);
    /* Reads slab z; z past the last layer stands for an empty slab. *counts: what the slab holds; its vertices and
     * triangles are numbered from 0. */
    void (*find)(const struct fused_desc *desc, size_t z, void *slab, struct fused_counts *counts);
    /* Writes the mesh of a slab. before[0]: the counts of all slabs before this one; before[1]: of all slabs before the
     * one above. */
    void (*emit)(const struct fused_desc *desc, const void *slab, const void *above, const struct fused_counts before[2]);
};

extern const struct fused_isa fused_rows, fused_avx2, fused_avx512, fused_gather;

/* Whether this machine is of a kind on which fused_gather was measured to be faster than fused_avx512. */
bool fused_gather_is_quick(void);

#ifdef __cplusplus
}
#endif
#endif
