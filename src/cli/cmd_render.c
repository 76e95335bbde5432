/* render: one picture of one surface, without a display. Scripts wait from start to picture: nothing is computed that the
 * picture does not show. */
#include "cmd.h"
#include "camera.h"
#include "capped.h"
#include "extent.h"
#include "filtered.h"
#include "gl.h"
#include "image.h"
#include "mesh_gl.h"
#include "render.h"
#include "sorted.h"
#include "stats.h"
#include "surface.h"
#include "text.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_OUTPUT "isoscope.png"
#define FIT_VOXELS 256 /* along the longest axis, that the camera is fitted to: 30 ms */

struct job {           /* everything that must be closed again */
    int width, height; /* pixels */
    const char *output;
    struct volume volume;
    struct setup_value iso_value;
    struct gl gl;
    struct iso iso;
    bool iso_is_open;
    struct mesh mesh;
    struct exec cpu; /* that writes the caps */
    struct mesh caps;
    struct filtered filtered; /* the mesh without the parts that are left out; not open: none are */
    double low[3], high[3];   /* a box that holds the surface */
    struct sorted sorted;
    struct render render;
    struct slices slices;
};

static bool is_translucent(const struct options *options)
{
    return options->view.opacity_given && options->view.opacity < 1;
}

static struct mesh *drawn_mesh(struct job *job) { return job->filtered.iso ? &job->filtered.shown : &job->mesh; }

/* Sorts the triangles from back to front, for a translucent surface. */
static int sort(struct job *job, const struct camera *camera, struct render_view *view, struct err *err)
{
    struct mesh *mesh = drawn_mesh(job);
    float along[3];
    camera_along(camera, along);
    int code = sorted_open(&job->sorted, mesh->target, &job->iso, 0, err);
    if (!code) code = sorted_update(&job->sorted, mesh, along, err);
    if (!code) view->mesh = sorted_mesh(&job->sorted, mesh);
    return code;
}

/* To the surface, or to the box if that is drawn or slices go from end to end of it. */
static void fit_camera(const struct job *job, struct camera *camera, double aspect, bool box)
{
    const struct grid *g = &job->volume.grid;
    const size_t widest = g->nx > g->ny ? g->nx : g->ny, longest = widest > g->nz ? widest : g->nz;
    struct extent_of of = {
        .grid = g, .pick = (longest - 1) / FIT_VOXELS + 1, .step = 1, .iso = volume_iso(&job->volume, job->iso_value.value)
    };
    double plane[CAMERA_SIDES][4], most[CAMERA_SIDES];
    memcpy(of.low, job->low, sizeof of.low);
    memcpy(of.high, job->high, sizeof of.high);
    if (box) {
        box_fit(camera, &job->volume, aspect);
        return;
    }
    camera_fit(camera, aspect, job->low, job->high);
    camera_sides(camera, aspect, plane);
    if (!slices_any(&job->slices) && extent_most(&of, (const double(*)[4])plane, most, CAMERA_SIDES))
        camera_frame(camera, aspect, most);
}

static int draw(struct job *job, const struct options *options, int mode, struct err *err)
{
    struct camera camera = { .up = options->view.up, .orthographic = options->view.orthographic };
    struct render_view view = { .mesh = drawn_mesh(job),
                                .caps = &job->caps,
                                .step = 1,
                                .camera = &camera,
                                .width = job->width,
                                .height = job->height,
                                .mode = (unsigned)mode,
                                .slices = &job->slices,
                                .samples = options->view.samples ? options->view.samples : RENDER_SAMPLES };
    camera_set_volume(&camera, &job->volume);
    if (options->view.view_given) camera_look(&camera, options->view.azimuth, options->view.elevation);
    else camera_look(&camera, CAMERA_AZIMUTH, CAMERA_ELEVATION);
    const double aspect = (double)view.width / view.height;
    struct box_plan plan;
    fit_camera(job, &camera, aspect, options->view.box);
    box_lay_out(&plan, &camera, &job->volume, aspect, view.height, BOX_TICKS_APART);
    if (options->view.box) view.box = &plan;
    if (is_translucent(options)) view.transparency = 1 - options->view.opacity;
    int code = is_translucent(options) && drawn_mesh(job)->triangles ? sort(job, &camera, &view, err) : ERR_NONE;
    for (; !code && view.sample < view.samples; view.sample++) code = render_draw(&job->render, &view, err);
    return code ? code : image_save(job->render.resolved, 0, 0, view.width, view.height, job->output, err);
}

/* The values of the first and last colour: those of --window, or of the whole volume. */
static int choose_window(struct job *job, const struct view_options *view, struct err *err)
{
    struct setup_value *value = &job->iso_value;
    if (view->window_given) {
        slices_set_window(&job->slices, &job->volume, view->window);
        return ERR_NONE;
    }
    if (!value->stats_known && stats_compute(&value->stats, &job->iso, &job->volume, err)) return err->code;
    value->stats_known = true;
    slices_set_window(&job->slices, &job->volume, (double[]){ value->stats.real_min, value->stats.real_max });
    return ERR_NONE;
}

/* Makes the slices of --slice, with contours at the value. */
static int make_slices(struct job *job, const struct view_options *view, struct err *err)
{
    struct contour contour[SLICE_AXES] = { { .wanted = false } };
    if (!slices_any(&job->slices)) return ERR_NONE;
    if (choose_window(job, view, err)) return err->code;
    slices_extend(&job->slices, job->low, job->high);
    for (int a = 0; a < SLICE_AXES; a++)
        contour[a] = (struct contour){ .wanted = job->slices.plane[a].on, .index = job->slices.plane[a].index };
    int code = slices_update(&job->slices, &job->volume.grid, err);
    if (!code)
        code = slice_contours(&job->iso, &job->iso.grid, volume_iso(&job->volume, job->iso_value.value), contour, err);
    if (!code) code = slices_take(&job->slices, contour, err);
    slice_free(contour);
    return code;
}

/* Leaves out parts of the surface. The camera still looks at the whole: pictures with and without can be compared. */
static int filter(struct job *job, const struct component_filter *filter, struct err *err)
{
    if (!component_filter_is_on(filter) || !job->mesh.triangles) return ERR_NONE;
    int code = filtered_open(&job->filtered, job->mesh.target, &job->iso, 0, err);
    if (!code) code = filtered_update(&job->filtered, &job->mesh, &job->volume, filter, err);
    if (code) filtered_close(&job->filtered);
    return code;
}

static int make_caps(struct job *job, struct err *err)
{
    struct caps border = { .values = NULL };
    struct mesh_host planes = { NULL, NULL, 0, 0 };
    struct grid grid;
    void *copy;
    const int threads = job->iso.exec.threads;
    job->cpu = (struct exec){ .backend = BACKEND_CPU };
    mesh_close(&job->caps); /* of a backend that failed */
    mesh_open(&job->caps, &mesh_gl_staged, &job->cpu);
    int code = iso_voxels_host(&job->iso, &job->volume.grid, &grid, &copy, err);
    if (!code) code = caps_read(&border, &grid, threads, err);
    free(copy);
    if (!code)
        code = caps_make(&border, volume_iso(&job->volume, job->iso_value.value), job->iso.topology, threads, &planes, err);
    if (!code) code = capped_write(&job->caps, &planes, err);
    mesh_host_free(&planes);
    caps_free(&border);
    return code;
}

/* Does all the work of the backend. On error there is no mesh. */
static int make_surface(struct job *job, const struct options *options, struct err *err)
{
    double map_ms;
    slices_set_volume(&job->slices, &job->volume.grid);
    if (slices_choose(&job->slices, options->view.slice_given, options->view.slice, options->view.slice_cut, err))
        return ERR_USAGE;
    mesh_open(&job->mesh, options->view.staging ? &mesh_gl_staged : &mesh_gl, &job->iso.exec);
    int code = setup_set_volume(&job->iso, &job->volume, &options->setup, err);
    if (!code) code = setup_choose_value(&job->iso_value, &job->iso, &job->volume, &options->setup, err);
    if (!code) code = surface_update(&job->mesh, &job->iso, volume_iso(&job->volume, job->iso_value.value), &map_ms, err);
    if (!code) code = iso_bounds(&job->iso, job->low, job->high, err);
    if (!code) code = filter(job, &options->setup.filter, err);
    if (!code && options->setup.close) code = make_caps(job, err);
    if (!code) code = make_slices(job, &options->view, err);
    if (code) filtered_close(&job->filtered);
    if (code) mesh_close(&job->mesh);
    return code;
}

struct loading { /* the volume, on a thread of its own */
    struct job *job;
    const struct setup *setup;
    struct err err;
};

static void *load(void *loading)
{
    struct loading *l = loading;
    setup_open_volume(&l->job->volume, &l->job->iso_value.value, l->setup, &l->err);
    return NULL;
}

/* Opens OpenGL, which takes as long as reading some 100 MB, while the volume is read. An error of the file is told first. */
static int open_both(struct job *job, const struct options *options, struct err *err)
{
    struct loading loading = { .job = job, .setup = &options->setup };
    pthread_t thread;
    const bool apart = !pthread_create(&thread, NULL, load, &loading);
    int code = gl_open_offscreen(&job->gl, err);
    if (!code) code = render_open(&job->render, job->gl.is_software, err);
    if (apart) pthread_join(thread, NULL);
    else load(&loading);
    if (loading.err.code) *err = loading.err;
    return loading.err.code ? loading.err.code : code;
}

static int run(struct job *job, const struct options *options, struct err *err)
{
    char why[512];
    const int mode = render_mode_find(options->view.shading, err);
    if (mode < 0 || (job->slices.map = colour_map_find(options->view.slice_map, err)) < 0) return ERR_USAGE;
    if (options->setup.close && component_filter_is_on(&options->setup.filter))
        return err_set(err, ERR_USAGE,
                       "render draws caps of the whole surface only: leave out --close, or --min-size and --keep");
    int code = open_both(job, options, err);
    if (code) return code;
    const int device = options->setup.backend == CHOICE_CPU ? -1 : mesh_gl.device();
    code = setup_open_iso(&job->iso, &options->setup, device, why, sizeof why, err);
    if (code) return code;
    job->iso_is_open = true;
    /* Triangles of equal depth keep the order in which they were made: an ordered rung gives the same picture every time. */
    if (is_translucent(options) && !iso_is_ordered(&job->iso) && !options->setup.rung[STAGE_FUSED])
        iso_force_rung(&job->iso, STAGE_FUSED, "none", NULL);
    do code = make_surface(job, options, err);
    while (code && setup_fall_back(&job->iso, &options->setup, why, sizeof why, err));
    if (!code) code = draw(job, options, mode, err);
    if (code) return code;

    const double value = job->iso_value.value;
    if (!job->mesh.triangles && !job->caps.triangles)
        setup_say_empty(&job->volume, job->iso_value.stats_known ? &job->iso_value.stats : NULL, value);
    const uint64_t triangles = drawn_mesh(job)->triangles + job->caps.triangles;
    char left[64] = "";
    if (drawn_mesh(job)->triangles < job->mesh.triangles)
        snprintf(left, sizeof left, " (%" PRIu64 " left out)", job->mesh.triangles - drawn_mesh(job)->triangles);
    text_say(stdout, "wrote %s: %dx%d, iso %.9g, %" PRIu64 " triangles%s, %s, %s%s", job->output, job->width, job->height,
             value, triangles, left, job->iso.ops->name, job->gl.renderer, job->gl.is_software ? " (software)" : "");
    if (options->view.verbose) text_say(stderr, "isoscope: backend: %s; mesh: %s", why, job->mesh.why);
    return ERR_NONE;
}

int cmd_render(const struct options *options, struct err *err)
{
    struct job job = { .width = options->view.width ? options->view.width : RENDER_WIDTH,
                       .height = options->view.height ? options->view.height : RENDER_HEIGHT,
                       .output = options->output ? options->output : DEFAULT_OUTPUT };
    if (!text_ends(job.output, ".png"))
        return err_set(err, ERR_USAGE, "%s: render writes PNG, so the name must end in .png", job.output);
    const int code = run(&job, options, err);
    sorted_close(&job.sorted);
    filtered_close(&job.filtered);
    mesh_close(&job.caps);
    mesh_close(&job.mesh);
    slices_close(&job.slices);
    render_close(&job.render);
    if (job.iso_is_open) iso_close(&job.iso);
    gl_close(&job.gl);
    volume_free(&job.volume);
    return code;
}
