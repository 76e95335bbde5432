/* Several meshes as one, so that their triangles can be put into one order: the vertices of each behind those of the one
 * before, and indices to match. A copy, as the second mesh of filtered.h is: whoever draws it needs not know of the
 * others. */
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
    uint64_t of[MERGED_MOST];    /* versions of the meshes in it; 0: none is there */
    uint32_t first[MERGED_MOST]; /* vertex that each begins at: the end of the one before */

    /* private */
    struct buffer data; /* one mesh, as the backend has it */
};

/* exec: of the backend that has the meshes; it outlives this. target: of all. */
void merged_open(struct merged *m, const struct mesh_target *target, struct exec *exec);
void merged_close(struct merged *m); /* one that was never opened is fine */

/* Puts the meshes together, unless that was done; NULL: none in that place. None of them is empty, mapped or queued. Error:
 * ERR_FAILED, and `mesh` is of nothing. */
int merged_update(struct merged *m, struct mesh *const mesh[MERGED_MOST], struct err *err);

uint64_t merged_bytes(const struct merged *m);

#ifdef __cplusplus
}
#endif
#endif
