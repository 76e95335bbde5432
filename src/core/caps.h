/* Caps close a surface where the border of the volume cuts it open, as if everything outside the volume were below the
 * isovalue. They lie in the six planes of the border and cover what is inside there:
 *
 *    caps_read: grid -> values on the border -> caps_make: caps, face by face -> drawn
 *                                                                             -> caps_weld: surface + caps -> closed
 *                                                                             surface
 *
 * On each cell face on the border, the cap ends exactly where the cell's surface ends. The same rule decides ambiguous
 * faces (mc_subcase.h), and vertices on edges have the same bits. The other corners of a cap are voxels. */
#ifndef ISO_CAPS_H
#define ISO_CAPS_H

#include "iso.h"
#include "volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Set in vertex.normal by caps_weld: the vertex lies on a cap. */
#define CAPS_MARK (1u << 30)

/* Whether a vertex lies on a voxel. Corners of caps do; vertices of a surface with a margin never do. */
static inline bool caps_is_voxel(const struct vertex *v)
{
    return v->x == floorf(v->x) && v->y == floorf(v->y) && v->z == floorf(v->z);
}

enum caps_side {             /* what the closed surface encloses */
                 CAPS_ABOVE, /* what is inside */
                 CAPS_BELOW  /* everything else, including NaN */
};

/* Returns the side for a surface at `value`: CAPS_BELOW if it is the negative one of a pair -v and v, else CAPS_ABOVE.
 * values: of the n surfaces that are shown or written together, in real units; NAN for one that is not. */
enum caps_side caps_side_of(double value, const double *values, size_t n);

struct caps_desc { /* the surface to close */
    float value;   /* stored units */
    enum caps_side side;
    enum topology rule;
};

enum { CAPS_PLANES = 6 };

struct caps_plane { /* side 0 or 1 of an axis; u and v: the two others, in their order */
    float *value;   /* (v, u); part of caps.values */
    size_t nu, nv;
    unsigned axis, side, u, v;
    bool flipped; /* counter-clockwise in (u, v) is clockwise seen from outside */
};

struct caps { /* zero is an empty one */
    struct caps_plane plane[CAPS_PLANES];
    float *values;    /* owned */
    struct grid grid; /* without voxels */
};

/* Reads the border of a grid in host memory; takes 4 bytes per voxel of the border. Error: ERR_FAILED for memory; `caps` is
 * then empty. */
int caps_read(struct caps *caps, const struct grid *grid, int threads, struct err *err);

void caps_free(struct caps *caps);

/* Bytes that `caps` holds. */
uint64_t caps_bytes(const struct caps *caps);

/* Makes the caps of a surface as a new mesh, always in the same order. Each plane has its own vertices, with the plane's
 * normal, and triangles that are counter-clockwise seen from outside. CAPS_BELOW turns them over, because its surface is
 * seen from the other side. There are no caps at an infinite value, at NaN, or in a grid without cells. Error:
 * ERR_FAILED for memory and past 32 bits; the mesh is then empty. */
int caps_make(const struct caps *caps, const struct caps_desc *of, int threads, struct mesh_host *mesh, struct err *err);

/* Counts what caps_make would make, without allocating it. Error: ERR_FAILED for memory. */
int caps_count(const struct caps *caps, const struct caps_desc *of, int threads, uint64_t *vertices, uint64_t *triangles,
               struct err *err);

/* Joins the caps to the surface at the same value, of a grid of n[0] x n[1] x n[2] voxels, by sharing vertices. Surface
 * vertices keep their normals and come first. No surface vertex may lie on a voxel (grid.margin). On error (ERR_FAILED) the
 * mesh is unchanged. */
int caps_weld(struct mesh_host *mesh, const struct mesh_host *caps, const size_t n[3], struct err *err);

/* The same for a mesh with room for the caps. Their vertices and triangles are appended; the mesh's own stay unchanged, so
 * vertices where caps meet the surface get no mark. Only the surface's vertices are needed: triangle_count may be 0. On
 * error the counts are unchanged. */
int caps_append(struct mesh_host *mesh, const struct mesh_host *caps, const size_t n[3], struct err *err);

/* All steps in one: closes the mesh of a surface. CAPS_BELOW turns it over, so that triangles and normals point out of what
 * it then encloses. Errors: ERR_USAGE for exact positions and for a soup, ERR_FAILED; the mesh is then unchanged. */
int caps_close(struct mesh_host *mesh, const struct iso_surface *of, enum caps_side side, struct err *err);

/* Adds the counts of the caps to `mesh`, the counts of the surface's mesh. Sets *bytes to the most memory that caps_close
 * takes besides mesh and caps. Error: ERR_FAILED for memory. */
int caps_close_room(struct iso_layer *mesh, uint64_t *bytes, const struct iso_surface *of, enum caps_side side,
                    struct err *err);

#ifdef __cplusplus
}
#endif
#endif
