/* Tests every rung of every op on one backend with all cases of its description (src/ladder/op.h):
 *
 *    ops cpu|cuda [OP [RUNG]] [quick]
 *
 * Outputs live in poisoned memory between guard zones; references are brute force; seeds are fixed. A rung without any
 * tested case fails. Exit code 0 passed, 1 failed, 2 usage, 77 skipped. */
#include "check.h"
#include "op.h"

#include <stdlib.h>
#include <string.h>

enum { USAGE = 2, SKIPPED = 77, FAULTS = 5, ODD_BLOCK = 96 }; /* FAULTS: the most that are printed per rung */

struct tests {
    struct op_walk walk; /* first member: op->cases receives this */
    const struct op *op;
    const struct backend_ops *ops;
    struct exec exec;
    const char *only_rung; /* NULL: all */
    struct {
        const struct rung *rung;
        const char *skipped; /* why, or NULL */
        unsigned cases, faults;
    } row[RUNG_ROWS];
    size_t rows;
};

static void note_fault(struct tests *t, size_t row, const char *name, const char *why)
{
    if (++t->row[row].faults > FAULTS) return;
    printf("    FAILED %s %s, %s: %s\n", t->op->op, t->row[row].rung->name, name, why);
}

static void check_row(struct tests *t, size_t i, struct op_case *c)
{
    const enum outcome outcome = op_case_check(c, t->row[i].rung);
    t->row[i].cases += outcome != OUTCOME_SKIPPED;
    if (outcome == OUTCOME_WRONG || outcome == OUTCOME_FAILED) note_fault(t, i, c->name, c->why);
    if (outcome == OUTCOME_FAILED && t->ops->sync(&t->exec)) exit(1); /* a kernel crashed: nothing works after that */
}

/* Rungs that accept any block size run each case with their own size and with one that is no power of two. */
static void test_case(struct op_walk *walk, const void *param)
{
    struct tests *t = (struct tests *)walk;
    struct op_case c;
    const int code = op_case_open(&c, t->op, param, t->ops, &t->exec);
    for (size_t i = 0; i < t->rows; i++) {
        if (t->row[i].skipped) continue;
        if (code) {
            note_fault(t, i, c.name, c.err.text);
            continue;
        }
        check_row(t, i, &c);
        if (!t->op->any_block || t->exec.block || t->walk.backend == BACKEND_CPU) continue;
        t->exec.block = ODD_BLOCK;
        check_row(t, i, &c);
        t->exec.block = 0;
    }
    op_case_close(&c);
}

static const char *reason_to_skip(const struct tests *t, const struct rung *rung)
{
    if (t->only_rung && strcmp(t->only_rung, rung->name) != 0) return "";
    const char *why = rung_unavailable(rung, &t->exec);
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): test_op() has set it */
    return why ? why : t->op->refuses ? t->op->refuses(NULL, rung) : NULL;
}

static void list_rows(struct tests *t, const struct ladder *ladder)
{
    const struct rung *rung;
    unsigned defaults = 0;
    memset(t->row, 0, sizeof t->row);
    for (t->rows = 0; t->rows < RUNG_ROWS && (rung = ladder_rung(ladder, t->walk.backend, t->rows)); t->rows++) {
        defaults += rung->is_default;
        t->row[t->rows].rung = rung;
        t->row[t->rows].skipped = reason_to_skip(t, rung);
    }
    check_subject(ladder->op);
    CHECK(defaults == (t->rows > 0)); /* not every op has rungs on every backend */
}

static void test_op(struct tests *t, const struct ladder *ladder)
{
    const struct op *op = op_of(ladder->op);
    if (!CHECK(op && !strcmp(op->op, ladder->op))) return;
    t->op = op;
    list_rows(t, ladder);
    op->cases(&t->walk);
    for (size_t i = 0; i < t->rows; i++) {
        const char *name = t->row[i].rung->name, *why = t->row[i].skipped;
        if (why && !*why) continue; /* not requested */
        if (why) printf("%-16s %-12s skipped: %s\n", ladder->op, name, why), check.skipped++;
        else printf("%-16s %-12s %5u cases%s\n", ladder->op, name, t->row[i].cases, t->row[i].faults ? " FAILED" : "");
        check_subject(name);
        if (!why) CHECK(t->row[i].cases > 0), CHECK(!t->row[i].faults);
    }
    fflush(stdout);
}

static int usage(const char *what, const char *name, const struct ladder *ladder, enum backend backend)
{
    printf("ops: there is no %s '%s'; there is", what, name);
    const struct rung *rung;
    for (const struct ladder *l = ladders; l->op && !ladder; l++) printf(" %s", l->op);
    for (size_t i = 0; ladder && (rung = ladder_rung(ladder, backend, i)); i++) printf(" %s", rung->name);
    printf("\n");
    return USAGE;
}

int main(int argc, char **argv)
{
    static struct tests t = { .walk.add = test_case };
    const char *words[3] = { NULL, NULL, NULL }; /* backend, op, rung */
    char text[256];
    for (int i = 1, used = 0; i < argc; i++)
        if (!strcmp(argv[i], "quick")) t.walk.quick = true;
        else if (used < 3) words[used++] = argv[i];
        else return printf("usage: ops cpu|cuda [OP [RUNG]] [quick]\n"), USAGE;
    const enum backend backend = words[0] && !strcmp(words[0], "cuda") ? BACKEND_CUDA : BACKEND_CPU;
    if (words[0] && strcmp(words[0], backends[backend]->name) != 0) {
        printf("ops: there is no backend '%s'; there is cpu cuda\n", words[0]);
        return USAGE;
    }
    const struct ladder *only = words[1] ? ladder_of(words[1]) : NULL;
    if (words[1] && !only) return usage("op", words[1], NULL, backend);
    const struct backend_ops *ops = backends[backend];
    t.walk.backend = backend, t.ops = ops, t.only_rung = words[2];
    if (!ops->available(text, sizeof text)) return printf("skipped: no %s backend: %s\n", ops->name, text), SKIPPED;
    if (words[2] && !ladder_find(only, backend, words[2])) return usage("rung", words[2], only, backend);
    printf("%s: %s\n", ops->name, text);
    if (!CHECK(!ops->open(&t.exec, -1, 3))) return 1; /* 3 threads divide few of the sizes evenly */
    for (const struct ladder *ladder = ladders; ladder->op; ladder++)
        if (!only || ladder == only) test_op(&t, ladder);
    ops->close(&t.exec);
    return check_summary("ops");
}
