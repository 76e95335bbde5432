#include "ladder_report.h"

#include "report.h"
#include "table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const struct rung_row *library_of(const struct ladder_result *r)
{
    for (size_t i = 0; i < r->rows; i++)
        if (r->row[i].rung->is_library && row_timed(&r->row[i])) return &r->row[i];
    return NULL;
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
    if (!row_timed(row)) return NAN;
    if (!result->op->arithmetic) return 100 * work_rate(&row->own) / roof->copy_rate;
    return library ? 100 * library->own.us.median / row->own.us.median : 100 * ladder_speed(row) / roof->peak;
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
    fprintf(out, "%s%s: %s%s\n", markdown ? "**" : "", r->op->op, r->ladder->job, markdown ? "**." : "");
    fprintf(out, "%zu %s; ", r->size, r->op->unit);
    if (r->block) fprintf(out, "%u threads per block; ", r->block);
    fprintf(out, "%s backend on %s", backends[r->backend]->name, p->machine.device);
    if (p->threads) fprintf(out, ", %d thread%s", p->threads, p->threads == 1 ? "" : "s");
    fprintf(out, ", %s; isoscope %s, commit %s, %s%s\n", p->machine.driver, ISO_VERSION, p->machine.commit, p->machine.date,
            stop);
    if (!report->timed) fputc('\n', out);
    else if (isnan(p->copy_rate)) fprintf(out, "No copy rate: %s%s\n\n", p->copy_why, stop);
    else
        fprintf(out, "100 %% of copy is %.1f GB/s, read plus written; of peak, %.1f GFLOP/s%s\n\n", p->copy_rate, p->peak,
                stop);
}

static void put_number(struct table_cells *cells, double value)
{
    char text[32];
    cells_text(cells, ladder_number(text, value));
}

static void put_row(struct table_cells *cells, const struct ladder_report *report, const struct ladder_result *r,
                    const struct rung_row *row)
{
    const struct times *us = &row->own.us;
    const double ms = row_timed(row) ? 1e-3 : NAN;
    cells_rung(cells, row->rung);
    cells_outcome(cells, row->outcome);
    if (!report->timed) return;
    put_number(cells, ms * us->median);
    put_number(cells, ms * us->min);
    put_number(cells, ms * us->p90);
    put_number(cells, work_rate(&row->own));
    put_number(cells, ladder_speed(row));
    put_number(cells, ladder_percent(report, r, row));
    put_number(cells, row->speedup);
}

/* Prints one sentence if all rungs are skipped for one reason, such as too little memory. */
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

static void print_result(FILE *out, bool markdown, const struct ladder_report *report, const struct ladder_result *r)
{
    char speed[64], percent[64];
    const struct table_column columns[] = { { "rung", -20 },  { "right", 7 },   { "median ms", 11 },
                                            { "min ms", 11 }, { "p90 ms", 11 }, { "GB/s", 8 },
                                            { speed, 12 },    { percent, 12 },  { "x first", 8 } };
    const struct table table = { out, markdown, columns, report->timed ? 9 : 2 };
    snprintf(speed, sizeof speed, "G%s/s", strcmp(r->op->operation, "flop") ? r->op->operation : "FLOP");
    snprintf(percent, sizeof percent, "%% of %s", ladder_ceiling(r));
    print_heading(out, markdown, report, r);
    table_titles(&table);
    for (size_t i = 0; i < r->rows; i++) {
        struct table_cells cells = { .used = 0 };
        put_row(&cells, report, r, &r->row[i]);
        table_row(&table, &cells);
    }
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
    printf("\n*           the default\n"
           "right       ✓ the result matches a plain reference; only these rungs are timed\n");
    if (!report->timed) return;
    printf("ms          by CUDA events, or the monotonic clock on the CPU; rungs run in turns\n"
           "GB/s        inputs read once, outputs written once; caches may lift it above the copy rate\n"
           "x first     how many times faster than the first rung, by the medians\n");
}

void ladder_report_markdown(FILE *out, const void *report) { print_results(out, true, report); }

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

static void json_row(struct report *j, const struct ladder_report *report, const struct ladder_result *r,
                     const struct rung_row *row)
{
    report_open(j, NULL, '{');
    report_text(j, "op", r->op->op);
    report_text(j, "backend", backends[r->backend]->name);
    report_whole(j, "size", r->size);
    report_number(j, "block", r->block ? r->block : NAN);
    report_text(j, "rung", row->rung->name);
    report_flag(j, "default", row->rung->is_default);
    report_text(j, "outcome", outcome_name[row->outcome]);
    report_text(j, "why", row->why[0] ? row->why : NULL);
    report_whole(j, "runs", (uint64_t)row->runs);
    report_times(j, &row->own.us, row_timed(row), "_us");
    report_whole(j, "bytes", row->own.bytes);
    report_whole(j, "operations", row->operations);
    report_measured(j, "gb_per_s", work_rate(&row->own));
    report_measured(j, "goperations_per_s", ladder_speed(row));
    report_text(j, "ceiling", ladder_ceiling(r));
    report_measured(j, "percent_of_ceiling", ladder_percent(report, r, row));
    report_measured(j, "times_first", row->speedup);
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
