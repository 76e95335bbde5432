/* Makes and draws the surface anew for each picture, and waits until OpenGL has finished. That takes longer than making and
 * drawing alone, because buffers are handed from OpenGL to CUDA and back. The calls are those of the window with CUDA; on
 * the CPU backend the window makes the surface in another thread, while it still draws the last one. */
#include "bench_pictures.h"

#include "camera.h"
#include "gl.h"
#include "picture.h"
#include "render.h"
#include "surface.h"
#include "timing.h"

#include <GL/glew.h>
#include <stdlib.h>

struct bench_pictures {
    struct gl gl;
    struct render render;
    struct mesh mesh;
    struct camera camera;
    int width, height; /* pixels */
    struct iso *iso;
    float value;
    struct err *err;
};

struct bench_pictures *bench_pictures_open(int *device, struct err *err)
{
    struct bench_pictures *p = calloc(1, sizeof *p);
    if (!p) {
        err_set(err, ERR_FAILED, "not enough memory for drawing");
        return NULL;
    }
    if (gl_open_offscreen(&p->gl, err) || render_open(&p->render, p->gl.is_software, err)) {
        bench_pictures_close(p);
        return NULL;
    }
    *device = mesh_gl.device();
    return p;
}

void bench_pictures_close(struct bench_pictures *pictures)
{
    if (!pictures) return;
    mesh_close(&pictures->mesh);
    render_close(&pictures->render);
    gl_close(&pictures->gl);
    free(pictures);
}

static int draw(struct bench_pictures *p)
{
    struct render_view view = { .camera = &p->camera, .width = p->width, .height = p->height };
    view.surface[0] = (struct render_surface){ .mesh = &p->mesh, .step = 1 };
    view.moving = true; /* as while the value is dragged */
    return render_draw(&p->render, &view, p->err);
}

/* Makes and draws one picture. */
static int picture(void *context, size_t i, double *ms)
{
    struct bench_pictures *p = context;
    const double begin = timing_ms();
    double map_ms;
    bool again = false;
    (void)i;
    int code = surface_begin(&p->mesh, p->iso, p->value, &map_ms, p->err);
    if (!code && raster_needs_sizes(&p->render.raster))
        code = surface_end(&p->mesh, p->iso, p->value, &again, &map_ms, p->err);
    if (!code) code = draw(p);
    if (!code) code = surface_end(&p->mesh, p->iso, p->value, &again, &map_ms, p->err);
    if (!code && again) code = draw(p);
    raster_prepare(&p->render.raster, &p->iso->exec);
    glFinish();
    *ms = timing_ms() - begin;
    return code;
}

/* Whether the way that was asked for drew the last picture. raster.why tells why another one did. */
static bool drew(const struct render *render)
{
    const enum raster_way way = render->raster.way;
    if (way == RASTER_CULLED) return render->culled;
    return way == RASTER_AUTO || render->raster.drew == way;
}

/* The ways do not take turns as rungs do, because a mesh that one leaves to CUDA costs the next one more. */
static int time_way(struct bench_pictures *p, enum raster_way way, int runs, struct bench_picture *row)
{
    struct rounds rounds = { .count = 1, .columns = 1, .runs = runs };
    p->render.raster.way = way;
    *row = (struct bench_picture){ .way = raster_way_name[way] };
    const int code = rounds_run(&rounds, picture, p, p->err);
    row->timed = !code && drew(&p->render);
    if (row->timed) row->us = rounds_times(&rounds, 0, 0);
    if (!row->timed || way == RASTER_AUTO) snprintf(row->why, sizeof row->why, "%s", p->render.raster.why);
    rounds_free(&rounds);
    return code;
}

/* Makes the surface once, and fits the camera to it. */
static int prepare(struct bench_pictures *p, const struct bench_report *report, const struct options *options)
{
    double low[3], high[3], map_ms;
    const int width = options->view.width, height = options->view.height, most = picture_most_pixels();
    p->width = width ? width : RENDER_WIDTH, p->height = height ? height : RENDER_HEIGHT;
    if (p->width > most || p->height > most)
        return err_set(p->err, ERR_USAGE, "--size %dx%d: OpenGL draws at most %d pixels along a side here", width, height,
                       most);
    mesh_open(&p->mesh, &mesh_gl, &p->iso->exec);
    int code = surface_update(&p->mesh, p->iso, p->value, &map_ms, p->err);
    if (!code) code = iso_bounds(p->iso, low, high, p->err);
    if (code) return code;
    camera_set_volume(&p->camera, report->volume);
    camera_look(&p->camera, CAMERA_AZIMUTH, CAMERA_ELEVATION);
    camera_fit(&p->camera, (double)p->width / p->height, low, high);
    return ERR_NONE;
}

int bench_pictures_measure(struct bench_pictures *pictures, struct bench_report *report, const struct bench *bench,
                           const struct options *options, struct err *err)
{
    _Static_assert((int)BENCH_WAYS == (int)RASTER_WAYS, "a row for each way of drawing");
    struct bench_pictures *p = pictures;
    p->iso = bench->iso, p->err = err, p->value = volume_iso(report->volume, report->value);
    int code = prepare(p, report, options);
    for (int i = 1; i <= RASTER_WAYS && !code; i++) /* auto, the first, comes last */
        code = time_way(p, (enum raster_way)(i % RASTER_WAYS), bench->runs, &report->picture[report->picture_count++]);
    report->point.vertices = p->iso->counts.vertices, report->point.triangles = p->iso->counts.triangles;
    report->picture_size[0] = p->width, report->picture_size[1] = p->height;
    snprintf(report->renderer, sizeof report->renderer, "%s", p->gl.renderer);
    mesh_close(&p->mesh);
    return code;
}
