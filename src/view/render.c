#include "render.h"
#include "gl.h"
#include "image_decode.h"
#include "mesh_gl.h"
#include "render_shade.h"
#include "render_surfaces.h"
#include "resource.h"
#include "timing.h"
#include "trace.h"

#include <GL/glew.h>

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RELOAD_MS 250.0 /* between two looks for saved shaders */

enum { UNIT_MATCAP = 3 }; /* texture unit */

/* ---- objects --------------------------------------------------------------------------------------------------- */

static int load_matcap(struct render *render, struct err *err)
{
    const struct resource *file = resource_find("assets/matcap.png");
    int width, height;
    unsigned char *pixels = file ? image_decode(file->begin, (size_t)(file->end - file->begin), &width, &height) : NULL;
    if (!pixels) return err_set(err, ERR_GL, "assets/matcap.png in this program cannot be read: no memory, or not a PNG");
    glCreateTextures(GL_TEXTURE_2D, 1, &render->matcap);
    gl_label(GL_TEXTURE, render->matcap, "matcap");
    glTextureStorage2D(render->matcap, 1, GL_RGBA8, width, height);
    glTextureSubImage2D(render->matcap, 0, 0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    glTextureParameteri(render->matcap, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTextureParameteri(render->matcap, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTextureParameteri(render->matcap, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTextureParameteri(render->matcap, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    free(pixels);
    return ERR_NONE;
}

int render_open(struct render *render, bool is_software, struct err *err)
{
    *render = (struct render){ .is_open = true, .is_software = is_software };
    gl_forget_errors();
    glCreateQueries(GL_TIME_ELAPSED, RENDER_TIMERS, render->query);
    const struct shader_files background = { { "shaders/screen.vert", "shaders/background.frag",
                                               "shaders/background.glsl" } };
    int code = passes_open(&render->passes, err);
    if (!code) code = shader_need(&render->background, background, err);
    if (!code) code = load_matcap(render, err);
    if (!code && glGetError() != GL_NO_ERROR) code = err_set(err, ERR_GL, "OpenGL has no memory for what drawing needs");
    if (code) render_close(render);
    return code;
}

void render_close(struct render *render)
{
    if (!render->is_open) return; /* never opened: there may be no OpenGL */
    passes_close(&render->passes);
    passes_close(&render->picked);
    raster_close(&render->raster);
    shade_close(&render->shade_host);
    cull_close(&render->cull);
    box_close(&render->box);
    for (int i = 0; i < RENDER_MODES; i++)
        shader_close(&render->opaque[i]), shader_close(&render->computed[i]), shader_close(&render->glass[i]),
            shader_close(&render->glass_caps[i]);
    for (int i = 0; i < 2; i++) shader_close(&render->surface[i]);
    shader_close(&render->background);
    shader_close(&render->wire);
    shader_close(&render->count);
    glDeleteTextures(1, &render->matcap);
    glDeleteQueries(RENDER_TIMERS, render->query);
    memset(render, 0, sizeof *render);
}

/* Gamma-encoded. The first is the colour of the mode "light"; the others are from the palette of Okabe and Ito (2008). */
static const float first_colour[RENDER_SURFACES][3] = {
    { 0.90f, 0.84f, 0.75f }, { 0.00f, 0.45f, 0.70f }, { 0.84f, 0.37f, 0.00f }, { 0.00f, 0.62f, 0.45f }
};

void render_first_colour(int number, struct render_surface *surface)
{
    memcpy(surface->colour, first_colour[number], sizeof surface->colour);
    surface->coloured = number > 0;
}

/* ---- drawing --------------------------------------------------------------------------------------------------- */

/* Prepares what caps on cuts of translucent surfaces need. */
static int need_glass_cut(struct render *render, const struct render_mode *mode, struct err *err)
{
    const struct shader_files count = { { "shaders/mesh.vert", "shaders/count.frag", "shaders/way.glsl" } },
                              caps = { { "shaders/screen.vert", "shaders/cut_glass.frag", "shaders/way.glsl",
                                         "shaders/seen.glsl", "shaders/view.glsl", "shaders/seen_texture.glsl",
                                         "shaders/paint.glsl", mode->shade_file } };
    int code = shader_need(&render->count, count, err);
    if (!code) code = shader_need(&render->glass_caps[mode - render_modes], caps, err);
    return code ? code : passes_need_glass_cut(&render->passes, err);
}

/* Compiles programs at their first use, so that startup pays for one mode only. */
static int need_programs(struct render *render, const struct render_view *view, struct err *err)
{
    const struct render_mode *mode = &render_modes[view->mode];
    const char *face = mode->plain ? "shaders/face_plain.glsl" : "shaders/face.glsl";
    const struct shader_files opaque = { { "shaders/screen.vert", "shaders/shade.frag", "shaders/shade.glsl",
                                           "shaders/seen.glsl", "shaders/view.glsl", "shaders/seen_texture.glsl",
                                           "shaders/paint_seen.glsl", "shaders/paint.glsl", mode->shade_file } },
                              glass = { { "shaders/mesh.vert", "shaders/glass.frag", face, "shaders/paint_glass.glsl",
                                          "shaders/paint.glsl", mode->shade_file } },
                              wire = { { "shaders/mesh.vert", "shaders/wire.frag" } };
    int code = shader_need(&render->opaque[view->mode], opaque, err);
    if (!code && surfaces_any(view, SURFACES_GLASS)) code = shader_need(&render->glass[view->mode], glass, err);
    if (!code && surfaces_any(view, SURFACES_OPAQUE)) code = surfaces_need(render, mode->plain, err);
    if (!code && view->wireframe) code = shader_need(&render->wire, wire, err);
    if (!code && view->box) code = box_need(&render->box, err);
    if (!code && surfaces_cut(view, SURFACES_OPAQUE)) code = passes_need_cut(&render->passes, err);
    if (!code && surfaces_cut(view, SURFACES_GLASS)) code = need_glass_cut(render, mode, err);
    return code;
}

bool render_reload(struct render *render, struct slices *slices, struct err *err)
{
    bool changed = false;
    err->code = ERR_NONE;
    if (timing_ms() < render->reload_due) return false;
    render->reload_due = shader_is_watched() ? timing_ms() + RELOAD_MS : INFINITY;
    for (int i = 0; i < RENDER_MODES; i++) {
        changed |= shader_reload(&render->opaque[i], err);
        changed |= shader_reload(&render->computed[i], err);
        changed |= shader_reload(&render->glass[i], err);
        changed |= shader_reload(&render->glass_caps[i], err);
    }
    for (int i = 0; i < SLICES_SHADERS; i++) changed |= shader_reload(&slices->shader[i], err);
    changed |= passes_reload(&render->passes, err);
    changed |= passes_reload(&render->picked, err);
    changed |= cull_reload(&render->cull, err);
    changed |= raster_compute_reload(&render->raster.compute, err);
    for (int i = 0; i < 2; i++) changed |= shader_reload(&render->surface[i], err);
    changed |= shader_reload(&render->background, err);
    changed |= shader_reload(&render->wire, err);
    changed |= shader_reload(&render->count, err);
    changed |= shader_reload(&render->box.shader, err);
    return changed;
}

/* Draws what lies over the opaque surface, from back to front. Slices are opaque and hide glass behind them. */
static void draw_over(struct render *render, const struct render_view *view, const struct camera *camera)
{
    if (view->slices && slices_any(view->slices)) {
        gl_push_group("slices");
        slices_draw(view->slices, camera, view->width, view->height);
        gl_pop_group();
    }
    gl_push_group("over");
    passes_begin_kept(&render->passes);
    if (view->box) box_draw(&render->box, view->box, camera, view->width, view->height);
    if (surfaces_any(view, SURFACES_GLASS)) surfaces_draw_glass(render, view, camera);
    if (view->wireframe) surfaces_draw_wire(render, view, camera);
    passes_end_kept();
    gl_pop_group();
}

static bool draws_over(const struct render_view *view)
{
    return (view->slices && slices_any(view->slices)) || view->box || surfaces_any(view, SURFACES_GLASS) || view->wireframe;
}

/* Samples of occlusion. Software OpenGL takes 20 ms for it, so there it waits until the view rests. */
static unsigned taps(const struct render *render, const struct render_view *view)
{
    if (!render->is_software) return 16;
    return view->moving ? 0 : 8;
}

struct over_pause {
    struct render *render;
    const struct pause *pause;
};

/* The shown picture is being overwritten. This must go on to its end, or half of it would remain. */
static bool go_on_over(void *context)
{
    const struct over_pause *over = context;
    over->render->half_done = true;
    over->pause->go_on(over->pause->context);
    over->render->half_done = false;
    return true;
}

/* Draws shading and what lies over it, once it is known what is seen. */
static void draw_picture(struct render *render, const struct render_view *view, const struct passes_look *look)
{
    struct over_pause context = { render, view->pause };
    const struct pause over = { go_on_over, &context };
    const bool shown = render->resolved == render->passes.mean;
    gl_push_group("shade");
    glBindTextureUnit(UNIT_MATCAP, render->matcap);
    surfaces_paint(look->shade, view, look->camera);
    render->complete = passes_shade(&render->passes, look);
    gl_pop_group();
    if (render->complete && look->over) draw_over(render, view, look->camera);
    if (!render->complete) return;
    struct passes_look last = *look;
    if (view->pause && shown) last.pause = &over;
    const unsigned picture = passes_end(&render->passes, &last);
    render->complete = picture != 0;
    if (picture) render->resolved = picture;
}

/* The view's camera, for its tile and this sample. */
static struct camera camera_of(const struct render *render, const struct render_view *view)
{
    struct camera camera = *view->camera;
    const struct tile *const tile = view->tile;
    memcpy(camera.shift, render->shift, sizeof camera.shift);
    for (int a = 0; a < 2 && tile; a++) {
        camera.part[a] = (double)tile->at[a] / tile->whole[a];
        camera.part[2 + a] = (double)tile->size[a] / tile->whole[a];
    }
    return camera;
}

/* The program for what is seen, compiled at its first use. */
static int need_shade(struct render *render, const struct render_view *view, unsigned *program, struct err *err)
{
    const struct shader_files files = {
        { "shaders/shade.comp", "shaders/shade.glsl", "shaders/background.glsl", "shaders/seen.glsl", "shaders/view.glsl",
          "shaders/seen_buffer.glsl", "shaders/paint_seen.glsl", "shaders/paint.glsl", render_modes[view->mode].shade_file }
    };
    const bool computed = render->passes.pixels.buffer != 0;
    struct shader *const shader = computed ? &render->computed[view->mode] : &render->opaque[view->mode];
    const int code = computed ? shader_need(shader, files, err) : ERR_NONE;
    *program = shader->program;
    return code;
}

static int draw_passes(struct render *render, const struct render_view *view, struct err *err)
{
    const bool opaque = surfaces_any(view, SURFACES_OPAQUE);
    const struct camera camera = camera_of(render, view);
    struct passes_look look = { .camera = &camera,
                                .background = render->background.program,
                                .plain = view->plain,
                                .taps = opaque ? taps(render, view) : 0,
                                .over = draws_over(view),
                                .sample = view->sample,
                                .samples = view->samples,
                                .pause = view->pause };
    if (view->pause) passes_set_aside(&render->passes, render->resolved);
    gl_push_group("surface");
    passes_begin(&render->passes);
    cull_begin(&render->cull);
    surfaces_draw(render, view, &camera);
    cull_end(&render->cull);
    gl_pop_group();
    const int code = need_shade(render, view, &look.shade, err);
    if (code) return code;
    if (render->complete) look.picture = shade_picture(render, view, &look);
    if (render->complete) draw_picture(render, view, &look);
    if (!render->complete) return ERR_NONE;
    render->shown[0] = render->width, render->shown[1] = render->height;
    passes_drop_kept(&render->passes);
    return ERR_NONE;
}

static double golden_part(unsigned k) { return fmod(0.5 + k * 0.61803398874989485, 1); }

/* Spreads the samples evenly over the pixel. No two share a row or column of the pixel, and four of them form a rotated
 * square. Rows are taken in the order of the multiples of the golden ratio. */
static void choose_shift(const struct render_view *view, double shift[2])
{
    const unsigned n = view->samples > 1 ? view->samples : 1;
    unsigned row = 0;
    for (unsigned k = 0; k < n; k++) row += golden_part(k) < golden_part(view->sample);
    shift[0] = 2 * ((view->sample + 0.5) / n - 0.5) / view->width;
    shift[1] = 2 * ((row + 0.5) / n - 0.5) / view->height;
}

static unsigned coarsest(const struct render_view *view)
{
    unsigned step = 1;
    for (int i = 0; i < RENDER_SURFACES; i++)
        if (view->surface[i].mesh && view->surface[i].step > step) step = view->surface[i].step;
    return step;
}

static void note_who(const struct render *render, struct render_timing *timing)
{
    const struct raster *raster = &render->raster;
    if (!raster_drew(raster)) return;
    timing->raster_ms = raster->ms;
    memcpy(timing->raster_why, raster->why, sizeof timing->raster_why);
}

int render_draw(struct render *render, const struct render_view *view, struct err *err)
{
    assert(view->mode < RENDER_MODES && view->width > 0 && view->height > 0);
    const struct tile all = tile_whole(view->width, view->height);
    int code = passes_fit(&render->passes, view->tile ? view->tile : &all, render->resolved, err);
    if (code) render->resolved = 0;
    render->width = render->passes.width;
    render->height = render->passes.height;
    if (!code) code = need_programs(render, view, err);
    if (code) return code;
    choose_shift(view, render->shift);

    trace_push("draw", NULL);
    const unsigned slot = render->queries_begun % RENDER_TIMERS;
    const bool timed = view->timed && !view->sample && render->queries_begun - render->queries_read < RENDER_TIMERS;
    if (timed) {
        render->timing[slot] = (struct render_timing){ .step = coarsest(view) };
        render->query_begin[slot] = timing_ms();
        glBeginQuery(GL_TIME_ELAPSED, render->query[slot]);
        render->queries_begun++;
    }
    const double compiled = shader_ms();
    render->complete = true;
    render->raster.measuring_ms = 0;
    code = draw_passes(render, view, err);
    if (timed) {
        const bool by_host = raster_drew(&render->raster) && render->shade_host.ms > 0;
        render->query_spent[slot] = render->raster.measuring_ms + (shader_ms() - compiled);
        render->query_host[slot] = by_host ? timing_ms() - render->query_begin[slot] : 0;
        note_who(render, &render->timing[slot]);
        render->timing[slot].haste = render_haste(render, view);
    }
    if (timed) glEndQuery(GL_TIME_ELAPSED);
    if (timed && !render->complete) render->timing[slot].step = 0;
    trace_pop();
    return code;
}

/* ---- picking --------------------------------------------------------------------------------------------------- */

enum { AROUND = 1 }; /* pixels around the picked one that the passes look at */

struct pixel {
    float depth;
    GLuint seen; /* shaders/seen.glsl */
};

static struct pixel read_pixel(const struct passes *passes, int x, int y)
{
    struct pixel pixel = { 1, 0 };
    glBindFramebuffer(GL_READ_FRAMEBUFFER, passes->surface);
    glReadPixels(x, y, 1, 1, GL_DEPTH_COMPONENT, GL_FLOAT, &pixel.depth);
    glReadPixels(x, y, 1, 1, GL_RED_INTEGER, GL_UNSIGNED_INT, &pixel.seen);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    return pixel;
}

/* All visible surfaces, as if they were opaque. */
static struct render_view view_of_all(const struct render_view *view, const struct tile *tile)
{
    struct render_view all = *view;
    all.tile = tile;
    all.pause = NULL;
    for (int i = 0; i < RENDER_SURFACES; i++) {
        struct render_surface *s = &all.surface[i];
        if (s->transparency >= 1) s->mesh = s->caps = NULL;
        s->transparency = 0;
    }
    return all;
}

static int need_picked(struct render *render, const struct render_view *all, struct err *err)
{
    struct passes *const picked = &render->picked;
    int code = picked->no_attributes ? ERR_NONE : passes_open(picked, err);
    if (code) passes_close(picked);
    if (!code) code = passes_fit(picked, all->tile, 0, err);
    if (!code) code = surfaces_need(render, render_modes[all->mode].plain, err);
    if (!code && surfaces_cut(all, SURFACES_OPAQUE)) code = passes_need_cut(picked, err);
    return code;
}

/* Draws with a copy of `render`, so that its state stays as it is. */
static int pick_all(struct render *render, const struct render_view *view, int x, int y, struct pixel *pixel,
                    struct err *err)
{
    enum { SIDE = 2 * AROUND + 1 };
    const struct tile tile = { .whole = { render->width, render->height },
                               .at = { x - AROUND, y - AROUND },
                               .size = { SIDE, SIDE },
                               .from = { x - AROUND, y - AROUND },
                               .kept = { SIDE, SIDE } };
    const struct render_view all = view_of_all(view, &tile);
    const int code = need_picked(render, &all, err);
    if (code) return code;
    struct render alone = *render;
    const struct camera camera = camera_of(render, &all);
    alone.passes = render->picked;
    alone.raster.way = RASTER_OPENGL;
    passes_begin(&alone.passes);
    surfaces_draw(&alone, &all, &camera);
    *pixel = read_pixel(&alone.passes, AROUND, AROUND);
    return ERR_NONE;
}

int render_pick(struct render *render, const struct render_view *view, int x, int y, struct render_hit *hit,
                struct err *err)
{
    gl_forget_errors();
    passes_fill(&render->passes);
    struct pixel pixel = read_pixel(&render->passes, x, y);
    const float depth = pixel.depth; /* includes slices */
    const int code = surfaces_any(view, SURFACES_GLASS) ? pick_all(render, view, x, y, &pixel, err) : ERR_NONE;
    if (code) return code;
    hit->ndc[0] = 2 * (x + 0.5) / render->width - 1 - render->shift[0];
    hit->ndc[1] = 2 * (y + 0.5) / render->height - 1 - render->shift[1];
    hit->ndc[2] = 2 * fmin((double)depth, (double)pixel.depth) - 1;
    hit->surface = (int)(pixel.seen >> 25 & 31) - 1; /* shaders/seen.glsl */
    hit->on_border = pixel.seen >> 30 & 1;
    hit->on_cap = pixel.seen >> 31;
    return glGetError() == GL_NO_ERROR ? ERR_NONE : err_set(err, ERR_GL, "OpenGL cannot read the depth under the cursor");
}

/* ---- showing, times -------------------------------------------------------------------------------------------- */

void render_show(const struct render *render, int x, int y)
{
    const int *size = render->shown;
    const bool stretched = size[0] != render->width || size[1] != render->height;
    if (!render->resolved) return;
    glBlitNamedFramebuffer(render->resolved, 0, 0, 0, size[0], size[1], x, y, x + render->width, y + render->height,
                           GL_COLOR_BUFFER_BIT, stretched ? GL_LINEAR : GL_NEAREST);
}

/* Adds a draw to the trace's track of OpenGL. A draw has a duration but no time on the host's clock. It is shown to
 * start when it was queued, or when the draw before it ends. */
static void trace_draw(struct render *render, double queued, double ms)
{
    const double begin = fmax(queued, render->drawn_until);
    render->drawn_until = begin + ms;
    trace_add(TRACE_OPENGL, "draw", NULL, begin, render->drawn_until);
}

bool render_time(struct render *render, struct render_timing *timing)
{
    GLuint ready = GL_FALSE;
    if (!render_time_pending(render)) return false;
    const unsigned slot = render->queries_read % RENDER_TIMERS;
    glGetQueryObjectuiv(render->query[slot], GL_QUERY_RESULT_AVAILABLE, &ready);
    if (!ready) return false;
    GLuint64 ns = 0;
    glGetQueryObjectui64v(render->query[slot], GL_QUERY_RESULT, &ns);
    render->queries_read++;
    *timing = render->timing[slot];
    const double host = render->query_host[slot];
    timing->ms = fmax(0, (host > 0 ? host : (double)ns * 1e-6) - render->query_spent[slot]);
    trace_draw(render, render->query_begin[slot], timing->ms);
    return true;
}

bool render_time_pending(const struct render *render) { return render->queries_begun != render->queries_read; }

void render_who(struct render *render, char *text, size_t size)
{
    const struct cull *cull = &render->cull;
    char drawn[80] = "";
    cull_take(&render->cull);
    if (render->culled && cull->of)
        snprintf(drawn, sizeof drawn, "; %llu of %llu triangles were drawn", (unsigned long long)cull->drawn,
                 (unsigned long long)cull->of);
    snprintf(text, size, "%s%s", render->raster.why[0] ? render->raster.why : "-", drawn);
}
