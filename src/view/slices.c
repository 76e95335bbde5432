#include "slices.h"
#include "gl.h"

#include <GL/glew.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Locations in shaders/slice.* and shaders/contour.* */
enum {
    UNIFORM_CLIP_VOXEL,
    UNIFORM_VIEW_VOXEL,
    UNIFORM_CLIP_VIEW,
    UNIFORM_AXIS,
    UNIFORM_INDEX,
    UNIFORM_SIZE,
    UNIFORM_WINDOW,
    UNIFORM_VALUES,
    UNIFORM_PIXELS,
    UNIFORM_MAP = UNIFORM_PIXELS, /* in slice.frag */
    UNIFORM_HALF,
    UNIFORM_LINE,
    UNIFORM_EDGE
};
enum { ATTRIBUTE_SEGMENT };

static const struct shader_files plane_files = { { "shaders/slice.vert", "shaders/slice.frag" } },
                                 contour_files = { { "shaders/contour.vert", "shaders/contour.frag" } };

#define LINE_PART (1 / 400.0f) /* width of the contour as a part of the image's height; at least two pixels */
#define EDGE_PART 1.0f         /* width of its dark edge, as a part of its half width; at least 1.5 pixels */
#define ON_PLANE 0.05          /* voxels: tolerance for errors of the depth buffer and the matrices */

static const char *const texture_name[SLICE_AXES] = { "slice x", "slice y", "slice z" };
static const char *const contour_name[SLICE_AXES] = { "contour x", "contour y", "contour z" };

/* ---- which planes -------------------------------------------------------------------------------------------------- */

void slices_set_volume(struct slices *slices, const struct volume *volume)
{
    size_t dims[3];
    slice_dims(&volume->grid, dims);
    memcpy(slices->every, volume->every, sizeof slices->every);
    memcpy(slices->first, volume->first, sizeof slices->first);
    for (int a = 0; a < 3; a++) slices->last[a] = (volume->all[a] ? (size_t)volume->all[a] : dims[a]) - 1;
    if (memcmp(dims, slices->dims, sizeof dims)) {
        slices->knife.on = false;
        crop_reset(&slices->crop, dims);
    }
    memcpy(slices->dims, dims, sizeof dims);
    for (int a = 0; a < SLICE_AXES; a++) {
        struct slice_plane *plane = &slices->plane[a];
        plane->index = (slices->dims[a] - 1) / 2;
        if (plane->texture) glDeleteTextures(1, &plane->texture); /* has the old size */
        plane->texture = 0;
        plane->texture_filled = false;
        for (int i = 0; i < SLICE_LINES; i++) plane->line[i].segments = 0;
    }
}

int slices_choose(struct slices *slices, const bool given[SLICE_AXES], const uint64_t index[SLICE_AXES],
                  const int cut[SLICE_AXES], struct err *err)
{
    for (int a = 0; a < SLICE_AXES; a++)
        if (given[a] && index[a] > slices->last[a])
            return err_set(err, ERR_USAGE, "--slice %c=%llu: this volume has voxels 0 to %zu along %c", 'x' + a,
                           (unsigned long long)index[a], slices->last[a], 'x' + a);
    for (int a = 0; a < SLICE_AXES; a++) {
        struct slice_plane *plane = &slices->plane[a];
        if (given[a]) plane->on = true, plane->index = slices_nearest(slices, a, (size_t)index[a]), plane->cut = cut[a];
    }
    return ERR_NONE;
}

static double every(const struct slices *slices, int axis) { return slices->every[axis] > 0 ? slices->every[axis] : 1; }

double slices_in_file(const struct slices *slices, int axis, double place)
{
    return slices->first[axis] + every(slices, axis) * place;
}

double slices_here(const struct slices *slices, int axis, double place)
{
    return (place - slices->first[axis]) / every(slices, axis);
}

/* The whole number nearest to `place`, the lower one of two, but not beyond `last`. */
static size_t nearest(double place, size_t last)
{
    const double whole = ceil(place - 0.5);
    return whole >= (double)last ? last : whole > 0 ? (size_t)whole : 0;
}

size_t slices_voxel(const struct slices *slices, int axis, size_t index)
{
    return nearest(slices_in_file(slices, axis, (double)index), slices->last[axis]);
}

size_t slices_nearest(const struct slices *slices, int axis, size_t index)
{
    return nearest(slices_here(slices, axis, (double)index), slices->dims[axis] - 1);
}

void slices_keep_places(struct slices *slices, const struct slices *before)
{
    for (int a = 0; a < SLICE_AXES; a++)
        slices->plane[a].index = slices_nearest(slices, a, slices_voxel(before, a, before->plane[a].index));
    slices->knife = before->knife;
    slices_knife_in_file(before, &slices->knife);
    slices_knife_here(slices, &slices->knife);
    crop_reset(&slices->crop, slices->dims);
    for (int i = 0; i < CROP_SIDES; i++) {
        const double place = slices_in_file(before, i / 2, before->crop.side[i]);
        if (before->crop.side[i] != crop_end(before->dims, i))
            crop_move(&slices->crop, slices->dims, i, slices_here(slices, i / 2, place));
    }
    slices->crop.on = before->crop.on;
}

void slices_set_window(struct slices *slices, const struct volume *volume, const double window[2])
{
    slices->low = volume_iso(volume, window[0]);
    slices->high = volume_iso(volume, window[1]);
}

bool slices_any(const struct slices *slices) { return slices->plane[0].on || slices->plane[1].on || slices->plane[2].on; }

void slices_extend(const struct slices *slices, double low[3], double high[3])
{
    for (int a = 0; a < SLICE_AXES; a++) {
        const struct slice_plane *plane = &slices->plane[a];
        for (int i = 0; i < 3 && plane->on; i++) {
            low[i] = fmin(low[i], i == a ? (double)plane->index : 0);
            high[i] = fmax(high[i], (double)(i == a ? plane->index : slices->dims[i] - 1));
        }
    }
}

int slices_at(const struct slices *slices, const double voxel[3])
{
    int nearest = -1;
    double best = ON_PLANE;
    for (int a = 0; a < SLICE_AXES; a++) {
        const double off = fabs(voxel[a] - (double)slices->plane[a].index);
        if (slices->plane[a].on && off < best) nearest = a, best = off;
    }
    return nearest;
}

/* ---- objects ------------------------------------------------------------------------------------------------------- */

static void drop_plane(struct slice_plane *plane)
{
    if (plane->texture) glDeleteTextures(1, &plane->texture);
    for (int i = 0; i < SLICE_LINES; i++) {
        if (plane->line[i].array) glDeleteVertexArrays(1, &plane->line[i].array);
        if (plane->line[i].buffer) glDeleteBuffers(1, &plane->line[i].buffer);
    }
    *plane = (struct slice_plane){ .index = plane->index };
}

void slices_close(struct slices *slices)
{
    for (int a = 0; a < SLICE_AXES; a++) drop_plane(&slices->plane[a]);
    for (int i = 0; i < SLICES_SHADERS; i++) shader_close(&slices->shader[i]);
    if (slices->no_attributes) glDeleteVertexArrays(1, &slices->no_attributes);
    slices->no_attributes = 0;
}

/* ---- textures ------------------------------------------------------------------------------------------------------ */

static int make_texture(struct slice_plane *plane, unsigned axis, const size_t size[2], struct err *err)
{
    GLint most = 0;
    if (plane->texture) return ERR_NONE;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &most);
    if (size[0] > (size_t)most || size[1] > (size_t)most)
        return err_set(err, ERR_GL, "a slice of %zu x %zu voxels cannot be drawn: OpenGL takes %d along each axis here",
                       size[0], size[1], most);
    glCreateTextures(GL_TEXTURE_2D, 1, &plane->texture);
    gl_label(GL_TEXTURE, plane->texture, texture_name[axis]);
    glTextureStorage2D(plane->texture, 1, GL_R32F, (GLsizei)size[0], (GLsizei)size[1]);
    glTextureParameteri(plane->texture, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTextureParameteri(plane->texture, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTextureParameteri(plane->texture, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTextureParameteri(plane->texture, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return ERR_NONE;
}

static int fill_texture(struct slice_plane *plane, unsigned axis, const struct grid *host, struct err *err)
{
    size_t size[2];
    slice_size(host, axis, size);
    if (make_texture(plane, axis, size, err)) return ERR_GL;
    float *values = malloc(size[0] * size[1] * sizeof *values);
    if (!values) return err_set(err, ERR_FAILED, "not enough memory for a slice of %zu x %zu voxels", size[0], size[1]);
    slice_values(host, axis, plane->index, values);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glTextureSubImage2D(plane->texture, 0, 0, 0, (GLsizei)size[0], (GLsizei)size[1], GL_RED, GL_FLOAT, values);
    free(values);
    plane->texture_index = plane->index;
    plane->texture_filled = true;
    return ERR_NONE;
}

/* ---- contours ------------------------------------------------------------------------------------------------------ */

/* Gives the buffer the capacity of the contour in host memory, so that both grow at the same time. */
static void fit_buffer(struct slice_line *line, int axis, uint64_t capacity)
{
    if (capacity <= line->capacity) return;
    if (line->buffer) glDeleteBuffers(1, &line->buffer);
    if (!line->array) {
        glCreateVertexArrays(1, &line->array);
        gl_label(GL_VERTEX_ARRAY, line->array, contour_name[axis]);
        glEnableVertexArrayAttrib(line->array, ATTRIBUTE_SEGMENT);
        glVertexArrayAttribFormat(line->array, ATTRIBUTE_SEGMENT, 4, GL_FLOAT, GL_FALSE, 0);
        glVertexArrayAttribBinding(line->array, ATTRIBUTE_SEGMENT, 0);
        glVertexArrayBindingDivisor(line->array, 0, 1);
    }
    glCreateBuffers(1, &line->buffer);
    gl_label(GL_BUFFER, line->buffer, contour_name[axis]);
    glNamedBufferStorage(line->buffer, (GLsizeiptr)(capacity * sizeof(struct segment)), NULL, GL_DYNAMIC_STORAGE_BIT);
    glVertexArrayVertexBuffer(line->array, 0, line->buffer, 0, sizeof(struct segment));
    line->capacity = capacity;
}

static void take_contour(struct slice_line *line, int axis, const struct contour *contour)
{
    if (!contour) {
        line->segments = 0;
        return;
    }
    fit_buffer(line, axis, contour->capacity);
    line->segments = contour->count;
    if (contour->count)
        glNamedBufferSubData(line->buffer, 0, (GLsizeiptr)(contour->count * sizeof *contour->segments), contour->segments);
}

/* ---- update -------------------------------------------------------------------------------------------------------- */

/* Closes all slices on an error, or if OpenGL has no memory. */
static int finish(struct slices *slices, int code, struct err *err)
{
    if (!code && glGetError() != GL_NO_ERROR) code = err_set(err, ERR_GL, "OpenGL has no memory for slices");
    if (code) slices_close(slices);
    return code;
}

int slices_update(struct slices *slices, const struct grid *host, struct err *err)
{
    struct shader *shader = slices->shader;
    if (!slices_any(slices) || !host->voxels) return ERR_NONE;
    gl_forget_errors();
    if (!slices->no_attributes) glCreateVertexArrays(1, &slices->no_attributes);
    int code = shader_need(&shader[SLICES_PLANE], plane_files, err);
    if (!code) code = shader_need(&shader[SLICES_CONTOUR], contour_files, err);
    for (unsigned a = 0; a < SLICE_AXES && !code; a++) {
        struct slice_plane *plane = &slices->plane[a];
        if (plane->on && !(plane->texture_filled && plane->texture_index == plane->index))
            code = fill_texture(plane, a, host, err);
    }
    return finish(slices, code, err);
}

int slices_take(struct slices *slices, int number, const struct contour contour[SLICE_AXES], struct err *err)
{
    gl_forget_errors();
    for (unsigned a = 0; a < SLICE_AXES; a++)
        if (slices->plane[a].on) take_contour(&slices->plane[a].line[number], (int)a, contour ? &contour[a] : NULL);
    return finish(slices, ERR_NONE, err);
}

void slices_colour_line(struct slices *slices, int number, const float colour[3])
{
    slices->line_coloured[number] = colour != NULL;
    if (colour) memcpy(slices->line_colour[number], colour, sizeof slices->line_colour[number]);
}

/* ---- drawing ------------------------------------------------------------------------------------------------------- */

/* Prepares drawing of a plane, until cut_end. */
static void set_plane(GLuint program, const struct slices *slices, int axis)
{
    struct cut cut;
    slices_cut(slices, axis, &cut);
    cut_begin(&cut, program, 1);
    glProgramUniform1i(program, UNIFORM_AXIS, axis);
    glProgramUniform1f(program, UNIFORM_INDEX, (float)slices->plane[axis].index);
}

static void draw_planes(const struct slices *slices, const struct camera_matrices *m)
{
    const GLuint program = slices->shader[SLICES_PLANE].program;
    const float range = slices->high - slices->low;
    glProgramUniformMatrix4fv(program, UNIFORM_CLIP_VOXEL, 1, GL_FALSE, m->clip_from_voxel);
    glProgramUniform2f(program, UNIFORM_WINDOW, slices->low, range > 0 ? 1 / range : 0);
    glProgramUniform3fv(program, UNIFORM_MAP, COLOUR_MAP_STOPS, &colour_maps[slices->map].stop[0][0]);
    glUseProgram(program);
    glBindVertexArray(slices->no_attributes); /* nothing is drawn without one */
    for (int a = 0; a < SLICE_AXES; a++) {
        unsigned uv[2];
        if (!slices->plane[a].on) continue;
        slice_uv((unsigned)a, uv);
        set_plane(program, slices, a);
        glProgramUniform2f(program, UNIFORM_SIZE, (float)slices->dims[uv[0]], (float)slices->dims[uv[1]]);
        glBindTextureUnit(0, slices->plane[a].texture);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
        cut_end();
    }
}

/* Draws the contours of all surfaces: their dark edges (`edge` pixels beyond the line), or the lines on top (edge 0). */
static void draw_lines(const struct slices *slices, GLuint program, float edge)
{
    static const float white[3] = { 1, 1, 1 }, dark[3] = { 0.04f, 0.05f, 0.06f };
    glProgramUniform1f(program, UNIFORM_EDGE, edge);
    for (int a = 0; a < SLICE_AXES; a++) {
        if (!slices->plane[a].on) continue;
        set_plane(program, slices, a);
        for (int i = 0; i < SLICE_LINES; i++) {
            const struct slice_line *line = &slices->plane[a].line[i];
            const float *own = slices->line_coloured[i] ? slices->line_colour[i] : white;
            if (!line->segments) continue;
            glProgramUniform3fv(program, UNIFORM_LINE, 1, edge > 0 ? dark : own);
            glBindVertexArray(line->array);
            glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)line->segments);
        }
        cut_end();
    }
}

/* Blends the smooth edges. Writes no depth, because lines would cut into each other where they meet. */
static void draw_contours(const struct slices *slices, const struct camera_matrices *m, const float pixels[2], int height)
{
    const GLuint program = slices->shader[SLICES_CONTOUR].program;
    const float half_width = fmaxf(1, 0.5f * LINE_PART * (float)height);
    glProgramUniformMatrix4fv(program, UNIFORM_VIEW_VOXEL, 1, GL_FALSE, m->view_from_voxel);
    glProgramUniformMatrix4fv(program, UNIFORM_CLIP_VIEW, 1, GL_FALSE, m->clip_from_view);
    glProgramUniform2fv(program, UNIFORM_PIXELS, 1, pixels);
    glProgramUniform1f(program, UNIFORM_HALF, half_width);
    glUseProgram(program);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glDepthMask(GL_FALSE);
    draw_lines(slices, program, fmaxf(1.5f, EDGE_PART * half_width));
    draw_lines(slices, program, 0);
    glDepthMask(GL_TRUE);
    glDisable(GL_BLEND);
}

void slices_draw(const struct slices *slices, const struct camera *camera, int width, int height)
{
    struct camera_matrices matrices;
    float pixels[2];
    if (!slices_any(slices)) return;
    camera_transform(camera, (double)width / height, &matrices);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LESS);
    glDepthMask(GL_TRUE);
    draw_planes(slices, &matrices);
    camera_part(camera, width, height, pixels);
    draw_contours(slices, &matrices, pixels, height);
    glDisable(GL_DEPTH_TEST);
}
