/* Writes surfaces to a file. On the CPU the worker makes and writes them. On CUDA this thread makes them, because it
 * alone may use the GPU, and the worker writes them. */
#include "live_parts.h"

#include "export_format.h"
#include "export_slabs.h"
#include "file_io.h"
#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void say_empty(const struct live *live)
{
    live_log(live, "export: no surface");
    live_notice(live, "there is no surface to write");
}

void live_export(struct live *live, unsigned surface, const struct export_format *format, const struct export_look *looks)
{
    if (!live->volume.grid.voxels) say_empty(live);
    else if (live_is_writing(live)) live_notice(live, "one file at a time: wait for the first, or press Esc");
    else {
        live->due_export = surface + 1, live->due_format = format;
        for (int i = 0; i < LIVE_SURFACES; i++)
            live->due_look[i] = looks ? looks[i] : (struct export_look){ .coloured = false };
    }
}

bool live_is_writing(const struct live *live) { return live->due_export || live->work.task == LIVE_EXPORT; }

/* If there are several: ", of surface 2 alone", or how many were written. */
static const char *say_which(const struct live *live, const struct task_export *t, char text[64])
{
    int count = 0;
    for (int i = 0; i < LIVE_SURFACES; i++) count += live->wish->use[i] != LIVE_OFF;
    if (t->count > 1) snprintf(text, 64, ", the %zu shown surfaces", t->count);
    else if (count > 1) snprintf(text, 64, ", surface %u only", t->surface + 1);
    else text[0] = '\0';
    return text;
}

static void fail(struct live *live, const struct err *err)
{
    if (err->cause != CAUSE_BACKEND || !live_backend_leave(live, err)) live_fail(live, err);
}

static bool any_is_filtered(const struct task_export *t)
{
    bool any = false;
    for (size_t i = 0; i < t->count; i++) any = any || component_filter_is_on(&t->part[i].edit.filter);
    return any;
}

/* Names what rules out writing slab by slab, because it needs the whole surface at once; NULL: nothing. Asked if only a
 * part of the file's voxels is in memory. */
static const char *against_slabs(const struct live *live, const struct task_export *t)
{
    return !t->format->fixed    ? "formats other than " EXPORT_SLABS_FORMATS
           : live->sigma > 0    ? "smoothing"
           : live->wish->close  ? "closing the surface at the border"
           : any_is_filtered(t) ? "leaving out parts"
                                : NULL;
}

/* Sets up the task to make the surfaces from the whole file. */
static bool set_slabs(struct live *live, struct task_export *t)
{
    const char *against = against_slabs(live, t);
    t->setup = *live->setup;
    memset(t->setup.rung, 0, sizeof t->setup.rung);
    t->setup.file = live->from.file, t->setup.load = live->from.load;
    t->setup.backend = CHOICE_CPU;
    if (!against) return true;
    live_log(live, "export: not slab by slab, because of %s", against);
    live_notice(live, "not all voxels are in memory, so the file must be made slab by slab, which is not possible with %s",
                against);
    return false;
}

/* Whether the surface is known to have no triangles. A hidden one may be known for another value only. */
static bool is_empty(const struct live *live, unsigned surface)
{
    const struct live_surface *s = &live->surface[surface];
    const double value = live->wish->value[surface];
    const bool known = live_surface_is(s->made, (struct live_cut){ value, live->epoch });
    return (known && s->empty[0] && !live->wish->close) || isnan(value);
}

static void add_part(struct live *live, struct task_export *t, unsigned surface)
{
    const struct live_wish *wish = live->wish;
    if (is_empty(live, surface)) return;
    t->part[t->count].value = wish->value[surface];
    t->part[t->count].look = live->due_look[surface];
    t->part[t->count].edit = (struct export_edit){ .close = wish->close,
                                                   .side = live_capped_side(live, surface),
                                                   .filter = wish->filter[surface] };
    t->surface = surface;
    t->count++;
}

static void choose_parts(struct live *live, struct task_export *t)
{
    bool shown = false;
    for (int i = 0; i < LIVE_SURFACES; i++) shown |= live->wish->use[i] == LIVE_SHOWN;
    if (!shown || t->format->single) {
        add_part(live, t, live->due_export - 1);
        return;
    }
    for (unsigned i = 0; i < LIVE_SURFACES; i++)
        if (live->wish->use[i] == LIVE_SHOWN) add_part(live, t, i);
}

/* Names the file after the frame and the values, as far as they fit. */
static void name_file(const struct live *live, struct task_export *t)
{
    char number[32], middle[160];
    size_t used = strlen(export_frame_name(middle, &live->volume, live->from.load.frame));
    for (size_t i = 0; i < t->count; i++)
        used += (size_t)snprintf(middle + used, sizeof middle - used, "_%s", text_digits(number, t->part[i].value, 6));
    export_free_name(t->path, live->volume.name, middle, t->format->ending);
}

static void say_cancelled(struct live *live) { live_notice(live, "writing the file was cancelled: nothing was written"); }

void live_export_drop(struct live *live)
{
    live->due_export = 0;
    say_cancelled(live);
}

void live_export_begin(struct live *live)
{
    struct task_export *t = &live_steps_task(live)->exporting;
    const bool cpu = live->iso.exec.backend == BACKEND_CPU, slabs = live->volume.step > 1;
    const struct progress none = { NULL, NULL };
    struct err err = { 0 };
    t->format = live->due_format;
    t->volume = &live->volume;
    live_surface_resolve_all(live);
    choose_parts(live, t);
    live->due_export = 0;
    if (!t->count) {
        say_empty(live);
        return;
    }
    if (slabs && !set_slabs(live, t)) return;
    if (!cpu && !slabs && live_tasks_make_parts(t, &live->iso, &none, &err)) {
        fail(live, &err);
        return;
    }
    t->iso = cpu && !slabs ? &live->iso : NULL;
    name_file(live, t);
    live_steps_start(live, LIVE_EXPORT, t->iso, live_tasks_export);
}

void live_export_finish(struct live *live, bool cancelled)
{
    const struct task_export *t = &live->job->exporting;
    const struct export_file *e = &t->file;
    char where[FILE_WHERE], which[64];
    if (cancelled && t->task.err.code) /* else Esc came too late */
        say_cancelled(live);
    else if (t->task.err.code) fail(live, &t->task.err);
    else if (!e->bytes) say_empty(live);
    else {
        live_log(live,
                 "export %s: %" PRIu64 " triangles, %" PRIu64 " vertices, %" PRIu64
                 " bytes, make %.2f ms, gemm %.2f ms, write %.2f ms",
                 t->path, e->triangles, e->vertices, e->bytes, e->make_ms, live->stage[AUX_GEMM].ms, e->write_ms);
        live_notice(live, "wrote %s (%.1f MB)%s%s%s", file_where(t->path, where), (double)e->bytes * 1e-6,
                    say_which(live, t, which), e->note[0] ? "; " : "", e->note);
    }
}
