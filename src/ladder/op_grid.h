/* Volumes for the ops on grids, and the expected results of the pipeline stages, by brute force. */
#ifndef ISO_OP_GRID_H
#define ISO_OP_GRID_H

#include "op.h"

#ifdef __cplusplus
extern "C" {
#endif

enum field {
    FIELD_NOISE, /* whole numbers from 0 to 80: enough cells have all 256 cases */
    FIELD_BALL,
    FIELD_EMPTY,                /* all below the isovalue */
    FIELD_FULL,                 /* all above it */
    FIELD_ODD,                  /* ends of the type's range; floats: NaN, infinities, the largest and the smallest */
    FIELD_COMMON,               /* count of the fields above, which grid_each() combines with every shape */
    FIELD_BYTES = FIELD_COMMON, /* random bytes; floats include NaN and huge values */
    FIELD_STEPS,                /* whole numbers from -1000 to 1002 */
    FIELD_CONSTANT,             /* 1234.567 */
    FIELD_NAN,                  /* the same, with NaN at the middle voxel */
    FIELD_FAR,                  /* 10^6 and 10^6 + 1 alternate */
    FIELD_CORNERS,              /* the 16 cases of 2 x 2 voxels side by side along x: 100 and 200 */
    FIELD_RARE,                 /* 100 at every 65521st voxel, else 0 */
    FIELD_RIPPLES,              /* waves along x and y, between -1 and 1 */
    FIELD_VESSELS               /* the procedural volume of that name; uint8 only */
};

/* Initialisers that descriptions share: OP_ON_GRID for ops on a cube of voxels, OP_STAGE for the pipeline's stages. */
#define OP_ON_GRID .unit = "voxels along each axis", .operation = "voxel"
#define OP_STAGE OP_ON_GRID, OP_TESTED, .size = { 128, 512 }, .in_pipeline = true

struct grid_case {
    size_t n[3];
    enum voxel_type type;
    enum field field;
    float iso;
};

/* Arrays of a case on a grid; the op's own start at GRID_OWN. */
enum {
    GRID_VOXELS,
    GRID_TABLES,    /* struct mc_tables */
    TRUTH_INSIDE,   /* uint8 per voxel */
    TRUTH_VERTICES, /* uint32 per voxel: vertices on its edges and inside its cell */
    TRUTH_CELLS,    /* uint16 per voxel: subcase of the cell at this voxel, a number in struct mc_tables; 0: not active */
    TRUTH_TOTALS,   /* struct strip_totals */
    STRIP_INSIDE,   /* uint32 per strip, as in struct strips */
    STRIP_INNER,
    STRIP_VERTICES,
    STRIP_TRIANGLES,
    STRIP_FIRST_VERTEX,
    STRIP_FIRST_TRIANGLE,
    STRIP_LIST,
    GRID_OWN
};

struct strip_totals {
    uint64_t vertices, triangles;
    uint64_t inside, active_cells;
    uint64_t strips; /* with vertices or triangles: the length of the list */
    unsigned cases;  /* how many of the 256 occur */
};

/* Vessels of `size` voxels along each axis, at a good isovalue. */
struct grid_case grid_at_size(size_t size);

/* Plan: the name and GRID_VOXELS. Fill: the values of GRID_VOXELS. */
void grid_plan(struct op_case *c, const struct grid_case *g);
void grid_fill(struct op_case *c, const struct grid_case *g);
size_t grid_count(const struct grid_case *g); /* voxels; saturates */
struct grid grid_host(const struct op_case *c, const struct grid_case *g);
struct grid grid_device(const struct op_case *c, const struct grid_case *g);

/* As grid_plan and grid_fill, but for all arrays up to GRID_OWN. use: of the STRIP_ arrays. */
void grid_plan_strips(struct op_case *c, const struct grid_case *g, unsigned width, enum op_use use);
void grid_fill_strips(struct op_case *c, const struct grid_case *g, unsigned width);
struct strips grid_device_strips(const struct op_case *c, const struct grid_case *g, unsigned width);
const struct strip_totals *grid_strip_totals(const struct op_case *c);

/* Calls `each` for combinations of shape, type and field. Lengths lie around the widths of strips and bricks. Each axis
 * is the short one in some shape, and all axes have at least 2 voxels. */
void grid_each(struct op_walk *walk, void (*each)(struct op_walk *walk, const struct grid_case *g));

/* The same for shapes with an axis of one voxel, which have no cells. The pipeline never meshes such shapes. */
void grid_each_thin(struct op_walk *walk, void (*each)(struct op_walk *walk, const struct grid_case *g));

#ifdef __cplusplus
}
#endif
#endif
