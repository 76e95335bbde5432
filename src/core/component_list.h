/* The connected parts of a surface: find, measure and list them, and leave out those that are too small.
 *
 *    component_list_find: mesh -> labels -> numbers -> measures -> list, the largest area first
 *    component_list_filter: the triangles of the parts that a filter keeps
 *
 * The mesh belongs to the caller, lies in backend memory and is not changed. With CUDA, everything but the list is computed
 * on the GPU. List and result are the same on every backend. A soup has no parts, because its triangles share no
 * vertices. */
#ifndef ISO_COMPONENT_LIST_H
#define ISO_COMPONENT_LIST_H

#include "measure.h"

#ifdef __cplusplus
extern "C" {
#endif

struct component {
    struct measure measure;
    double size;     /* longest side of its box, world units */
    uint32_t number; /* from 0, in the order of the parts' first vertices */
};

struct component_filter { /* zero keeps everything */
    double min_size;      /* leave out parts with a smaller `size`; world units, or percent of the longest */
    bool percent;
    uint64_t keep; /* keep so many of the others, the largest by area; 0: all */
};

struct component_list { /* zero is an empty one */
    struct component *list;
    uint64_t count;
    uint64_t vertices, triangles; /* of the mesh */

    /* private */
    struct parts_desc desc;
    struct buffer labels, parts, kept, mesh; /* backend memory */
    const struct backend_ops *ops;
};

static inline bool component_filter_is_on(const struct component_filter *f) { return f->min_size > 0 || f->keep > 0; }

/* Whether the filter leaves out a part as large as the volume, which is what caps make of a surface without triangles. As
 * the only part it is the largest, so `percent` and `keep` never leave it out. */
bool component_filter_leaves_none(const struct component_filter *filter, const struct volume *volume);

/* Whether each triangle has its own vertices. Without a soup, only the eight corners of the volume can cause such
 * triangles. */
static inline bool component_list_is_soup(uint64_t vertices, uint64_t triangles)
{
    return triangles > 8 && vertices == 3 * triangles;
}

/* Finds the parts of `mesh`, in backend memory and in the world of `volume`. The mesh must exist until the last
 * component_list_filter. Uses the rungs and the scratch of `iso`; its volume and counts do not matter. Buffers are kept for
 * the next mesh. Errors: ERR_USAGE for a soup, ERR_FAILED; the list is then empty. */
int component_list_find(struct component_list *c, struct iso *iso, const struct volume *volume, const struct mesh_out *mesh,
                        uint64_t vertices, uint64_t triangles, struct err *err);

/* component_list_find for a mesh in host memory. It is copied to the GPU for CUDA. */
int component_list_find_host(struct component_list *c, struct iso *iso, const struct volume *volume,
                             const struct mesh_host *mesh, struct err *err);

/* Sets *parts to how many of the listed parts the filter keeps, and *sum to their combined measure: closed if all of them
 * are. */
void component_list_sum(const struct component_list *c, const struct component_filter *filter, uint64_t *parts,
                        struct measure *sum);

/* The most bytes that component_list_filter_host takes besides a mesh of this size. */
uint64_t component_list_filter_bytes(uint64_t vertices, uint64_t triangles);

/* Bytes of backend memory. */
uint64_t component_list_bytes(const struct component_list *c);

/* Writes the triangles of the parts that the filter keeps to `indices`, in their order. `indices` is backend memory with
 * room for as many as component_list_sum counts. Waits. Error: ERR_FAILED. */
int component_list_filter(struct component_list *c, struct iso *iso, const struct component_filter *filter,
                          uint32_t *indices, struct err *err);

/* For each triangle from number `from` on, sets kept[] (host memory) to 1 if the last component_list_filter kept it, else
 * to 0. Waits. Error: ERR_FAILED. */
int component_list_kept(const struct component_list *c, struct iso *iso, uint64_t from, uint32_t *kept, struct err *err);

/* Removes from a mesh in host memory all triangles that the filter does not keep, and the vertices that are then unused.
 * Errors: as component_list_find; after one, the mesh can only be freed. */
int component_list_filter_host(struct mesh_host *mesh, struct iso *iso, const struct volume *volume,
                               const struct component_filter *filter, struct err *err);

/* Frees everything. Call it before the backend is closed. */
void component_list_free(struct component_list *c);

#ifdef __cplusplus
}
#endif
#endif
