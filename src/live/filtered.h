/* A mesh without the parts of its surface that a filter leaves out: a second mesh; and the measures of what is left.
 *
 *    filtered_begin: fetch the mesh, if it is another; map room -> filtered_run: parts (once per mesh), triangles
 *                                                               -> filtered_end: unmap -> shown
 *
 * Begin and end belong to the thread that draws; on the CPU run may be another's, since it writes to a mesh that is not
 * drawn. The vertices are copied with the triangles, so that whoever gets the second mesh needs not know of the first.
 *
 * A surface that is to be closed is joined with its caps before, as export_edit.c does it: what caps hold together is one
 * part, and they count in its measures. The second mesh has no caps; which of them close it is said beside it, for
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
        measure; /* of what is kept, with caps: vertices, triangles, area, box; the volume if all of it is closed */
    uint64_t parts, kept; /* parts of the mesh, and those that are kept */
};

struct filtered_by {
    struct component_filter filter;
    const struct caps *border; /* closes the surface; used by filtered_begin alone. NULL: it stays open */
    struct caps_desc surface;  /* what it closes: the mesh */
};

struct filtered_caps {
    uint64_t count; /* triangles of all caps of the mesh, in the order of caps_make */
    uint32_t *kept; /* [count] 1: it belongs to a part that is kept; else 0 */
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
    struct mesh_host planes; /* its caps, until they are joined to it in `data`, */
    uint64_t cap_vertices;   /* and what is there of them: at first the room for them */
    uint64_t cap_triangles;
    uint64_t room;                        /* vertices in `data` before the indices */
    bool found;                           /* and its parts */
    uint64_t of;                          /* version of the mesh that `shown` and `facts` are of */
    struct filtered_by by[2];             /* what is shown, and what is in work */
    struct filtered_facts facts, working; /* the same, */
    struct filtered_caps caps, next_caps; /* and here; none without a filter */
    struct mesh_buffers out;
    struct err err; /* of filtered_run */
    double ms;      /* that the last run took; 0: there was none */
    uint64_t bytes; /* of memory, as known to the thread that draws */
};

/* iso: the caller's with CUDA, which outlives this; NULL: the CPU, with so many threads. target: of the meshes. */
int filtered_open(struct filtered *f, const struct mesh_target *target, struct iso *iso, int threads, struct err *err);
void filtered_close(struct filtered *f); /* one that was never opened is fine */

/* Whether `shown` and `facts` are of that mesh; and whether by that filter, and closed like that. */
bool filtered_is_of(const struct filtered *f, const struct mesh *mesh);
bool filtered_is_now(const struct filtered *f, const struct mesh *mesh, const struct filtered_by *by);

/* The mesh must not be empty. Error: ERR_FAILED, and nothing has begun. */
int filtered_begin(struct filtered *f, struct mesh *mesh, const struct volume *volume, const struct filtered_by *by,
                   struct err *err);
void filtered_run(void *filtered);                     /* leaves its error in `err` */
int filtered_end(struct filtered *f, struct err *err); /* also says what went wrong in the run */

/* All three. */
int filtered_update(struct filtered *f, struct mesh *mesh, const struct volume *volume, const struct filtered_by *by,
                    struct err *err);

#ifdef __cplusplus
}
#endif
#endif
