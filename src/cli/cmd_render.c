/* render: one picture of one surface, without a display. Scripts wait from start to picture: nothing is computed that the
 * picture does not show. */
#include "cmd.h"
#include "camera.h"
#include "capped.h"
#include "extent.h"
#include "film.h"
#include "filtered.h"
#include "gl.h"
#include "image.h"
#include "mesh_gl.h"
#include "render.h"
#include "sorted.h"
#include "state_file.h"
#include "stats.h"
#include "surface.h"
#include "text.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_OUTPUT "isoscope.png"
#define TICKS_APART 60.0 /* pixels */
#define FIT_VOXELS 256   /* along the longest axis, that the camera is fitted to: 30 ms */

struct job {           /* everything that must be closed again */
    int width, height; /* pixels */
    unsigned mode;     /* of shading */
    double *sweep;     /* the values of --sweep */
    const char *output;
    struct volume volume;
    struct setup_value iso_value;
    struct gl gl;
    struct iso iso;
    bool iso_is_open;
    struct mesh mesh;
    struct exec cpu; /* that writes the caps */
    struct capped capped;
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
    sorted_close(&job->sorted); /* of the picture before */
    int code = sorted_open(&job->sorted, mesh->target, &job->iso, 0, err);
    if (!code) code = sorted_update(&job->sorted, mesh, along, err);
    if (!code) view->mesh = sorted_mesh(&job->sorted, mesh);
    return code;
}

/* To what is left of the surface by --crop, or to the volume's box if that is drawn; or slices go from end to end of it. */
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
    crop_bounds(&job->slices.crop, of.low, of.high);
    if (box) {
        box_fit(camera, &job->volume, aspect);
        return;
    }
    camera_fit(camera, aspect, of.low, of.high);
    camera_sides(camera, aspect, plane);
    if (!slices_any(&job->slices) && !job->slices.crop.on &&
        extent_most(&of, (const double(*)[4])plane, most, CAMERA_SIDES))
        camera_frame(camera, aspect, most);
}

static void place_camera(const struct job *job, struct camera *camera, double aspect, const struct view_options *view)
{
    camera_set_volume(camera, &job->volume);
    if (view->view_given) camera_look(camera, view->azimuth, view->elevation);
    else camera_look(camera, CAMERA_AZIMUTH, CAMERA_ELEVATION);
    if (!view->target_given) {
        fit_camera(job, camera, aspect, view->box);
        return;
    }
    memcpy(camera->target, view->target, sizeof camera->target);
    camera->distance = view->distance;
}

/* What the picture shows, as a state file that gives it again. */
static int save_state(const struct job *job, const struct options *options, const struct camera *camera, struct err *err)
{
    struct settings settings;
    if (!options->view.save_state) return ERR_NONE;
    settings_from(&settings, &options->setup, &options->view);
    settings.value = job->iso_value.value;
    settings.view.fit = false;
    settings.view.distance = camera->distance;
    memcpy(settings.view.target, camera->target, sizeof settings.view.target);
    settings.backend = job->iso.exec.backend;
    memcpy(settings.rung, job->iso.rung, sizeof settings.rung);
    return state_file_write(options->view.save_state, &settings, true, err);
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
    const float value = volume_iso(&job->volume, job->iso_value.value);
    struct grid grid;
    void *copy;
    job->cpu = (struct exec){ .backend = BACKEND_CPU, .threads = job->iso.exec.threads };
    capped_close(&job->capped); /* of a backend that failed */
    capped_open(&job->capped, &mesh_gl_staged, &job->cpu);
    int code = iso_voxels_host(&job->iso, &job->volume.grid, &grid, &copy, err);
    if (!code) code = capped_read(&job->capped, &grid, (struct capped_of){ .epoch = 1 }, err);
    free(copy);
    return code ? code : capped_update(&job->capped, value, job->iso.topology, err);
}

/* Chooses the value of --iso; with --sweep the lowest, whose surface encloses the others: the camera is fitted to it. */
static int choose_values(struct job *job, const struct options *options, struct err *err)
{
    const struct values *values = &options->values;
    if (!values->count) return setup_choose_value(&job->iso_value, &job->iso, &job->volume, &options->setup, err);
    if (!job->sweep) job->sweep = malloc(values->count * sizeof *job->sweep);
    if (!job->sweep) return err_set(err, ERR_FAILED, "no memory for %zu values", values->count);
    if (values_find(values, job->sweep, &job->iso, &job->volume, err)) return err->code;
    job->iso_value.value = job->sweep[0];
    for (size_t i = 1; i < values->count; i++) job->iso_value.value = fmin(job->iso_value.value, job->sweep[i]);
    return ERR_NONE;
}

/* They are seen, or caps on cuts need to know where the surface ends. */
static bool needs_caps(const struct job *job, const struct options *options)
{
    struct cut cut;
    slices_cut(&job->slices, -1, &cut);
    return options->setup.close ||
           (cut_is_bare(&cut) && !is_translucent(options) && !component_filter_is_on(&options->setup.filter));
}

/* Does all the work of the backend. On error there is no mesh. */
static int make_surface(struct job *job, const struct options *options, struct err *err)
{
    double map_ms;
    slices_set_volume(&job->slices, &job->volume.grid);
    if (slices_choose(&job->slices, options->view.slice_given, options->view.slice, options->view.slice_cut, err) ||
        crop_choose(&job->slices.crop, job->slices.dims, options->view.crop_given, options->view.crop, err))
        return ERR_USAGE;
    if (options->view.knife_given) slices_set_knife(&job->slices.knife, options->view.knife);
    mesh_open(&job->mesh, options->view.staging ? &mesh_gl_staged : &mesh_gl, &job->iso.exec);
    int code = setup_set_volume(&job->iso, &job->volume, &options->setup, err);
    if (!code) code = choose_values(job, options, err);
    if (!code) code = surface_update(&job->mesh, &job->iso, volume_iso(&job->volume, job->iso_value.value), &map_ms, err);
    if (!code) code = iso_bounds(&job->iso, job->low, job->high, err);
    if (!code) code = filter(job, &options->setup.filter, err);
    if (!code && needs_caps(job, options)) code = make_caps(job, err);
    if (!code) code = make_slices(job, &options->view, err);
    if (code) filtered_close(&job->filtered);
    if (code) mesh_close(&job->mesh);
    return code;
}

/* A surface of the same volume at another value. */
static int change_value(struct job *job, const struct options *options, double value, struct err *err)
{
    double map_ms;
    job->iso_value.value = value;
    filtered_close(&job->filtered);
    int code = surface_update(&job->mesh, &job->iso, volume_iso(&job->volume, value), &map_ms, err);
    if (!code) code = filter(job, &options->setup.filter, err);
    if (!code && needs_caps(job, options)) code = make_caps(job, err);
    return code ? code : make_slices(job, &options->view, err);
}

/* All samples of one picture, on a background of this colour; NULL: on the usual one. */
static int draw_samples(struct job *job, struct render_view *view, const float *plain, struct err *err)
{
    int code = ERR_NONE;
    view->plain = plain;
    for (view->sample = 0; !code && view->sample < view->samples; view->sample++)
        code = render_draw(&job->render, view, err);
    return code;
}

static int save_transparent(struct job *job, struct render_view *view, const char *path, struct err *err)
{
    static const float grey[2][4] = { { 0, 0, 0, 1 }, { 1, 1, 1, 1 } };
    unsigned char *on[2] = { NULL, NULL }, *cut = NULL;
    const int w = view->width, h = view->height;
    int code = ERR_NONE;
    for (int i = 0; i < 2 && !code; i++) {
        code = draw_samples(job, view, grey[i], err);
        if (!code && !(on[i] = image_read(job->render.resolved, 0, 0, w, h, err))) code = err->code;
    }
    if (!code && !(cut = image_cut_out(on[0], on[1], (size_t)w * (size_t)h)))
        code = err_set(err, ERR_FAILED, "no memory for an image of %d x %d", w, h);
    if (!code) code = image_write(cut, 4, w, h, path, err);
    for (int i = 0; i < 2; i++) free(on[i]);
    free(cut);
    return code;
}

/* Draws what there is, seen from the camera, into a file. */
static int draw(struct job *job, const struct options *options, const struct camera *camera, const char *path,
                struct err *err)
{
    struct render_view view = { .mesh = drawn_mesh(job),
                                .caps = &job->capped.mesh,
                                .border_open = !options->setup.close,
                                .cuts_capped = true,
                                .step = 1,
                                .camera = camera,
                                .width = job->width,
                                .height = job->height,
                                .mode = job->mode,
                                .wireframe = options->view.edges,
                                .slices = &job->slices,
                                .samples = options->view.samples ? options->view.samples : RENDER_SAMPLES };
    struct box_plan plan;
    box_lay_out(&plan, camera, &job->volume, (double)view.width / view.height, view.height, TICKS_APART);
    if (options->view.box) view.box = &plan;
    if (is_translucent(options)) view.transparency = 1 - options->view.opacity;
    int code = is_translucent(options) && drawn_mesh(job)->triangles ? sort(job, camera, &view, err) : ERR_NONE;
    if (code) return code;
    if (options->view.transparent) return save_transparent(job, &view, path, err);
    code = draw_samples(job, &view, NULL, err);
    return code ? code : image_save(job->render.resolved, 0, 0, view.width, view.height, path, err);
}

/* Every picture of a turn is of the same size: as far away as the widest of them needs, about the middle of the box. */
static void fit_turn(const struct job *job, struct camera *camera, double aspect, unsigned pictures)
{
    double target[3] = { 0, 0, 0 }, farthest = 0;
    const double azimuth = camera->azimuth;
    for (unsigned i = 0; i < pictures; i++) {
        camera_look(camera, azimuth + 360.0 * i / pictures, camera->elevation);
        camera_fit(camera, aspect, job->low, job->high);
        farthest = fmax(farthest, camera->distance);
        for (int a = 0; a < 3; a++) target[a] += camera->target[a] / pictures;
    }
    camera_look(camera, azimuth, camera->elevation);
    camera->distance = farthest;
    memcpy(camera->target, target, sizeof target);
}

static int draw_turn(struct job *job, const struct options *options, struct camera *camera, struct err *err)
{
    const unsigned n = options->view.turntable;
    const double azimuth = camera->azimuth;
    char path[PATH_MAX];
    int code = ERR_NONE;
    if (!options->view.target_given) fit_turn(job, camera, (double)job->width / job->height, n);
    for (unsigned i = 0; i < n && !code; i++) {
        camera_look(camera, azimuth + 360.0 * i / n, camera->elevation);
        film_name(path, sizeof path, job->output, i);
        code = draw(job, options, camera, path, err);
    }
    return code;
}

static int draw_sweep(struct job *job, const struct options *options, const struct camera *camera, struct err *err)
{
    char path[PATH_MAX];
    int code = ERR_NONE;
    for (size_t i = 0; i < options->values.count && !code; i++) {
        code = change_value(job, options, job->sweep[i], err);
        film_name(path, sizeof path, job->output, i);
        if (!code) code = draw(job, options, camera, path, err);
    }
    return code;
}

/* The picture, or all of a turn or a sweep. */
static int draw_all(struct job *job, const struct options *options, struct err *err)
{
    struct camera camera = { .up = options->view.up, .orthographic = options->view.orthographic };
    place_camera(job, &camera, (double)job->width / job->height, &options->view);
    int code = options->view.turntable ? draw_turn(job, options, &camera, err)
               : options->values.count ? draw_sweep(job, options, &camera, err)
                                       : draw(job, options, &camera, job->output, err);
    return code ? code : save_state(job, options, &camera, err);
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

static bool is_film(const struct options *options) { return options->view.turntable || options->values.count; }

static int check_film(const struct job *job, const struct options *options, struct err *err)
{
    if (options->view.turntable && options->values.count)
        return err_set(err, ERR_USAGE, "--turntable and --sweep: a film of one kind at a time was expected");
    if (options->setup.iso_given && options->values.count)
        return err_set(err, ERR_USAGE, "--iso and --sweep: one of them was expected");
    return is_film(options) ? film_check(job->output, err) : ERR_NONE;
}

static int run(struct job *job, const struct options *options, struct err *err)
{
    char why[512];
    const int mode = render_mode_find(options->view.shading, err);
    if (mode < 0 || (job->slices.map = colour_map_find(options->view.slice_map, err)) < 0) return ERR_USAGE;
    if (options->setup.close && component_filter_is_on(&options->setup.filter))
        return err_set(err, ERR_USAGE,
                       "render draws caps of the whole surface only: leave out --close, or --min-size and --keep");
    job->mode = (unsigned)mode;
    int code = check_film(job, options, err);
    if (!code) code = open_both(job, options, err);
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
    if (!code) code = draw_all(job, options, err);
    if (code) return code;
    if (is_film(options)) {
        const size_t n = options->view.turntable ? options->view.turntable : options->values.count;
        text_say(stdout, "wrote %s: %zu pictures of %dx%d, from 0", job->output, n, job->width, job->height);
        film_say(job->output);
        return ERR_NONE;
    }

    const double value = job->iso_value.value;
    const uint64_t caps = options->setup.close ? job->capped.mesh.triangles : 0;
    if (!job->mesh.triangles && !caps)
        setup_say_empty(&job->volume, job->iso_value.stats_known ? &job->iso_value.stats : NULL, value);
    const uint64_t triangles = drawn_mesh(job)->triangles + caps;
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
    capped_close(&job.capped);
    mesh_close(&job.mesh);
    slices_close(&job.slices);
    render_close(&job.render);
    if (job.iso_is_open) iso_close(&job.iso);
    gl_close(&job.gl);
    volume_free(&job.volume);
    free(job.sweep);
    return code;
}
