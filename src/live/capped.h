/* Caps (caps.h) of a surface, in a mesh of their own. Their vertices have the normals of the planes, and the surface
 * stays unchanged. The border is read once for all values. The CPU makes the caps, on the thread that draws. */
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
    struct capped_of border_of; /* epoch 0: not read */
    struct capped_of of;        /* what the mesh was made from */
    struct caps_desc desc;      /* the surface that the caps close */
    uint64_t kept;              /* version of the filtered mesh that they close; 0: they close all of it */
};

/* cpu: of a pipeline on the CPU, which must outlive this. */
void capped_open(struct capped *c, const struct mesh_target *target, struct exec *cpu);
void capped_close(struct capped *c); /* does nothing if it was never opened */

/* Whether the border is known. */
bool capped_knows(const struct capped *c, struct capped_of of);

/* Reads the border of a grid in host memory. Error: ERR_FAILED; the border is then unknown. */
int capped_read(struct capped *c, const struct grid *grid, struct capped_of of, struct err *err);

/* Makes the caps of a surface from the border that was read, unless they exist. of: the filtered, closed surface; only
 * caps of its parts, and of its side, are made. NULL: all caps are made. Error: ERR_FAILED; there are no caps then. */
int capped_update(struct capped *c, const struct caps_desc *desc, const struct filtered *of, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
