/* The surface as a file: extracted and written by the worker; with CUDA extracted by this thread, which alone may use it,
 * and written by the worker. */
#include "live_parts.h"

#include "export_format.h"
#include "export_slabs.h"
#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void say_empty(const struct live *live)
{
    live_log(live, "export: no surface");
    live_notice(live, "there is no surface to write");
}

void live_export(struct live *live, unsigned surface, const struct export_format *format, const struct export_look *look)
{
    if (!live->volume.grid.voxels) say_empty(live);
    else if (live->due_export || live->work.task == LIVE_EXPORT)
        live_notice(live, "one file at a time: wait for the first, or press Esc");
    else {
        live->due_export = surface + 1, live->due_format = format;
        live->due_look = look ? *look : (struct export_look){ .coloured = false };
    }
}

/* ", of surface 2 alone" where there are others. */
static const char *say_which(const struct live *live, const struct task_export *t, char text[40])
{
    int count = 0;
    for (int i = 0; i < LIVE_SURFACES; i++) count += live->wish->use[i] != LIVE_OFF;
    snprintf(text, 40, count > 1 ? ", of surface %u alone" : "", t->surface + 1);
    return text;
}

static void fail(struct live *live, const struct err *err)
{
    if (err->cause != CAUSE_BACKEND || !live_backend_leave(live, err)) live_fail(live, err);
}

/* What needs all of the surface at once, where only a part of the file's voxels is in memory; NULL: nothing. */
static const char *against_slabs(const struct live *live, unsigned surface, const struct export_format *format)
{
    const struct live_wish *wish = live->wish;
    return !format->fixed                                   ? "formats other than " EXPORT_SLABS_FORMATS
           : live->sigma > 0                                ? "smoothing"
           : wish->close                                    ? "closing it at the border"
           : component_filter_is_on(&wish->filter[surface]) ? "leaving out parts"
                                                            : NULL;
}

/* Sets the task to make the surface of the whole file. */
static bool set_slabs(struct live *live, struct task_export *t, unsigned surface)
{
    const char *against = against_slabs(live, surface, live->due_format);
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

void live_export_begin(struct live *live)
{
    struct task_export *t = &live_steps_task(live)->exporting;
    const unsigned surface = live->due_export - 1;
    const struct live_surface *s = &live->surface[surface];
    const double value = live->wish->value[surface];
    const bool cpu = live->iso.exec.backend == BACKEND_CPU, slabs = live->volume.step > 1;
    struct err err = { 0 };
    char number[32], middle[40], name[256];
    live->due_export = 0;
    if ((s->empty[0] && !s->coarse_shown && !live->wish->close) || isnan(value)) {
        say_empty(live);
        return;
    }
    if (slabs && !set_slabs(live, t, surface)) return;
    t->file.edit = (struct export_edit){ .close = live->wish->close,
                                         .below = live_capped_is_mirrored(live, surface),
                                         .filter = live->wish->filter[surface] };
    if (!cpu && !slabs && export_make(&t->file, &live->iso, &live->volume, value, &err)) {
        fail(live, &err);
        return;
    }
    t->iso = cpu && !slabs ? &live->iso : NULL;
    t->volume = &live->volume;
    t->value = value;
    t->format = live->due_format;
    t->surface = surface;
    t->file.look = live->due_look;
    snprintf(middle, sizeof middle, "_%s", text_digits(number, value, 6));
    text_visible(name, sizeof name, live->volume.name);
    export_free_name(t->path, name, middle, t->format->ending);
    live_steps_start(live, LIVE_EXPORT, t->iso, live_tasks_export);
}

void live_export_finish(struct live *live, bool cancelled)
{
    const struct task_export *t = &live->job->exporting;
    const struct export_file *e = &t->file;
    char folder[3072], which[40];
    if (cancelled) live_notice(live, "the file was cancelled: nothing was written");
    else if (t->task.err.code) fail(live, &t->task.err);
    else if (!e->bytes) say_empty(live);
    else {
        live_log(live,
                 "export %s: %" PRIu64 " triangles, %" PRIu64 " vertices, %" PRIu64
                 " bytes, make %.2f ms, gemm %.2f ms, write %.2f ms",
                 t->path, e->triangles, e->vertices, e->bytes, e->make_ms, live->stage[AUX_GEMM].ms, e->write_ms);
        live_notice(live, "wrote %s/%s (%.1f MB)%s%s%s", getcwd(folder, sizeof folder) ? folder : ".", t->path,
                    (double)e->bytes * 1e-6, say_which(live, t, which), e->note[0] ? "; " : "", e->note);
    }
}
