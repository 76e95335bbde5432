#include "bench_ranks.h"

#include "bench.h"
#include "plan.h"
#include "save_table.h"
#include "slabs.h"
#include "store.h"
#include "team.h"
#include "text.h"
#include "timing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the table of all ranks -------------------------------------------------------------------------------------- */

static int refuse_bytes(int rank, size_t n, struct err *err)
{
    return err_set(err, ERR_FAILED,
                   "rank %d sent %zu bytes of times, which is not what was expected: run the same program on all hosts",
                   rank, n);
}

static int take_row(void *context, int rank, uint64_t end, const uint8_t *bytes, size_t n, struct err *err)
{
    struct ranks_report *report = context;
    (void)end;
    if (n != sizeof *report->rows) return refuse_bytes(rank, n, err);
    memcpy(&report->rows[rank], bytes, n);
    return ERR_NONE;
}

static int print(struct ranks_report *report, const struct iso *iso, const struct options *o, struct err *err)
{
    const struct saved_table table = { "bench", ranks_report_markdown, report };
    machine_describe(&report->machine, iso);
    report->backend = iso->ops->name, report->value = o->setup.iso;
    if (o->json) ranks_report_json(report);
    else ranks_report_plain(report), setup_say_note(report->volume);
    if (o->save && save_table(&table, o->save, err)) return err->code;
    if (o->save && !o->json) text_say(stdout, "saved in %s", o->save);
    return ERR_NONE;
}

int bench_ranks_answer(struct ranks_report *report, struct ranks_row *row, const struct iso *iso, struct team *team,
                       const struct options *options, struct err *err)
{
    const struct team_take take = { take_row, report };
    row->threads = iso->exec.threads, row->cores = machine_cores(&row->host_cores);
    gethostname(row->host, sizeof row->host - 1);
    report->count = (size_t)team->size;
    report->rows = calloc(report->count, sizeof *report->rows);
    int code = report->rows ? ERR_NONE : err_set(err, ERR_FAILED, "not enough memory for %zu rows", report->count);
    code = team->ops->agree(team, code, err);
    if (!code) code = team->ops->gather(team, 0, row, sizeof *row, &take, err);
    return code || team->rank ? code : print(report, iso, options, err);
}

const char *bench_ranks_against(const struct options *options)
{
    const struct setup *s = &options->setup;
    if (s->smooth > 0) return "--smooth is";
    if (!s->iso_given) return "finding an isovalue (give one with --iso) is";
    return s->iso_in ? "finding a percentile or a standard deviation is" : NULL;
}

/* ---- a share in memory ------------------------------------------------------------------------------------------- */

struct job {
    const struct options *o;
    struct team *team;
    struct store store;
    struct iso iso;
    struct bench bench;
    struct plan_slab slab; /* the share */
    void *voxels;          /* of it and its halo */
    float value;           /* stored units */
    int failed;            /* code of the last run */
    struct err *err;
    struct ranks_row row;
    struct ranks_report report;
};

static int check_options(const struct options *o, struct err *err)
{
    const struct {
        bool is;
        const char *name;
    } others[] = { { o->values.count, "--iso with several values" },
                   { o->compare, "--compare" },
                   { o->pictures, "--pictures" },
                   { o->pipeline, "--pipeline" } };
    if (!o->setup.file)
        return err_set(err, ERR_USAGE, "bench needs a file under mpirun: mpirun isoscope-mpi bench FILE --iso V");
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i].is)
            return err_set(err, ERR_USAGE, "%s times stages in one process: leave out mpirun", others[i].name);
    return ERR_NONE;
}

static int begin(struct job *job, struct err *err)
{
    char why[512];
    if (check_options(job->o, err)) return ERR_USAGE;
    return slabs_open(&job->store, &job->iso, job->o, bench_ranks_against(job->o), why, sizeof why, err);
}

/* A share is counted by the vertices it owns. A soup's vertices are not shared, so they have no owner. */
static int refuse_soup(const struct iso *iso, struct err *err)
{
    const struct generate_rung *generate = (const struct generate_rung *)iso->rung[STAGE_GENERATE];
    if (iso_is_fused(iso) || !generate->soup) return ERR_NONE;
    return err_set(err, ERR_USAGE,
                   "generate=%s makes triangles that share no vertices, which only one process can time: leave out mpirun",
                   generate->rung.name);
}

static int refuse_memory(const struct job *job, uint64_t need, struct err *err)
{
    char needed[32], given[32];
    err_set(err, ERR_FAILED, "%s: a rank's share needs %s of memory, but only %s is allowed", job->store.volume.name,
            text_bytes(needed, (double)need), text_bytes(given, (double)slabs_memory(job->o)));
    err_advise(err, "use more ranks, or time the writing of a file slab by slab (-o OUT.ply)");
    return ERR_FAILED;
}

static int read_share(struct job *job, struct err *err)
{
    const struct store *s = &job->store;
    const size_t nz = s->volume.grid.nz, layers = plan_layers(nz);
    const struct plan_share share = plan_even(layers, (size_t)job->team->rank, (size_t)job->team->size);
    struct plan_slab *slab = &job->slab;
    if (layers < (size_t)job->team->size)
        return err_set(err, ERR_USAGE, "%s: %d ranks cannot share %zu slices: use at most %zu ranks", s->volume.name,
                       job->team->size, nz, layers);
    *slab = plan_slab_at(share.begin, share.end - share.begin, nz);
    const uint64_t need = store_slice_bytes(s) * (slab->to - slab->from);
    if (need > slabs_memory(job->o) || !(job->voxels = malloc((size_t)need))) return refuse_memory(job, need, err);
    if (store_read(s, slab->from, slab->to, job->voxels, job->iso.exec.threads, err)) return err->code;
    struct grid block = s->volume.grid;
    block.voxels = job->voxels, block.nz = slab->to - slab->from, block.first[2] = slab->from;
    return iso_set_block(&job->iso, &block, grid_longest(&s->volume.grid), err);
}

/* Counts what lies in each layer, always with the separate stages: in their order, which follows the volume, what this
 * rank owns is one run. The rung that is timed may have another order. */
static int count_own(struct job *job, struct iso_layer *before, struct err *err)
{
    const char *timed = job->iso.rung[STAGE_FUSED]->name;
    int code = iso_set_rung(&job->iso, STAGE_FUSED, "none", err);
    if (!code) code = iso_count(&job->iso, job->value, err);
    if (!code) code = iso_layers(&job->iso, before, err);
    return code ? code : iso_set_rung(&job->iso, STAGE_FUSED, timed, err);
}

/* Sets the row's counts, and the sums over all ranks in the report. */
static int count_all(struct job *job, int code, struct err *err)
{
    const struct plan_slab *slab = &job->slab;
    const struct grid *g = &job->store.volume.grid;
    const struct plan_share own = plan_own(slab);
    struct iso_layer *before = code ? NULL : calloc(plan_layers(slab->to - slab->from) + 2, sizeof *before);
    if (!code)
        code = before ? count_own(job, before, err)
                      : err_set(err, ERR_FAILED, "not enough memory for the counts of layers");
    uint64_t sum[2] = { 0, 0 };
    if (!code) {
        const struct iso_layer *low = before + plan_before(slab), *high = low + (own.end - own.begin);
        sum[0] = high->vertices - low->vertices, sum[1] = high->triangles - low->triangles;
    }
    free(before);
    job->row.voxels = (uint64_t)g->nx * g->ny * (slab->end - slab->begin), job->row.triangles = sum[1];
    code = job->team->ops->agree(job->team, code, err);
    if (!code) code = job->team->ops->sum(job->team, sum, 2, err);
    job->report.vertices = sum[0], job->report.triangles = sum[1];
    if (code || sum[1]) return code;
    return err_set(err, ERR_FAILED, "no surface at isovalue %g: there is nothing to time", job->o->setup.iso);
}

/* ---- what is timed ----------------------------------------------------------------------------------------------- */

/* All ranks begin together. If one has failed, all stop before the next run. */
static int run(void *context, size_t i, double *ms)
{
    struct job *job = context;
    const int code = job->team->ops->agree(job->team, job->failed, job->err);
    (void)i;
    if (code) return code;
    const double begun = timing_ms();
    job->failed = bench_mesh(&job->bench, job->value, job->err);
    *ms = timing_ms() - begun;
    return ERR_NONE;
}

static int take_times(void *context, int rank, uint64_t end, const uint8_t *bytes, size_t n, struct err *err)
{
    const struct rounds *slowest = context;
    (void)end;
    if (n != (size_t)slowest->runs * sizeof *slowest->ms) return refuse_bytes(rank, n, err);
    for (int k = 0; k < slowest->runs; k++) {
        double ms;
        memcpy(&ms, bytes + (size_t)k * sizeof ms, sizeof ms);
        slowest->ms[k] = fmax(slowest->ms[k], ms);
    }
    return ERR_NONE;
}

/* A run of all ranks takes as long as that of the slowest. So rank 0 takes the longest time of each run, before
 * rounds_times() sorts its own. */
static int measure(struct job *job, struct err *err)
{
    struct team *team = job->team;
    struct rounds own = { .count = 1, .columns = 1, .runs = job->report.runs }, all = own;
    int code = rounds_run(&own, run, job, err);
    all.done = own.done, all.ms = calloc((size_t)all.runs, sizeof *all.ms);
    if (!code && !all.ms) code = err_set(err, ERR_FAILED, "not enough memory for the times of %d runs", all.runs);
    code = team->ops->agree(team, code ? code : job->failed, err);
    if (!code) {
        const struct team_take take = { take_times, &all };
        code = team->ops->gather(team, 0, own.ms, (size_t)own.runs * sizeof *own.ms, &take, err);
        job->row.change = rounds_times(&own, 0, 0), job->report.change = rounds_times(&all, 0, 0);
    }
    rounds_free(&own);
    rounds_free(&all);
    return code;
}

static int time_all(struct job *job, int begun, struct err *err)
{
    int code = begun;
    job->bench = (struct bench){ .iso = &job->iso };
    job->report.runs = job->o->runs ? job->o->runs : BENCH_RUNS;
    if (!code) {
        job->value = volume_iso(&job->store.volume, job->o->setup.iso);
        job->row.gpu = job->iso.exec.backend == BACKEND_CPU ? -1 : job->iso.exec.device;
        job->report.volume = &job->store.volume, job->report.pipeline = iso_is_fused(&job->iso) ? "fused" : "staged";
        code = refuse_soup(&job->iso, err);
    }
    if (!code) code = read_share(job, err);
    code = count_all(job, code, err);
    if (!code) code = measure(job, err);
    return code ? code : bench_ranks_answer(&job->report, &job->row, &job->iso, job->team, job->o, err);
}

int bench_ranks(const struct options *options, struct err *err)
{
    struct job job = { .o = options, .team = options->team, .err = err };
    const int begun = begin(&job, err);
    const int code = time_all(&job, begun, err);
    free(job.report.rows);
    free(job.voxels);
    if (begun) return code;
    bench_close(&job.bench);
    iso_close(&job.iso);
    store_close(&job.store);
    return code;
}
