/* Half spaces that are not drawn, so that the inside of a surface is seen. OpenGL clips vertices, not pixels: what is cut away
 * has no depth either, so nothing there is picked. */
#ifndef ISO_CUT_H
#define ISO_CUT_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CUT_PLANES = 4 };

struct cut { /* zero: everything is drawn */
    /* A point p (voxel coordinates) is drawn if plane[i][0..2] . p + plane[i][3] is not negative for any i. */
    float plane[CUT_PLANES][4];
};

/* Makes the shader `program`, whose vertices are in units of `step` voxels, leave out what is cut away. The shader has
 * `layout(location = 20) uniform vec4 cut[4]` and writes gl_ClipDistance. Until cut_end, no other shader may be used. */
void cut_begin(const struct cut *cut, unsigned program, unsigned step);
void cut_end(void);

/* Returns whether the point is cut away. Within `margin` of a plane, in multiples of its normal, it is not. */
bool cut_hides(const struct cut *cut, const double voxel[3], double margin);

#ifdef __cplusplus
}
#endif
#endif
