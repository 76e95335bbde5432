/* The connected parts of a surface: found, measured, listed, and left out where they are too small.
 *
 *    component_list_find: mesh -> labels -> numbers -> measures -> list, the largest area first
 *    component_list_filter: the triangles of the parts that a filter keeps
 *
 * The mesh stays the caller's and unchanged, in the memory of the backend; with CUDA all but the list is computed there.
 * List and result are the same on every backend. A soup has no parts: its triangles share no vertices. */
#ifndef ISO_COMPONENT_LIST_H
#define ISO_COMPONENT_LIST_H

#include "measure.h"

#ifdef __cplusplus
extern "C" {
#endif

struct component {
    struct measure measure;
    double size;     /* longest side of its box, world units */
    uint32_t number; /* parts in the order of their first vertices, from 0 */
};

struct component_filter { /* zero keeps everything */
    double min_size;      /* parts whose `size` is smaller are left out; world units, or percent of the longest */
    bool percent;
    uint64_t keep; /* of the others the largest so many, by area; 0: all */
};

struct component_list { /* zero is an empty one */
    struct component *list;
    uint64_t count;
    uint64_t vertices, triangles; /* of the mesh */

    /* private */
    struct parts_desc desc;
    struct buffer labels, parts, kept, mesh; /* memory of the backend */
    const struct backend_ops *ops;
};

static inline bool component_filter_is_on(const struct component_filter *f) { return f->min_size > 0 || f->keep > 0; }

/* Whether the filter leaves out a part as large as the volume: what caps make of a surface without triangles. Alone it is
 * the largest, whatever `percent` and `keep` say. */
bool component_filter_leaves_none(const struct component_filter *filter, const struct volume *volume);

/* Whether each triangle has vertices of its own: only the eight corners of the volume can make such triangles else. */
static inline bool component_list_is_soup(uint64_t vertices, uint64_t triangles)
{
    return triangles > 8 && vertices == 3 * triangles;
}

/* Finds the parts of `mesh`, memory of the backend, in the world of `volume`. It must stay until the last
 * component_list_filter. Uses the rungs and the scratch of `iso`, whose volume and counts do not matter. Buffers are kept
 * for the next mesh. Errors: ERR_USAGE for a soup, ERR_FAILED; the list is then empty. */
int component_list_find(struct component_list *c, struct iso *iso, const struct volume *volume, const struct mesh_out *mesh,
                        uint64_t vertices, uint64_t triangles, struct err *err);

/* component_list_find for a mesh in host memory, which CUDA gets a copy of. */
int component_list_find_host(struct component_list *c, struct iso *iso, const struct volume *volume,
                             const struct mesh_host *mesh, struct err *err);

/* Sets how many of the listed parts the filter keeps, and their measures taken together: closed if all of them are. */
void component_list_sum(const struct component_list *c, const struct component_filter *filter, uint64_t *parts,
                        struct measure *sum);

/* Bytes that component_list_filter_host takes at most beside a mesh of so many vertices and triangles. */
uint64_t component_list_filter_bytes(uint64_t vertices, uint64_t triangles);

/* Memory of the backend, bytes. */
uint64_t component_list_bytes(const struct component_list *c);

/* Writes the triangles of the parts that the filter keeps to `indices`, memory of the backend with room for those that
 * component_list_sum tells, in their order. Waits. Error: ERR_FAILED. */
int component_list_filter(struct component_list *c, struct iso *iso, const struct component_filter *filter,
                          uint32_t *indices, struct err *err);

/* Says of each triangle from number `from` on whether the last component_list_filter has kept it: 1 or 0, in host memory.
 * Waits. Error: ERR_FAILED. */
int component_list_kept(const struct component_list *c, struct iso *iso, uint64_t from, uint32_t *kept, struct err *err);

/* Leaves only what the filter keeps in a mesh in host memory: triangles, and the vertices that they use. Errors: those of
 * component_list_find; the mesh can then only be freed. */
int component_list_filter_host(struct mesh_host *mesh, struct iso *iso, const struct volume *volume,
                               const struct component_filter *filter, struct err *err);

/* Frees everything; before the backend is closed. */
void component_list_free(struct component_list *c);

#ifdef __cplusplus
}
#endif
#endif
