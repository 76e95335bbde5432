/* extract: the surface as a file for other programs, in world coordinates. */
#include "cmd.h"

#include "export.h"
#include "report.h"
#include "terminal.h"
#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

struct job {
    struct export_file file;
    struct volume volume;
    struct setup_value value;
    struct iso iso;
    char why[512];
};

static int make(struct job *job, const struct options *options, struct err *err)
{
    int code = setup_set_volume(&job->iso, &job->volume, &options->setup, err);
    if (!code) code = setup_choose_value(&job->value, &job->iso, &job->volume, &options->setup, err);
    return code ? code : export_make(&job->file, &job->iso, &job->volume, &options->setup.filter, job->value.value, err);
}

/* An empty surface is an error here: a file was asked for. */
static int refuse_empty(const struct job *job, struct err *err)
{
    char text[512];
    if (job->file.left_out)
        return err_set(err, ERR_FAILED, "every part of the surface is shorter than --min-size; nothing was written");
    setup_explain_empty(text, sizeof text, &job->volume, job->value.stats_known ? &job->value.stats : NULL,
                        job->value.value);
    return err_set(err, ERR_FAILED, "%s; nothing was written", text);
}

static void answer(const struct job *job, const struct options *options)
{
    const struct export_file *e = &job->file;
    struct report r = { .json = true };
    if (e->note[0]) text_say(stderr, "isoscope: %s", e->note);
    if (!options->json) {
        char left[64] = "";
        if (e->left_out) snprintf(left, sizeof left, " (%" PRIu64 " left out)", e->left_out);
        text_say(stdout, "wrote %s: %s, iso %.9g, %" PRIu64 " triangles%s, %" PRIu64 " vertices, %" PRIu64 " bytes, %s",
                 options->output, e->format->name, job->value.value, e->triangles, left, e->vertices, e->bytes,
                 job->iso.ops->name);
        return;
    }
    report_text(&r, "file", options->output);
    report_text(&r, "format", e->format->name);
    report_number(&r, "iso", job->value.value);
    report_whole(&r, "vertices", e->vertices);
    report_whole(&r, "triangles", e->triangles);
    report_whole(&r, "left_out_triangles", e->left_out);
    report_whole(&r, "bytes", e->bytes);
    report_measured(&r, "make_ms", e->make_ms);
    report_measured(&r, "transform_ms", job->iso.stage[AUX_GEMM].ms);
    report_measured(&r, "write_ms", e->write_ms);
    report_text(&r, "backend", job->why);
    report_text(&r, "note", e->note[0] ? e->note : NULL);
    report_end(&r);
}

static int write_file(struct job *job, const char *path, struct err *err)
{
    struct terminal_progress terminal;
    struct progress progress = { NULL, NULL };
    terminal_begin(&terminal, "writing", &progress);
    const int code = export_write(&job->file, path, &progress, err);
    terminal_end(&terminal);
    return code;
}

static int run(struct job *job, const struct options *options, struct err *err)
{
    const struct export_format *format = export_format_of(options->output, err);
    if (!format) return ERR_USAGE;
    int code = setup_open_volume(&job->volume, &job->value.value, &options->setup, err);
    if (!code) code = setup_open_iso(&job->iso, &options->setup, -1, job->why, sizeof job->why, err);
    if (code) return code;
    do code = make(job, options, err);
    while (code && setup_fall_back(&job->iso, &options->setup, job->why, sizeof job->why, err));
    if (code) return code;
    if (!job->file.triangles) return refuse_empty(job, err);
    job->file.format = format;
    code = write_file(job, options->output, err);
    if (!code) answer(job, options);
    return code;
}

int cmd_extract(const struct options *options, struct err *err)
{
    struct job job = { .file = { .format = NULL } };
    if (!options->output) return err_set(err, ERR_USAGE, "extract needs a file to write: -o OUT.ply, OUT.stl or OUT.obj");
    const int code = run(&job, options, err);
    export_free(&job.file);
    iso_close(&job.iso);
    volume_free(&job.volume);
    return code;
}
