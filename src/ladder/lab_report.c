#include "lab_report.h"

#include "report.h"
#include "table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const struct lab_row *library_of(const struct lab_result *r)
{
    for (size_t i = 0; i < r->rows && r->op->library; i++)
        if (!strcmp(r->row[i].rung->name, r->op->library) && r->row[i].work.us.median > 0) return &r->row[i];
    return NULL;
}

const char *lab_ceiling(const struct lab_result *result)
{
    return !result->op->library ? "copy" : library_of(result) ? result->op->library : "fma_peak";
}

double lab_percent(const struct lab_report *report, const struct lab_result *result, const struct lab_row *row)
{
    const struct lab_place *place = &report->place[result->backend];
    const struct lab_row *library = library_of(result);
    if (!(row->work.us.median > 0)) return NAN;
    if (!result->op->library) return 100 * bench_rate(&row->work) / place->copy_rate;
    return library ? 100 * library->work.us.median / row->work.us.median : 100 * lab_speed(row) / place->peak;
}

const char *lab_number(char to[32], double value)
{
    int decimals = 0;
    for (double size = fabs(value); size < 99.95 && decimals < 5; size *= 10) decimals++;
    if (!isfinite(value)) snprintf(to, 32, "-");
    else snprintf(to, 32, "%.*f", value == 0 ? 0 : decimals, value);
    return to;
}

/* ---- tables -------------------------------------------------------------------------------------------------------- */

static void print_heading(FILE *out, bool markdown, const struct lab_report *report, const struct lab_result *r)
{
    const struct lab_place *p = &report->place[r->backend];
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
    cells_text(cells, lab_number(text, value));
}

static void put_row(struct table_cells *cells, const struct lab_report *report, const struct lab_result *r,
                    const struct lab_row *row)
{
    static const char *const signs[LAB_OUTCOMES] = { "✓", "✗", "✗", "skipped" };
    const bool timed = row->work.us.median > 0;
    snprintf(cells->text[cells->used++], TABLE_CELL, "%s%s", row->rung->name, row->rung->is_default ? " *" : "");
    cells_text(cells, signs[row->outcome]);
    if (!report->timed) return;
    put_number(cells, timed ? 1e-3 * row->work.us.median : NAN);
    put_number(cells, timed ? 1e-3 * row->work.us.min : NAN);
    put_number(cells, timed ? 1e-3 * row->work.us.p90 : NAN);
    put_number(cells, bench_rate(&row->work));
    put_number(cells, lab_speed(row));
    put_number(cells, lab_percent(report, r, row));
    put_number(cells, row->speedup);
}

static void print_result(FILE *out, bool markdown, const struct lab_report *report, const struct lab_result *r)
{
    char speed[64], percent[64];
    const struct table_column columns[] = { { "rung", -20 },  { "right", 7 },   { "median ms", 11 },
                                            { "min ms", 11 }, { "p90 ms", 11 }, { "GB/s", 8 },
                                            { speed, 12 },    { percent, 12 },  { "x first", 8 } };
    const struct table table = { out, markdown, columns, report->timed ? 9 : 2 };
    snprintf(speed, sizeof speed, "G%s/s", strcmp(r->op->operation, "flop") ? r->op->operation : "FLOP");
    snprintf(percent, sizeof percent, "%% of %s", lab_ceiling(r));
    print_heading(out, markdown, report, r);
    table_titles(&table);
    for (size_t i = 0; i < r->rows; i++) {
        struct table_cells cells = { .used = 0 };
        put_row(&cells, report, r, &r->row[i]);
        table_row(&table, &cells);
    }
    for (size_t i = 0; i < r->rows; i++)
        if (r->row[i].outcome != LAB_RIGHT)
            fprintf(out, "\n%s %s: %s\n", r->row[i].rung->name, lab_outcome_name[r->row[i].outcome], r->row[i].why);
}

static void print_results(FILE *out, bool markdown, const struct lab_report *report)
{
    for (size_t i = 0; i < report->results; i++) {
        if (i) fputc('\n', out);
        print_result(out, markdown, report, &report->result[i]);
    }
}

void lab_report_plain(const struct lab_report *report)
{
    print_results(stdout, false, report);
    printf("\n*           the default\n"
           "right       ✓ as a plain reference has it; no other rung is timed\n");
    if (!report->timed) return;
    printf("ms          by CUDA events, or the monotonic clock on the CPU; rungs run in turns\n"
           "GB/s        inputs read once, outputs written once; caches may lift it above the copy rate\n"
           "x first     how many times faster than the first rung, by the medians\n");
}

void lab_report_markdown(FILE *out, const void *report) { print_results(out, true, report); }

/* ---- for a program ------------------------------------------------------------------------------------------------- */

static void json_places(struct report *j, const struct lab_report *report)
{
    report_open(j, "backends", '[');
    for (int b = 0; b < BACKEND_COUNT; b++) {
        const struct lab_place *p = &report->place[b];
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

static void json_row(struct report *j, const struct lab_report *report, const struct lab_result *r,
                     const struct lab_row *row)
{
    const bool timed = row->work.us.median > 0;
    report_open(j, NULL, '{');
    report_text(j, "op", r->op->op);
    report_text(j, "backend", backends[r->backend]->name);
    report_whole(j, "size", r->size);
    report_number(j, "block", r->block ? r->block : NAN);
    report_text(j, "rung", row->rung->name);
    report_flag(j, "default", row->rung->is_default);
    report_text(j, "outcome", lab_outcome_name[row->outcome]);
    report_text(j, "why", row->why[0] ? row->why : NULL);
    report_whole(j, "runs", (uint64_t)row->runs);
    report_measured(j, "median_us", timed ? row->work.us.median : NAN);
    report_measured(j, "min_us", timed ? row->work.us.min : NAN);
    report_measured(j, "p90_us", timed ? row->work.us.p90 : NAN);
    report_whole(j, "bytes", row->work.bytes);
    report_whole(j, "operations", row->operations);
    report_measured(j, "gb_per_s", bench_rate(&row->work));
    report_measured(j, "goperations_per_s", lab_speed(row));
    report_text(j, "ceiling", lab_ceiling(r));
    report_measured(j, "percent_of_ceiling", lab_percent(report, r, row));
    report_measured(j, "times_first", row->speedup);
    report_close(j, '}');
}

void lab_report_json(const struct lab_report *report)
{
    struct report j = { .json = true };
    json_places(&j, report);
    report_open(&j, "rungs", '[');
    for (size_t i = 0; i < report->results; i++)
        for (size_t k = 0; k < report->result[i].rows; k++)
            json_row(&j, report, &report->result[i], &report->result[i].row[k]);
    report_close(&j, ']');
    report_end(&j);
}
