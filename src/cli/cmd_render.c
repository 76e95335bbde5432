/* render: one picture of a surface, or of several, without a display. Scripts wait from start to picture: nothing is computed that the
 * picture does not show. */
#include "cmd.h"
#include "camera.h"
#include "capped.h"
#include "extent.h"
#include "filtered.h"
#include "gl.h"
#include "image.h"
#include "merged.h"
#include "parse_surfaces.h"
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
#define TICKS_APART 60.0 /* pixels */
#define FIT_VOXELS 256   /* along the longest axis, that the camera is fitted to: 30 ms */

struct surface {
    double value; /* real units */
    struct mesh mesh, caps;
    struct filtered filtered; /* the mesh without the parts that are left out; not open: none are */
    double opacity;
};

struct job {           /* everything that must be closed again */
    int width, height; /* pixels */
    const char *output;
    struct volume volume;
    struct setup_value iso_value; /* where --iso says none */
    struct gl gl;
    struct iso iso;
    bool iso_is_open;
    struct exec cpu; /* that writes the caps */
    struct surface surface[VIEW_SURFACES];
    int count;              /* of surfaces */
    double low[3], high[3]; /* a box that holds them */
    struct merged merged;   /* translucent surfaces as one, if there are several */
    struct sorted sorted;
    struct render render;
    struct slices slices;
    struct tint tint;
    enum tint_by tint_by;
};

static struct mesh *drawn_mesh(struct surface *s) { return s->filtered.iso ? &s->filtered.shown : &s->mesh; }

/* ---- drawing ----------------------------------------------------------------------------------------------------------- */

static bool is_translucent(const struct options *options)
{
    bool any = false;
    for (int i = 0; i < options->view.opacities; i++) any = any || options->view.opacity[i] < 1;
    return any;
}

/* Sorts the triangles of all translucent surfaces from back to front, as one mesh if there are several. */
static int sort(struct job *job, const struct camera *camera, struct render_view *view, struct err *err)
{
    struct mesh *meshes[MERGED_MOST] = { NULL }, *mesh = NULL;
    int last = 0, count = 0;
    float along[3];
    for (int i = 0; i < job->count; i++) {
        if (job->surface[i].opacity >= 1 || !drawn_mesh(&job->surface[i])->triangles) continue;
        mesh = meshes[i] = drawn_mesh(&job->surface[i]);
        last = i;
        count++;
    }
    if (!count) return ERR_NONE;
    if (count > 1) {
        merged_open(&job->merged, mesh->target, &job->iso.exec);
        if (merged_update(&job->merged, meshes, err)) return ERR_FAILED;
        mesh = &job->merged.mesh;
    }
    camera_along(camera, along);
    if (sorted_open(&job->sorted, mesh->target, &job->iso, 0, err)) return ERR_FAILED;
    if (sorted_update(&job->sorted, mesh, along, err)) return ERR_FAILED;
    *(count > 1 ? &view->together : &view->surface[last].mesh) = sorted_mesh(&job->sorted, mesh);
    view->together_step = 1;
    memcpy(view->together_first, job->merged.first, sizeof view->together_first);
    return ERR_NONE;
}

/* To the surfaces, or to the box if that is drawn or slices go from end to end of it. */
static void fit_camera(const struct job *job, struct camera *camera, double aspect, bool box)
{
    const struct grid *g = &job->volume.grid;
    const size_t widest = g->nx > g->ny ? g->nx : g->ny, longest = widest > g->nz ? widest : g->nz;
    struct extent_of of = { .grid = g, .pick = (longest - 1) / FIT_VOXELS + 1, .step = 1 };
    double plane[CAMERA_SIDES][4], most[CAMERA_SIDES], one[CAMERA_SIDES];
    bool any = false;
    memcpy(of.low, job->low, sizeof of.low);
    memcpy(of.high, job->high, sizeof of.high);
    if (box) {
        box_fit(camera, &job->volume, aspect);
        return;
    }
    camera_fit(camera, aspect, job->low, job->high);
    camera_sides(camera, aspect, plane);
    for (int i = 0; i < job->count && !slices_any(&job->slices); i++) {
        of.iso = volume_iso(&job->volume, job->surface[i].value);
        if (!extent_most(&of, (const double(*)[4])plane, one, CAMERA_SIDES)) continue;
        for (int s = 0; s < CAMERA_SIDES; s++) most[s] = any && most[s] > one[s] ? most[s] : one[s];
        any = true;
    }
    if (any) camera_frame(camera, aspect, most);
}

/* What is given for surface i: one of each, or one of all. */
static void show_surfaces(struct job *job, const struct view_options *options, struct render_view *view)
{
    for (int i = 0; i < job->count; i++) {
        struct surface *s = &job->surface[i];
        const int color = options->colors > 1 ? i : 0;
        struct render_surface *shown = &view->surface[i];
        *shown = (struct render_surface){
            .mesh = drawn_mesh(s), .caps = &s->caps, .step = 1, .value = s->value, .transparency = 1 - s->opacity
        };
        render_first_colour(i, shown);
        if (options->colors) memcpy(shown->colour, options->color[color], sizeof shown->colour);
        shown->coloured = shown->coloured || options->colors;
        slices_colour_line(&job->slices, i, shown->coloured ? shown->colour : NULL);
    }
}

static int draw(struct job *job, const struct options *options, int mode, struct err *err)
{
    struct camera camera = { .up = options->view.up, .orthographic = options->view.orthographic };
    struct render_view view = { .camera = &camera,
                                .width = job->width,
                                .height = job->height,
                                .mode = (unsigned)mode,
                                .slices = &job->slices,
                                .tint = &job->tint,
                                .samples = options->view.samples ? options->view.samples : RENDER_SAMPLES };
    camera_set_volume(&camera, &job->volume);
    if (options->view.view_given) camera_look(&camera, options->view.azimuth, options->view.elevation);
    else camera_look(&camera, CAMERA_AZIMUTH, CAMERA_ELEVATION);
    const double aspect = (double)view.width / view.height;
    struct box_plan plan;
    fit_camera(job, &camera, aspect, options->view.box);
    box_lay_out(&plan, &camera, &job->volume, aspect, view.height, TICKS_APART);
    if (options->view.box) view.box = &plan;
    show_surfaces(job, &options->view, &view);
    int code = tint_choose(&job->tint, job->tint_by, &job->volume, err);
    if (!code) code = sort(job, &camera, &view, err);
    for (; !code && view.sample < view.samples; view.sample++) code = render_draw(&job->render, &view, err);
    return code ? code : image_save(job->render.resolved, 0, 0, view.width, view.height, job->output, err);
}

/* ---- making ------------------------------------------------------------------------------------------------------------ */

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

static int make_contours(struct job *job, int number, struct err *err)
{
    struct contour contour[SLICE_AXES] = { { .wanted = false } };
    for (int a = 0; a < SLICE_AXES; a++)
        contour[a] = (struct contour){ .wanted = job->slices.plane[a].on, .index = job->slices.plane[a].index };
    const float value = volume_iso(&job->volume, job->surface[number].value);
    int code = slice_contours(&job->iso, &job->iso.grid, value, contour, err);
    if (!code) code = slices_take(&job->slices, number, contour, err);
    slice_free(contour);
    return code;
}

/* Makes the slices of --slice, with contours at the values. */
static int make_slices(struct job *job, const struct view_options *view, struct err *err)
{
    if (!slices_any(&job->slices)) return ERR_NONE;
    if (choose_window(job, view, err)) return err->code;
    slices_extend(&job->slices, job->low, job->high);
    int code = slices_update(&job->slices, &job->volume.grid, err);
    for (int i = 0; i < job->count && !code; i++) code = make_contours(job, i, err);
    return code;
}

/* Leaves out parts of the surface. The camera still looks at the whole: pictures with and without can be compared. */
static int filter(struct job *job, struct surface *s, const struct component_filter *filter, struct err *err)
{
    if (!component_filter_is_on(filter) || !s->mesh.triangles) return ERR_NONE;
    int code = filtered_open(&s->filtered, s->mesh.target, &job->iso, 0, err);
    if (!code) code = filtered_update(&s->filtered, &s->mesh, &job->volume, filter, err);
    if (code) filtered_close(&s->filtered);
    return code;
}

static int make_caps(struct job *job, struct surface *s, struct err *err)
{
    struct caps border = { .values = NULL };
    struct mesh_host planes = { NULL, NULL, 0, 0 };
    struct grid grid;
    void *copy;
    const int threads = job->iso.exec.threads;
    job->cpu = (struct exec){ .backend = BACKEND_CPU };
    mesh_close(&s->caps); /* of a backend that failed */
    mesh_open(&s->caps, &mesh_gl_staged, &job->cpu);
    int code = iso_voxels_host(&job->iso, &job->volume.grid, &grid, &copy, err);
    if (!code) code = caps_read(&border, &grid, threads, err);
    free(copy);
    if (!code) code = caps_make(&border, volume_iso(&job->volume, s->value), job->iso.topology, threads, &planes, err);
    if (!code) code = capped_write(&s->caps, &planes, err);
    mesh_host_free(&planes);
    caps_free(&border);
    return code;
}

/* Extends the box to the surface of the last count. */
static int extend_box(struct job *job, bool first, struct err *err)
{
    double low[3], high[3];
    const int code = iso_bounds(&job->iso, low, high, err);
    for (int a = 0; a < 3 && !code; a++) {
        job->low[a] = first || low[a] < job->low[a] ? low[a] : job->low[a];
        job->high[a] = first || high[a] > job->high[a] ? high[a] : job->high[a];
    }
    return code;
}

static int make_one(struct job *job, int number, const struct options *options, struct err *err)
{
    struct surface *s = &job->surface[number];
    double map_ms;
    mesh_open(&s->mesh, options->view.staging ? &mesh_gl_staged : &mesh_gl, &job->iso.exec);
    int code = surface_update(&s->mesh, &job->iso, volume_iso(&job->volume, s->value), &map_ms, err);
    if (!code) code = extend_box(job, !number, err);
    if (!code) code = filter(job, s, &options->setup.filter, err);
    if (!code && options->setup.close) code = make_caps(job, s, err);
    return code;
}

static int choose_values(struct job *job, const struct options *options, struct err *err)
{
    double value[VALUES_MOST];
    const struct view_options *view = &options->view;
    if (options->values.count > 1 && values_find(&options->values, value, &job->iso, &job->volume, err)) return ERR_FAILED;
    job->count = options->values.count > 1 ? (int)options->values.count : 1;
    if (job->count == 1 && setup_choose_value(&job->iso_value, &job->iso, &job->volume, &options->setup, err))
        return ERR_FAILED;
    for (int i = 0; i < job->count; i++) {
        job->surface[i].value = job->count > 1 ? value[i] : job->iso_value.value;
        job->surface[i].opacity = view->opacities ? view->opacity[view->opacities > 1 ? i : 0] : 1;
    }
    return ERR_NONE;
}

static void drop_surfaces(struct job *job)
{
    for (int i = 0; i < VIEW_SURFACES; i++) {
        filtered_close(&job->surface[i].filtered);
        mesh_close(&job->surface[i].caps);
        mesh_close(&job->surface[i].mesh);
    }
}

/* Does all the work of the backend. On error there is no mesh. */
static int make_surfaces(struct job *job, const struct options *options, struct err *err)
{
    slices_set_volume(&job->slices, &job->volume.grid);
    if (slices_choose(&job->slices, options->view.slice_given, options->view.slice, options->view.slice_cut, err))
        return ERR_USAGE;
    int code = setup_set_volume(&job->iso, &job->volume, &options->setup, err);
    if (!code) code = choose_values(job, options, err);
    for (int i = 0; i < job->count && !code; i++) code = make_one(job, i, options, err);
    if (!code) code = make_slices(job, &options->view, err);
    if (code) drop_surfaces(job);
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

static void say(struct job *job)
{
    uint64_t triangles = 0, left_out = 0;
    char left[64] = "", values[160] = "", title[64];
    for (int i = 0; i < job->count; i++) {
        struct surface *s = &job->surface[i];
        const size_t used = strlen(values);
        const uint64_t drawn = drawn_mesh(s)->triangles;
        if (!s->mesh.triangles && !s->caps.triangles)
            setup_say_empty(&job->volume, job->iso_value.stats_known ? &job->iso_value.stats : NULL, s->value);
        triangles += drawn + s->caps.triangles;
        left_out += s->mesh.triangles - (drawn < s->mesh.triangles ? drawn : s->mesh.triangles);
        snprintf(values + used, sizeof values - used, "%s%.9g", i ? "," : "", s->value);
    }
    if (left_out) snprintf(left, sizeof left, " (%" PRIu64 " left out)", left_out);
    text_say(stdout, "wrote %s: %dx%d, iso %s, %" PRIu64 " triangles%s, %s, %s%s", job->output, job->width, job->height,
             values, triangles, left, job->iso.ops->name, job->gl.renderer, job->gl.is_software ? " (software)" : "");
    if (!job->tint.by) return;
    tint_title(&job->tint, &job->volume, title);
    text_say(stdout, "colours: %s, from %.6g to %.6g", title, job->tint.range[0], job->tint.range[1]);
}

static int run(struct job *job, const struct options *options, struct err *err)
{
    char why[512];
    if (parse_check_lists(options, err)) return ERR_USAGE;
    const int mode = render_mode_find(options->view.shading, err);
    const int by = tint_find(options->view.color_by, err);
    if (by < 0) return ERR_USAGE;
    job->tint.map = colour_map_find(options->view.color_map ? options->view.color_map : "viridis", err);
    if (job->tint.map < 0) return ERR_USAGE;
    job->tint_by = (enum tint_by)by;
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
    do code = make_surfaces(job, options, err);
    while (code && setup_fall_back(&job->iso, &options->setup, why, sizeof why, err));
    if (!code) code = draw(job, options, mode, err);
    if (code) return code;

    say(job);
    if (options->view.verbose) text_say(stderr, "isoscope: backend: %s; mesh: %s", why, job->surface[0].mesh.why);
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
    merged_close(&job.merged);
    drop_surfaces(&job);
    slices_close(&job.slices);
    tint_drop(&job.tint);
    render_close(&job.render);
    if (job.iso_is_open) iso_close(&job.iso);
    gl_close(&job.gl);
    volume_free(&job.volume);
    return code;
}
