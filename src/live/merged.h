/* Merges several meshes into one, so that their triangles can be sorted together. The vertices of the meshes follow one
 * another, and the indices are adjusted. It is a copy, so users of it need not know of the others. */
#ifndef ISO_MERGED_H
#define ISO_MERGED_H

#include "buffer.h"
#include "mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MERGED_MOST = 4 };

struct merged { /* zero: not open */
    struct mesh mesh;
    uint64_t of[MERGED_MOST];    /* versions of the meshes in it; 0: none */
    uint32_t first[MERGED_MOST]; /* first vertex of each mesh, which is the end of the one before */

    /* private */
    struct buffer data; /* one mesh, in the backend's memory */
};

/* exec: of the backend that has the meshes; it must outlive this. target: of all meshes. */
void merged_open(struct merged *m, const struct mesh_target *target, struct exec *exec);
void merged_close(struct merged *m); /* does nothing if it was never opened */

/* Merges the meshes, unless that was done; NULL: no mesh in that place. None of them may be empty, mapped or queued.
 * Error: ERR_FAILED; `mesh` is then of nothing. */
int merged_update(struct merged *m, struct mesh *const mesh[MERGED_MOST], struct err *err);

uint64_t merged_bytes(const struct merged *m);

#ifdef __cplusplus
}
#endif
#endif
