#include "lab.h"

#include "synth.h"
#include "timing.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const lab_outcome_name[LAB_OUTCOMES] = { "right", "wrong", "failed", "skipped" };

enum { POISON = 0xff, MARK_RUN = EXEC_MARKS - 2, MARK_RAN };

#define LONG_MS 4000 /* a ladder that takes longer than this may stop after BENCH_LEAST_RUNS */

/* ---- memory -------------------------------------------------------------------------------------------------------- */

static int give_up(struct lab *lab, const char *what, size_t bytes)
{
    if (!lab->err.code) err_set(&lab->err, ERR_FAILED, "no memory for %s of %.1f MiB", what, (double)bytes / 1048576.0);
    return lab->err.code;
}

static void keep(struct lab *lab, void *memory, size_t bytes, bool output, bool host)
{
    if (!memory) return;
    lab->buffer[lab->buffers].memory = memory;
    lab->buffer[lab->buffers].bytes = bytes;
    lab->buffer[lab->buffers].output = output;
    lab->buffer[lab->buffers++].host = host;
}

void *lab_host(struct lab *lab, size_t bytes)
{
    void *memory = lab->buffers < LAB_BUFFERS && bytes < SIZE_MAX / 2 ? calloc(1, bytes ? bytes : 1) : NULL;
    if (!memory) give_up(lab, "host numbers", bytes);
    keep(lab, memory, bytes, false, true);
    return memory;
}

static void *backend_memory(struct lab *lab, size_t bytes, bool output)
{
    void *memory = NULL;
    if (lab->buffers == LAB_BUFFERS || lab->iso.ops->alloc(&memory, bytes)) give_up(lab, "numbers", bytes);
    keep(lab, memory, bytes, output, false);
    return memory;
}

void *lab_input(struct lab *lab, const void *from, size_t bytes)
{
    void *memory = backend_memory(lab, bytes, false);
    const int code = memory ? lab->iso.ops->upload(memory, from, bytes, &lab->iso.exec) : 0;
    if (code && !lab->err.code) err_set(&lab->err, ERR_FAILED, "upload failed: %s", lab->iso.ops->explain(code));
    return memory;
}

void *lab_output(struct lab *lab, size_t bytes) { return backend_memory(lab, bytes, true); }

int lab_read(struct lab *lab, void *to, const void *from, size_t bytes)
{
    return lab->iso.ops->download(to, from, bytes, &lab->iso.exec);
}

int lab_volume(struct lab *lab, double *value)
{
    const uint64_t dims[3] = { lab->size, lab->size, lab->size };
    if (synth_volume(&lab->volume, "vessels", dims, 0, 0, NULL, &lab->err)) return lab->err.code;
    for (const struct synth *s = synths; s->name && value; s++)
        if (!strcmp(s->name, "vessels")) *value = s->iso;
    return iso_set_volume(&lab->iso, &lab->volume.grid, &lab->err);
}

void lab_random(float *to, size_t n)
{
    uint64_t state = 42;
    for (size_t i = 0; i < n; i++) to[i] = (float)(2 * synth_fraction(&state) - 1);
}

static void close_lab(struct lab *lab, const struct lab_op *op)
{
    if (op->close) op->close(lab);
    for (int i = 0; i < lab->buffers; i++)
        if (lab->buffer[i].host) free(lab->buffer[i].memory);
        else lab->iso.ops->free(lab->buffer[i].memory);
    lab->iso.ops->free(lab->scratch);
    iso_close(&lab->iso);
    volume_free(&lab->volume);
}

/* ---- one run ------------------------------------------------------------------------------------------------------- */

static void judge(struct lab_row *row, enum lab_outcome outcome, const char *why)
{
    row->outcome = outcome;
    snprintf(row->why, sizeof row->why, "%.255s", why);
}

static bool make_scratch(struct lab *lab, const struct lab_op *op, struct lab_row *row)
{
    const size_t bytes = op->scratch ? op->scratch(lab, row->rung) : 0;
    if (bytes <= lab->scratch_bytes) return true;
    lab->iso.ops->free(lab->scratch);
    lab->scratch = NULL, lab->scratch_bytes = 0;
    if (!lab->iso.ops->alloc(&lab->scratch, bytes)) {
        lab->scratch_bytes = bytes;
        return true;
    }
    row->outcome = LAB_SKIPPED;
    snprintf(row->why, sizeof row->why, "no memory for scratch of %.1f MiB", (double)bytes / 1048576.0);
    return false;
}

static int run_once(struct lab *lab, const struct lab_op *op, const struct rung *rung, double *ms)
{
    const struct backend_ops *ops = lab->iso.ops;
    struct exec *x = &lab->iso.exec;
    int code = op->before ? op->before(lab, rung) : 0;
    if (!code) code = ops->mark(x, MARK_RUN);
    if (!code) code = op->run(lab, rung);
    if (!code) code = ops->mark(x, MARK_RAN);
    if (!code) code = ops->sync(x);
    return code ? code : ops->elapsed(x, MARK_RUN, MARK_RAN, ms);
}

/* Into poisoned memory, where the result of the rung before would pass for this one's. */
static void check_row(struct lab *lab, const struct lab_op *op, struct lab_row *row)
{
    const bool own_block = lab->iso.exec.block && !(op->any_block && op->any_block(row->rung));
    const char *why_not = own_block ? "has a block size of its own" : rung_unavailable(row->rung, &lab->iso.exec);
    double ms;
    int code = 0;
    if (why_not) {
        judge(row, LAB_SKIPPED, why_not);
        return;
    }
    if (!make_scratch(lab, op, row)) return;
    if (lab->scratch) code = lab->iso.ops->fill(lab->scratch, POISON, lab->scratch_bytes, &lab->iso.exec);
    for (int i = 0; i < lab->buffers && !code; i++)
        if (lab->buffer[i].output)
            code = lab->iso.ops->fill(lab->buffer[i].memory, POISON, lab->buffer[i].bytes, &lab->iso.exec);
    if (!code) code = run_once(lab, op, row->rung, &ms);
    if (code) judge(row, LAB_FAILED, lab->iso.ops->explain(code));
    else if (op->check(lab, row->rung, row->why)) judge(row, LAB_RIGHT, "");
    else row->outcome = LAB_WRONG;
}

/* ---- all rungs ----------------------------------------------------------------------------------------------------- */

/* Round robin, so that a drift of the machine hits all alike. ms[i * runs + k] is the k-th run of row i. */
static void time_in_turns(struct lab *lab, struct lab_result *r, const struct lab_plan *plan, double *ms)
{
    const double start = timing_ms();
    for (int k = -BENCH_WARM_UPS; k < plan->runs; k++) {
        if (plan->fewer && k >= BENCH_LEAST_RUNS && timing_ms() - start > LONG_MS) return;
        for (size_t i = 0; i < r->rows; i++) {
            struct lab_row *row = &r->row[i];
            if (row->outcome != LAB_RIGHT) continue;
            const int code = run_once(lab, r->op, row->rung, &ms[i * (size_t)plan->runs + (size_t)(k < 0 ? 0 : k)]);
            if (code) judge(row, LAB_FAILED, lab->iso.ops->explain(code));
            else row->runs = k + 1;
        }
    }
}

static void find_speedups(struct lab_result *r)
{
    const struct lab_row *first = r->row;
    while (first < r->row + r->rows && first->idle) first++;
    if (first == r->row + r->rows || first->outcome != LAB_RIGHT || !(first->work.us.median > 0)) return;
    for (size_t i = 0; i < r->rows; i++)
        if (r->row[i].outcome == LAB_RIGHT && r->row[i].work.us.median > 0)
            r->row[i].speedup = first->work.us.median / r->row[i].work.us.median;
}

static void time_rows(struct lab *lab, struct lab_result *r, const struct lab_plan *plan)
{
    double *ms = malloc(r->rows * (size_t)plan->runs * sizeof *ms);
    if (!ms) return; /* a table without times says enough */
    time_in_turns(lab, r, plan, ms);
    for (size_t i = 0; i < r->rows; i++) {
        struct lab_row *row = &r->row[i];
        if (row->outcome != LAB_RIGHT || !row->runs) continue;
        row->work = (struct bench_work){ bench_times_of(&ms[i * (size_t)plan->runs], row->runs), lab->bytes };
        row->operations = lab->operations;
    }
    free(ms);
}

static void skip_all(struct lab_result *r, const char *why)
{
    for (size_t i = 0; i < r->rows; i++) judge(&r->row[i], LAB_SKIPPED, why);
}

static void measure_op(struct lab *lab, struct lab_result *r, const struct lab_plan *plan)
{
    if (r->op->open(lab) || lab->err.code) {
        skip_all(r, lab->err.text);
        return;
    }
    for (size_t i = 0; i < r->rows; i++) check_row(lab, r->op, &r->row[i]);
    if (plan->runs) time_rows(lab, r, plan);
}

/* ---- stages of the pipeline ---------------------------------------------------------------------------------------- */

static enum stage stage_of(const char *op)
{
    int s = 0;
    while (s < STAGE_COUNT && strcmp(stage_name[s], op)) s++;
    assert(s < STAGE_COUNT);
    return (enum stage)s;
}

static struct lab_row row_of_stage(const struct bench_rung *rung, int runs, uint64_t voxels)
{
    static const enum lab_outcome outcome[BENCH_OUTCOMES] = { LAB_RIGHT, LAB_WRONG, LAB_FAILED, LAB_SKIPPED };
    struct lab_row row = { .rung = rung->rung, .outcome = outcome[rung->outcome], .idle = rung->idle, .speedup = NAN };
    snprintf(row.why, sizeof row.why, "%s", rung->why);
    if (row.outcome != LAB_RIGHT || rung->idle) return row;
    row.runs = runs, row.work = rung->own, row.operations = voxels;
    return row;
}

static void measure_stage(struct lab *lab, struct lab_result *r, enum stage stage, const struct lab_plan *plan)
{
    struct bench bench = { .iso = &lab->iso, .runs = plan->runs };
    struct bench_rung rungs[BENCH_MOST_RUNGS];
    double value = 0;
    int code = lab_volume(lab, &value);
    if (!code) code = bench_compare(&bench, volume_iso(&lab->volume, value), stage, rungs, &r->rows, &lab->err);
    for (size_t i = 0; i < r->rows && !code; i++)
        r->row[i] = row_of_stage(&rungs[i], plan->runs, grid_voxels(&lab->volume.grid));
    if (code) skip_all(r, lab->err.text);
    bench_close(&bench);
}

/* ---- the way in ---------------------------------------------------------------------------------------------------- */

int lab_measure(struct lab_result *result, const struct lab_op *op, enum backend backend, size_t size, unsigned block,
                const struct lab_plan *plan, struct err *err)
{
    struct lab lab = { .size = size };
    struct lab_result *r = result;
    const struct rung *rung;
    *r = (struct lab_result){ .ladder = ladder_of(op->op), .op = op, .backend = backend, .size = size, .block = block };
    if (iso_open(&lab.iso, backend, -1, plan->threads, err)) return err->code;
    lab.iso.exec.block = block;
    for (; r->rows < BENCH_MOST_RUNGS && (rung = ladder_rung(r->ladder, backend, r->rows)); r->rows++)
        r->row[r->rows] = (struct lab_row){ .rung = rung, .speedup = NAN };
    if (!op->open) measure_stage(&lab, r, stage_of(op->op), plan);
    else measure_op(&lab, r, plan);
    find_speedups(r);
    close_lab(&lab, op);
    return ERR_NONE;
}

double lab_speed(const struct lab_row *row)
{
    return row->operations && row->work.us.median > 0 ? 1e-3 * (double)row->operations / row->work.us.median : NAN;
}
