/* Sorts the triangles of a mesh from back to front, so that it can be drawn translucent: makes a second set of indices.
 *
 *    sorted_begin: fetch the mesh, if it is another; map room -> sorted_run: sums (once per mesh), gemv, sort, permute
 *                                                             -> sorted_end: unmap -> sorted_mesh
 *
 * Triangles are sorted by the depth of their centres along the view direction. So turning the view needs a new order,
 * and moving it does not. Call begin and end on the thread that draws. On the CPU, run may be on another thread,
 * because it writes to indices that are not drawn. The indices are permuted rather than looked up by the vertex shader.
 * This way the shaders and the transfer of a mesh need no change, and the size of a buffer that a shader can read does
 * not matter. */
#ifndef ISO_SORTED_H
#define ISO_SORTED_H

#include "iso.h"
#include "mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sorted {
    struct iso own;          /* a CPU pipeline without a volume; not open if the caller's is used */
    struct iso *iso;         /* the pipeline that computes; NULL: not open */
    struct mesh shown, next; /* only their indices are used */
    struct buffer data;      /* the mesh in the backend's memory, and working memory */
    uint64_t taken;          /* version of the mesh in `data` */
    uint64_t triangles;      /* and its number of triangles */
    uint64_t vertices;
    bool summed;                 /* the sums of their vertices are in `data` */
    uint64_t of;                 /* version of the mesh whose order is in `shown` */
    float along[2][3];           /* direction of larger depth, voxels: of what is shown, and of what is in work */
    const struct rung *by[2][2]; /* their rungs of gemv and sort */
    struct mesh_buffers out;
    struct err err; /* of sorted_run */
    double ms;      /* duration of the last run; 0: there was none */
    uint64_t bytes; /* memory in use, as known to the thread that draws */
};

/* iso: the caller's CUDA pipeline, which must outlive this; NULL: the CPU, with that many threads. target: of the
 * meshes. */
int sorted_open(struct sorted *s, const struct mesh_target *target, struct iso *iso, int threads, struct err *err);
void sorted_close(struct sorted *s); /* does nothing if it was never opened */

/* Whether there is an order for that mesh; sorted_is_now: also for that view and the chosen rungs. along: the direction
 * of larger depth, in voxel coordinates. */
bool sorted_is_of(const struct sorted *s, const struct mesh *mesh);
bool sorted_is_now(const struct sorted *s, const struct mesh *mesh, const float along[3]);

/* Returns that mesh with sorted triangles; the order must exist. Valid until anything changes. */
const struct mesh *sorted_mesh(struct sorted *s, const struct mesh *mesh);

/* The mesh must not be empty. Error: ERR_FAILED; nothing has begun then. */
int sorted_begin(struct sorted *s, struct mesh *mesh, const float along[3], struct err *err);
void sorted_run(void *sorted);                     /* leaves its error in `err` */
int sorted_end(struct sorted *s, struct err *err); /* also returns the error of the run */

/* All three in turn. */
int sorted_update(struct sorted *s, struct mesh *mesh, const float along[3], struct err *err);

#ifdef __cplusplus
}
#endif
#endif
