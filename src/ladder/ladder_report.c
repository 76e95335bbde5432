#include "ladder_report.h"

#include "ladder_legend.h"
#include "report.h"
#include "roof.h"
#include "table.h"
#include "text.h"

#include <math.h>
#include <string.h>

static const struct rung_row *library_of(const struct ladder_result *r)
{
    for (size_t i = 0; i < r->rows; i++)
        if (r->row[i].rung->is_library && row_timed(&r->row[i])) return &r->row[i];
    return NULL;
}

const char *ladder_guest(const struct rung_row *row)
{
    return row->guests && row->guests->device[0] ? row->guests->device : NULL;
}

const char *ladder_ceiling(const struct ladder_result *result)
{
    const struct rung_row *library = library_of(result);
    return !result->op->arithmetic ? "copy" : library ? library->rung->name : "fma_peak";
}

double ladder_percent(const struct ladder_report *report, const struct ladder_result *result, const struct rung_row *row)
{
    const struct ladder_roof *roof = &report->roof[result->backend];
    const struct rung_row *library = library_of(result);
    if (!row_timed(row) || row->guests) return NAN; /* the roof is a backend's */
    if (!result->op->arithmetic) return 100 * rounds_rate(&row->own) / roof->copy_rate;
    return library ? 100 * library->own.us.median / row->own.us.median : 100 * ladder_speed(row) / roof->peak;
}

double ladder_predicted(const struct ladder_report *report, const struct ladder_result *result, const struct rung_row *row)
{
    const struct ladder_roof *limits = &report->roof[result->backend];
    const struct roof roof = roof_of(result->op->op, result->backend, row->rung, (double)result->size);
    const struct rung_row *library = library_of(result);
    if (!row_timed(row)) return NAN;
    const double moving = roof.moves * (double)row->own.bytes / limits->copy_rate; /* ns */
    const double computing = (double)row->operations / (roof.peak * limits->peak);
    const double ns = fmax(moving, computing); /* fmax ignores NaN */
    if (!result->op->arithmetic) return 100 * (double)row->own.bytes / limits->copy_rate / ns;
    return 100 * (library ? 1e3 * library->own.us.median : (double)row->operations / limits->peak) / ns;
}

const char *ladder_launch(char to[256], const struct launch *launch)
{
    char shared[32];
    snprintf(
        to, 256,
        "%s: %u threads, %u registers, %s shared, %zu B local; %u resident %s per SM, %.0f %% occupancy, limited by %s",
        launch->kernel, launch->threads, launch->registers, text_bytes(shared, (double)launch->shared), launch->local,
        launch->resident, text_word(launch->resident, "block", "blocks"), launch->occupancy,
        launch_limit_name[launch->limit]);
    return to;
}

const char *ladder_number(char to[32], double value)
{
    int decimals = 0;
    for (double size = fabs(value); size < 99.95 && decimals < 5; size *= 10) decimals++;
    if (!isfinite(value)) snprintf(to, 32, "-");
    else snprintf(to, 32, "%.*f", value == 0 ? 0 : decimals, value);
    return to;
}

/* ---- tables -------------------------------------------------------------------------------------------------------- */

static void print_heading(FILE *out, bool markdown, const struct ladder_report *report, const struct ladder_result *r)
{
    const struct ladder_roof *p = &report->roof[r->backend];
    const char *stop = markdown ? "." : "";
    char size[128];
    fprintf(out, "%s%s: %s%s\n", markdown ? "**" : "", r->op->op, r->ladder->job, markdown ? "**." : "");
    fprintf(out, "%s; ", ladder_size(size, r));
    if (r->block) fprintf(out, "%u %s per block; ", r->block, text_word(r->block, "thread", "threads"));
    fprintf(out, "%s backend on %s", backends[r->backend]->name, p->machine.device);
    if (p->threads) fprintf(out, ", %d %s", p->threads, text_word((uint64_t)p->threads, "thread", "threads"));
    fprintf(out, ", %s; isoscope %s, commit %s, %s%s\n", p->machine.driver, ISO_VERSION, p->machine.commit, p->machine.date,
            stop);
    if (!report->timed) fputc('\n', out);
    else if (isnan(p->copy_rate)) fprintf(out, "No copy rate: %s%s\n\n", p->copy_why, stop);
    else
        fprintf(out, "100 %% of copy is %.1f GB/s, read plus written; 100 %% of peak is %.1f GFLOP/s%s\n\n", p->copy_rate,
                p->peak, stop);
}

static void put_number(struct table_cells *cells, double value)
{
    char text[32];
    table_text(cells, ladder_number(text, value));
}

/* Which of the optional columns to print: those in which any rung of the result has a number. */
struct extra {
    bool error, predicted;
};

static struct extra extra_of(const struct ladder_report *report, const struct ladder_result *r)
{
    struct extra extra = { false, false };
    for (size_t i = 0; i < r->rows; i++) {
        extra.error = extra.error || isfinite(r->row[i].error);
        extra.predicted = extra.predicted || isfinite(r->row[i].predicted) ||
                          isfinite(ladder_predicted(report, r, &r->row[i]));
    }
    return extra;
}

static void put_error(struct table_cells *cells, double error)
{
    char text[32] = "-";
    if (isfinite(error)) snprintf(text, sizeof text, error > 0 ? "%.1e" : "%.0f", error);
    table_text(cells, text);
}

static void put_cases(struct table_cells *cells, unsigned cases)
{
    if (cases) table_number(cells, cases, 0);
    else table_text(cells, "-");
}

static void put_row(struct table_cells *cells, const struct ladder_report *report, const struct ladder_result *r,
                    const struct rung_row *row, struct extra extra)
{
    const struct times *us = &row->own.us;
    const double ms = row_timed(row) ? 1e-3 : NAN;
    rows_put_rung(cells, row->rung);
    rows_put_outcome(cells, row->outcome);
    if (report->cases) put_cases(cells, row->cases);
    if (extra.error) put_error(cells, row->error);
    if (!report->timed) return;
    put_number(cells, ms * us->median);
    put_number(cells, ms * us->min);
    put_number(cells, ms * us->p90);
    if (r->op->measure) put_number(cells, row->measured);
    else {
        put_number(cells, rounds_rate(&row->own));
        put_number(cells, ladder_speed(row));
        put_number(cells, ladder_percent(report, r, row));
    }
    if (extra.predicted) put_number(cells, r->op->measure ? row->predicted : ladder_predicted(report, r, row));
    put_number(cells, row->speedup);
}

/* What each rung launches: a row for each pair of kernel and block size. */
static void print_launches(FILE *out, bool markdown, const struct ladder_result *r)
{
    static const struct table_column columns[] = { { "rung", -14 },     { "kernel", -26 },     { "threads", 8 },
                                                   { "registers", 10 }, { "shared B", 9 },     { "local B", 8 },
                                                   { "blocks/SM", 10 }, { "occupancy %", 12 }, { "limit", 10 } };
    const struct table table = { out, markdown, columns, sizeof columns / sizeof columns[0] };
    bool begun = false;
    for (size_t i = 0; i < r->rows; i++)
        for (size_t k = 0; k < r->launches[i].count; k++) {
            const struct launch *l = &r->launches[i].launch[k];
            const double values[] = { l->threads, l->registers, (double)l->shared, (double)l->local, l->resident };
            struct table_cells cells = { .used = 0 };
            if (!begun) fputc('\n', out), table_titles(&table);
            begun = true;
            table_text(&cells, k ? "" : r->row[i].rung->name);
            table_text(&cells, l->kernel);
            for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) table_number(&cells, values[v], 0);
            table_number(&cells, l->occupancy, 0);
            table_text(&cells, launch_limit_name[l->limit]);
            table_row(&table, &cells);
        }
}

/* Prints one sentence if all rungs are skipped for the same reason, such as too little memory. */
static void print_reasons(FILE *out, const struct ladder_result *r)
{
    size_t same = 0;
    while (same < r->rows && r->row[same].outcome == OUTCOME_SKIPPED && !strcmp(r->row[same].why, r->row[0].why)) same++;
    if (r->rows && same == r->rows) {
        fprintf(out, "\n%s: %s\n", outcome_name[OUTCOME_SKIPPED], r->row[0].why);
        return;
    }
    for (size_t i = 0; i < r->rows; i++)
        if (r->row[i].outcome != OUTCOME_RIGHT)
            fprintf(out, "\n%s %s: %s\n", r->row[i].rung->name, outcome_name[r->row[i].outcome], r->row[i].why);
}

/* Sets columns[0 .. n - 1] and returns n. */
static int choose_columns(struct table_column columns[12], const struct ladder_report *report, struct extra extra,
                          const char *measure, const char *speed, const char *percent)
{
    int n = 0;
    columns[n++] = (struct table_column){ "rung", -20 };
    columns[n++] = (struct table_column){ "right", 7 };
    if (report->cases) columns[n++] = (struct table_column){ "cases", 6 };
    if (extra.error) columns[n++] = (struct table_column){ "error", 8 };
    if (!report->timed) return n;
    columns[n++] = (struct table_column){ "median ms", 10 };
    columns[n++] = (struct table_column){ "min ms", 10 };
    columns[n++] = (struct table_column){ "p90 ms", 10 };
    if (measure) columns[n++] = (struct table_column){ measure, 16 };
    else {
        columns[n++] = (struct table_column){ "GB/s", 8 };
        columns[n++] = (struct table_column){ speed, 12 };
        columns[n++] = (struct table_column){ percent, 12 };
    }
    if (extra.predicted) columns[n++] = (struct table_column){ "predicted", 10 };
    columns[n++] = (struct table_column){ "x first", 8 };
    return n;
}

/* Prints one line: the guests' rungs, and what ran them. */
static void print_guests(FILE *out, const struct ladder_result *r)
{
    const char *who = NULL;
    for (size_t i = 0; i < r->rows; i++)
        if (r->row[i].outcome != OUTCOME_SKIPPED && ladder_guest(&r->row[i])) {
            fprintf(out, "%s%s", who ? ", " : "\n", r->row[i].rung->name);
            who = ladder_guest(&r->row[i]);
        }
    if (who) fprintf(out, ": %s\n", who);
}

static void print_unsteady(FILE *out, bool markdown, const struct ladder_result *r)
{
    const double fold = ladder_unsteady(r);
    if (!(fold > 0)) return;
    fprintf(out, "\n%s vary up to %.*f-fold: something else is running; compare the min column, or raise --runs%s\n",
            markdown ? "Times" : "times", fold < 10, fold, markdown ? "." : "");
}

static void print_result(FILE *out, bool markdown, const struct ladder_report *report, const struct ladder_result *r)
{
    char speed[64], percent[64];
    struct table_column columns[12];
    const struct extra extra = extra_of(report, r);
    snprintf(speed, sizeof speed, "G%s/s", strcmp(r->op->operation, "flop") ? r->op->operation : "FLOP");
    snprintf(percent, sizeof percent, "%% of %s", ladder_ceiling(r));
    const struct table table = { out, markdown, columns,
                                 choose_columns(columns, report, extra, r->op->measure, speed, percent) };
    print_heading(out, markdown, report, r);
    table_titles(&table);
    for (size_t i = 0; i < r->rows; i++) {
        struct table_cells cells = { .used = 0 };
        put_row(&cells, report, r, &r->row[i], extra);
        table_row(&table, &cells);
    }
    print_unsteady(out, markdown, r);
    print_launches(out, markdown, r);
    print_guests(out, r);
    print_reasons(out, r);
}

static void print_results(FILE *out, bool markdown, const struct ladder_report *report)
{
    for (size_t i = 0; i < report->results; i++) {
        if (i) fputc('\n', out);
        print_result(out, markdown, report, &report->result[i]);
    }
}

void ladder_report_plain(const struct ladder_report *report)
{
    print_results(stdout, false, report);
    ladder_legend(stdout, LEGEND_PLAIN, report);
}

void ladder_report_markdown(FILE *out, const void *report)
{
    print_results(out, true, report);
    ladder_legend(out, LEGEND_MARKDOWN, report);
}

/* ---- for a program ------------------------------------------------------------------------------------------------- */

static void json_backends(struct report *j, const struct ladder_report *report)
{
    report_open(j, "backends", '[');
    for (int b = 0; b < BACKEND_COUNT; b++) {
        const struct ladder_roof *p = &report->roof[b];
        if (!p->used) continue;
        report_open(j, NULL, '{');
        report_text(j, "backend", backends[b]->name);
        report_text(j, "device", p->machine.device);
        report_text(j, "driver", p->machine.driver);
        report_number(j, "threads", p->threads ? p->threads : NAN);
        report_text(j, "version", ISO_VERSION);
        report_text(j, "commit", p->machine.commit);
        report_text(j, "date", p->machine.date);
        report_measured(j, "copy_rate_gb_per_s", p->copy_rate);
        report_measured(j, "peak_gflop_per_s", p->peak);
        report_close(j, '}');
    }
    report_close(j, ']');
}

static void json_launches(struct report *j, const struct launches *launches)
{
    report_open(j, "kernels", '[');
    for (size_t i = 0; i < launches->count; i++) {
        const struct launch *l = &launches->launch[i];
        report_open(j, NULL, '{');
        report_text(j, "kernel", l->kernel);
        report_whole(j, "threads", l->threads);
        report_whole(j, "registers", l->registers);
        report_whole(j, "shared_bytes", l->shared);
        report_whole(j, "local_bytes", l->local);
        report_whole(j, "blocks_per_sm", l->resident);
        report_measured(j, "occupancy_percent", l->occupancy);
        report_text(j, "limited_by", launch_limit_name[l->limit]);
        report_close(j, '}');
    }
    report_close(j, ']');
}

static void json_row(struct report *j, const struct ladder_report *report, const struct ladder_result *r,
                     const struct rung_row *row)
{
    const double shape[OP_AXES] = { (double)r->shape[0], (double)r->shape[1], (double)r->shape[2] };
    report_open(j, NULL, '{');
    report_text(j, "op", r->op->op);
    report_text(j, "backend", row->guests ? row->guests->name : backends[r->backend]->name);
    report_text(j, "device", ladder_guest(row));
    report_whole(j, "size", r->size);
    report_numbers(j, "shape", shape, r->shape[0] ? r->op->axes : 0);
    report_number(j, "block", r->block ? r->block : NAN);
    report_text(j, "rung", row->rung->name);
    report_flag(j, "default", row->rung->is_default);
    report_text(j, "outcome", outcome_name[row->outcome]);
    report_text(j, "why", row->why[0] ? row->why : NULL);
    report_number(j, "cases", row->cases ? row->cases : NAN);
    report_whole(j, "runs", (uint64_t)row->runs);
    rounds_report(j, &row->own.us, row_timed(row), "_us");
    report_whole(j, "bytes", row->own.bytes);
    report_whole(j, "operations", row->operations);
    report_measured(j, "gb_per_s", rounds_rate(&row->own));
    report_measured(j, "goperations_per_s", ladder_speed(row));
    report_text(j, "ceiling", ladder_ceiling(r));
    report_measured(j, "percent_of_ceiling", ladder_percent(report, r, row));
    report_measured(j, "predicted_percent", ladder_predicted(report, r, row));
    report_text(j, "measure", r->op->measure);
    report_measured(j, "measured", row->measured);
    report_measured(j, "predicted", row->predicted);
    report_measured(j, "times_first", row->speedup);
    report_measured(j, "largest_error", row->error);
    json_launches(j, &r->launches[row - r->row]);
    report_close(j, '}');
}

void ladder_report_json(const struct ladder_report *report)
{
    struct report j = { .json = true };
    json_backends(&j, report);
    report_open(&j, "rungs", '[');
    for (size_t i = 0; i < report->results; i++)
        for (size_t k = 0; k < report->result[i].rows; k++)
            json_row(&j, report, &report->result[i], &report->result[i].row[k]);
    report_close(&j, ']');
    report_end(&j);
}
