/* The triangles of a mesh from back to front, so that it can be drawn translucent: a second set of indices.
 *
 *    sorted_begin: fetch the mesh, if it is another; map room -> sorted_run: sums (once per mesh), gemv, sort, permute
 *                                                             -> sorted_end: unmap -> sorted_mesh
 *
 * Triangles are ordered by the depth of their centres along the view, so that turning asks for a new order and moving does
 * not. Begin and end belong to the thread that draws; on the CPU run may be another's, since it writes to indices that are
 * not drawn. Indices are permuted, rather than looked up by the vertex shader: the shaders and the path of a mesh stay as
 * they are, and nothing depends on how large a buffer a shader may read. */
#ifndef ISO_SORTED_H
#define ISO_SORTED_H

#include "iso.h"
#include "mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sorted {
    struct iso own;          /* the CPU's, without a volume; not open where the caller's computes */
    struct iso *iso;         /* that computes; NULL: not open */
    struct mesh shown, next; /* only their indices are used */
    struct buffer data;      /* the mesh as the backend has it, and what sorting needs */
    uint64_t taken;          /* version of the mesh that is in `data`, with */
    uint64_t triangles;      /* so many, */
    uint64_t vertices;
    bool summed;                 /* and their sums */
    uint64_t of;                 /* version of the mesh whose order is in `shown` */
    float along[2][3];           /* the view of what is shown, and of what is in work: towards larger depth, in voxels */
    const struct rung *by[2][2]; /* and the rungs of gemv and sort */
    struct mesh_buffers out;
    struct err err; /* of sorted_run */
    double ms;      /* that the last run took; 0: there was none */
    uint64_t bytes; /* of memory, as known to the thread that draws */
};

/* iso: the caller's with CUDA, which outlives this; NULL: the CPU, with so many threads. target: of the meshes. */
int sorted_open(struct sorted *s, const struct mesh_target *target, struct iso *iso, int threads, struct err *err);
void sorted_close(struct sorted *s); /* one that was never opened is fine */

/* Whether there is an order of that mesh; and whether it is by that view and the chosen rungs. along: the direction of
 * larger depth, in voxel coordinates. */
bool sorted_is_of(const struct sorted *s, const struct mesh *mesh);
bool sorted_is_now(const struct sorted *s, const struct mesh *mesh, const float along[3]);

/* That mesh in its order, which there must be: to be drawn until anything changes. */
const struct mesh *sorted_mesh(struct sorted *s, const struct mesh *mesh);

/* The mesh must not be empty. Error: ERR_FAILED, and nothing has begun. */
int sorted_begin(struct sorted *s, struct mesh *mesh, const float along[3], struct err *err);
void sorted_run(void *sorted);                     /* leaves its error in `err` */
int sorted_end(struct sorted *s, struct err *err); /* also says what went wrong in the run */

/* All three. */
int sorted_update(struct sorted *s, struct mesh *mesh, const float along[3], struct err *err);

#ifdef __cplusplus
}
#endif
#endif
