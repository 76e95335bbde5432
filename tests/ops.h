/* One program tests every rung of every op of one backend against plain references: ops cpu|cuda [OP [RUNG]] [quick].
 *
 * To add an op: write op_X.c with one function that walks its cases for one rung, and add a row in ops.c. Outputs live in
 * poisoned memory between guard zones; references are brute force, in double where it matters; seeds are fixed. */
#ifndef ISO_OPS_H
#define ISO_OPS_H

#include "kernels/fused.h"
#include "iso.h"

struct env {
    struct exec exec;
    const struct backend_ops *ops;
    const struct rung *rung; /* under test */
    bool quick;              /* leave out what takes long under a checker: large grids and arrays */
    struct mc_tables tables;
    void *device_tables;
    unsigned cases, failures; /* of the rung */
};

/* Backend memory of `bytes`, filled with 0xff, between guard zones; `from` (host) is copied in if not NULL. */
void *env_memory(struct env *env, const void *from, size_t bytes);
/* Copies `bytes` to the host (to NULL: does not), checks the guards, frees. */
void env_take(struct env *env, void *memory, void *to, size_t bytes);
/* Notes what an op returned, waits for it. */
void env_ran(struct env *env, int code);
/* One comparison; what failed is printed with the case. */
void env_expect(struct env *env, bool good, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* ---- grids to run on ----------------------------------------------------------------------------------------------- */

struct sample {
    struct grid grid;   /* host */
    struct grid device; /* the same on the backend */
    float iso;
    bool all_cases; /* noise over so many cells that every case must be among them */
    char name[96];
};

/* Calls `each` for shapes, types and fields. Shapes are chosen round the strip's and brick's width, and every axis is once
 * the short one; every shape has at least 2 voxels along each. */
void each_sample(struct env *env, void (*each)(struct env *env, const struct sample *sample));

/* The same with shapes that have an axis of one voxel, and so no cells. The pipeline never asks for a mesh of these. */
void each_thin_sample(struct env *env, void (*each)(struct env *env, const struct sample *sample));

/* What classify must find, one entry per voxel, by brute force. */
struct truth {
    size_t n;
    unsigned cases; /* how many of the 256 there are */
    uint8_t *inside;
    uint32_t *vertices, *triangles; /* owned by the voxel, and by the cell that starts at it */
};
struct truth truth_of(const struct env *env, const struct sample *sample);
void truth_free(struct truth *truth);

/* Strips of either width that are right, in backend memory. counted: offsets too, totals returned. */
struct strips_sample {
    struct strips strips;
    uint64_t vertices, triangles, active;
    uint32_t *list;
};
struct strips_sample strips_of(struct env *env, const struct sample *sample, const struct truth *truth, unsigned width);
void strips_free(struct env *env, struct strips_sample *strips);

/* ---- the ops ------------------------------------------------------------------------------------------------------- */

void op_bricks(struct env *env);
void op_classify(struct env *env);
void op_scan(struct env *env);
void op_compact(struct env *env);
void op_generate(struct env *env);
void op_tally(struct env *env);
void op_reduce(struct env *env);
void op_histogram(struct env *env);
void op_fused(struct env *env);
void op_copy(struct env *env);
void op_upload(struct env *env);
void op_transpose(struct env *env);
void op_sum(struct env *env);
void op_fma_peak(struct env *env);
void op_gemm(struct env *env);
void op_gemv(struct env *env);
void op_gaussian(struct env *env);
void op_sort(struct env *env);
void op_order(struct env *env);
void op_lower_bound(struct env *env);
void op_find_equal(struct env *env);
void op_marching_squares(struct env *env);

#endif
