/* What can be done to a surface between extracting and writing it. */
#ifndef ISO_EXPORT_EDIT_H
#define ISO_EXPORT_EDIT_H

#include "caps.h"
#include "component_list.h"
#include "progress.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct export_edit {                /* zero: nothing */
    bool close;                     /* by caps, where the volume's border cuts it open (caps.h) */
    enum caps_side side;            /* what it then encloses; ignored without `close` */
    struct component_filter filter; /* the parts to write */
    int smooth;                     /* rounds of smooth_mesh */
    double keep;                    /* share of the triangles that simplify keeps, up to 1; 0: see most */
    double most;                    /* largest RMS error of simplify, world units; 0: do not simplify */
    struct progress progress;       /* of smoothing and simplifying, which take seconds; step NULL: none */
};

static inline bool export_edit_simplifies(const struct export_edit *edit) { return edit->keep > 0 || edit->most > 0; }

struct export_edited { /* of all surfaces so far */
    double error;      /* of simplify, world units: the largest of its RMS errors */
    bool short_of;     /* more than the share `keep` is left, because no more edges could be collapsed */
    uint64_t left_out; /* triangles of the parts that the filter left out */
};

/* Whether the edit moves vertices, so that normals must be computed from the triangles instead of the voxels. */
bool export_edit_moves(const struct export_edit *edit);

/* Applies all edits, in a fixed order, to a surface's mesh in voxel coordinates. Adds the outcome to *edited. Errors:
 * ERR_FAILED, also if cancelled; ERR_USAGE from caps_close. The mesh stays valid. */
int export_edit_mesh(const struct export_edit *edit, struct mesh_host *mesh, const struct iso_surface *of,
                     struct export_edited *edited, struct err *err);

/* Adds to `mesh`, the counts of the surface's mesh, what the edit would add. Sets *bytes to the most memory that
 * export_edit_mesh, and the normals after it, take besides the mesh. Error: ERR_FAILED for memory. */
int export_edit_room(const struct export_edit *edit, struct iso_layer *mesh, uint64_t *bytes, const struct iso_surface *of,
                     struct err *err);

#ifdef __cplusplus
}
#endif
#endif
