#include "bench_report.h"

#include "report.h"
#include "table.h"
#include "text.h"

#include <inttypes.h>
#include <math.h>

/* ---- cells -------------------------------------------------------------------------------------------------------- */

static void put_times(struct table_cells *row, const struct times *us)
{
    table_number(row, us->median, 1);
    table_number(row, us->min, 1);
    table_number(row, us->p90, 1);
}

static double percent_of_copy(const struct bench_report *r, const struct work *work)
{
    return r->copy_rate > 0 ? 100 * rounds_rate(work) / r->copy_rate : NAN;
}

static void put_rates(struct table_cells *row, const struct bench_report *r, const struct work *work)
{
    table_number(row, rounds_rate(work), 1);
    table_number(row, percent_of_copy(r, work), 1);
}

static void put_megabytes(struct table_cells *row, const struct work *work)
{
    table_number(row, work->bytes ? 1e-6 * (double)work->bytes : NAN, 2);
}

/* ---- the three tables ---------------------------------------------------------------------------------------------- */

/* Prints a row, unless the work was not done. */
static void print_work(const struct table *table, const struct bench_report *r, const char *stage, const char *rung,
                       const struct work *work)
{
    struct table_cells row = { .used = 0 };
    if (!work->bytes) return;
    table_text(&row, stage);
    table_text(&row, rung);
    put_times(&row, &work->us);
    put_megabytes(&row, work);
    put_rates(&row, r, work);
    table_row(table, &row);
}

static void print_stages(FILE *out, bool markdown, const struct bench_report *r)
{
    /* clang-format off */
    static const struct table_column columns[] = {
        { "stage", -10 }, { "rung", -18 }, { "median us", 11 }, { "min us", 11 }, { "p90 us", 11 }, { "MB", 10 },
        { "GB/s", 9 }, { "% of copy", 9 },
    };
    /* clang-format on */
    const struct table table = { out, markdown, columns, sizeof columns / sizeof columns[0] };
    table_titles(&table);
    print_work(&table, r, stage_name[STAGE_BRICKS], r->iso->rung[STAGE_BRICKS]->name, &r->point.stage[STAGE_BRICKS]);
    print_work(&table, r, "copy", r->iso->rung[STAGE_FUSED]->name, &r->point.copy);
    for (int s = STAGE_BRICKS + 1; s < STAGE_COUNT; s++)
        print_work(&table, r, stage_name[s], r->iso->rung[s]->name, &r->point.stage[s]);
    print_work(&table, r, "change", "", &r->point.change);
    struct table_cells wall = { .used = 0 };
    table_text(&wall, "wall");
    table_text(&wall, "");
    put_times(&wall, &r->point.wall);
    for (int i = 0; i < 3; i++) table_text(&wall, "-");
    table_row(&table, &wall);
}

static void print_sweep(FILE *out, bool markdown, const struct bench_report *r)
{
    /* clang-format off */
    static const struct table_column columns[] = {
        { "isovalue", 12 }, { "triangles", 11 }, { "vertices", 11 }, { "change us", 11 }, { "wall us", 11 },
        { "MB", 10 }, { "GB/s", 9 }, { "% of copy", 9 },
    };
    /* clang-format on */
    const struct table table = { out, markdown, columns, sizeof columns / sizeof columns[0] };
    table_titles(&table);
    for (size_t i = 0; i < r->sweep_count; i++) {
        const struct bench_point *point = &r->sweep[i].point;
        struct table_cells row = { .used = 0 };
        table_print(&row, "%.7g", r->sweep[i].value);
        table_print(&row, "%" PRIu64, point->triangles);
        table_print(&row, "%" PRIu64, point->vertices);
        table_number(&row, point->change.us.median, 1);
        table_number(&row, point->wall.median, 1);
        put_megabytes(&row, &point->change);
        put_rates(&row, r, &point->change);
        table_row(&table, &row);
    }
}

static void put_row(struct table_cells *cells, const struct bench_report *r, const struct rung_row *row)
{
    table_text(cells, stage_name[row->stage]);
    rows_put_rung(cells, row->rung);
    if (row_timed(row)) put_times(cells, &row->own.us);
    else
        for (int i = 0; i < 3; i++) table_text(cells, "-");
    put_rates(cells, r, &row->own);
    table_number(cells, row->speedup, 2);
    table_number(cells, row->outcome == OUTCOME_RIGHT ? row->change.us.median : NAN, 1);
    rows_put_outcome(cells, row->outcome);
}

static void print_rungs(FILE *out, bool markdown, const struct bench_report *r)
{
    /* clang-format off */
    static const struct table_column columns[] = {
        { "stage", -10 }, { "rung", -18 }, { "median us", 10 }, { "min us", 10 }, { "p90 us", 10 }, { "GB/s", 8 },
        { "% of copy", 9 }, { "x textbook", 10 }, { "change us", 10 }, { "mesh", 7 },
    };
    /* clang-format on */
    static const char *const words[OUTCOMES] = { "", "gives a different mesh", "failed", "skipped" };
    const struct table table = { out, markdown, columns, sizeof columns / sizeof columns[0] };
    table_titles(&table);
    for (size_t i = 0; i < r->row_count; i++) {
        struct table_cells cells = { .used = 0 };
        if (i && r->rows[i].stage != r->rows[i - 1].stage && !markdown) fputc('\n', out);
        put_row(&cells, r, &r->rows[i]);
        table_row(&table, &cells);
    }
    for (size_t i = 0; i < r->row_count; i++) {
        const struct rung_row *row = &r->rows[i];
        if (row->outcome != OUTCOME_RIGHT)
            fprintf(out, "\n%s %s %s: %s\n", stage_name[row->stage], row->rung->name, words[row->outcome], row->why);
    }
}

static void print_pictures(FILE *out, bool markdown, const struct bench_report *r)
{
    static const struct table_column columns[] = {
        { "drawn by", -10 }, { "median ms", 10 }, { "min ms", 10 }, { "p90 ms", 10 }, { "pictures/s", 11 },
    };
    const struct table table = { out, markdown, columns, sizeof columns / sizeof columns[0] };
    table_titles(&table);
    for (size_t i = 0; i < r->picture_count; i++) {
        const struct bench_picture *picture = &r->picture[i];
        const double us[] = { picture->us.median, picture->us.min, picture->us.p90 };
        struct table_cells cells = { .used = 0 };
        table_text(&cells, picture->way);
        for (int t = 0; t < 3; t++) table_number(&cells, picture->timed ? 1e-3 * us[t] : NAN, 3);
        table_number(&cells, picture->timed ? 1e6 / picture->us.median : NAN, 1);
        table_row(&table, &cells);
    }
    for (size_t i = 0; i < r->picture_count && r->point.triangles; i++)
        if (r->picture[i].why[0]) fprintf(out, "\n%s: %s\n", r->picture[i].way, r->picture[i].why);
}

/* ---- all of it for a person ---------------------------------------------------------------------------------------- */

/* What was measured, on what machine, and how. Markdown joins lines, so each needs a full stop. */
static void print_heading(FILE *out, bool markdown, const struct bench_report *r)
{
    const struct grid *g = &r->volume->grid;
    const char *tick = markdown ? "`" : "", *stop = markdown ? "." : "";
    const bool cpu = r->iso->exec.backend == BACKEND_CPU;
    char from[32], to[32];
    fprintf(out, "%s%s%s: %zu x %zu x %zu %s, ", tick, r->volume->name, tick, g->nx, g->ny, g->nz,
            voxel_type_name[g->type]);
    if (r->iso->sigma > 0) fprintf(out, "smoothed to float32 by sigma %g, ", (double)r->iso->sigma);
    if (r->sweep)
        fprintf(out, "%zu isovalues from %s to %s%s\n", r->sweep_count, text_print(from, r->sweep[0].value),
                text_print(to, r->sweep[r->sweep_count - 1].value), stop);
    else
        fprintf(out, "isovalue %s, %" PRIu64 " %s, %" PRIu64 " %s%s\n", text_print(from, r->value), r->point.triangles,
                text_word(r->point.triangles, "triangle", "triangles"), r->point.vertices,
                text_word(r->point.vertices, "vertex", "vertices"), stop);
    if (r->picture_count)
        fprintf(out, "pictures of %d x %d pixels, OpenGL on %s%s\n", r->picture_size[0], r->picture_size[1], r->renderer,
                stop);
    if (!r->sweep && !r->rows && r->point.active_cells)
        fprintf(out, "%" PRIu64 " active %s: %.2f ns per cell, %.4f ns per voxel, in wall time%s\n", r->point.active_cells,
                text_word(r->point.active_cells, "cell", "cells"),
                1e3 * r->point.wall.median / (double)r->point.active_cells,
                1e3 * r->point.wall.median / (double)grid_voxels(g), stop);
    fprintf(out, "%s backend on %s", r->iso->ops->name, r->machine.device);
    if (cpu) fprintf(out, ", %d %s", r->iso->exec.threads, text_word((uint64_t)r->iso->exec.threads, "thread", "threads"));
    fprintf(out, "; isoscope %s, commit %s, %s%s\n", ISO_VERSION, r->machine.commit, r->machine.date, stop);
    fprintf(out, "%s pipeline, %d runs after %d to warm up", r->pipeline, r->runs, ROUNDS_WARM_UPS);
    if (r->picture_count) fprintf(out, "%s\n\n", stop);
    else if (isnan(r->copy_rate)) fprintf(out, "; no copy rate: %s%s\n\n", r->copy_why, stop);
    else fprintf(out, "; 100 %% of copy is %.1f GB/s, read plus written%s\n\n", r->copy_rate, stop);
}

static void print_tables(FILE *out, bool markdown, const struct bench_report *r)
{
    print_heading(out, markdown, r);
    if (r->sweep) print_sweep(out, markdown, r);
    else if (r->rows) print_rungs(out, markdown, r);
    else if (r->picture_count) print_pictures(out, markdown, r);
    else print_stages(out, markdown, r);
}

static void print_legend(const struct bench_report *r)
{
    if (r->picture_count) {
        printf("\nms          milliseconds by the monotonic clock, from a new isovalue until OpenGL has finished the "
               "picture,\n"
               "            made and drawn as in the window while the value is dragged, but one after the other\n");
        return;
    }
    printf("\nus          microseconds by %s\n",
           r->iso->exec.backend == BACKEND_CUDA ? "CUDA events" : "the monotonic clock");
    if (r->rows)
        printf("*           the default; meanwhile, the other stages keep the rungs chosen for them\n"
               "x textbook  how many times as fast as the textbook, by the medians; rungs take turns\n"
               "mesh        ✓ bit for bit that of the default rungs, or its counts if fused is unordered; only these are "
               "timed\n");
    if (!r->sweep && !r->rows) printf("bricks      runs once per volume; all other stages run for every new isovalue\n");
    if (!r->sweep && !r->rows && r->point.copy.bytes)
        printf("copy        the fused rung's own copy of the volume, made once, before the volume's second surface\n");
    printf("change      everything that a new isovalue runs: classify, scan, compact and generate, or fused\n");
    if (!r->rows) printf("wall        a change by the monotonic clock, including launches and reading the counts back\n");
    printf("GB/s        inputs read once plus outputs written once; skipped bricks or caches may lift it above the copy "
           "rate\n");
}

void bench_report_plain(const struct bench_report *report)
{
    print_tables(stdout, false, report);
    print_legend(report);
}

void bench_report_markdown(FILE *out, const void *report) { print_tables(out, true, report); }

/* ---- for a program ------------------------------------------------------------------------------------------------- */

static void json_times(struct report *j, const char *name, const struct times *us, bool known)
{
    report_open(j, name, '{');
    rounds_report(j, us, known, "");
    report_close(j, '}');
}

static void json_work(struct report *j, const struct bench_report *r, const struct work *work, bool known)
{
    json_times(j, "device_us", &work->us, known);
    report_whole(j, "bytes", work->bytes);
    report_measured(j, "gb_per_s", known ? rounds_rate(work) : NAN);
    report_measured(j, "percent_of_copy", known ? percent_of_copy(r, work) : NAN);
}

static void json_heading(struct report *j, const struct bench_report *r)
{
    volume_report(r->volume, j);
    report_number(j, "smooth", (double)r->iso->sigma);
    report_text(j, "backend", r->iso->ops->name);
    report_text(j, "device", r->machine.device);
    report_text(j, "driver", r->machine.driver);
    report_number(j, "threads", r->iso->exec.backend == BACKEND_CPU ? r->iso->exec.threads : NAN);
    report_text(j, "pipeline", r->pipeline);
    report_text(j, "version", ISO_VERSION);
    report_text(j, "commit", r->machine.commit);
    report_text(j, "date", r->machine.date);
    report_whole(j, "warm_ups", ROUNDS_WARM_UPS);
    report_whole(j, "runs", (uint64_t)r->runs);
    report_measured(j, "copy_rate_gb_per_s", r->copy_rate);
    if (r->sweep) return;
    report_number(j, "iso", r->value);
    report_whole(j, "vertices", r->point.vertices);
    report_whole(j, "triangles", r->point.triangles);
    report_number(j, "active_cells", r->point.active_cells ? (double)r->point.active_cells : NAN);
}

/* Adds an element, unless the work was not done. */
static void json_stage(struct report *j, const struct bench_report *r, const char *stage, const char *rung,
                       const struct work *work)
{
    if (!work->bytes) return;
    report_open(j, NULL, '{');
    report_text(j, "stage", stage);
    report_text(j, "rung", rung);
    json_work(j, r, work, true);
    report_close(j, '}');
}

static void json_stages(struct report *j, const struct bench_report *r)
{
    report_open(j, "stages", '[');
    json_stage(j, r, stage_name[STAGE_BRICKS], r->iso->rung[STAGE_BRICKS]->name, &r->point.stage[STAGE_BRICKS]);
    json_stage(j, r, "copy", r->iso->rung[STAGE_FUSED]->name, &r->point.copy);
    for (int s = STAGE_BRICKS + 1; s < STAGE_COUNT; s++)
        json_stage(j, r, stage_name[s], r->iso->rung[s]->name, &r->point.stage[s]);
    report_close(j, ']');
    report_open(j, "total", '{');
    json_work(j, r, &r->point.change, true);
    json_times(j, "wall_us", &r->point.wall, true);
    report_measured(j, "first_us", r->point.first_us);
    report_close(j, '}');
}

static void json_sweep(struct report *j, const struct bench_report *r)
{
    report_open(j, "sweep", '[');
    for (size_t i = 0; i < r->sweep_count; i++) {
        const struct bench_point *point = &r->sweep[i].point;
        report_open(j, NULL, '{');
        report_number(j, "iso", r->sweep[i].value);
        report_whole(j, "vertices", point->vertices);
        report_whole(j, "triangles", point->triangles);
        json_work(j, r, &point->change, true);
        json_times(j, "wall_us", &point->wall, true);
        report_close(j, '}');
    }
    report_close(j, ']');
}

static void json_rungs(struct report *j, const struct bench_report *r)
{
    report_open(j, "compare", '[');
    for (size_t i = 0; i < r->row_count; i++) {
        const struct rung_row *row = &r->rows[i];
        report_open(j, NULL, '{');
        report_text(j, "stage", stage_name[row->stage]);
        report_text(j, "rung", row->rung->name);
        report_flag(j, "default", row->rung->is_default);
        report_text(j, "mesh", bench_outcome_name[row->outcome]);
        report_text(j, "why", row->why[0] ? row->why : NULL);
        json_work(j, r, &row->own, row_timed(row));
        report_measured(j, "times_textbook", row->speedup);
        json_times(j, "change_us", &row->change.us, row->outcome == OUTCOME_RIGHT);
        report_close(j, '}');
    }
    report_close(j, ']');
}

static void json_pictures(struct report *j, const struct bench_report *r)
{
    report_text(j, "opengl", r->renderer);
    report_whole(j, "width", (uint64_t)r->picture_size[0]);
    report_whole(j, "height", (uint64_t)r->picture_size[1]);
    report_open(j, "pictures", '[');
    for (size_t i = 0; i < r->picture_count; i++) {
        const struct bench_picture *picture = &r->picture[i];
        report_open(j, NULL, '{');
        report_text(j, "way", picture->way);
        report_text(j, "why", picture->why[0] ? picture->why : NULL);
        json_times(j, "wall_us", &picture->us, picture->timed);
        report_close(j, '}');
    }
    report_close(j, ']');
}

void bench_report_json(const struct bench_report *report)
{
    struct report j = { .json = true };
    json_heading(&j, report);
    if (report->sweep) json_sweep(&j, report);
    else if (report->rows) json_rungs(&j, report);
    else if (report->picture_count) json_pictures(&j, report);
    else json_stages(&j, report);
    report_end(&j);
}
