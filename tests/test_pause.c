/* Pictures drawn in pieces: bit for bit those drawn at once, opaque, translucent and in haste. Wherever a drawing is told to
 * stop, or there is no memory for it, the picture before is still whole. Exits 77 without OpenGL. */
#include "iso_util.h"

#include "gl.h"
#include "image.h"
#include "render.h"

#include <GL/glew.h>

enum {
    SIZE = 48, /* 30,000 triangles: several batches */
    WIDTH = 1201,
    HEIGHT = 1003 /* more than the rows of a pass that are drawn at once, and odd */
};

struct scene {
    struct volume volume;
    struct iso iso;
    struct mesh mesh;
    struct render render;
    struct camera camera;
};

struct counter { /* of the times that somebody was asked */
    int asked, stop;
};

static bool count(void *context)
{
    struct counter *counter = context;
    return ++counter->asked != counter->stop;
}

static bool make_mesh(struct scene *s)
{
    struct err err = { 0 };
    struct mesh_buffers out;
    const float value = volume_iso(&s->volume, 0);
    mesh_open(&s->mesh, &mesh_gl, &s->iso.exec);
    bool good = !iso_set_volume(&s->iso, &s->volume.grid, &err) && !iso_count(&s->iso, value, &err);
    const struct iso_counts *counts = &s->iso.counts;
    good = good && !mesh_reserve(&s->mesh, counts->vertices, counts->triangles, &err) && !mesh_map(&s->mesh, &out, &err) &&
           !iso_emit(&s->iso, &out.mesh, &err) && !mesh_unmap(&s->mesh, counts->vertices, counts->triangles, &err);
    if (!good) printf("%s\n", err.text);
    return good;
}

static void open_camera(struct scene *s, double azimuth)
{
    const double low[3] = { 0 }, high[3] = { SIZE - 1, SIZE - 1, SIZE - 1 };
    s->camera = (struct camera){ .up = 0 };
    camera_set_volume(&s->camera, &s->volume);
    camera_look(&s->camera, azimuth, 20);
    camera_fit(&s->camera, (double)WIDTH / HEIGHT, low, high);
}

/* All samples; fewer if it was told to stop. */
static void draw(struct scene *s, double transparency, unsigned samples, const struct pause *pause)
{
    struct err err = { 0 };
    struct render_view view = {
        .camera = &s->camera, .width = WIDTH, .height = HEIGHT, .samples = samples, .pause = pause
    };
    view.surface[0] = (struct render_surface){ .mesh = &s->mesh, .step = 1, .transparency = transparency };
    view.moving = samples == 1;
    s->render.complete = true;
    for (; view.sample < samples && s->render.complete; view.sample++)
        if (!CHECK(!render_draw(&s->render, &view, &err))) printf("%s\n", err.text);
}

static unsigned char *picture(const struct scene *s)
{
    struct err err = { 0 };
    return image_read(s->render.resolved, 0, 0, WIDTH, HEIGHT, &err);
}

static bool same(const unsigned char *a, const unsigned char *b)
{
    return a && b && !memcmp(a, b, (size_t)3 * WIDTH * HEIGHT);
}

static void test(struct scene *s, double transparency, unsigned samples)
{
    struct counter counter = { 0, 0 };
    const struct pause pause = { count, &counter };
    open_camera(s, 75);
    draw(s, transparency, samples, NULL);
    unsigned char *other = picture(s);
    open_camera(s, 30);
    draw(s, transparency, samples, NULL);
    unsigned char *whole = picture(s);
    CHECK(other && whole && !same(other, whole));
    draw(s, transparency, samples, &pause);
    unsigned char *pieces = picture(s);
    CHECK(s->render.complete && same(whole, pieces));
    const int asks = counter.asked / (int)samples; /* of the first sample, which the picture before outlives */
    CHECK(asks > 4);
    for (int stop = 1; stop < asks; stop += 1 + asks / 6) {
        open_camera(s, 75);
        draw(s, transparency, samples, NULL);
        open_camera(s, 30);
        counter = (struct counter){ 0, stop };
        draw(s, transparency, samples, &pause);
        unsigned char *left = picture(s);
        CHECK(same(left, s->render.complete ? whole : other));
        free(left);
    }
    printf("%s, %u samples: %d pieces\n", transparency > 0 ? "glass" : "opaque", samples, counter.asked);
    free(other);
    free(whole);
    free(pieces);
}

static GLenum GLAPIENTRY refuse(GLuint framebuffer, GLenum target)
{
    (void)framebuffer, (void)target;
    return GL_FRAMEBUFFER_UNSUPPORTED;
}

/* What caps on cuts need beside the picture is refused, and later granted. */
static void test_refused_caps(struct scene *s, double transparency)
{
    struct err err = { 0 };
    struct slices slices = { .dims = { SIZE, SIZE, SIZE } };
    struct render_view view = {
        .camera = &s->camera, .width = WIDTH, .height = HEIGHT, .slices = &slices, .cuts_capped = true
    };
    view.surface[0] = (struct render_surface){ .mesh = &s->mesh, .step = 1, .transparency = transparency };
    open_camera(s, 75);
    draw(s, transparency, 1, NULL);
    unsigned char *before = picture(s);
    slices_set_knife(&slices.knife, (const double[]){ 0, 0, 1, SIZE / 2.0 });
    PFNGLCHECKNAMEDFRAMEBUFFERSTATUSPROC real = __glewCheckNamedFramebufferStatus;
    __glewCheckNamedFramebufferStatus = refuse;
    CHECK(render_draw(&s->render, &view, &err) == ERR_GL && err.text[0]);
    __glewCheckNamedFramebufferStatus = real;
    unsigned char *left = picture(s);
    CHECK(same(before, left));
    CHECK(!render_draw(&s->render, &view, &err));
    unsigned char *cut = picture(s);
    CHECK(cut && !same(before, cut));
    free(before);
    free(left);
    free(cut);
}

int main(void)
{
    struct scene s = { .volume = field_volume(torus, SIZE) };
    struct gl gl = { 0 };
    struct err err = { 0 };
    if (gl_open_offscreen(&gl, &err)) {
        printf("skipped: %s\n", err.text);
        volume_free(&s.volume);
        return 77;
    }
    if (CHECK(!iso_open(&s.iso, BACKEND_CPU, -1, 2, &err)) && CHECK(make_mesh(&s)) &&
        CHECK(!render_open(&s.render, true, &err))) {
        s.render.raster.way = RASTER_OPENGL; /* raster draws so few triangles at once */
        test(&s, 0, 1);
        test(&s, 0, 4);
        test(&s, 0.5, 1);
        test(&s, 0.5, 2);
        test_refused_caps(&s, 0);
        test_refused_caps(&s, 0.5);
    }
    render_close(&s.render);
    mesh_close(&s.mesh);
    iso_close(&s.iso);
    volume_free(&s.volume);
    gl_close(&gl);
    return check_summary("test_pause");
}
