/* extract: surfaces as files for other programs, in world coordinates. */
#include "cmd.h"

#include "extract_slabs.h"
#include "options_parts.h"
#include "outputs.h"

#include "caps.h"
#include "export.h"
#include "export_format.h"
#include "export_pieces.h"
#include "report.h"
#include "slabs.h"
#include "stream.h"
#include "terminal.h"
#include "text.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MANY_VOXELS = 5 }; /* RMS error above which --decimate says something */

struct row { /* one of several files, for the answer in JSON, which is printed when all are done */
    double value, transform_ms;
    struct export_file file; /* without its parts, which are freed */
};

struct job {
    const struct options *options;
    const struct export_format *format;
    struct export_file file;
    struct volume volume;
    struct setup_value value; /* if --iso gives none */
    double values[VALUES_MOST];
    bool empty[VALUES_MOST];    /* which values have no surface */
    bool left_out[VALUES_MOST]; /* which of these only because of --min-size */
    size_t count;               /* of values */
    struct iso iso;
    struct terminal_progress terminal; /* of making surfaces */
    char why[512];
    bool slabs; /* the volume stays in `store` */
    struct store store;
    struct row *rows; /* if --json lists files */
    size_t row_count;
};

/* ---- names ------------------------------------------------------------------------------------------------------- */

static bool file_each(const struct job *job) { return strchr(job->options->output, '%') != NULL; }

/* Replaces every % of `pattern` by the value. Returns false if the name is too long. */
static bool name_file(char path[PATH_MAX], const char *pattern, double value)
{
    char text[32];
    size_t used = 0;
    text_digits(text, value, 9);
    for (; *pattern && used < PATH_MAX; pattern++) {
        const char one[] = { *pattern, 0 };
        used += (size_t)snprintf(path + used, PATH_MAX - used, "%s", *pattern == '%' ? text : one);
    }
    return used < PATH_MAX;
}

/* Refuses values that are so close that their files would have the same name. */
static int check_names(const struct job *job, struct err *err)
{
    char path[PATH_MAX], text[32], other[32];
    for (size_t i = 0; i < job->count; i++) {
        if (!name_file(path, job->options->output, job->values[i]))
            return err_set(err, ERR_USAGE, "%s: the name is too long", job->options->output);
        if (outputs_check_name(job->options, path, err)) return ERR_USAGE;
        text_digits(text, job->values[i], 9);
        for (size_t k = 0; k < i; k++) {
            text_digits(other, job->values[k], 9);
            if (!strcmp(text, other))
                return err_set(err, ERR_USAGE, "%s would be written for two isovalues, %.17g and %.17g: leave one out",
                               path, job->values[k], job->values[i]);
        }
    }
    return ERR_NONE;
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

static int choose_values(struct job *job, struct err *err)
{
    const struct options *o = job->options;
    job->count = o->values.count;
    if (job->count) return values_find(&o->values, job->values, &job->iso, &job->volume, err);
    const int code = setup_choose_value(&job->value, &job->iso, &job->volume, &o->setup, err);
    job->values[job->count++] = job->value.value;
    return code;
}

static int prepare(struct job *job, struct err *err)
{
    const int code = setup_set_volume(&job->iso, &job->volume, &job->options->setup, err);
    return code ? code : choose_values(job, err);
}

/* The edits of the surface at value number i. Its file holds the surfaces of n values, from number `from` on. */
static struct export_edit edit_of(const struct job *job, size_t i, size_t from, size_t n)
{
    struct export_edit edit = job->options->edit;
    edit.close = job->options->setup.close;
    edit.filter = job->options->setup.filter;
    edit.side = caps_side_of(job->values[i], &job->values[from], n);
    return edit;
}

/* Makes the surfaces at n values, from number `from` on. */
static int make(struct job *job, size_t from, size_t n, struct err *err)
{
    export_free(&job->file);
    job->file.edit = edit_of(job, from, from, n);
    terminal_begin(&job->terminal, "making the surface", &job->file.edit.progress);
    if (setup_set_volume(&job->iso, &job->volume, &job->options->setup, err)) return err->code;
    if (export_open(&job->file, &job->iso, &job->volume, err)) return err->code;
    for (size_t i = from; i < from + n; i++) {
        const size_t before = job->file.count;
        const uint64_t left_out = job->file.edited.left_out;
        job->file.edit.side = edit_of(job, i, from, n).side;
        if (export_add(&job->file, &job->iso, &job->volume, job->values[i], err)) return err->code;
        job->empty[i] = job->file.count == before;
        job->left_out[i] = job->empty[i] && job->file.edited.left_out > left_out;
    }
    return ERR_NONE;
}

static bool fall_back(struct job *job, const struct err *err)
{
    return setup_fall_back(&job->iso, &job->options->setup, job->why, sizeof job->why, err);
}

/* If there is no surface at all, that is an error, because a file was asked for. */
static int refuse_empty(const struct job *job, struct err *err)
{
    char text[512];
    for (size_t i = 0; i < job->count; i++)
        if (job->left_out[i])
            return err_set(err, ERR_FAILED, "every part of the surface is shorter than --min-size; nothing was written");
    if (job->count > 1)
        return err_set(err, ERR_FAILED, "no surface at any of %zu isovalues; nothing was written", job->count);
    setup_explain_empty(text, sizeof text, &job->volume, job->value.stats_known ? &job->value.stats : NULL, job->values[0]);
    return err_set(err, ERR_FAILED, "%s; nothing was written", text);
}

/* Says why there is no surface at value number i, if there are others. */
static void say_empty(const struct job *job, size_t i)
{
    if (job->left_out[i]) setup_say_left_out(job->values[i]);
    else setup_say_empty(&job->volume, NULL, job->values[i]);
}

/* Whether the files are complete in the end; otherwise other processes have to add to them. */
static bool ends(const struct options *o) { return !o->phases || o->phases == STREAM_FINISH; }

/* Whether this process prints for all. */
static bool leads(const struct job *job) { return !job->options->team || !job->options->team->rank; }

/* ---- the answer -------------------------------------------------------------------------------------------------- */

static void say(const struct job *job, const char *path)
{
    const struct export_file *e = &job->file;
    char values[96], error[64] = "", left[64] = "";
    snprintf(values, sizeof values, "iso %.9g", e->parts[0].value);
    if (e->count > 1)
        snprintf(values, sizeof values, "%zu isovalues from %.9g to %.9g", e->count, e->parts[0].value,
                 e->parts[e->count - 1].value);
    if (export_edit_simplifies(&e->edit))
        snprintf(error, sizeof error, ", RMS error %.3g%s%s", e->edited.error, *e->unit ? " " : "", e->unit);
    if (e->edited.left_out) snprintf(left, sizeof left, " (%" PRIu64 " left out)", e->edited.left_out);
    text_say(stdout, "wrote %s: %s, %s, %" PRIu64 " %s%s, %" PRIu64 " vertices, %" PRIu64 " bytes%s, %s", path,
             e->format->name, values, e->triangles, text_word(e->triangles, "triangle", "triangles"), left, e->vertices,
             e->bytes, error, job->iso.ops->name);
}

static void report_surfaces(struct report *r, const struct export_file *e)
{
    report_open(r, "surfaces", '[');
    for (size_t i = 0; i < e->count; i++) {
        report_open(r, NULL, '{');
        report_number(r, "iso", e->parts[i].value);
        report_whole(r, "vertices", e->parts[i].mesh.vertex_count);
        report_whole(r, "triangles", e->parts[i].mesh.triangle_count);
        report_close(r, '}');
    }
    report_close(r, ']');
}

/* Reports what a user of the file should know: the note on its volume, and the note on the file. */
static void report_note(struct report *r, const char *volume, const char *file)
{
    char note[512];
    snprintf(note, sizeof note, "%s%s%s", volume, *volume && *file ? "; " : "", file);
    report_text(r, "note", *note ? note : NULL);
}

static void report_file(struct report *r, const struct job *job, const struct row *row, const char *path)
{
    const struct export_file *e = &row->file;
    report_text(r, "file", path);
    report_text(r, "format", e->format->name);
    if (e->count == 1) report_number(r, "iso", row->value);
    else report_surfaces(r, e);
    report_whole(r, "vertices", e->vertices);
    report_whole(r, "triangles", e->triangles);
    report_whole(r, "left_out_triangles", e->edited.left_out);
    report_whole(r, "bytes", e->bytes);
    report_measured(r, "error", export_edit_simplifies(&e->edit) ? e->edited.error : NAN);
    report_measured(r, "make_ms", e->make_ms);
    report_measured(r, "transform_ms", row->transform_ms);
    report_measured(r, "write_ms", e->write_ms);
    report_text(r, "backend", job->why);
    report_note(r, job->volume.note, e->note);
}

static void report_rows(const struct job *job)
{
    struct report r = { .json = true };
    char path[PATH_MAX];
    report_open(&r, "files", '[');
    for (size_t i = 0; i < job->row_count; i++) {
        name_file(path, job->options->output, job->rows[i].value);
        report_open(&r, NULL, '{');
        report_file(&r, job, &job->rows[i], path);
        report_close(&r, '}');
    }
    report_close(&r, ']');
    report_end(&r);
}

/* An error this large was more likely meant as a percentage, and the % is missing. */
static void say_decimation(const struct job *job)
{
    const double most = job->options->edit.most;
    const struct volume *v = &job->volume;
    const double voxel = fmax(volume_spacing(v, 0), fmax(volume_spacing(v, 1), volume_spacing(v, 2)));
    if (leads(job) && most > MANY_VOXELS * voxel)
        text_say(stderr,
                 "isoscope: --decimate %g allows an RMS error of %.3g voxels; to keep a share of the triangles, "
                 "write --decimate %g%%",
                 most, most / voxel, most);
}

static void answer(struct job *job, const char *path)
{
    const struct export_file *e = &job->file;
    struct report r = { .json = true };
    struct row row = { e->parts[0].value, job->iso.stage[AUX_GEMM].ms, *e };
    if (e->note[0] && leads(job) && !job->options->json) text_say(stderr, "isoscope: %s", e->note);
    say_decimation(job);
    if (!job->options->json) say(job, path);
    else if (job->rows) {
        row.file.parts = NULL;
        job->rows[job->row_count++] = row;
    } else {
        report_file(&r, job, &row, path);
        report_end(&r);
    }
}

/* Prints what a part has done. */
static void answer_part(const struct job *job, double value)
{
    const struct options *o = job->options;
    const struct export_file *e = &job->file;
    const bool counts = o->phases == STREAM_COUNT;
    struct report r = { .json = true };
    if (!o->json) {
        text_say(stdout, "%s part %d of %d: iso %.9g, %" PRIu64 " %s, %" PRIu64 " vertices", counts ? "counted" : "wrote",
                 o->part + 1, o->parts, value, e->triangles, text_word(e->triangles, "triangle", "triangles"), e->vertices);
        return;
    }
    report_text(&r, "phase", counts ? "count" : "write");
    report_whole(&r, "part", (uint64_t)o->part + 1);
    report_whole(&r, "parts", (uint64_t)o->parts);
    report_number(&r, "iso", value);
    report_whole(&r, "vertices", e->vertices);
    report_whole(&r, "triangles", e->triangles);
    report_measured(&r, counts ? "make_ms" : "write_ms", counts ? e->make_ms : e->write_ms);
    report_end(&r);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* Prints the result for value number i, made slab by slab. */
static void answer_slabs(struct job *job, const struct stream_file *made, size_t i, bool *written)
{
    export_free(&job->file);
    job->file = *made->file;
    *made->file = (struct export_file){ .count = 0 };
    job->iso.stage[AUX_GEMM].ms = made->transform_ms;
    job->empty[i] = ends(job->options) && !job->file.count;
    if (job->empty[i]) return;
    *written = true;
    if (ends(job->options)) answer(job, made->path);
    else answer_part(job, job->values[i]);
}

/* Makes the files slab by slab. Only reading tells whether chunks are missing, and some processes may meet none. */
static int make_slabs(struct job *job, struct stream_file *files, size_t n, struct err *err)
{
    struct team *team = job->options->team;
    int code = extract_slabs_write(files, n, &job->store, &job->iso, job->options, err);
    uint64_t gaps = store_has_gaps(&job->store);
    if (!code && team) code = team->ops->sum(team, &gaps, 1, err);
    if (!code && gaps && ends(job->options)) setup_note_gaps(&job->volume);
    else if (!code && gaps) setup_say_gaps(job->volume.name);
    return code;
}

struct slab_file {
    struct export_file file;
    char path[PATH_MAX];
};

/* Writes the files of all values, slab by slab. */
static int write_slabs(struct job *job, bool *written, struct err *err)
{
    const size_t n = job->count;
    struct slab_file *all = calloc(n, sizeof *all);
    struct stream_file *files = calloc(n, sizeof *files);
    int code = all && files ? ERR_NONE : err_set(err, ERR_FAILED, "not enough memory for the names of %zu files", n);
    for (size_t i = 0; i < n && !code; i++) {
        name_file(all[i].path, job->options->output, job->values[i]);
        all[i].file.format = job->format;
        files[i] = (struct stream_file){ job->values[i], all[i].path, &all[i].file, 0 };
    }
    if (!code) code = make_slabs(job, files, n, err);
    for (size_t i = 0; i < n && !code; i++) answer_slabs(job, &files[i], i, written);
    free(all);
    free(files);
    return code;
}

/* Writes one file of all values, slab by slab. */
static int write_joined(struct job *job, bool *written, struct err *err)
{
    struct stream_file files[STREAM_JOINED];
    double transform_ms = 0;
    export_free(&job->file);
    job->file.format = job->format;
    for (size_t i = 0; i < job->count; i++)
        files[i] = (struct stream_file){ job->values[i], job->options->output, &job->file, 0 };
    const int code = make_slabs(job, files, job->count, err);
    if (code || !job->file.count) return code;
    for (size_t i = 0, part = 0; i < job->count; i++) {
        const double value = job->values[i];
        job->empty[i] = part == job->file.count || memcmp(&job->file.parts[part].value, &value, sizeof value) != 0;
        part += !job->empty[i], transform_ms += files[i].transform_ms;
    }
    job->iso.stage[AUX_GEMM].ms = transform_ms;
    *written = true;
    answer(job, job->options->output);
    return ERR_NONE;
}

/* Makes and writes the file of n values, from number `from` on. Sets *written unless none has a surface. */
static int write_file(struct job *job, const char *path, size_t from, size_t n, bool *written, struct err *err)
{
    struct terminal_progress terminal;
    struct progress progress = { NULL, NULL };
    int code;
    do {
        code = make(job, from, n, err);
        terminal_end(&job->terminal);
    } while (code && fall_back(job, err));
    if (code || !job->file.count) return code;
    job->file.format = job->format;
    terminal_begin(&terminal, "writing", &progress);
    code = export_write(&job->file, path, &progress, err);
    terminal_end(&terminal);
    if (code) return code;
    *written = true;
    answer(job, path);
    return ERR_NONE;
}

static int write_each(struct job *job, bool *written, struct err *err)
{
    char path[PATH_MAX];
    if (check_names(job, err)) return ERR_USAGE;
    const bool list = job->options->json && job->count > 1;
    if (list && !(job->rows = calloc(job->count, sizeof *job->rows)))
        return err_set(err, ERR_FAILED, "not enough memory for %zu answers", job->count);
    int code = job->slabs ? write_slabs(job, written, err) : ERR_NONE;
    for (size_t i = 0; i < job->count && !job->slabs && !code; i++) {
        name_file(path, job->options->output, job->values[i]);
        code = write_file(job, path, i, 1, written, err);
    }
    if (code) return code;
    if (list && *written) report_rows(job);
    return ERR_NONE;
}

/* Opens the volume for slabs instead of in memory. `err` says why it cannot be in memory. */
static int open_slabs(struct job *job, struct err *err)
{
    const struct options *o = job->options;
    iso_close(&job->iso);
    volume_free(&job->volume);
    const int code = slabs_open(&job->store, &job->iso, o, extract_slabs_against(o, job->format), job->why, sizeof job->why,
                                err);
    if (code) return code;
    job->slabs = true;
    job->volume = job->store.volume; /* without voxels */
    job->count = o->values.count;
    memcpy(job->values, o->values.value, job->count * sizeof *job->values);
    return ERR_NONE;
}

/* The size of the surface at value number i, and the bytes that making it needs in addition. */
static int measure_room(struct job *job, size_t i, struct iso_layer *mesh, uint64_t *beside, struct err *err)
{
    const bool each = file_each(job);
    const struct export_edit edit = edit_of(job, i, each ? i : 0, each ? 1 : job->count);
    const struct iso_surface surface = { &job->iso, &job->volume, volume_iso(&job->volume, job->values[i]) };
    return slabs_room(mesh, beside, &edit, &surface, err);
}

/* --memory limits volume and surface together. If the surface is too large next to its volume, it is made slab by slab.
 * If something rules out slabs, that is an error. */
static int leave_for_slabs(struct job *job, struct err *err)
{
    const struct options *o = job->options;
    bool exceeds = false;
    uint64_t meshes = 0, beside; /* those of one file are in memory together */
    for (size_t i = 0; i < job->count && !exceeds; i++) {
        struct iso_layer mesh;
        const int code = measure_room(job, i, &mesh, &beside, err);
        if (code) return code;
        meshes = plan_bytes(mesh) + (file_each(job) ? 0 : meshes);
        exceeds = slabs_exceeds(&job->iso, &job->volume, o, "its surface", meshes + beside, err);
    }
    return exceeds ? open_slabs(job, err) : ERR_NONE;
}

static int open_whole(struct job *job, struct err *err)
{
    const struct options *o = job->options;
    const bool limited = o->setup.load.memory;
    int code = setup_open_iso(&job->iso, &o->setup, -1, job->why, sizeof job->why, err);
    if (!code && limited && slabs_smooth_exceeds(&job->iso, &job->volume, o, err)) code = open_slabs(job, err);
    if (code) return code;
    do code = prepare(job, err);
    while (code && fall_back(job, err));
    return code || !limited ? code : leave_for_slabs(job, err);
}

static int run(struct job *job, struct err *err)
{
    const struct options *o = job->options;
    bool written = false;
    const bool slabs = o->parts || (o->team && o->team->size > 1) || job->format == &export_pvtp ||
                       extract_slabs_suit(o, job->format);
    int code = slabs ? ERR_NONE : setup_open_volume(&job->volume, &job->value.value, &o->setup, err);
    if (slabs || (code && err->cause == CAUSE_VOLUME)) code = open_slabs(job, err);
    else if (!code) code = open_whole(job, err);
    if (!code && job->slabs && job->count > 1 && !file_each(job)) code = write_joined(job, &written, err);
    else if (!code)
        code = file_each(job) || job->slabs ? write_each(job, &written, err)
                                            : write_file(job, o->output, 0, job->count, &written, err);
    if (code) return code;
    if (leads(job) && ends(o) && (!o->json || !written)) setup_say_note(&job->volume);
    if (!written) return refuse_empty(job, err);
    for (size_t i = 0; i < job->count; i++)
        if (job->empty[i] && leads(job)) say_empty(job, i);
    return ERR_NONE;
}

static int check_options(struct job *job, struct err *err)
{
    const struct options *o = job->options;
    if (!o->output)
        return err_set(err, ERR_USAGE,
                       "extract needs a file to write: -o OUT.ply, OUT.stl, OUT.obj, OUT.glb, OUT.vtp or OUT.pvtp");
    job->format = export_format_of(o->output, err);
    if (!job->format || options_check_parts(o, err)) return ERR_USAGE;
    const bool shared = o->parts || (o->team && o->team->size > 1);
    if (o->values.count < 2 || (!job->format->single && !shared) || file_each(job)) return ERR_NONE;
    return err_set(err, ERR_USAGE, "%s: %s%s: put %% in the name, like surface_%%%s, to write a file per isovalue",
                   o->output, job->format->single ? job->format->name : "",
                   job->format->single ? " files hold one surface" : "several surfaces in one file need a single process",
                   job->format->ending);
}

int cmd_extract(const struct options *options, struct err *err)
{
    struct job job = { .options = options };
    if (check_options(&job, err)) return ERR_USAGE;
    const int code = run(&job, err);
    export_free(&job.file);
    free(job.rows);
    iso_close(&job.iso);
    if (job.slabs) store_close(&job.store);
    volume_free(&job.volume);
    return code;
}
