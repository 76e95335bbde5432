/* Caps (caps.h) beside a surface, in a mesh of their own: their vertices have the planes' normals, and the surface need not
 * know of them. The border is read once for all values. Made by the CPU, on the thread that draws. */
#ifndef ISO_CAPPED_H
#define ISO_CAPPED_H

#include "filtered.h"

#ifdef __cplusplus
extern "C" {
#endif

struct capped_of { /* what caps are made from: equal if nothing has changed */
    uint64_t epoch;
    float sigma;
};

struct capped { /* zero: not open */
    struct mesh mesh;
    struct caps border;
    struct capped_of border_of; /* epoch 0: it was not read */
    struct capped_of of;        /* what the mesh is of, */
    struct caps_desc desc;      /* the surface that they close, */
    uint64_t kept;              /* and the version of the mesh without parts that they close; 0: the whole one */
};

/* cpu: of a pipeline on the CPU, which outlives this. */
void capped_open(struct capped *c, const struct mesh_target *target, struct exec *cpu);
void capped_close(struct capped *c); /* one that was never opened is fine */

/* Whether the border is known. */
bool capped_knows(const struct capped *c, struct capped_of of);

/* Reads the border of a grid in host memory. Error: ERR_FAILED; it is not known then. */
int capped_read(struct capped *c, const struct grid *grid, struct capped_of of, struct err *err);

/* Makes the caps of a surface by the border that was read, unless they are there. of: what is left of that surface, closed;
 * only caps of that are made, and of its side. NULL: of all. On error, ERR_FAILED, there are none. */
int capped_update(struct capped *c, const struct caps_desc *desc, const struct filtered *of, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
