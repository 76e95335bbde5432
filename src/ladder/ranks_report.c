#include "ranks_report.h"

#include "report.h"
#include "table.h"
#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

struct rates { /* times in seconds; rates in GB/s and millions of voxels per second; percent */
    double wall, cpu, read, compute, write, wait;
    double read_rate, compute_rate, write_rate;
    double read_percent, write_percent, percent;
};

static double rate(uint64_t n, double ms, double unit) { return n && ms > 0 ? (double)n / ms * 1e3 / unit : NAN; }

/* A thread of its own reads. The other phases follow one another, so computing takes what they leave of the whole. */
static double compute_ms(const struct ranks_row *r)
{
    return fmax(0, r->wall - r->times.stall - r->others - r->times.write);
}

static struct rates rates_of(const struct ranks_row *r)
{
    const struct stream_times *t = &r->times, *plain = &r->plain;
    const double compute = compute_ms(r), read = rate(t->read_bytes, t->read, 1e9),
                 write = rate(t->written_bytes, t->write, 1e9);
    return (struct rates){ .wall = 1e-3 * r->wall,
                           .cpu = 1e-3 * r->cpu,
                           .read = 1e-3 * t->read,
                           .compute = 1e-3 * compute,
                           .write = 1e-3 * t->write,
                           .wait = 1e-3 * (t->stall + r->others),
                           .read_rate = read,
                           .compute_rate = rate(r->voxels, compute, 1e6),
                           .write_rate = write,
                           .read_percent = 100 * read / rate(plain->read_bytes, plain->read, 1e9),
                           .write_percent = 100 * write / rate(plain->written_bytes, plain->write, 1e9),
                           .percent = 100 * (plain->read + plain->write) / r->wall };
}

static void add_times(struct stream_times *to, const struct stream_times *t)
{
    to->read = fmax(to->read, t->read), to->stall = fmax(to->stall, t->stall), to->write = fmax(to->write, t->write);
    to->read_bytes += t->read_bytes, to->written_bytes += t->written_bytes;
}

/* Rates of all processes together: the sum of the bytes over the longest time. */
static struct rates rates_of_all(const struct ranks_report *r)
{
    struct ranks_row all = { .wall = 0 };
    double compute = 0, wait = 0;
    for (size_t i = 0; i < r->count; i++) {
        const struct ranks_row *row = &r->rows[i];
        add_times(&all.times, &row->times);
        add_times(&all.plain, &row->plain);
        all.wall = fmax(all.wall, row->wall), all.cpu += row->cpu, all.voxels += row->voxels;
        compute = fmax(compute, compute_ms(row)), wait = fmax(wait, row->times.stall + row->others);
    }
    struct rates rates = rates_of(&all);
    rates.compute = 1e-3 * compute, rates.wait = 1e-3 * wait;
    rates.compute_rate = rate(all.voxels, compute, 1e6);
    return rates;
}

static size_t hosts_of(const struct ranks_report *r)
{
    size_t hosts = 0;
    for (size_t i = 0; i < r->count; i++) {
        bool seen = false;
        for (size_t k = 0; k < i && !seen; k++) seen = !strcmp(r->rows[i].host, r->rows[k].host);
        hosts += !seen;
    }
    return hosts;
}

/* ---- for a person ------------------------------------------------------------------------------------------------ */

/* all: rates of making the file; NULL: in memory. Markdown joins lines, so each needs a full stop. */
static void print_heading(FILE *out, bool markdown, const struct ranks_report *r, const struct rates *all)
{
    const struct grid *g = &r->volume->grid;
    const struct ranks_row *first = &r->rows[0];
    const char *tick = markdown ? "`" : "", *stop = markdown ? "." : "";
    const size_t hosts = hosts_of(r);
    char value[32], memory[32];
    fprintf(out, "%s%s%s: %zu x %zu x %zu %s, isovalue %s, %" PRIu64 " %s, %" PRIu64 " vertices%s\n", tick, r->volume->name,
            tick, g->nx, g->ny, g->nz, voxel_type_name[g->type], text_print(value, r->value), r->triangles,
            text_word(r->triangles, "triangle", "triangles"), r->vertices, stop);
    fprintf(out, "%s backend on %s; isoscope %s, commit %s, %s%s\n", r->backend, r->machine.device, ISO_VERSION,
            r->machine.commit, r->machine.date, stop);
    fprintf(out, "%zu %s on %zu %s, %d %s", r->count, text_word(r->count, "rank", "ranks"), hosts,
            text_word(hosts, "host", "hosts"), first->threads, text_word((uint64_t)first->threads, "thread", "threads"));
    if (first->cores < first->host_cores) fprintf(out, " and %d of %d cores", first->cores, first->host_cores);
    fprintf(out, " each: ");
    if (all) {
        fprintf(out, "%s slab by slab, in at most %s each%s\n", r->format, text_bytes(memory, (double)r->memory), stop);
        fprintf(out, "One run, %s: %.3g s, %.1f %% of copy%s\n\n",
                r->cold ? "with no part of the file in memory" : "after the file was read once", all->wall, all->percent,
                stop);
        return;
    }
    fprintf(out, "%s pipeline, each rank its share in memory%s\n", r->pipeline, stop);
    fprintf(out, "All begin together; %d runs after %d to warm up%s\n\n", r->runs, ROUNDS_WARM_UPS, stop);
}

static void print_row(const struct table *table, const char *rank, const char *host, const struct rates *r)
{
    struct table_cells row = { .used = 0 };
    table_text(&row, rank);
    table_text(&row, host);
    table_number(&row, r->wall, 3);
    table_number(&row, r->cpu, 3);
    table_number(&row, r->read, 3);
    table_number(&row, r->read_rate, 2);
    table_number(&row, r->read_percent, 1);
    table_number(&row, r->compute, 3);
    table_number(&row, r->compute_rate, 1);
    table_number(&row, r->write, 3);
    table_number(&row, r->write_rate, 2);
    table_number(&row, r->write_percent, 1);
    table_number(&row, r->wait, 3);
    table_row(table, &row);
}

static void print_file(FILE *out, bool markdown, const struct ranks_report *r)
{
    /* clang-format off */
    static const struct table_column columns[] = {
        { "rank", -5 }, { "host", -11 }, { "wall s", 7 }, { "cpu s", 7 }, { "read s", 7 }, { "GB/s", 6 }, { "% of copy", 9 },
        { "compute s", 9 }, { "Mvoxel/s", 8 }, { "write s", 7 }, { "GB/s", 6 }, { "% of copy", 9 }, { "wait s", 7 },
    };
    /* clang-format on */
    const struct table table = { out, markdown, columns, sizeof columns / sizeof columns[0] };
    const struct rates all = rates_of_all(r);
    char rank[24];
    print_heading(out, markdown, r, &all);
    table_titles(&table);
    for (size_t i = 0; i < r->count; i++) {
        const struct rates rates = rates_of(&r->rows[i]);
        snprintf(rank, sizeof rank, "%zu", i);
        print_row(&table, rank, r->rows[i].host, &rates);
    }
    print_row(&table, "all", "", &all);
}

/* ---- in memory --------------------------------------------------------------------------------------------------- */

static void print_change(const struct table *table, const char *rank, const struct ranks_row *r)
{
    struct table_cells row = { .used = 0 };
    table_text(&row, rank);
    table_text(&row, r->host);
    if (r->gpu < 0) table_text(&row, "-");
    else table_print(&row, "%d", r->gpu);
    table_number(&row, 1e-6 * (double)r->voxels, 1);
    table_print(&row, "%" PRIu64, r->triangles);
    table_number(&row, r->change.median, 1);
    table_number(&row, r->change.min, 1);
    table_number(&row, r->change.p90, 1);
    table_number(&row, (double)r->triangles / r->change.median, 1);
    table_row(table, &row);
}

/* All processes together: the sum of their shares, in the time of the slowest in each run. */
static struct ranks_row change_of_all(const struct ranks_report *r)
{
    struct ranks_row all = { .gpu = -1, .triangles = r->triangles, .change = r->change };
    for (size_t i = 0; i < r->count; i++) all.voxels += r->rows[i].voxels;
    return all;
}

static void print_changes(FILE *out, bool markdown, const struct ranks_report *r)
{
    /* clang-format off */
    static const struct table_column columns[] = {
        { "rank", -5 }, { "host", -12 }, { "GPU", 3 }, { "Mvoxel", 8 }, { "triangles", 10 }, { "median us", 10 }, { "min us", 10 },
        { "p90 us", 10 }, { "Mtri/s", 8 },
    };
    /* clang-format on */
    const struct table table = { out, markdown, columns, sizeof columns / sizeof columns[0] };
    const struct ranks_row all = change_of_all(r);
    char rank[24];
    print_heading(out, markdown, r, NULL);
    table_titles(&table);
    for (size_t i = 0; i < r->count; i++) {
        snprintf(rank, sizeof rank, "%zu", i);
        print_change(&table, rank, &r->rows[i]);
    }
    print_change(&table, "all", &all);
}

static void print_table(FILE *out, bool markdown, const struct ranks_report *r)
{
    (r->runs ? print_changes : print_file)(out, markdown, r);
}

static const char legend_of_changes[] =
    "\ntimes      for a new isovalue, by the monotonic clock, including waits for the GPU; bricks are built once per "
    "volume\n"
    "triangles  those that the rank owns; it makes some more, for the slices that it shares with other ranks\n"
    "all        for each run, from the common start until the last rank has its mesh\n";

void ranks_report_plain(const struct ranks_report *r)
{
    print_table(stdout, false, r);
    if (r->runs) {
        fputs(legend_of_changes, stdout);
        return;
    }
    printf(
        "\ncpu        processor time of all threads; all: the sum over the ranks\n"
        "read       by a thread of its own; the file is read again where meshes do not fit in memory; GB/s of voxels\n"
        "compute    wall time less write and wait\n"
        "write      until the bytes are on the disk\n"
        "wait       for slices that have not been read yet, and for other ranks\n"
        "%% of copy  relative to the rate of the same reads and writes with nothing else to do, measured afterwards: each\n"
        "           rank reads its share of the file once, from the disk if it was cold, and writes as much as before;\n"
        "           above the table: the time of these, relative to the wall time\n"
        "all        the bytes of all ranks, in the time of the slowest rank\n");
}

void ranks_report_markdown(FILE *out, const void *report) { print_table(out, true, report); }

/* ---- for a program ----------------------------------------------------------------------------------------------- */

static void json_rates(struct report *j, const struct rates *r)
{
    report_measured(j, "wall_s", r->wall);
    report_measured(j, "cpu_s", r->cpu);
    report_measured(j, "read_s", r->read);
    report_measured(j, "read_gb_per_s", r->read_rate);
    report_measured(j, "read_percent_of_copy", r->read_percent);
    report_measured(j, "compute_s", r->compute);
    report_measured(j, "compute_mvoxel_per_s", r->compute_rate);
    report_measured(j, "write_s", r->write);
    report_measured(j, "write_gb_per_s", r->write_rate);
    report_measured(j, "write_percent_of_copy", r->write_percent);
    report_measured(j, "wait_s", r->wait);
    report_measured(j, "percent_of_copy", r->percent);
}

static void json_heading(struct report *j, const struct ranks_report *r)
{
    volume_report(r->volume, j);
    report_text(j, "backend", r->backend);
    report_text(j, "device", r->machine.device);
    report_text(j, "driver", r->machine.driver);
    report_whole(j, "hosts", hosts_of(r));
    report_text(j, "version", ISO_VERSION);
    report_text(j, "commit", r->machine.commit);
    report_text(j, "date", r->machine.date);
    if (r->runs) report_text(j, "pipeline", r->pipeline);
    else {
        report_text(j, "format", r->format);
        report_whole(j, "memory", r->memory);
        report_flag(j, "cold", r->cold);
    }
    report_number(j, "iso", r->value);
    report_whole(j, "vertices", r->vertices);
    report_whole(j, "triangles", r->triangles);
}

static void json_change(struct report *j, const char *name, const struct ranks_row *row, bool is_rank)
{
    report_open(j, name, '{');
    if (is_rank) {
        report_text(j, "host", row->host);
        report_whole(j, "threads", (uint64_t)row->threads);
        report_whole(j, "cores", (uint64_t)row->cores);
        report_number(j, "gpu", row->gpu < 0 ? NAN : row->gpu);
    }
    report_whole(j, "voxels", row->voxels);
    report_whole(j, "triangles", row->triangles);
    rounds_report(j, &row->change, true, "_us");
    report_close(j, '}');
}

static void json_changes(struct report *j, const struct ranks_report *r)
{
    const struct ranks_row all = change_of_all(r);
    report_whole(j, "runs", (uint64_t)r->runs);
    report_open(j, "ranks", '[');
    for (size_t i = 0; i < r->count; i++) json_change(j, NULL, &r->rows[i], true);
    report_close(j, ']');
    json_change(j, "all", &all, false);
    report_end(j);
}

void ranks_report_json(const struct ranks_report *r)
{
    struct report j = { .json = true };
    const struct rates all = rates_of_all(r);
    json_heading(&j, r);
    if (r->runs) {
        json_changes(&j, r);
        return;
    }
    report_open(&j, "ranks", '[');
    for (size_t i = 0; i < r->count; i++) {
        const struct ranks_row *row = &r->rows[i];
        const struct rates rates = rates_of(row);
        report_open(&j, NULL, '{');
        report_text(&j, "host", row->host);
        report_whole(&j, "threads", (uint64_t)row->threads);
        report_whole(&j, "cores", (uint64_t)row->cores);
        report_whole(&j, "voxels", row->voxels);
        report_whole(&j, "read_bytes", row->times.read_bytes);
        report_whole(&j, "written_bytes", row->times.written_bytes);
        json_rates(&j, &rates);
        report_measured(&j, "wait_for_slices_s", 1e-3 * row->times.stall);
        report_measured(&j, "wait_for_ranks_s", 1e-3 * row->others);
        report_close(&j, '}');
    }
    report_close(&j, ']');
    report_open(&j, "all", '{');
    json_rates(&j, &all);
    report_close(&j, '}');
    report_end(&j);
}
