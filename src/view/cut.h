/* Half spaces that are not drawn, so that the inside of a surface becomes visible. OpenGL clips geometry, not pixels,
 * so what is cut away has no depth either, and cannot be picked. The rest of the volume is convex: six sides, and one
 * in any direction. */
#ifndef ISO_CUT_H
#define ISO_CUT_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CUT_PLANES = 7 };

enum cut_side {
    CUT_NONE,   /* there is no such side */
    CUT_BORDER, /* the volume's own side: nothing is cut away */
    CUT_SLICE,  /* a slice is drawn in it */
    CUT_BARE    /* a cut without a slice */
};

struct cut { /* zero: everything is drawn */
    /* A point p (voxel coordinates) is drawn if plane[i][0..2] . p + plane[i][3] is not negative for any i. */
    float plane[CUT_PLANES][4];
    enum cut_side side[CUT_PLANES];
};

/* Gives the planes in units of `step` voxels. A plane that cuts nothing away has everything on its positive side. */
void cut_planes(const struct cut *cut, unsigned step, float plane[CUT_PLANES][4]);

/* Makes the shader `program`, whose vertices are in units of `step` voxels, leave out what is cut away. The shader must
 * have `layout(location = 20) uniform vec4 cut[7]` and write gl_ClipDistance. Until cut_end, no other shader may be
 * used. */
void cut_begin(const struct cut *cut, unsigned program, unsigned step);
void cut_end(void);

/* Returns whether the point is cut away. Points within `margin` of a plane, in multiples of its normal, are not. */
bool cut_hides(const struct cut *cut, const double voxel[3], double margin);

/* Returns whether the point lies within `margin` of a bare side and is not cut away. */
bool cut_bares(const struct cut *cut, const double voxel[3], double margin);

/* Returns the sides through which lines of sight enter, for `eye` as camera_eye gives it. */
struct cut cut_entries(const struct cut *cut, const double eye[4]);

/* Returns whether any side cuts something away. */
bool cut_is_any(const struct cut *cut);

/* Returns whether any side is bare. */
bool cut_is_bare(const struct cut *cut);

#ifdef __cplusplus
}
#endif
#endif
