/* Leaves out parts of a surface: makes a second mesh of what the filter keeps, and measures it.
 *
 *    filtered_begin: fetch the mesh, if it is another; map room -> filtered_run: parts (once per mesh), triangles
 *                                                               -> filtered_end: unmap -> shown
 *
 * Call begin and end on the thread that draws. On the CPU, run may be on another thread, because it writes to a mesh
 * that is not drawn. The vertices are copied along with the triangles, so users of the second mesh need not know of the
 * first.
 *
 * A surface that is to be closed is first joined with its caps, as in export_edit.c: parts that a cap connects are one
 * part, and caps count in the measures. The second mesh has no caps; filtered_caps says which of them close it, for
 * capped.h. */
#ifndef ISO_FILTERED_H
#define ISO_FILTERED_H

#include "caps.h"
#include "component_list.h"
#include "mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

struct filtered_facts {
    struct measure
        measure; /* of what is kept, with caps: vertices, triangles, area, box; the volume only if all of it is closed */
    uint64_t parts, kept; /* parts of the mesh, and of what is kept */
};

struct filtered_by {
    struct component_filter filter;
    const struct caps *border; /* closes the surface; only filtered_begin uses it. NULL: it stays open */
    struct caps_desc surface;  /* the surface that it closes */
};

struct filtered_caps {
    uint64_t count; /* number of cap triangles of the mesh, in the order of caps_make */
    uint32_t *kept; /* [count] 1: the triangle belongs to a part that is kept; else 0 */
};

struct filtered {
    struct iso own;              /* a CPU pipeline without a volume; not open if the caller's is used */
    struct iso *iso;             /* the pipeline that computes; NULL: not open */
    struct mesh shown, next;     /* shown: drawn instead of the mesh if the filter leaves anything out */
    struct buffer data;          /* the mesh in the backend's memory */
    struct component_list parts; /* parts of the mesh in `data` */
    struct volume volume;        /* world coordinates for measures; without voxels */
    uint64_t taken;              /* version of the mesh in `data` */
    uint64_t triangles;          /* and its number of triangles */
    uint64_t vertices;
    struct mesh_host planes; /* its caps, until they are joined to the mesh in `data` */
    uint64_t cap_vertices;   /* number of cap vertices; before caps are made, the room for them */
    uint64_t cap_triangles;
    uint64_t room;                        /* space for vertices in `data`, before the indices */
    bool found;                           /* the parts of the mesh in `data` are known */
    uint64_t of;                          /* version of the mesh that `shown` and `facts` describe */
    struct filtered_by by[2];             /* of what is shown, and of what is in work */
    struct filtered_facts facts, working; /* of what is shown, and of what is in work */
    struct filtered_caps caps, next_caps; /* the same; none without a filter */
    struct mesh_buffers out;
    struct err err; /* of filtered_run */
    double ms;      /* duration of the last run; 0: there was none */
    uint64_t bytes; /* memory in use, as known to the thread that draws */
};

/* iso: the caller's CUDA pipeline, which must outlive this; NULL: the CPU, with that many threads. target: of the
 * meshes. */
int filtered_open(struct filtered *f, const struct mesh_target *target, struct iso *iso, int threads, struct err *err);
void filtered_close(struct filtered *f); /* does nothing if it was never opened */

/* Whether `shown` and `facts` describe that mesh; filtered_is_now: also with that filter and that closing. */
bool filtered_is_of(const struct filtered *f, const struct mesh *mesh);
bool filtered_is_now(const struct filtered *f, const struct mesh *mesh, const struct filtered_by *by);

/* The mesh must not be empty. Error: ERR_FAILED; nothing has begun then. */
int filtered_begin(struct filtered *f, struct mesh *mesh, const struct volume *volume, const struct filtered_by *by,
                   struct err *err);
void filtered_run(void *filtered);                     /* leaves its error in `err` */
int filtered_end(struct filtered *f, struct err *err); /* also returns the error of the run */

/* All three in turn. */
int filtered_update(struct filtered *f, struct mesh *mesh, const struct volume *volume, const struct filtered_by *by,
                    struct err *err);

#ifdef __cplusplus
}
#endif
#endif
