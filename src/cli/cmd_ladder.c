/* ladder: explains, checks or times the rungs of every op, from the textbook up, or makes a page with charts. */
#include "cmd.h"

#include "ladder_gl.h"
#include "ladder_mine.h"
#include "ladder_report.h"
#include "ladder_teach.h"
#include "own_block.h"
#include "save_table.h"
#include "terminal.h"
#include "text.h"

#include "kernels/fma_peak.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { DEFAULT_RUNS = 20 };

static bool is_chosen(const struct options *o, const char *op)
{
    return ladder_wants_all(o) || ladder_of(o->setup.file) == ladder_of(op);
}

/* ---- backends ------------------------------------------------------------------------------------------------------ */

/* Chooses the backends: the one that was asked for; otherwise CUDA if it works, or the CPU. A page has both. */
static int choose_backends(struct ladder_report *r, const struct options *o, struct err *err)
{
    char text[256];
    const bool cuda = backend_cuda.available(text, sizeof text);
    if (o->setup.backend == CHOICE_CUDA && !cuda)
        return err_set(err, ERR_CUDA, "CUDA was requested but cannot be used: %s", text);
    r->roof[BACKEND_CUDA].used = o->setup.backend != CHOICE_CPU && cuda;
    r->roof[BACKEND_CPU].used = o->setup.backend == CHOICE_CPU || !cuda || (o->setup.backend == CHOICE_AUTO && o->report);
    if (o->block_count && !r->roof[BACKEND_CUDA].used)
        return err_set(
            err, ERR_USAGE,
            "--block: only CUDA has blocks of threads, but this runs on the CPU: leave it out, or choose --backend "
            "cuda");
    return ERR_NONE;
}

/* The fastest rung of the ladder fma_peak in floats. If the report has none, measures the default rung now, not all
 * of them: on a CPU, the textbook rung takes 300 times as long. */
static double find_peak(const struct ladder_report *r, enum backend backend, const struct options *o)
{
    struct ladder_result mine, *found = NULL;
    const struct op *op = op_of("fma_peak");
    const struct ladder_plan plan = { .threads = o->setup.threads,
                                      .runs = ROUNDS_LEAST,
                                      .hurry = true,
                                      .only = ladder_find(ladder_of(op->op), backend, NULL) };
    struct err why = { .code = ERR_NONE }; /* ignored: an unknown roof is not drawn */
    double best = NAN;
    for (size_t i = 0; i < r->results; i++)
        if (r->result[i].op == op && r->result[i].backend == backend) found = &r->result[i];
    if (!found && !ladder_measure(&mine, op, backend, op->size[backend], &plan, &why)) found = &mine;
    for (size_t i = 0; found && i < found->rows; i++)
        if (!((const struct fma_peak_rung *)found->row[i].rung)->other_numbers)
            best = fmax(best, ladder_speed(&found->row[i]));
    return best;
}

/* Called last, when a GPU's clocks have gone up. */
static int describe_backend(struct ladder_report *r, enum backend backend, const struct options *o, struct err *err)
{
    struct ladder_roof *p = &r->roof[backend];
    struct iso iso;
    struct err why = { .code = ERR_NONE };
    if (iso_open(&iso, backend, -1, o->setup.threads, err)) return err->code;
    machine_describe(&p->machine, &iso);
    p->threads = backend == BACKEND_CPU ? iso.exec.threads : 0;
    p->copy_rate = p->peak = NAN;
    if (r->timed && iso_copy_rate(&iso, &p->copy_rate, &why)) {
        p->copy_rate = NAN;
        snprintf(p->copy_why, sizeof p->copy_why, "%.255s", why.text);
    }
    iso_close(&iso);
    if (r->timed) p->peak = find_peak(r, backend, o);
    return ERR_NONE;
}

/* ---- measuring ----------------------------------------------------------------------------------------------------- */

static int measure_one(struct ladder_report *r, const struct op *op, enum backend backend, size_t size, unsigned block,
                       const struct options *o, struct err *err)
{
    const int runs = o->runs ? o->runs : DEFAULT_RUNS;
    const struct ladder_plan plan = { .threads = o->setup.threads,
                                      .runs = r->timed ? runs : 0,
                                      .hurry = !o->runs,
                                      .cases = r->cases,
                                      .shape = o->shape[0] ? o->shape : NULL,
                                      .block = block,
                                      .guests = &r->guests };
    struct ladder_result *more = realloc(r->result, (r->results + 1) * sizeof *more);
    if (!more) return err_set(err, ERR_FAILED, "not enough memory for the results");
    r->result = more;
    if (ladder_measure(&more[r->results], op, backend, size, &plan, err)) return err->code;
    r->results++;
    return ERR_NONE;
}

/* Block sizes matter only on CUDA, and for ops with rungs that accept any. */
static int count_blocks(const struct op *op, enum backend backend, const struct options *o)
{
    return o->block_count && backend == BACKEND_CUDA && op->any_block ? o->block_count : 0;
}

/* How often an op is measured on a backend: every size with every block. */
static size_t count_measures(const struct ladder_report *r, const struct op *op, enum backend backend,
                             const struct options *o)
{
    const int blocks = count_blocks(op, backend, o), sizes = o->size_count;
    if (!r->roof[backend].used || !is_chosen(o, op->op) || !ladder_rung(ladder_of(op->op), backend, 0)) return 0;
    return (size_t)(sizes ? sizes : 1) * (size_t)(blocks ? blocks : 1);
}

/* The sizes with one block follow one another, so that the page has a curve for each block. all: the number of measurements
 * of the whole command. */
static int measure_op(struct ladder_report *r, const struct op *op, enum backend backend, size_t all,
                      const struct options *o, struct err *err)
{
    const size_t blocks = (size_t)count_blocks(op, backend, o), sizes = o->size_count ? (size_t)o->size_count : 1;
    for (size_t i = 0; i < count_measures(r, op, backend, o); i++) {
        const size_t size = o->shape[0] ? o->shape[0] : o->size_count ? o->sizes[i % sizes] : op->size[backend];
        const unsigned block = blocks ? (unsigned)o->blocks[i / sizes] : 0;
        terminal_line("%zu of %zu: %s, %zu %s, %s", r->results + 1, all, op->op, size, op->unit, backends[backend]->name);
        if (measure_one(r, op, backend, size, block, o, err)) return err->code;
    }
    return ERR_NONE;
}

static int measure_all(struct ladder_report *r, const struct options *o, struct err *err)
{
    size_t all = 0;
    for (const struct op *const *op = op_list; *op; op++)
        for (int b = 0; b < BACKEND_COUNT; b++) all += count_measures(r, *op, (enum backend)b, o);
    for (const struct op *const *op = op_list; *op; op++)
        for (int b = BACKEND_COUNT - 1; b >= 0; b--)
            if (measure_op(r, *op, (enum backend)b, all, o, err)) return err->code;
    return ERR_NONE;
}

static int measure(struct ladder_report *r, const struct options *o, struct err *err)
{
    const int code = measure_all(r, o, err);
    terminal_line("%s", "");
    if (code) return code;
    if (!r->results) /* an op of one backend alone */
        return err_set(err, ERR_USAGE, "'%s' has no rungs on the %s backend: see isoscope ladder %s for those it has",
                       ladder_of(o->setup.file)->op, backends[r->roof[BACKEND_CPU].used ? BACKEND_CPU : BACKEND_CUDA]->name,
                       o->setup.file);
    for (int b = 0; b < BACKEND_COUNT; b++)
        if (r->roof[b].used && describe_backend(r, (enum backend)b, o, err)) return err->code;
    return ERR_NONE;
}

/* Whatever the user's rung prints meanwhile is a message: the answer, which may be JSON, comes later. */
static int measure_own(struct ladder_report *r, const struct options *o, struct err *err)
{
    fflush(stdout);
    const int answers = dup(STDOUT_FILENO);
    if (answers >= 0) (void)dup2(STDERR_FILENO, STDOUT_FILENO);
    const int code = measure(r, o, err);
    fflush(stdout);
    if (answers >= 0) (void)dup2(answers, STDOUT_FILENO), close(answers);
    return code;
}

/* A rung that is wrong or fails is a bug, which scripts must see in the exit code. A skipped rung is not. */
static int verdict(const struct ladder_report *r, struct err *err)
{
    for (size_t i = 0; i < r->results; i++) {
        const struct rung_row *fault = rows_fault(r->result[i].row, r->result[i].rows);
        if (fault)
            return err_set(err, ERR_FAILED, "the %s rung '%s' %s: %s", r->result[i].op->op, fault->rung->name,
                           fault->outcome == OUTCOME_FAILED ? "failed" : "is wrong", fault->why);
    }
    return ERR_NONE;
}

static int answer(const struct ladder_report *r, const struct options *o, struct err *err)
{
    const struct saved_table table = { "ladder", ladder_report_markdown, r };
    if (o->json) ladder_report_json(r);
    else if (o->explain) ladder_explain(r);
    else ladder_report_plain(r);
    if (o->save && save_table(&table, o->save, err)) return err->code;
    if (o->report && ladder_report_html(r, o->report, err)) return err->code;
    if (o->save && !o->json) text_say(stdout, "saved in %s", o->save);
    if (o->report && !o->json) text_say(stdout, "saved in %s", o->report);
    return verdict(r, err);
}

static bool is_timed(const struct options *o)
{
    return o->bench || o->report || o->explain || (o->view.rung_file && !o->test);
}

static int check_options(const struct options *o, struct err *err)
{
    char text[512];
    int used = 0;
    if (!ladder_wants_all(o) && !ladder_of(o->setup.file)) {
        for (const struct ladder *l = ladders; l->op; l++)
            used += snprintf(text + used, sizeof text - (size_t)used, "%s, ", l->op);
        return err_set(err, ERR_USAGE, "unknown op '%s': expected %sor all", o->setup.file, text);
    }
    if (o->second && (ladder_wants_all(o) || o->test || o->bench || o->report || o->explain || o->json))
        return err_set(
            err, ERR_USAGE,
            "'ladder OP %s' prints the source of that rung: name one op, and leave out --test, --bench, --report, "
            "--explain and --json",
            o->second);
    if (o->explain && (ladder_wants_all(o) || o->json))
        return err_set(err, ERR_USAGE, "--explain takes one op and prints text: try 'ladder sum --explain'");
    if (o->test && (o->bench || o->report || o->save || o->explain))
        return err_set(err, ERR_USAGE,
                       "--test cannot be combined with --bench, --explain, --report or --save, which check, too: leave out "
                       "--test");
    if ((o->from_template || o->contract) && (o->test || o->bench || o->report || o->save || o->explain || o->json ||
                                              o->view.rung_file || (o->from_template && o->contract)))
        return err_set(err, ERR_USAGE, "%s prints a file and does nothing else: leave out the other options",
                       o->from_template ? "--template" : "--contract");
    for (int i = 0; i < o->block_count; i++)
        if (o->blocks[i] % 32 || o->blocks[i] > 1024)
            return err_set(err, ERR_USAGE, "--block %llu: expected a multiple of 32 threads from 32 to 1024",
                           (unsigned long long)o->blocks[i]);
    if ((o->view.rung_file || o->from_template || o->contract) && (ladder_wants_all(o) || o->second))
        return err_set(err, ERR_USAGE,
                       "--rung-file, --template and --contract need one op and no rung, such as 'ladder classify'");
    if (o->size_count && ladder_wants_all(o))
        return err_set(
            err, ERR_USAGE,
            "--size needs one op, such as 'ladder sum --size 4096', because ops measure size in different units");
    const struct op *op = ladder_wants_all(o) ? NULL : op_of(o->setup.file);
    const int axes = !o->shape[0] ? 0 : o->shape[2] ? 3 : 2;
    if (axes && op && op->axes != axes)
        return err_set(err, ERR_USAGE, "--size: '%s' takes %s, not %d numbers", o->setup.file,
                       op->axes == 3 ? "MxNxK, or one number"
                       : op->axes    ? "MxN, or one number"
                                     : "one number",
                       axes);
    if (o->block_count && op && !op->any_block)
        return err_set(err, ERR_USAGE, "--block: every rung of '%s' has a fixed block size: %s", o->setup.file,
                       own_block(op->op, NULL));
    if ((o->runs || o->save || ((o->size_count || o->block_count) && !o->test)) && !is_timed(o))
        return err_set(
            err, ERR_USAGE,
            "--size, --block, --runs and --save need --bench, --explain or --report; --size and --block also work "
            "with --test");
    return ERR_NONE;
}

int cmd_ladder(const struct options *options, struct err *err)
{
    struct options o = *options;
    const bool own = o.view.rung_file != NULL;
    struct ladder_report report = { .timed = is_timed(&o) };
    report.cases = !report.timed && !own &&
                   !o.size_count; /* the user's rung has run them already; a given size is checked alone */
    struct mine mine = { .name = "" };
    if (check_options(&o, err)) return err->code;
    if (o.from_template || o.contract) return ladder_mine_print(&o, err);
    if (!o.test && !report.timed) return ladder_teach(&o, err);
    int code = own ? ladder_mine_join(&mine, &o, err) : ERR_NONE;
    mine_close(&mine);
    if (own) o.setup.backend = mine.backend == BACKEND_CUDA ? CHOICE_CUDA : CHOICE_CPU;
    if (!code) code = choose_backends(&report, &o, err);
    report.guests = ladder_gl_open();
    if (!code) code = (own ? measure_own : measure)(&report, &o, err);
    if (!code) code = answer(&report, &o, err);
    ladder_gl_close(&report.guests);
    free(report.result);
    return code;
}
