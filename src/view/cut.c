#include "cut.h"

#include <GL/glew.h>

#define UNIFORM_CUT 20

static bool is_plane(const float plane[4]) { return plane[0] != 0 || plane[1] != 0 || plane[2] != 0; }

void cut_begin(const struct cut *cut, unsigned program, unsigned step)
{
    float planes[CUT_PLANES][4];
    for (int i = 0; i < CUT_PLANES; i++) {
        for (int a = 0; a < 4; a++) planes[i][a] = cut->plane[i][a] * (a < 3 ? (float)step : 1);
        if (is_plane(cut->plane[i])) glEnable(GL_CLIP_DISTANCE0 + (GLenum)i);
    }
    glProgramUniform4fv(program, UNIFORM_CUT, CUT_PLANES, &planes[0][0]);
}

void cut_end(void)
{
    for (int i = 0; i < CUT_PLANES; i++) glDisable(GL_CLIP_DISTANCE0 + (GLenum)i);
}

bool cut_hides(const struct cut *cut, const double voxel[3], double margin)
{
    for (int i = 0; i < CUT_PLANES; i++) {
        const float *plane = cut->plane[i];
        if (plane[0] * voxel[0] + plane[1] * voxel[1] + plane[2] * voxel[2] + plane[3] < -margin) return true;
    }
    return false;
}
