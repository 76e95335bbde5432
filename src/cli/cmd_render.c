/* render: a picture of one or several surfaces, without a display. Scripts wait for it, so nothing is computed that the
 * picture does not show. */
#include "cmd.h"
#include "camera.h"
#include "extent.h"
#include "film.h"
#include "labels.h"
#include "options_surfaces.h"
#include "picture.h"
#include "render_job.h"
#include "state_file.h"
#include "terminal.h"
#include "text.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_HEIGHT 1080.0 /* text has scale 1 up to this height of the picture, pixels, */
#define LEAST_HEIGHT 340.0 /* and from this height on, where the legend takes half of it */

/* Sorts the triangles of all translucent surfaces from back to front, as one mesh if there are several. */
static int sort(struct job *job, const struct camera *camera, struct render_view *view, struct err *err)
{
    struct mesh *meshes[MERGED_MOST] = { NULL }, *mesh = NULL;
    int last = 0, count = 0;
    float along[3];
    for (int i = 0; i < job->count; i++) {
        if (job->surface[i].opacity >= 1 || !job_mesh(&job->surface[i])->triangles) continue;
        mesh = meshes[i] = job_mesh(&job->surface[i]);
        last = i;
        count++;
    }
    merged_close(&job->merged); /* of the picture before */
    sorted_close(&job->sorted);
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

/* The part of the surfaces' box that --crop keeps. */
static void find_kept(const struct job *job, double low[3], double high[3])
{
    memcpy(low, job->low, sizeof job->low);
    memcpy(high, job->high, sizeof job->high);
    crop_bounds(&job->slices.crop, low, high);
}

/* Fits the camera to the box of what is kept, or to the volume's box if that is drawn. */
static void fit_corners(const struct job *job, struct camera *camera, double aspect, bool box)
{
    double low[3], high[3];
    find_kept(job, low, high);
    if (box) box_fit(camera, &job->volume, aspect);
    else camera_fit(camera, aspect, low, high);
}

/* Fits the camera closely to the surfaces themselves. Not if slices or a crop are shown, which reach to the ends of the
 * box. */
static void fit_camera(const struct job *job, struct camera *camera, double aspect, bool box)
{
    const struct grid *g = &job->volume.grid;
    struct extent_of of = { .grid = g, .pick = extent_pick(g), .step = 1 };
    double plane[CAMERA_SIDES][4], most[CAMERA_SIDES], one[CAMERA_SIDES];
    bool any = false;
    fit_corners(job, camera, aspect, box);
    if (box) return;
    find_kept(job, of.low, of.high);
    camera_sides(camera, aspect, plane);
    const bool whole = slices_any(&job->slices) || job->slices.crop.on;
    for (int i = 0; i < job->count && !whole; i++) {
        of.iso = volume_iso(&job->volume, job->surface[i].value);
        if (job->surface[i].hidden || !extent_most(&of, (const double(*)[4])plane, one, CAMERA_SIDES)) continue;
        for (int s = 0; s < CAMERA_SIDES; s++) most[s] = any ? fmax(most[s], one[s]) : one[s];
        any = true;
    }
    if (any) camera_frame(camera, aspect, most);
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

/* Saves a state file that gives the same picture again. */
static int save_state(const struct job *job, const struct options *options, const struct camera *camera, struct err *err)
{
    const struct state_volume volume = { options->setup.file, &options->setup.load };
    struct settings settings;
    if (!options->view.save_state) return ERR_NONE;
    settings_from(&settings, &options->setup, &options->view);
    for (int i = 0; i < job->count; i++) settings.surface[i].value = job->surface[i].value;
    settings.view.fit = false;
    settings.view.distance = camera->distance;
    memcpy(settings.view.target, camera->target, sizeof settings.view.target);
    settings.backend = job->iso.exec.backend;
    memcpy(settings.rung, job->iso.rung, sizeof settings.rung);
    if (job->orders) settings.rung[STAGE_FUSED] = NULL; /* nobody asked for it */
    const struct state_picture picture = { .width = job->width,
                                           .height = job->height,
                                           .samples = options->view.samples,
                                           .legend = job->legend,
                                           .transparent = options->view.transparent,
                                           .exact_positions = options->setup.exact_positions,
                                           .topology = options->setup.topology };
    const struct state_file state = { &volume, &picture, &settings, .machine = true };
    return state_file_write(options->view.save_state, &state, err);
}

/* Takes the options of surface i: each option has one entry per surface, or one for all. */
static void show_surfaces(struct job *job, const struct view_options *options, struct render_view *view)
{
    for (int i = 0; i < job->count; i++) {
        struct job_surface *s = &job->surface[i];
        bool translucent;
        const struct surface_look look = settings_look(options, i, &translucent);
        struct render_surface *shown = &view->surface[i];
        if (s->hidden) continue;
        *shown = (struct render_surface){ .mesh = job_mesh(s),
                                          .caps = &s->capped.mesh,
                                          .step = 1,
                                          .value = s->value,
                                          .transparency = 1 - s->opacity,
                                          .coloured = look.coloured };
        memcpy(shown->colour, look.colour, sizeof shown->colour);
        slices_colour_line(&job->slices, i, look.coloured ? look.colour : NULL);
    }
}

struct lettering {
    const struct job *job;
    const struct render_view *view;
};

/* Text is as large as in a window, except in pictures that are too small for that, or larger than most screens. */
static int write_labels(const void *lettering, unsigned framebuffer, const struct tile *tile, struct err *err)
{
    const struct job *job = ((const struct lettering *)lettering)->job;
    const struct render_view *view = ((const struct lettering *)lettering)->view;
    const struct labels labels = { .camera = view->camera,
                                   .volume = &job->volume,
                                   .tint = &job->tint,
                                   .slices = &job->slices,
                                   .width = view->width,
                                   .height = view->height,
                                   .scale = fmax(fmin(1, view->height / LEAST_HEIGHT), view->height / MOST_HEIGHT),
                                   .box = view->box,
                                   .axes = view->box };
    return labels_draw(&labels, framebuffer, tile, err);
}

/* The box of what hides light: surfaces, and caps, which may reach across the whole volume. */
static void bound(const struct job *job, const struct options *options, struct picture *picture)
{
    struct cut cut;
    slices_cut(&job->slices, -1, &cut);
    const bool caps = options->setup.close || (cut_is_bare(&cut) && !options->view.open_cuts);
    for (int a = 0; a < 3; a++) {
        picture->low[a] = caps ? 0 : job->low[a];
        picture->high[a] = caps ? (double)(job->slices.dims[a] - 1) : job->high[a];
    }
}

static int save(struct job *job, const struct options *options, const struct render_view *view, const char *path,
                struct err *err)
{
    const struct lettering lettering = { job, view };
    struct picture picture = { .render = &job->render,
                               .view = view,
                               .transparent = options->view.transparent,
                               .path = path,
                               .write = job->legend ? write_labels : NULL,
                               .what = &lettering };
    struct progress progress = { NULL, NULL };
    struct terminal_progress terminal;
    bound(job, options, &picture);
    terminal_begin(&terminal, "render", &progress);
    const int code = picture_save(&picture, &progress, err);
    terminal_end(&terminal);
    return code;
}

/* Draws the surfaces and slices, seen from the camera, into a file. */
static int draw(struct job *job, const struct options *options, const struct camera *camera, const char *path,
                struct err *err)
{
    struct render_view view = { .camera = camera,
                                .width = job->width,
                                .height = job->height,
                                .mode = job->mode,
                                .wireframe = options->view.edges,
                                .border_open = !options->setup.close,
                                .cuts_capped = !options->view.open_cuts,
                                .slices = &job->slices,
                                .tint = &job->tint,
                                .samples = options->view.samples ? options->view.samples : RENDER_SAMPLES };
    struct box_plan plan;
    box_lay_out(&plan, camera, &job->volume, (double)view.width / view.height, view.height, BOX_TICKS_APART);
    if (options->view.box) view.box = &plan;
    show_surfaces(job, &options->view, &view);
    const int code = sort(job, camera, &view, err);
    return code ? code : save(job, options, &view, path, err);
}

/* All pictures of a turn have the same scale. The camera turns about the middle of the box, as far away as the widest
 * picture needs. */
static void fit_turn(const struct job *job, struct camera *camera, double aspect, bool box, unsigned pictures)
{
    double target[3] = { 0, 0, 0 }, farthest = 0;
    const double azimuth = camera->azimuth;
    for (unsigned i = 0; i < pictures; i++) {
        camera_look(camera, azimuth + 360.0 * i / pictures, camera->elevation);
        fit_corners(job, camera, aspect, box);
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
    if (!options->view.target_given) fit_turn(job, camera, (double)job->width / job->height, options->view.box, n);
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
        code = job_change_value(job, options, job->sweep[i], err);
        film_name(path, sizeof path, job->output, i);
        if (!code) code = draw(job, options, camera, path, err);
    }
    return code;
}

static uint64_t count_frames(const struct job *job, const struct options *options)
{
    return job->volume.frames - options->setup.load.frame;
}

/* Camera and colour scale stay the same for all frames. */
static int draw_frames(struct job *job, const struct options *options, const struct camera *camera, struct err *err)
{
    char path[PATH_MAX];
    int code = ERR_NONE;
    for (uint64_t i = 0, n = count_frames(job, options); i < n && !code; i++) {
        const double range[2] = { job->tint.range[0], job->tint.range[1] };
        if (i) code = job_change_frame(job, options, options->setup.load.frame + i, err);
        if (i && !code) code = tint_choose(&job->tint, job->tint_by, &job->volume, err);
        memcpy(job->tint.range, range, sizeof range);
        film_name(path, sizeof path, job->output, i);
        if (!code) code = draw(job, options, camera, path, err);
    }
    return code;
}

/* Draws the picture, or all pictures of a film. */
static int draw_all(struct job *job, const struct options *options, struct err *err)
{
    struct camera camera = { .up = options->view.up, .orthographic = options->view.orthographic };
    if (options->view.frames && job->volume.frames < 2)
        return err_set(err, ERR_USAGE, "--frames needs a time series, but this volume has only one frame");
    int code = tint_choose(&job->tint, job->tint_by, &job->volume, err);
    if (code) return code;
    place_camera(job, &camera, (double)job->width / job->height, &options->view);
    code = options->view.turntable ? draw_turn(job, options, &camera, err)
           : options->values.count ? draw_sweep(job, options, &camera, err)
           : options->view.frames  ? draw_frames(job, options, &camera, err)
                                   : draw(job, options, &camera, job->output, err);
    return code ? code : save_state(job, options, &camera, err);
}

struct loading { /* of the volume, by a thread */
    struct job *job;
    struct setup setup;
    struct err err;
};

static void *load(void *loading)
{
    struct loading *l = loading;
    setup_open_volume(&l->job->volume, &l->job->iso_value.value, &l->setup, &l->err);
    return NULL;
}

/* Opens OpenGL while the volume is read, because it takes as long as reading some 100 MB. An error of the file is
 * reported first. */
static int open_both(struct job *job, const struct options *options, struct err *err)
{
    struct loading loading = { .job = job, .setup = options->setup };
    pthread_t thread;
    loading.setup.load.thins = true, loading.setup.load.every_frame = options->view.frames;
    const bool apart = !pthread_create(&thread, NULL, load, &loading);
    int code = gl_open_offscreen(&job->gl, err);
    if (!code) code = render_open(&job->render, job->gl.is_software, err);
    if (!code) job->render.raster.way = (enum raster_way)raster_way_find(options->view.draw, err);
    if (apart) pthread_join(thread, NULL);
    else load(&loading);
    setup_say_note(&job->volume);
    if (loading.err.code) *err = loading.err;
    return loading.err.code ? loading.err.code : code;
}

static int count_films(const struct options *options)
{
    return (options->view.turntable > 0) + (options->values.count > 0) + options->view.frames;
}

static int check_film(const struct job *job, const struct options *options, struct err *err)
{
    if (count_films(options) > 1)
        return err_set(err, ERR_USAGE, "--turntable, --sweep and --frames cannot be combined: give only one of them");
    if (options->setup.iso_given && options->values.count)
        return err_set(err, ERR_USAGE, "--iso and --sweep cannot be combined: give only one of them");
    return count_films(options) ? film_check(job->output, err) : ERR_NONE;
}

static void say(struct job *job, const struct options *options)
{
    uint64_t triangles = 0, left_out = 0;
    char left[64] = "", values[160] = "", title[64];
    for (int i = 0; i < job->count; i++) {
        struct job_surface *s = &job->surface[i];
        const size_t used = strlen(values);
        const uint64_t drawn = job_mesh(s)->triangles;
        const uint64_t caps = options->setup.close ? s->capped.mesh.triangles : 0;
        if (!s->hidden && !s->mesh.triangles && !caps)
            setup_say_empty(&job->volume, job->iso_value.stats_known ? &job->iso_value.stats : NULL, s->value);
        triangles += drawn + caps;
        left_out += s->mesh.triangles - (drawn < s->mesh.triangles ? drawn : s->mesh.triangles);
        snprintf(values + used, sizeof values - used, "%s%.9g", i ? "," : "", s->value);
    }
    if (left_out && options->setup.close && options->setup.exact_positions)
        text_say(stderr, "isoscope: surfaces with exact positions of which parts are left out have no caps");
    if (left_out) snprintf(left, sizeof left, " (%" PRIu64 " left out)", left_out);
    text_say(stdout, "wrote %s: %dx%d, iso %s, %" PRIu64 " %s%s, %s, %s%s", job->output, job->width, job->height, values,
             triangles, text_word(triangles, "triangle", "triangles"), left, job->iso.ops->name, job->gl.renderer,
             job->gl.is_software ? " (software)" : "");
    if (!job->tint.by) return;
    tint_title(&job->tint, &job->volume, title);
    text_say(stdout, "colours: %s, from %.6g to %.6g", title, job->tint.range[0], job->tint.range[1]);
}

static int choose_looks(struct job *job, const struct view_options *view, struct err *err)
{
    if (raster_way_find(view->draw, err) < 0) return ERR_USAGE;
    const int mode = render_mode_find(view->shading, err), by = mode < 0 ? -1 : tint_find(view->color_by, err);
    if (by < 0 || (job->slices.map = colour_map_find(view->slice_map, err)) < 0) return ERR_USAGE;
    if ((job->tint.map = colour_map_find(view->color_map ? view->color_map : SETTINGS_TINT_MAP, err)) < 0) return ERR_USAGE;
    job->mode = (unsigned)mode;
    job->tint_by = (enum tint_by)by;
    return ERR_NONE;
}

static int run(struct job *job, const struct options *options, struct err *err)
{
    char why[512], who[256];
    if (parse_check_lists(options, err) || choose_looks(job, &options->view, err)) return ERR_USAGE;
    int code = check_film(job, options, err);
    if (!code) code = open_both(job, options, err);
    if (code) return code;
    const int device = options->setup.backend == CHOICE_CPU ? -1 : mesh_gl.device();
    code = setup_open_iso(&job->iso, &options->setup, device, why, sizeof why, err);
    if (code) return code;
    job->iso_is_open = true;
    /* Where triangles have equal depth or edges cross, the picture depends on the order of triangles. An ordered rung
     * gives the same picture every time. */
    job->orders = !iso_is_ordered(&job->iso) && !options->setup.rung[STAGE_FUSED];
    if (job->orders) iso_use_order(&job->iso);
    do code = job_make(job, options, err);
    while (code && setup_fall_back(&job->iso, &options->setup, why, sizeof why, err));
    if (!code) code = draw_all(job, options, err);
    if (code) return code;
    if (count_films(options)) {
        const uint64_t n = options->view.turntable ? options->view.turntable
                           : options->values.count ? options->values.count
                                                   : count_frames(job, options);
        text_say(stdout, "wrote %s: %" PRIu64 " %s of %dx%d, from 0", job->output, n, text_word(n, "picture", "pictures"),
                 job->width, job->height);
        film_say(job->output);
        return ERR_NONE;
    }
    say(job, options);
    if (!options->view.verbose) return ERR_NONE;
    render_who(&job->render, who, sizeof who);
    text_say(stderr, "isoscope: backend: %s; mesh: %s; drawing: %s", why, job->surface[0].mesh.why, who);
    return ERR_NONE;
}

int cmd_render(const struct options *options, struct err *err)
{
    const struct view_options *view = &options->view;
    struct job job = { .width = RENDER_WIDTH, .height = RENDER_HEIGHT, .output = options->output, .legend = view->legend };
    if (view->picture[0]) job.width = view->picture[0], job.height = view->picture[1];
    if (view->width) job.width = view->width, job.height = view->height;
    if (!text_ends(job.output, ".png"))
        return err_set(err, ERR_USAGE, "%s: render writes PNG, so the name must end in .png", job.output);
    const int code = run(&job, options, err);
    sorted_close(&job.sorted);
    merged_close(&job.merged);
    job_drop(&job);
    slices_close(&job.slices);
    tint_drop(&job.tint);
    render_close(&job.render);
    if (job.iso_is_open) iso_close(&job.iso);
    gl_close(&job.gl);
    volume_free(&job.volume);
    free(job.sweep);
    return code;
}
