/* Caps: what closes a surface where the border of the volume cuts it open, as if all outside the volume were below the
 * isovalue. They lie in the six planes of the border, and are made of what is inside there:
 *
 *    caps_read: grid -> values on the border -> caps_make: caps, face by face -> drawn
 *                                                                             -> caps_weld: surface + caps -> closed
 *                                                                             surface
 *
 * On each face of a cell on the border, the cap ends where the cell's surface does: on ambiguous faces the same rule
 * decides (mc_subcase.h), and vertices on edges have the same bits. Its corners are voxels. */
#ifndef ISO_CAPS_H
#define ISO_CAPS_H

#include "iso.h"
#include "volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Set in vertex.normal by caps_weld: the vertex lies on a cap. */
#define CAPS_MARK (1u << 30)

/* Whether a vertex lies on a voxel, as corners of caps do, and no vertex of a surface with a margin does. */
static inline bool caps_is_voxel(const struct vertex *v)
{
    return v->x == floorf(v->x) && v->y == floorf(v->y) && v->z == floorf(v->z);
}

enum caps_side {             /* what they close the surface round */
                 CAPS_ABOVE, /* what is inside */
                 CAPS_BELOW  /* all that is not, NaN too */
};

/* The side of a surface at `value`: CAPS_BELOW for the mirrored one of a pair, at -v of v. values: of the n surfaces that are
 * shown or written with it, in real units; NAN stands for one that is not. */
enum caps_side caps_side_of(double value, const double *values, size_t n);

struct caps_desc { /* the surface that they close */
    float value;   /* stored units */
    enum caps_side side;
    enum topology rule;
};

enum { CAPS_PLANES = 6 };

struct caps_plane { /* side 0 or 1 of an axis; u and v: the two others, in their order */
    float *value;   /* (v, u); part of caps.values */
    size_t nu, nv;
    unsigned axis, side, u, v;
    bool flipped; /* counter-clockwise in u and v is clockwise seen from outside */
};

struct caps { /* zero is an empty one */
    struct caps_plane plane[CAPS_PLANES];
    float *values;    /* owned */
    struct grid grid; /* without voxels */
};

/* Reads the border of a grid in host memory; 4 bytes a voxel there. Error: ERR_FAILED for memory, and it is empty. */
int caps_read(struct caps *caps, const struct grid *grid, int threads, struct err *err);

void caps_free(struct caps *caps);

/* Bytes that it holds. */
uint64_t caps_bytes(const struct caps *caps);

/* Makes the caps of a surface into a new mesh: each plane has vertices of its own, whose normals are the plane's, and
 * triangles counter-clockwise seen from outside. Always in the same order. None at an infinite value, at NaN, and in a grid
 * without cells. CAPS_BELOW turns them over, as the surface is seen from there. Error: ERR_FAILED for memory and past
 * 32 bits; the mesh is then empty. */
int caps_make(const struct caps *caps, const struct caps_desc *of, int threads, struct mesh_host *mesh, struct err *err);

/* Counts what caps_make would make, without the memory for it. Error: ERR_FAILED for memory. */
int caps_count(const struct caps *caps, const struct caps_desc *of, int threads, uint64_t *vertices, uint64_t *triangles,
               struct err *err);

/* Joins the caps to the surface at the same value, of a grid of n[0] x n[1] x n[2] voxels, by common vertices. Surface
 * vertices keep their normals and come first. Needs vertices that lie on no voxel (grid.margin). On error, ERR_FAILED, the
 * mesh stays. */
int caps_weld(struct mesh_host *mesh, const struct mesh_host *caps, const size_t n[3], struct err *err);

/* The same where `mesh` has room for the caps, whose vertices and triangles follow its own. Those stay as they are: where
 * caps meet the surface there is no mark. It needs only the vertices of the surface: triangle_count may be 0. On error the
 * counts stay. */
int caps_append(struct mesh_host *mesh, const struct mesh_host *caps, const size_t n[3], struct err *err);

/* All of it: closes the mesh of a surface. CAPS_BELOW turns it over: triangles and normals point out of what it then
 * encloses. On error the mesh stays: ERR_USAGE for exact positions and for a soup, ERR_FAILED. */
int caps_close(struct mesh_host *mesh, const struct iso_surface *of, enum caps_side side, struct err *err);

/* Adds what the caps have to the counts of the mesh of a surface, and sets *bytes to what caps_close takes at most beside
 * the mesh and them. Error: ERR_FAILED for memory. */
int caps_close_room(struct iso_layer *mesh, uint64_t *bytes, const struct iso_surface *of, enum caps_side side,
                    struct err *err);

#ifdef __cplusplus
}
#endif
#endif
