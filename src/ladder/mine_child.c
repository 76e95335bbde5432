#include "mine_child.h"

#include "ladder.h"
#include "mine_report.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

enum { CHECKS = 20 }; /* of the size, where a race has the most time to show */

struct check {
    struct op_walk walk; /* first: add() gets a pointer to it */
    const struct op *op;
    const struct rung *rung;
    const struct backend_ops *ops;
    struct exec exec;
    struct mine_report *report;
};

static void say_where(struct mine_report *report, const char *where)
{
    snprintf(report->where, sizeof report->where, "%.255s", where);
    __atomic_fetch_add(&report->steps, 1, __ATOMIC_RELEASE);
}

static void finish(struct mine_report *report, enum mine_end end, const char *why)
{
    snprintf(report->why, sizeof report->why, "%.511s", why);
    report->end = end;
}

static void finish_by(struct mine_report *report, enum outcome outcome, const char *why)
{
    finish(report, outcome == OUTCOME_WRONG ? MINE_WRONG : outcome == OUTCOME_FAILED ? MINE_FAILED : MINE_UNFIT, why);
}

/* Does nothing after the first case that goes wrong. */
static void check_case(struct op_walk *walk, const void *param)
{
    struct check *k = (struct check *)walk;
    struct op_case c;
    if (k->report->end != MINE_UNFINISHED) return;
    const int code = op_case_open(&c, k->op, param, k->ops, &k->exec);
    if (code) finish(k->report, MINE_UNFIT, c.err.text);
    else if (!k->op->refuses || !k->op->refuses(&c, k->rung)) {
        say_where(k->report, c.name);
        const enum outcome outcome = op_case_check(&c, k->rung);
        k->report->cases += outcome != OUTCOME_SKIPPED;
        if (outcome == OUTCOME_WRONG || outcome == OUTCOME_FAILED) finish_by(k->report, outcome, c.why);
    }
    op_case_close(&c);
}

static void check_cases(struct check *k)
{
    struct err err = { 0 };
    const char *const why = rung_unavailable(k->rung, &k->exec);
    if (why) {
        finish(k->report, MINE_UNFIT, why);
        return;
    }
    k->op->cases(&k->walk);
    if (k->report->end == MINE_UNFINISHED && !k->report->cases) {
        const char *const refused = k->op->refuses ? k->op->refuses(NULL, k->rung) : NULL;
        err_set(&err, ERR_FAILED, "no test case of %s suits it%s%s", k->op->op, refused ? ": it " : "",
                refused ? refused : "");
        finish(k->report, MINE_UNFIT, err.text);
    }
}

/* Checks a size that is to be timed, as the parent process will run it. 0: the usual one. */
static void check_size(struct check *k, size_t size, unsigned block)
{
    static struct ladder_result result;
    const struct mine_request *want = &k->report->request;
    const struct ladder_plan plan = {
        .threads = want->threads,
        .checks = CHECKS,
        .shape = want->shape[0] ? want->shape : NULL,
        .block = block,
        .only = k->rung,
    };
    struct err err = { 0 };
    char where[OP_NAME], text[128];
    if (!size) size = k->op->size[k->walk.backend];
    result = (struct ladder_result){ .op = k->op, .size = size };
    memcpy(result.shape, want->shape, sizeof result.shape);
    snprintf(where, sizeof where, "%s", ladder_size(text, &result));
    say_where(k->report, where);
    if (ladder_measure(&result, k->op, k->walk.backend, size, &plan, &err)) finish(k->report, MINE_FAILED, err.text);
    else if (result.row[0].outcome == OUTCOME_RIGHT) k->report->cases++;
    else if (result.row[0].outcome != OUTCOME_SKIPPED || !block) /* a block that it does not take is not timed either */
        finish_by(k->report, result.row[0].outcome, result.row[0].why);
}

static void check_sizes(struct check *k)
{
    const struct mine_request *want = &k->report->request;
    for (int s = 0; !s || (s < MINE_SIZES && want->size[s]); s++)
        for (int b = 0; !b || (b < MINE_SIZES && want->block[b]); b++)
            if (k->report->end == MINE_UNFINISHED) check_size(k, want->size[s], want->block[b]);
    if (k->report->end == MINE_UNFINISHED) finish(k->report, MINE_RIGHT, "");
}

static void check_rung(struct check *k)
{
    char text[256];
    if (!k->ops->available(text, sizeof text)) finish(k->report, MINE_UNFIT, text);
    else if (k->ops->open(&k->exec, -1, 3)) finish(k->report, MINE_UNFIT, "the backend cannot be opened");
    else {
        check_cases(k);
        if (k->report->end != MINE_FAILED)
            k->ops->close(&k->exec); /* after a failure the device may be lost, and must not be closed */
        check_sizes(k);
    }
}

/* Makes this process end with its parent, which waits for it, and write no core dump. Returns false if the parent has
 * already ended. */
static bool keep_small(pid_t waits)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    return getppid() == waits;
}

int mine_child(const char *library, const char *path)
{
    struct mine_report *const report = mine_report_map(path);
    const struct ladder *ladder;
    struct rung *row;
    struct err err = { 0 };
    if (!report || !keep_small(report->waits)) return ERR_USAGE;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* keeps what the rung prints before a crash */
    if (mine_load(library, report->backend, &ladder, &row, &err)) {
        finish(report, MINE_UNFIT, err.text);
        return ERR_FAILED;
    }
    snprintf(report->op, sizeof report->op, "%s", ladder->op);
    ladder_append(ladder, report->backend, row);
    struct check check = { .walk = { report->backend, true, check_case },
                           .op = op_of(ladder->op),
                           .rung = row,
                           .ops = backends[report->backend],
                           .report = report };
    check_rung(&check);
    mine_report_unmap(report);
    return ERR_NONE;
}
