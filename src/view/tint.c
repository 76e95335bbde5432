#include "tint.h"
#include "gl.h"
#include "slice.h"

#include <GL/glew.h>
#include <cglm/cglm.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_VOXELS ((size_t)1 << 24) /* of the texture: 64 MiB */
#define PART 0.99                     /* part of the voxels less steep than the last colour: few are much steeper */

enum { BINS = 4096, EVERY = 3 }; /* bins of the histogram of steepness; every third voxel along each axis is counted */
enum { UNIFORM_TINT = 50, UNIFORM_HEIGHT, UNIFORM_FIELD, UNIFORM_SLOPE, UNIFORM_MAP }; /* shaders/paint.glsl */
enum { UNIT_FIELD = 4 };

void tint_title(const struct tint *tint, const struct volume *volume, char title[64])
{
    const char *unit = volume->unit;
    if (tint->by == TINT_GRADIENT) snprintf(title, 64, "gradient%s%s", *unit ? ", 1/" : "", unit);
    else snprintf(title, 64, "%s%s%s", tint_name[tint->by], *unit ? ", " : "", unit);
}

/* ---- the texture ----------------------------------------------------------------------------------------------------- */

static size_t choose_step(const struct grid *g)
{
    for (size_t step = 1;; step++) {
        const size_t nx = (g->nx - 1) / step + 1, ny = (g->ny - 1) / step + 1, nz = (g->nz - 1) / step + 1;
        if (nx * ny * nz <= MOST_VOXELS) return step;
    }
}

/* Picks every step-th voxel; NULL: no memory. */
static float *pick(const struct tint *t, const struct grid *g)
{
    float *values = malloc(t->dims[0] * t->dims[1] * t->dims[2] * sizeof *values);
    float *slice = malloc(g->nx * g->ny * sizeof *slice), *to = values;
    for (size_t z = 0; z < t->dims[2] && values && slice; z++) {
        slice_values(g, 2, z * t->step, slice);
        for (size_t y = 0; y < t->dims[1]; y++)
            for (size_t x = 0; x < t->dims[0]; x++) *to++ = slice[y * t->step * g->nx + x * t->step];
    }
    if (!slice) free(values), values = NULL;
    free(slice);
    return values;
}

/* Matrix from differences of neighbours in the texture to the gradient in the world: the transposed inverse of the
 * directions. */
static void find_slope(const struct tint *t, double slope[3][3])
{
    mat3 directions, inverse;
    for (int a = 0; a < 3; a++) /* column a: the step along axis a */
        for (int i = 0; i < 3; i++) directions[a][i] = (float)t->direction[i][a];
    glm_mat3_inv(directions, inverse);
    for (int i = 0; i < 3; i++)
        for (int a = 0; a < 3; a++) slope[i][a] = (double)inverse[i][a] * t->slope / (2 * (double)t->step);
}

static double steepness(const struct tint *t, const double slope[3][3], const float *at)
{
    const size_t stride[3] = { 1, t->dims[0], t->dims[0] * t->dims[1] };
    double sum = 0, difference[3];
    for (int a = 0; a < 3; a++) difference[a] = (double)at[stride[a]] - (double)*(at - stride[a]);
    for (int i = 0; i < 3; i++) {
        const double along = slope[i][0] * difference[0] + slope[i][1] * difference[1] + slope[i][2] * difference[2];
        sum += along * along;
    }
    return sqrt(sum);
}

/* Calls `take` for some of the inner voxels. */
static void look_around(const struct tint *t, const float *values, void (*take)(void *context, double steepness),
                        void *context)
{
    double slope[3][3];
    find_slope(t, slope);
    for (size_t z = 1; z + 1 < t->dims[2]; z += EVERY)
        for (size_t y = 1; y + 1 < t->dims[1]; y += EVERY)
            for (size_t x = 1; x + 1 < t->dims[0]; x += EVERY) {
                const double steep = steepness(t, (const double(*)[3])slope,
                                               values + (z * t->dims[1] + y) * t->dims[0] + x);
                if (isfinite(steep)) take(context, steep);
            }
}

struct histogram {
    double most;
    size_t count, bin[BINS];
};

static void take_most(void *histogram, double steep)
{
    struct histogram *h = histogram;
    h->most = fmax(h->most, steep);
}

static void take_bin(void *histogram, double steep)
{
    struct histogram *h = histogram;
    if (!(steep > 0)) return; /* flat regions: no surface passes there */
    h->bin[(size_t)fmin(BINS - 1, steep / h->most * BINS)]++;
    h->count++;
}

static double find_steepest(const struct tint *t, const float *values)
{
    struct histogram h = { .most = 0 };
    size_t below = 0;
    int bin = 0;
    look_around(t, values, take_most, &h);
    if (!(h.most > 0)) return 1;
    look_around(t, values, take_bin, &h);
    while (bin < BINS - 1 && (double)(below += h.bin[bin]) < PART * (double)h.count) bin++;
    return h.most * (bin + 1) / BINS;
}

static int fill(struct tint *t, const float *values, struct err *err)
{
    gl_forget_errors();
    glCreateTextures(GL_TEXTURE_3D, 1, &t->texture);
    gl_label(GL_TEXTURE, t->texture, "values");
    glTextureStorage3D(t->texture, 1, GL_R32F, (GLsizei)t->dims[0], (GLsizei)t->dims[1], (GLsizei)t->dims[2]);
    glTextureParameteri(t->texture, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTextureParameteri(t->texture, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    for (GLenum side = 0; side < 3; side++)
        glTextureParameteri(t->texture, (const GLenum[]){ GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T, GL_TEXTURE_WRAP_R }[side],
                            GL_CLAMP_TO_EDGE);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glTextureSubImage3D(t->texture, 0, 0, 0, 0, (GLsizei)t->dims[0], (GLsizei)t->dims[1], (GLsizei)t->dims[2], GL_RED,
                        GL_FLOAT, values);
    if (glGetError() == GL_NO_ERROR) return ERR_NONE;
    tint_drop(t);
    return err_set(err, ERR_GL, "OpenGL has no memory for colours by gradient: %zu x %zu x %zu values", t->dims[0],
                   t->dims[1], t->dims[2]);
}

static int make_texture(struct tint *t, const struct grid *g, struct err *err)
{
    if (t->texture) return ERR_NONE;
    t->step = choose_step(g);
    t->dims[0] = (g->nx - 1) / t->step + 1, t->dims[1] = (g->ny - 1) / t->step + 1, t->dims[2] = (g->nz - 1) / t->step + 1;
    float *values = pick(t, g);
    if (!values) return err_set(err, ERR_FAILED, "not enough memory for colours by gradient");
    t->steepest = find_steepest(t, values);
    const int code = fill(t, values, err);
    free(values);
    return code;
}

void tint_drop(struct tint *tint)
{
    if (tint->texture) glDeleteTextures(1, &tint->texture);
    tint->texture = 0;
}

/* ---- the quantity ---------------------------------------------------------------------------------------------------- */

/* Sets the range to that of a world coordinate in the volume. */
static void find_range(struct tint *t, const struct volume *volume, int axis)
{
    const size_t n[3] = { volume->grid.nx, volume->grid.ny, volume->grid.nz };
    t->range[0] = t->range[1] = volume->origin[axis];
    for (int a = 0; a < 3; a++) {
        const double reach = volume->direction[axis][a] * (double)(n[a] - 1);
        t->range[reach > 0] += reach;
    }
}

int tint_choose(struct tint *tint, enum tint_by by, const struct volume *volume, struct err *err)
{
    tint->by = TINT_NONE;
    memcpy(tint->direction, volume->direction, sizeof tint->direction);
    memcpy(tint->origin, volume->origin, sizeof tint->origin);
    tint->slope = volume->slope;
    if (by == TINT_GRADIENT && make_texture(tint, &volume->grid, err)) return err->code;
    tint->by = by;
    tint->range[0] = 0, tint->range[1] = tint->steepest;
    if (by >= TINT_X && by <= TINT_Z) find_range(tint, volume, by - TINT_X);
    return ERR_NONE;
}

/* ---- drawing --------------------------------------------------------------------------------------------------------- */

static void find_voxels(const struct camera *camera, double aspect, mat4 voxel_from_view)
{
    struct camera_matrices m;
    mat4 view = GLM_MAT4_ZERO_INIT;
    camera_transform(camera, aspect, &m);
    memcpy(view, m.view_from_voxel, sizeof view);
    glm_mat4_inv(view, voxel_from_view);
}

/* Sets the position in the map along a world axis, as a function of a point (x, y, z, 1) of the view. */
static void apply_height(const struct tint *t, GLuint program, mat4 voxel_from_view)
{
    const int axis = (int)t->by - TINT_X;
    const double scale = 1 / (t->range[1] - t->range[0]);
    vec4 height;
    for (int c = 0; c < 4; c++) {
        double sum = c == 3 ? t->origin[axis] - t->range[0] : 0;
        for (int a = 0; a < 3; a++) sum += t->direction[axis][a] * (double)voxel_from_view[c][a];
        height[c] = (float)(sum * scale);
    }
    glProgramUniform4fv(program, UNIFORM_HEIGHT, 1, height);
}

static void apply_gradient(const struct tint *t, GLuint program, mat4 voxel_from_view)
{
    double slope[3][3];
    float columns[9];
    mat4 field;
    find_slope(t, slope);
    for (int i = 0; i < 9; i++) columns[i] = (float)(slope[i % 3][i / 3] / t->range[1]);
    for (int c = 0; c < 4; c++)
        for (int a = 0; a < 4; a++) {
            const float size = a < 3 ? (float)(t->dims[a] * t->step) : 1;
            field[c][a] = (voxel_from_view[c][a] + (c == 3 && a < 3 ? 0.5f * (float)t->step : 0)) / size;
        }
    glProgramUniformMatrix4fv(program, UNIFORM_FIELD, 1, GL_FALSE, field[0]);
    glProgramUniformMatrix3fv(program, UNIFORM_SLOPE, 1, GL_FALSE, columns);
    glBindTextureUnit(UNIT_FIELD, t->texture);
}

void tint_apply(const struct tint *tint, unsigned program, const struct camera *camera, double aspect)
{
    const enum tint_by by = tint ? tint->by : TINT_NONE;
    mat4 voxel_from_view = GLM_MAT4_IDENTITY_INIT;
    glProgramUniform1i(program, UNIFORM_TINT, by == TINT_GRADIENT ? 2 : by != TINT_NONE);
    if (by == TINT_NONE) return;
    find_voxels(camera, aspect, voxel_from_view);
    (by == TINT_GRADIENT ? apply_gradient : apply_height)(tint, program, voxel_from_view);
    glProgramUniform3fv(program, UNIFORM_MAP, COLOUR_MAP_STOPS, &colour_maps[tint->map].stop[0][0]);
}
