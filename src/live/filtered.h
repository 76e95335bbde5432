/* A mesh without the parts of its surface that a filter leaves out: a second mesh; and the measures of what is left.
 *
 *    filtered_begin: fetch the mesh, if it is another; map room -> filtered_run: parts (once per mesh), triangles
 *                                                               -> filtered_end: unmap -> shown
 *
 * Begin and end belong to the thread that draws; on the CPU run may be another's, since it writes to a mesh that is not
 * drawn. The vertices are copied with the triangles, so that whoever gets the second mesh needs not know of the first. */
#ifndef ISO_FILTERED_H
#define ISO_FILTERED_H

#include "component_list.h"
#include "mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

struct filtered_facts {
    struct measure measure; /* of what is kept: vertices, triangles, area, box; the volume if all of it is closed */
    uint64_t parts, kept;   /* parts of the mesh, and those that are kept */
};

struct filtered {
    struct iso own;              /* the CPU's, without a volume; not open where the caller's computes */
    struct iso *iso;             /* that computes; NULL: not open */
    struct mesh shown, next;     /* shown: drawn in place of the mesh, if the filter leaves anything out */
    struct buffer data;          /* the mesh as the backend has it */
    struct component_list parts; /* of it, */
    struct volume volume;        /* in this world; has no voxels */
    uint64_t taken;              /* version of the mesh that is in `data`, with */
    uint64_t triangles;          /* so many, */
    uint64_t vertices;
    bool found;                           /* and its parts */
    uint64_t of;                          /* version of the mesh that `shown` and `facts` are of */
    struct component_filter by[2];        /* the filter of what is shown, and of what is in work */
    struct filtered_facts facts, working; /* the same */
    struct mesh_buffers out;
    struct err err; /* of filtered_run */
    double ms;      /* that the last run took; 0: there was none */
    uint64_t bytes; /* of memory, as known to the thread that draws */
};

/* iso: the caller's with CUDA, which outlives this; NULL: the CPU, with so many threads. target: of the meshes. */
int filtered_open(struct filtered *f, const struct mesh_target *target, struct iso *iso, int threads, struct err *err);
void filtered_close(struct filtered *f); /* one that was never opened is fine */

/* Whether `shown` and `facts` are of that mesh; and whether by that filter. */
bool filtered_is_of(const struct filtered *f, const struct mesh *mesh);
bool filtered_is_now(const struct filtered *f, const struct mesh *mesh, const struct component_filter *filter);

/* The mesh must not be empty. Error: ERR_FAILED, and nothing has begun. */
int filtered_begin(struct filtered *f, struct mesh *mesh, const struct volume *volume,
                   const struct component_filter *filter, struct err *err);
void filtered_run(void *filtered);                     /* leaves its error in `err` */
int filtered_end(struct filtered *f, struct err *err); /* also says what went wrong in the run */

/* All three. */
int filtered_update(struct filtered *f, struct mesh *mesh, const struct volume *volume,
                    const struct component_filter *filter, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
