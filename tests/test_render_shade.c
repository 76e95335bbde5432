/* Shading on the processor: compares every vector version with the one that goes pixel by pixel, and the picture with
 * the one that OpenGL's shaders make of the same scene. */
#include "check.h"
#include "gl.h"
#include "iso.h"
#include "render.h"
#include "render_shade.h"
#include "synth.h"
#include "kernels/cpu_vectors.h"
#include "kernels/draw_cpu.h"

#include <GL/glew.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SKIPPED = 77, MOST = 40, GUARD = 16 };

/* Red, green and blue may be so much off, of 255, but for one of 1000 pixels: where a neighbour is just before the
 * background, or just as far as another, one rounding decides between two colours. Alpha says nothing: OpenGL blends it,
 * too. */
static size_t count_off(const uint32_t *a, const uint32_t *b, size_t pixels, int most)
{
    size_t off = 0;
    for (size_t i = 0; i < pixels; i++) {
        bool far = false;
        for (int c = 0; c < 3; c++) far = far || abs((int)(a[i] >> 8 * c & 255) - (int)(b[i] >> 8 * c & 255)) > most;
        off += far;
    }
    return off;
}

/* ---- vectors ----------------------------------------------------------------------------------------------------- */

/* A bumpy slope of several surfaces and both sides, with holes. */
static void make_scene(struct draw_light *l, float *depth, uint32_t *seen, uint32_t *background)
{
    for (uint32_t i = 0; i < l->width * l->height; i++) {
        const float x = (float)(i % l->width), y = (float)(i / l->width);
        const uint32_t u = (uint32_t)(2047 + 900 * sinf(x / 5)), v = (uint32_t)(2047 + 900 * cosf(y / 7));
        const bool hole = sinf(x / 3) * sinf(y / 4) > 0.8f;
        depth[i] = hole ? 1 : 0.7f + 0.05f * sinf(x / 9 + y / 6) + 0.02f * (float)(i / 7 % 2);
        seen[i] = hole ? 0 : u | v << 12 | (i / 50 % 2) << 24 | (1 + i / 100 % 4) << 25;
        background[i] = (uint32_t)check_random() | 0xff000000u;
    }
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < DRAW_LIGHT_COLOURS; i++) l->colour[c][i] = 0.05f + 0.1f * (float)i + 0.03f * (float)c;
}

static void check_vectors(const char *name, const struct draw_isa *isa, const char *unavailable)
{
    static float depth[MOST * MOST];
    static uint32_t seen[MOST * MOST], background[MOST * MOST], want[MOST * MOST + GUARD], got[MOST * MOST + GUARD];
    size_t pixels = 0, off = 0;
    if (unavailable) {
        printf("skipped: %s\n", unavailable);
        return;
    }
    check_subject(name);
    for (uint32_t width = 1; width <= MOST; width++) /* all that a row of vectors may leave over */
        for (int parallel = 0; parallel < 2; parallel++) {
            struct draw_light l = { width, 1 + width % 5 * 9, depth, seen, background, NULL };
            const float lens[4] = { 0.02f, 0.025f, -0.4f, -0.3f };
            memcpy(l.lens, lens, sizeof lens);
            l.depths[0] = parallel ? -1.5f : -0.8f, l.depths[1] = parallel ? -0.6f : -1.2f, l.parallel = parallel;
            make_scene(&l, depth, seen, background);
            const size_t n = (size_t)l.width * l.height;
            memset(got, 0x55, sizeof got), memset(want, 0xaa, sizeof want);
            l.picture = want;
            for (uint32_t y = 0; y < l.height; y++) draw_light_plain(&l, y);
            l.picture = got;
            for (uint32_t y = 0; y < l.height; y++) isa->light(&l, y);
            for (int i = 0; i < GUARD; i++) CHECK(got[n + (size_t)i] == 0x55555555u);
            pixels += n, off += count_off(want, got, n, 1);
        }
    printf("%s: %zu of %zu pixels are more than 1 off\n", name, off, pixels);
    CHECK(off * 1000 <= pixels);
}

/* ---- OpenGL ------------------------------------------------------------------------------------------------------ */

struct scene {
    struct volume volume;
    struct exec exec;
    struct mesh mesh;
    struct camera camera;
    struct render render;
};

static void fill(struct mesh *mesh, const struct mesh_host *from)
{
    struct mesh_buffers out;
    struct err err;
    if (!CHECK(!mesh_reserve(mesh, from->vertex_count, from->triangle_count, &err)) || !CHECK(!mesh_map(mesh, &out, &err)))
        return;
    memcpy(out.mesh.vertices, from->vertices, from->vertex_count * sizeof *from->vertices);
    memcpy(out.mesh.indices, from->indices, from->triangle_count * 3 * sizeof *from->indices);
    CHECK(!mesh_unmap(mesh, from->vertex_count, from->triangle_count, &err));
}

static void open_scene(struct scene *s)
{
    const uint64_t dims[3] = { 64, 60, 56 };
    struct mesh_host host = { NULL, NULL, 0, 0 };
    struct iso iso;
    struct err err = { 0 };
    if (!CHECK(!synth_volume(&s->volume, "gyroid", dims, 1, 2, NULL, &err)) ||
        !CHECK(!iso_open(&iso, BACKEND_CPU, -1, 2, &err)))
        exit(1);
    if (!CHECK(!iso_set_volume(&iso, &s->volume.grid, &err) && !iso_count(&iso, 0, &err)) ||
        !CHECK(!iso_mesh_host(&iso, &host, &err) && host.vertices && host.indices))
        exit(1);
    s->exec = (struct exec){ .backend = BACKEND_CPU, .threads = 1 };
    mesh_open(&s->mesh, &mesh_gl, &s->exec);
    fill(&s->mesh, &host);
    mesh_host_free(&host);
    iso_close(&iso);
    camera_set_volume(&s->camera, &s->volume);
    camera_look(&s->camera, 30, 20);
}

static uint32_t *draw(struct scene *s, struct render_view *view, enum raster_way way)
{
    struct err err = { 0 };
    s->render.raster.way = way;
    if (!CHECK(!render_draw(&s->render, view, &err) && s->render.complete)) printf("  %s\n", err.text);
    uint32_t *pixels = malloc((size_t)view->width * (size_t)view->height * sizeof *pixels);
    if (!pixels) exit(1);
    glGetTextureImage(s->render.passes.colour, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                      (GLsizei)((size_t)view->width * (size_t)view->height * sizeof *pixels), pixels);
    return pixels;
}

/* The gyroid is open at the volume's border, so both sides are in the picture, and some of the background is. */
static void count_sides(const struct scene *s, size_t pixels)
{
    const float *depth;
    const uint32_t *seen;
    size_t sides[2] = { 0, 0 };
    raster_planes(&s->render.raster, &s->render.passes, &depth, &seen);
    for (size_t i = 0; i < pixels; i++) sides[seen[i] >> 24 & 1] += depth[i] < 1;
    CHECK(sides[0] > pixels / 100 && sides[1] > pixels / 100 && sides[0] + sides[1] < pixels);
}

/* `by_host`: whether the processor is expected to shade. */
static void compare(struct scene *s, struct render_view *view, const char *what, bool by_host)
{
    const size_t n = (size_t)view->width * (size_t)view->height;
    uint32_t *const gl = draw(s, view, RASTER_OPENGL);
    CHECK(s->render.shade_host.ms == 0);
    uint32_t *const host = draw(s, view, RASTER_ALWAYS);
    check_subject(what);
    CHECK((s->render.shade_host.ms > 0) == by_host);
    CHECK((render_haste(&s->render, view) > 0) == (by_host || !view->moving)); /* what it would take in motion */
    count_sides(s, n);
    const size_t off = count_off(gl, host, n, 2);
    printf("%s: %zu of %zu pixels are more than 2 off\n", what, off, n);
    CHECK(off * 1000 <= n);
    free(gl), free(host);
}

static void test_pictures(struct scene *s)
{
    static const float plain[4] = { 0.2f, 0.4f, 0.6f, 1 };
    const double low[3] = { 0, 0, 0 }, high[3] = { 63, 59, 55 };
    const struct tint tint = { .by = TINT_Z, .range = { 0, 60 } };
    struct render_view view = { .camera = &s->camera, .width = 301, .height = 217, .moving = true, .timed = true };
    view.surface[0] = (struct render_surface){ .mesh = &s->mesh, .step = 1, .value = 0 };
    for (int orthographic = 0; orthographic < 2; orthographic++) {
        s->camera.orthographic = orthographic;
        camera_fit(&s->camera, (double)view.width / view.height, low, high);
        compare(s, &view, orthographic ? "orthographic" : "perspective", true);
    }
    view.plain = plain;
    compare(s, &view, "plain background", true);
    view.plain = NULL, view.width = 640, view.height = 400;
    s->camera.orthographic = false;
    camera_zoom(&s->camera, 3, 0, 0); /* up to the picture's sides */
    compare(s, &view, "another size, near", true);
    render_first_colour(2, &view.surface[0]);
    view.surface[2] = view.surface[0], view.surface[0] = (struct render_surface){ .mesh = NULL };
    compare(s, &view, "third surface, its own colour", true);
    view.moving = false;
    compare(s, &view, "at rest, with occlusion", false);
    view.moving = true, view.mode = 1;
    compare(s, &view, "another shading", false);
    view.mode = 0, view.tint = &tint;
    compare(s, &view, "coloured by height", false);
}

static bool stop(void *context)
{
    ++*(int *)context;
    return false;
}

/* A drawing that is told to stop in the first pause of a picture that is large enough for some. The next one has all of
 * the background. */
static void test_stopped(struct scene *s)
{
    int asked = 0;
    const double low[3] = { 0, 0, 0 }, high[3] = { 63, 59, 55 };
    const struct pause pause = { stop, &asked };
    struct err err = { 0 };
    struct render_view view = { .camera = &s->camera, .width = 1501, .height = 1001, .moving = true, .timed = true };
    view.surface[0] = (struct render_surface){ .mesh = &s->mesh, .step = 1, .value = 0 };
    camera_fit(&s->camera, (double)view.width / view.height, low, high);
    s->render.raster.way = RASTER_ALWAYS;
    view.pause = &pause;
    CHECK(!render_draw(&s->render, &view, &err));
    view.pause = NULL;
    printf("asked %d times before\n", asked);
    compare(s, &view, "after a drawing that was stopped", true);
}

int main(void)
{
    static struct scene scene;
    struct gl gl = { 0 };
    struct err err = { 0 };
    check_seed(74);
    check_vectors("AVX2", &draw_avx2, cpu_lacks_avx2(NULL));
    check_vectors("AVX-512", &draw_avx512, cpu_lacks_avx512(NULL));
    check_subject("");
    if (gl_open_offscreen(&gl, &err)) return printf("skipped: %s\n", err.text), check_summary("render_shade");
    if (gl.is_software && CHECK(!render_open(&scene.render, true, &err))) {
        open_scene(&scene);
        test_stopped(&scene);
        test_pictures(&scene);
        mesh_close(&scene.mesh);
        render_close(&scene.render);
        volume_free(&scene.volume);
    }
    gl_close(&gl);
    return check_summary("render_shade");
}
