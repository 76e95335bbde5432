#include "render_job.h"

#include "settings.h"
#include "stats.h"
#include "values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct mesh *job_mesh(struct job_surface *s) { return s->filtered.iso ? &s->filtered.shown : &s->mesh; }

/* ---- slices -------------------------------------------------------------------------------------------------------- */

/* The values of the first and the last colour: those of --window, or the range of the whole volume. */
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
    const float value = volume_iso(&job->volume, job->surface[number].value);
    if (job->surface[number].hidden) return ERR_NONE;
    for (int a = 0; a < SLICE_AXES; a++)
        contour[a] = (struct contour){ .wanted = job->slices.plane[a].on, .index = job->slices.plane[a].index };
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

/* ---- surfaces ------------------------------------------------------------------------------------------------------ */

static struct caps_desc describe(const struct job *job, const struct job_surface *s)
{
    double shown[VIEW_SURFACES];
    for (int i = 0; i < job->count; i++) shown[i] = job->surface[i].hidden ? NAN : job->surface[i].value;
    return (struct caps_desc){ volume_iso(&job->volume, s->value), caps_side_of(s->value, shown, (size_t)job->count),
                               job->iso.topology };
}

/* Leaves out parts of the surface, or of the surface closed by caps of the border that was read. The camera is still
 * fitted to the whole surface, so that pictures with and without the parts can be compared. */
static int filter(struct job *job, struct job_surface *s, const struct caps *border, struct err *err)
{
    const struct filtered_by by = { s->filter, border, describe(job, s) };
    if (!component_filter_is_on(&s->filter) || !s->mesh.triangles) return ERR_NONE;
    int code = filtered_open(&s->filtered, s->mesh.target, &job->iso, 0, err);
    if (!code) code = filtered_update(&s->filtered, &s->mesh, &job->volume, &by, err);
    if (code) filtered_close(&s->filtered);
    return code;
}

static int read_border(struct job *job, struct job_surface *s, struct err *err)
{
    struct grid grid;
    void *copy;
    job->cpu = (struct exec){ .backend = BACKEND_CPU, .threads = job->iso.exec.threads };
    capped_close(&s->capped); /* left by a backend that failed */
    capped_open(&s->capped, &mesh_gl_staged, &job->cpu);
    int code = iso_voxels_host(&job->iso, &job->volume.grid, &grid, &copy, err);
    if (!code) code = capped_read(&s->capped, &grid, (struct capped_of){ .epoch = 1 }, err);
    free(copy);
    return code;
}

/* Whether caps are needed: they are seen, or caps on cuts need to know where the surface ends. */
static bool needs_caps(const struct job *job, const struct job_surface *s, const struct options *options)
{
    struct cut cut;
    slices_cut(&job->slices, -1, &cut);
    const bool cut_caps = cut_is_bare(&cut) && !options->view.open_cuts;
    return options->setup.close ? !component_filter_is_on(&s->filter) || !options->setup.exact_positions
                                : cut_caps && !component_filter_is_on(&s->filter);
}

/* Whether the whole volume is inside, so that the closed surface is a box, and that box is a part to leave out. */
static bool leaves_box_out(const struct job *job, const struct job_surface *s)
{
    return !s->mesh.triangles && component_filter_leaves_none(&s->filter, &job->volume);
}

/* Makes the surface, in its mesh, which is open. */
static int make_one(struct job *job, struct job_surface *s, const struct options *options, struct err *err)
{
    double map_ms;
    const struct caps_desc desc = describe(job, s);
    const bool capped = needs_caps(job, s, options);
    int code = surface_update(&s->mesh, &job->iso, desc.value, &map_ms, err);
    if (!code && capped) code = read_border(job, s, err);
    if (!code) code = filter(job, s, capped ? &s->capped.border : NULL, err);
    if (code || !capped || leaves_box_out(job, s)) return code;
    const struct filtered *left = s->filtered.iso ? &s->filtered : NULL;
    return capped_update(&s->capped, &desc, left, err);
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

static int make_all(struct job *job, const struct options *options, struct err *err)
{
    bool any = false;
    int code = ERR_NONE;
    for (int a = 0; a < 3; a++)
        job->low[a] = 0, job->high[a] = (double)(job->slices.dims[a] - 1); /* if no surface is shown */
    for (int i = 0; i < job->count && !code; i++) {
        struct job_surface *s = &job->surface[i];
        if (s->hidden) continue;
        mesh_open(&s->mesh, options->view.staging ? &mesh_gl_staged : &mesh_gl, &job->iso.exec);
        code = make_one(job, s, options, err);
        if (!code) code = extend_box(job, !any, err);
        any = true;
    }
    return code;
}

/* Takes the values of --sweep. The camera is fitted to the first surface, so that gets the lowest value, whose surface
 * encloses the others. */
static int choose_sweep(struct job *job, const struct values *values, struct err *err)
{
    if (!job->sweep) job->sweep = malloc(values->count * sizeof *job->sweep);
    if (!job->sweep) return err_set(err, ERR_FAILED, "not enough memory for %zu values", values->count);
    if (values_find(values, job->sweep, &job->iso, &job->volume, err)) return err->code;
    job->surface[0].value = job->sweep[0];
    for (size_t i = 1; i < values->count; i++) job->surface[0].value = fmin(job->surface[0].value, job->sweep[i]);
    return ERR_NONE;
}

/* Takes the values of --iso, if there are several. */
static int choose_several(struct job *job, const struct view_options *view, struct err *err)
{
    struct values values = { .count = (size_t)view->isos };
    double value[VIEW_SURFACES];
    memcpy(values.value, view->iso, sizeof view->iso);
    memcpy(values.in, view->iso_in, sizeof view->iso_in);
    const int code = values_find(&values, value, &job->iso, &job->volume, err);
    for (int i = 0; i < view->isos && !code; i++) job->surface[i].value = value[i];
    return code;
}

static int choose_values(struct job *job, const struct options *options, struct err *err)
{
    const struct view_options *view = &options->view;
    job->count = view->isos > 1 ? view->isos : 1;
    for (int i = 0; i < job->count; i++) {
        job->surface[i].opacity = view->opacities ? view->opacity[view->opacities > 1 ? i : 0] : 1;
        job->surface[i].hidden = view->hidden[i];
        job->surface[i].filter = settings_filter(view, i);
    }
    if (options->values.count) return choose_sweep(job, &options->values, err);
    if (job->count > 1) return choose_several(job, view, err);
    const int code = setup_choose_value(&job->iso_value, &job->iso, &job->volume, &options->setup, err);
    job->surface[0].value = job->iso_value.value;
    return code;
}

void job_drop(struct job *job)
{
    for (int i = 0; i < VIEW_SURFACES; i++) {
        filtered_close(&job->surface[i].filtered);
        capped_close(&job->surface[i].capped);
        mesh_close(&job->surface[i].mesh);
    }
}

int job_make(struct job *job, const struct options *options, struct err *err)
{
    const struct view_options *view = &options->view;
    slices_set_volume(&job->slices, &job->volume);
    if (slices_choose(&job->slices, view->slice_given, view->slice, view->slice_cut, err) ||
        slices_choose_crop(&job->slices, view->crop_given, view->crop, err))
        return ERR_USAGE;
    if (view->knife_given) slices_choose_knife(&job->slices, view->knife);
    int code = setup_set_volume(&job->iso, &job->volume, &options->setup, err);
    if (!code && !job->chosen) code = choose_values(job, options, err);
    if (!code) code = make_all(job, options, err);
    if (!code) code = make_slices(job, view, err);
    if (code) job_drop(job);
    return code;
}

int job_change_value(struct job *job, const struct options *options, double value, struct err *err)
{
    struct job_surface *s = &job->surface[0];
    s->value = value;
    filtered_close(&s->filtered);
    const int code = s->hidden ? ERR_NONE : make_one(job, s, options, err);
    return code ? code : make_slices(job, &options->view, err);
}

/* Refuses a frame that had to be thinned more or less than the first one: the camera was set for the first frame's
 * voxels. */
static int check_step(const struct volume *volume, uint64_t first, uint64_t frame, struct err *err)
{
    const uint64_t step = volume->step > 1 ? volume->step : 1;
    if (step == first) return ERR_NONE;
    err_set(err, ERR_FAILED,
            "frame %llu fits in memory with one voxel in %llu along each axis, but the first frame with one in %llu",
            (unsigned long long)frame, (unsigned long long)step, (unsigned long long)first);
    err_advise(err, "free some memory so that all frames fit alike, or draw them one by one with --frame");
    return ERR_FAILED;
}

int job_change_frame(struct job *job, const struct options *options, uint64_t frame, struct err *err)
{
    struct setup setup = options->setup;
    const uint64_t step = job->volume.step > 1 ? job->volume.step : 1;
    double unused;
    setup.load.frame = frame;
    setup.load.thins = true;
    job->chosen = true;
    job_drop(job);
    tint_drop(&job->tint);
    iso_leave_volume(&job->iso);
    volume_free(&job->volume); /* first, so that two volumes need not fit in memory */
    int code = setup_open_volume(&job->volume, &unused, &setup, err);
    if (!code) code = check_step(&job->volume, step, frame, err);
    if (!code) code = iso_set_volume(&job->iso, &job->volume.grid, err);
    return code ? code : job_make(job, options, err);
}
