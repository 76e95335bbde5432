/* Which backend computes: opening, changing and leaving it. */
#include "live_parts.h"

#include <stdio.h>
#include <string.h>

int live_backend_open(struct live *live, const struct setup *setup, struct err *err)
{
    struct iso iso;
    char why[sizeof live->backend_why];
    const int device = setup->backend == CHOICE_CPU ? -1 : live->host.target->device();
    int code = setup_open_iso(&iso, setup, device, why, sizeof why, err);
    if (code) return code;
    if (live->volume.grid.voxels) code = iso_set_volume(&iso, &live->volume.grid, err);
    if (code) {
        iso_close(&iso);
        return code;
    }
    live_steps_stop(live);
    live_sorted_stop(live);
    live_filtered_stop(live);
    for (int i = 0; i < LIVE_SURFACES; i++) live_surface_close(&live->surface[i]);
    iso_close(&live->iso);
    live->iso = iso;
    for (int i = 0; i < LIVE_SURFACES; i++) live_surface_open(live, &live->surface[i]);
    memcpy(live->backend_why, why, sizeof why);
    live->wish->backend = iso.exec.backend;
    memcpy(live->wish->rung, iso.rung, sizeof iso.rung);
    live_reset_times(live);
    live_steps_renew(live);
    live->copy_rate = 0;
    live->copy_rate_tried = false;
    live_log(live, "backend %s: %s", live->iso.ops->name, live->backend_why);
    return ERR_NONE;
}

static int change(struct live *live, enum backend_choice choice, struct err *err)
{
    struct setup setup = *live->setup;
    setup.backend = choice;
    memset(setup.rung, 0, sizeof setup.rung); /* each backend has rungs of its own */
    return live_backend_open(live, &setup, err);
}

void live_backend_follow(struct live *live)
{
    const bool cuda = live->wish->backend == BACKEND_CUDA;
    char text[256];
    struct err err = { 0 };
    live->wish->backend = live->iso.exec.backend;
    memcpy(live->wish->rung, live->seen.rung, sizeof live->seen.rung); /* some may have been chosen for the other backend */
    if (live->work.lent && live->work.task == LIVE_EXPORT)
        live_notice(live, "a file is being written: wait for it, or press Esc");
    else if (cuda && live->cuda_lost[0]) live_notice(live, "%s", live->cuda_lost);
    else if (cuda && !backend_cuda.available(text, sizeof text)) live_notice(live, "CUDA is not available: %s", text);
    else if (change(live, cuda ? CHOICE_CUDA : CHOICE_CPU, &err)) live_fail(live, &err);
    else live_notice(live, "computing with %s", live->backend_why);
}

/* Does what setup_find_way or setup_find_backend has found. */
static bool follow(struct live *live, enum setup_way way, const struct err *broken, const char *text)
{
    struct err err = { 0 };
    if (way == WAY_NONE) return false;
    if (way == WAY_RUNG) {
        memcpy(live->wish->rung, live->iso.rung, sizeof live->iso.rung);
        live->epoch++;
        live_warn(live, text);
        return true;
    }
    if (way == WAY_LOST)
        snprintf(live->cuda_lost, sizeof live->cuda_lost, "CUDA has stopped working; restart isoscope to use it again");
    if (change(live, CHOICE_CPU, &err)) {
        live_fail(live, &err);
        return false;
    }
    snprintf(live->backend_why, sizeof live->backend_why, "%.255s", text);
    if (way == WAY_CPU) live_warn(live, text);
    else {
        err_set(&err, broken->code, "%s", text);
        live_fail(live, &err);
    }
    return true;
}

bool live_backend_leave(struct live *live, const struct err *err)
{
    char text[sizeof err->text];
    return follow(live, setup_find_backend(&live->iso, live->setup->backend, true, err, text, sizeof text), err, text);
}

bool live_backend_find_way(struct live *live, const struct err *err)
{
    char text[sizeof err->text];
    if (err->cause == CAUSE_MEMORY && live_filtered_drop(live)) {
        snprintf(text, sizeof text, "%.900s; going on with the whole surface", err->text);
        live_warn(live, text);
        return true;
    }
    if (err->cause == CAUSE_MEMORY && live_sorted_drop(live)) {
        snprintf(text, sizeof text, "%.900s; going on with an opaque surface", err->text);
        live_warn(live, text);
        return true;
    }
    return follow(live, setup_find_way(&live->iso, live->setup->backend, true, err, text, sizeof text), err, text);
}

bool live_do_without(struct live *live, const char *instead, const struct err *found)
{
    struct err err = *found;
    if (found->cause == CAUSE_BACKEND && live_backend_leave(live, found)) return false;
    err_set(&err, found->code, "%s: %.900s", instead, found->text);
    live_fail(live, &err);
    return true;
}
