/* corner_sums and gather_triangles: together with gemv and sort, all that is needed to draw triangles from back to
 * front. shift_indices: what is needed to append one mesh to another.
 *
 *    vertices, indices --corner_sums--> rows of a matrix --gemv--> depths --sort--> order
 *                            indices, order --gather_triangles--> indices
 *
 * All are plain gathers with one implementation per backend: members of struct backend_ops. The sum of a triangle's
 * corners is three times its centroid; the factor does not change the order. The sums stay valid as long as the mesh
 * does; the rest is done for each view. All arrays are in the backend's memory; outputs do not overlap inputs. All
 * return 0 or the backend's code; queued, as every op is. */
#ifndef ISO_TRIANGLES_H
#define ISO_TRIANGLES_H

#include "backend.h"
#include "grid.h"

#ifdef __cplusplus
extern "C" {
#endif

/* sums: (n, 3), one row per triangle; indices: (n, 3). */
int corner_sums_cpu(const struct vertex *vertices, const uint32_t *indices, float *sums, size_t n, struct exec *x);
int corner_sums_cuda(const struct vertex *vertices, const uint32_t *indices, float *sums, size_t n, struct exec *x);

/* out: (n, 3), row i is row order[i] of indices. Each order[i] is below n. */
int gather_triangles_cpu(const uint32_t *indices, const uint32_t *order, uint32_t *out, size_t n, struct exec *x);
int gather_triangles_cuda(const uint32_t *indices, const uint32_t *order, uint32_t *out, size_t n, struct exec *x);

/* out: (n,), indices[i] + by. */
int shift_indices_cpu(const uint32_t *indices, uint32_t by, uint32_t *out, size_t n, struct exec *x);
int shift_indices_cuda(const uint32_t *indices, uint32_t by, uint32_t *out, size_t n, struct exec *x);

/* The same bits on every backend. */
ISO_FN void corner_sum(const struct vertex *a, const struct vertex *b, const struct vertex *c, float sum[3])
{
    sum[0] = a->x + b->x + c->x;
    sum[1] = a->y + b->y + c->y;
    sum[2] = a->z + b->z + c->z;
}

#ifdef __cplusplus
}
#endif
#endif
