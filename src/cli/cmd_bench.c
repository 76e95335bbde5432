/* bench: times the stages on one volume, at one isovalue, at many, or with every rung of a stage. bench_pictures.c draws,
 * too. bench_ranks.c times shares of the volume in the memory of several processes, bench_slabs.c the making of a file slab
 * by slab. */
#include "cmd.h"

#include "bench_pictures.h"
#include "bench_ranks.h"
#include "bench_report.h"
#include "bench_slabs.h"
#include "save_table.h"
#include "team.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is measured, and on what --------------------------------------------------------------------------------- */

/* Chooses a pipeline by name: staged is the fused rung "none", fused the default one. rung: the fused rung that was asked
 * for; NULL: none was. */
static int choose_pipeline(struct iso *iso, const char *asked, const char *rung, struct err *err)
{
    if (!asked) return ERR_NONE;
    const bool staged = !strcmp(asked, "staged");
    if (!staged && strcmp(asked, "fused"))
        return err_set(err, ERR_USAGE, "unknown pipeline '%s': expected staged or fused", asked);
    if (rung && staged != !strcmp(rung, "none"))
        return err_set(err, ERR_USAGE, "--pipeline %s and --rung fused=%s contradict each other: leave one out", asked,
                       rung);
    if (!rung && iso_set_rung(iso, STAGE_FUSED, staged ? "none" : NULL, err)) return err->code;
    if (staged) return ERR_NONE;
    if (iso_is_fused(iso)) return ERR_NONE;
    return err_set(err, ERR_USAGE,
                   "the fused pipeline cannot run: the %s backend has none, or the bricks rung stores no ranges; use "
                   "--pipeline staged",
                   iso->ops->name);
}

static void describe(struct bench_report *r, const struct bench *b)
{
    machine_describe(&r->machine, b->iso);
    r->iso = b->iso;
    r->runs = b->runs;
}

/* ---- the kinds of measurements ------------------------------------------------------------------------------------- */

static int measure_point(struct bench_report *r, struct bench *b, struct err *err)
{
    const float value = volume_iso(r->volume, r->value);
    const int code = bench_change(b, value, &r->point, err);
    return code ? code : bench_volume(b, value, &r->point, err);
}

static int measure_sweep(struct bench_report *r, struct bench *b, const struct options *options, struct err *err)
{
    double value[VALUES_MOST];
    const size_t n = options->values.count;
    if (values_find(&options->values, value, b->iso, r->volume, err)) return err->code;
    r->sweep = calloc(n, sizeof *r->sweep);
    if (!r->sweep) return err_set(err, ERR_FAILED, "not enough memory for %zu isovalues", n);
    r->sweep_count = n;
    for (size_t i = 0; i < n; i++) {
        r->sweep[i].value = value[i];
        if (bench_change(b, volume_iso(r->volume, value[i]), &r->sweep[i].point, err)) return err->code;
    }
    return ERR_NONE;
}

static int measure_rungs(struct bench_report *r, struct bench *b, unsigned stages, struct err *err)
{
    const float value = volume_iso(r->volume, r->value);
    r->rows = calloc(STAGE_COUNT * RUNG_ROWS, sizeof *r->rows);
    if (!r->rows) return err_set(err, ERR_FAILED, "not enough memory for the rungs");
    for (int s = 0; s < STAGE_COUNT; s++) {
        size_t n = 0;
        if (!(stages >> s & 1)) continue;
        if (bench_compare(b, value, (enum stage)s, r->rows + r->row_count, &n, err)) return err->code;
        r->row_count += n;
    }
    if (iso_count(b->iso, value, err)) return err->code;
    r->point.vertices = b->iso->counts.vertices;
    r->point.triangles = b->iso->counts.triangles;
    return ERR_NONE;
}

/* Measures the copy rate last, when a GPU's clocks have gone up and the mesh is no longer needed. If there is no memory
 * for the copy, the times are still useful. */
static void measure_copy(struct bench_report *r, struct bench *b)
{
    struct err why;
    bench_close(b);
    if (!iso_copy_rate(b->iso, &r->copy_rate, &why)) return;
    r->copy_rate = NAN;
    snprintf(r->copy_why, sizeof r->copy_why, "%.255s", why.text);
}

static int measure(struct bench_report *r, struct bench *b, struct bench_pictures *pictures, const struct options *options,
                   struct err *err)
{
    int code;
    if (options->values.count) code = measure_sweep(r, b, options, err);
    else if (options->compare) code = measure_rungs(r, b, options->compare, err);
    else if (pictures) code = bench_pictures_measure(pictures, r, b, options, err);
    else code = measure_point(r, b, err);
    r->copy_rate = NAN;
    if (!code && !pictures) measure_copy(r, b); /* a picture has no rate to compare with it */
    return code;
}

/* ---- the answer ---------------------------------------------------------------------------------------------------- */

/* A rung that fails or gives another mesh is a bug, which scripts must see in the exit code. A skipped rung is not. */
static int judge(const struct bench_report *r, struct err *err)
{
    const struct rung_row *fault = rows_fault(r->rows, r->row_count);
    if (!fault) return ERR_NONE;
    return err_set(err, ERR_FAILED, "the %s rung '%s' %s: %s", stage_name[fault->stage], fault->rung->name,
                   fault->outcome == OUTCOME_FAILED ? "failed" : "gives a different mesh from the default rungs",
                   fault->why);
}

/* Prints before it saves, because measuring may have taken minutes and the file may not be writable. */
static int answer(const struct bench_report *r, const struct options *options, struct err *err)
{
    if (options->json) bench_report_json(r);
    else bench_report_plain(r), setup_say_note(r->volume);
    if (!r->sweep && !r->point.triangles) setup_say_empty(r->volume, NULL, r->value);
    const struct saved_table table = { "bench", bench_report_markdown, r };
    if (options->save && save_table(&table, options->save, err)) return err->code;
    if (options->save && !options->json) text_say(stdout, "saved in %s", options->save);
    return judge(r, err);
}

static int bench(struct bench *b, struct bench_report *r, struct bench_pictures *pictures, const struct options *options,
                 double demo_value, struct err *err)
{
    struct setup_value chosen = { .value = demo_value };
    int code = setup_set_volume(b->iso, r->volume, &options->setup, err);
    if (!code && !options->values.count) code = setup_choose_value(&chosen, b->iso, r->volume, &options->setup, err);
    r->value = chosen.value;
    if (!code) code = measure(r, b, pictures, options, err);
    if (code) return code;
    describe(r, b);
    return answer(r, options, err);
}

static int check_options(const struct options *options, struct err *err)
{
    if (options->values.count && options->compare)
        return err_set(err, ERR_USAGE, "--compare compares rungs at one isovalue: give one with --iso");
    if (options->pictures && (options->values.count || options->compare))
        return err_set(err, ERR_USAGE, "--pictures times one isovalue with the chosen rungs: %s",
                       options->compare ? "leave out --compare" : "give one with --iso");
    if (options->pipeline && options->compare)
        return err_set(err, ERR_USAGE,
                       "--pipeline and --compare cannot be combined: --compare chooses the pipeline by its stage");
    return ERR_NONE;
}

/* Which are timed. Where the rungs of fused are compared, the first is none, and the stages run. */
static const char *pipelines(const struct iso *iso, unsigned compared)
{
    if (compared >> STAGE_FUSED & 1) return "staged and fused";
    return !compared && iso_is_fused(iso) ? "fused" : "staged";
}

/* pictures: NULL without --pictures. device: as for setup_open_iso. */
static int run(struct bench_pictures *pictures, int device, const struct options *options, struct err *err)
{
    struct volume volume;
    struct iso iso;
    char why[512];
    double demo_value;
    struct bench_report report = { .volume = &volume };
    if (setup_open_iso(&iso, &options->setup, device, why, sizeof why, err)) return err->code;
    if (choose_pipeline(&iso, options->pipeline, options->setup.rung[STAGE_FUSED], err)) {
        iso_close(&iso);
        return err->code;
    }
    report.pipeline = pipelines(&iso, options->compare);
    struct bench b = { .iso = &iso, .runs = options->runs ? options->runs : BENCH_RUNS };
    int code = setup_open_volume(&volume, &demo_value, &options->setup, err);
    if (!code) code = bench(&b, &report, pictures, options, demo_value, err);
    free(report.sweep);
    free(report.rows);
    bench_close(&b);
    volume_free(&volume);
    iso_close(&iso);
    return code;
}

int cmd_bench(const struct options *options, struct err *err)
{
    if (options->view.width && !options->pictures)
        return err_set(err, ERR_USAGE, "--size is the size of the pictures that --pictures draws: give both");
    if (options->output) return bench_slabs(options, err);
    if (options->cold) return err_set(err, ERR_USAGE, "--cold times writing a file: name the file with -o");
    if (options->team && options->team->size > 1) return bench_ranks(options, err);
    if (check_options(options, err)) return err->code;
    if (!options->pictures) return run(NULL, -1, options, err);
    int device = -1;
    struct bench_pictures *pictures = bench_pictures_open(&device, err);
    const int code = pictures ? run(pictures, device, options, err) : err->code;
    bench_pictures_close(pictures);
    return code;
}
