#include "cut.h"

#include <GL/glew.h>

#include <math.h>

#define UNIFORM_CUT 20

void cut_planes(const struct cut *cut, unsigned step, float plane[CUT_PLANES][4])
{
    for (int i = 0; i < CUT_PLANES; i++) {
        const bool on = cut->side[i] > CUT_BORDER;
        for (int a = 0; a < 4; a++) plane[i][a] = on ? cut->plane[i][a] * (a < 3 ? (float)step : 1) : a == 3;
    }
}

/* Planes that are not enabled have distance 1, because llvmpipe (Mesa 22.3) clips by everything that a shader writes if
 * none is enabled. */
void cut_begin(const struct cut *cut, unsigned program, unsigned step)
{
    float planes[CUT_PLANES][4];
    cut_planes(cut, step, planes);
    for (int i = 0; i < CUT_PLANES; i++)
        if (cut->side[i] > CUT_BORDER) glEnable(GL_CLIP_DISTANCE0 + (GLenum)i);
    glProgramUniform4fv(program, UNIFORM_CUT, CUT_PLANES, &planes[0][0]);
}

void cut_end(void)
{
    for (int i = 0; i < CUT_PLANES; i++) glDisable(GL_CLIP_DISTANCE0 + (GLenum)i);
}

static double distance(const float plane[4], const double voxel[3])
{
    return plane[0] * voxel[0] + plane[1] * voxel[1] + plane[2] * voxel[2] + plane[3];
}

bool cut_hides(const struct cut *cut, const double voxel[3], double margin)
{
    for (int i = 0; i < CUT_PLANES; i++)
        if (cut->side[i] > CUT_BORDER && distance(cut->plane[i], voxel) < -margin) return true;
    return false;
}

bool cut_bares(const struct cut *cut, const double voxel[3], double margin)
{
    if (cut_hides(cut, voxel, margin)) return false;
    for (int i = 0; i < CUT_PLANES; i++)
        if (cut->side[i] == CUT_BARE && fabs(distance(cut->plane[i], voxel)) <= margin) return true;
    return false;
}

struct cut cut_entries(const struct cut *cut, const double eye[4])
{
    struct cut entries = *cut;
    for (int i = 0; i < CUT_PLANES; i++) {
        const float *p = cut->plane[i];
        if (p[0] * eye[0] + p[1] * eye[1] + p[2] * eye[2] + p[3] * eye[3] > 0) entries.side[i] = CUT_NONE;
    }
    return entries;
}

bool cut_is_any(const struct cut *cut)
{
    bool any = false;
    for (int i = 0; i < CUT_PLANES; i++) any = any || cut->side[i] > CUT_BORDER;
    return any;
}

bool cut_is_bare(const struct cut *cut)
{
    for (int i = 0; i < CUT_PLANES; i++)
        if (cut->side[i] == CUT_BARE) return true;
    return false;
}
