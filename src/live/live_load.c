/* Loads a file as the volume. */
#include "live_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void begin(struct live *live, const struct setup *open, bool refining)
{
    struct task_load *t = &live_steps_task(live)->load;
    t->setup = *open;
    snprintf(t->path, sizeof t->path, "%s", open->file ? open->file : "");
    t->setup.file = open->file ? t->path : NULL;
    t->backend = live->iso.exec.backend;
    t->device = live->iso.exec.device;
    t->rung = live->wish->rung[AUX_UPLOAD]->name;
    t->refining = refining;
    t->setup.preview = open->preview && !refining;
    live_steps_start(live, LIVE_LOAD, false, live_tasks_load);
}

void live_load_begin(struct live *live)
{
    live->opened = live->wish->opens;
    begin(live, &live->wish->open, false);
}

void live_load_begin_whole(struct live *live)
{
    struct setup open = live->from;
    open.load = live->whole;
    begin(live, &open, true);
}

void live_load_drop(struct task_load *task)
{
    volume_free(&task->volume);
    coarse_drop(&task->level);
    iso_drop_volume(&task->uploaded);
}

/* Gives the volume to the backend. If that fails, and the backend was not asked for by name, changes to the CPU. */
static int place_volume(struct live *live, const struct volume *volume, struct err *err)
{
    const int code = iso_set_volume(&live->iso, &volume->grid, err);
    if (!code || !live_backend_leave(live, err)) return code;
    return iso_set_volume(&live->iso, &volume->grid, err);
}

static void log_upload(struct live *live)
{
    const struct stage_stats *upload = &live->iso.stage[AUX_UPLOAD];
    live_note(live);
    if (upload->runs)
        live_log(live, "upload %s: %.1f MB, %.2f ms", live->iso.rung[AUX_UPLOAD]->name, 0.5e-6 * (double)upload->bytes,
                 upload->ms);
}

void live_load_upload_again(struct live *live)
{
    struct err err = { 0 };
    if (place_volume(live, &live->volume, &err)) {
        live_fail(live, &err);
        return;
    }
    log_upload(live);
    live_steps_renew(live);
}

/* Replaces the present volume by the new one, which iso already has. */
static void replace_volume(struct live *live, struct task_load *t)
{
    const struct setup *open = &t->setup;
    struct live_wish *wish = live->wish;
    const double before = live->volume.grid.voxels ? setup_shortest_mm(&live->volume) : 1;
    volume_free(&live->volume);
    live->volume = t->volume;
    t->volume = (struct volume){ .slope = 0 };
    live->volumes++;
    live_refined_drop(live);
    live->from = t->setup;
    memcpy(live->from_path, t->path, sizeof live->from_path);
    live->from.file = open->file ? live->from_path : NULL;
    coarse_take(&live->coarse, &t->level);
    live->finest = live->coarse.level.step;
    live_steps_renew(live);
    live_reset_times(live);
    live->first_value = live->demo_value = t->demo_value;
    live->preview = t->part;
    live->refined = t->refining;
    live->refine = t->part > 1 && live->volume.step <= t->part; /* else the memory allows no finer one */
    live->whole = t->whole;
    if (live->volume.finer && !live->refine) live_notice(live, "%s", live->volume.note);
    const float sigma = setup_sigma(open, &live->volume, live->coarse.part);
    if (!t->refining) wish->sigma = sigma;
    else if (open->smooth_mm) /* the same length, in finer voxels */
        wish->sigma = fminf(wish->sigma * (float)(before / setup_shortest_mm(&live->volume)), ISO_MAX_SIGMA);
    for (int i = 0; i < LIVE_SURFACES; i++) {
        struct live_surface *s = &live->surface[i];
        live_aux_await(live, (unsigned)i, open->iso_in, open->iso_given && open->iso_in && !t->refining ? open->iso : NAN);
        if (!t->refining && !wish->again) wish->use[i] = i ? LIVE_OFF : LIVE_SHOWN;
        if (!t->refining && (!i || !wish->again))
            wish->value[i] = !open->iso_given ? t->demo_value : open->iso_in ? NAN : open->iso;
        mesh_clear(&s->mesh); /* of the volume before */
        s->made = (struct live_cut){ NAN, 0 };
        s->coarse_shown = false;
        s->empty[0] = '\0';
    }
    const struct grid *g = &live->volume.grid;
    live_log(live, "load %s: %zux%zux%zu %s, %.1f ms%s%s", live->volume.name, g->nx, g->ny, g->nz, voxel_type_name[g->type],
             t->task.ms, live->volume.note[0] ? ", " : "", live->volume.note);
    log_upload(live);
}

/* The present volume stays if anything fails. If it is a preview, and another file failed, the whole is loaded next. */
void live_load_finish(struct live *live, bool cancelled)
{
    struct task_load *t = &live->job->load;
    struct err err = t->task.err;
    if (cancelled && !err.code) err_set(&err, ERR_FAILED, "loading was cancelled");
    if (!err.code && (iso_take_volume(&live->iso, &t->uploaded) || !place_volume(live, &t->volume, &err)))
        replace_volume(live, t);
    else if (live->wish->opens == live->opened) { /* else another file is loaded next: no message */
        live->refine = live->refine && !t->refining;
        if (cancelled && live->volume.grid.voxels) live_notice(live, "loading was cancelled");
        else live_fail(live, &err);
    }
    live_load_drop(t);
}
