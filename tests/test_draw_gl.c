/* OpenGL's rungs of `ladder draw` (src/cli/ladder_gl.h): compares every case of the op's description that OpenGL's
 * rules decide with the op's reference. Also tests that the reference refuses wrong pictures: each fault below stands
 * for a mistake that OpenGL or a shader may make. */
#include "check.h"
#include "ladder_gl.h"
#include "op.h"

#include <string.h>

enum { SKIPPED = 77, FAULTS = 5, RUNGS = 3 };

struct tests {
    struct op_walk walk; /* first member: op->cases receives this */
    const struct op *op;
    struct exec exec;
    struct draw_guests guests;
    unsigned cases[RUNGS], refused[RUNGS], faults; /* by rungs */
};

/* ---- every case ------------------------------------------------------------------------------------------------------ */

static void test_rung(struct tests *t, struct op_case *c, int i)
{
    const struct rung *rung = &t->guests.rung[i];
    const enum outcome outcome = op_case_check(c, rung);
    t->cases[i] += outcome == OUTCOME_RIGHT;
    t->refused[i] += outcome == OUTCOME_SKIPPED;
    if (!CHECK(outcome == OUTCOME_RIGHT || outcome == OUTCOME_SKIPPED) && ++t->faults <= FAULTS)
        printf("    %s, %s: %s\n", rung->name, c->name, c->why);
}

static void test_case(struct op_walk *walk, const void *param)
{
    struct tests *t = (struct tests *)walk;
    struct op_case c;
    if (CHECK(!op_case_open(&c, t->op, param, &backend_cpu, &t->exec))) {
        draw_guests_join(&c, &t->guests);
        for (int i = 0; i < RUNGS; i++) test_rung(t, &c, i);
    }
    op_case_close(&c);
}

/* ---- faults ---------------------------------------------------------------------------------------------------------- */

struct faulty {
    const struct draw_guests *guests;
    void (*spoil)(float *depth, uint32_t *seen, size_t pixel);
    size_t pixels;
};

static void nearer(float *depth, uint32_t *seen, size_t i) { depth[i] -= seen[i] ? 1e-4f : 0; }
static void inside(float *depth, uint32_t *seen, size_t i) { seen[i] ^= depth[i] < 1 ? 1u << 24 : 0; }
static void other_surface(float *depth, uint32_t *seen, size_t i) { seen[i] ^= depth[i] < 1 ? 1u << 25 : 0; }
static void turned(float *depth, uint32_t *seen, size_t i) { seen[i] ^= depth[i] < 1 ? 1u << 10 : 0; }
static void left_out(float *depth, uint32_t *seen, size_t i) { depth[i] = 1, seen[i] = 0; }

static void load(void *context, const struct draw_desc *d)
{
    struct faulty *f = context;
    f->pixels = (size_t)d->width * d->height;
    f->guests->load(f->guests->context, d);
}

static const char *refuses(void *context, const struct rung *rung)
{
    const struct faulty *f = context;
    return f->guests->refuses(f->guests->context, rung);
}

static int draw(void *context, const struct rung *rung, double *ms, struct err *err)
{
    const struct faulty *f = context;
    return f->guests->draw(f->guests->context, rung, ms, err);
}

static int read_spoilt(void *context, float *depth, uint32_t *seen, struct err *err)
{
    const struct faulty *f = context;
    const int code = f->guests->read(f->guests->context, depth, seen, err);
    for (size_t i = 0; i < f->pixels && !code && f->spoil; i++) f->spoil(depth, seen, i);
    return code;
}

static void test_faults(struct tests *t)
{
    static void (*const faults[])(float *depth, uint32_t *seen, size_t pixel) = { NULL,          nearer, inside,
                                                                                  other_surface, turned, left_out };
    _Alignas(max_align_t) unsigned char param[OP_PARAM];
    struct op_case c;
    if (!CHECK(t->op)) return;
    t->op->at_size(param, 20);
    if (CHECK(!op_case_open(&c, t->op, param, &backend_cpu, &t->exec)))
        for (size_t k = 0; k < sizeof faults / sizeof faults[0]; k++) {
            struct faulty faulty = { &t->guests, faults[k], 0 };
            const struct draw_guests spoilt = { "spoilt", t->guests.rung, "", &faulty, load, refuses, draw, read_spoilt };
            draw_guests_join(&c, &spoilt);
            for (int i = 0; i < RUNGS; i++)
                CHECK(op_case_check(&c, &spoilt.rung[i]) == (k ? OUTCOME_WRONG : OUTCOME_RIGHT));
        }
    op_case_close(&c);
}

int main(void)
{
    static struct tests t = { .walk = { BACKEND_CPU, true, test_case } };
    const struct draw_desc nothing = { .width = 1, .height = 1, .surface = 1 };
    t.guests = ladder_gl_open();
    t.guests.load(t.guests.context, &nothing);
    const char *const absent = t.guests.refuses(t.guests.context, t.guests.rung);
    if (absent) return printf("skipped: %s\n", absent), SKIPPED;
    printf("%s\n", t.guests.device);
    if (!CHECK(!backend_cpu.open(&t.exec, -1, 3))) return 1;
    t.op = op_of("draw");
    if (!CHECK(t.op)) return 1;
    t.op->cases(&t.walk);
    for (int i = 0; i < RUNGS; i++) printf("%s: %u cases, %u refused\n", t.guests.rung[i].name, t.cases[i], t.refused[i]);
    CHECK(t.cases[0] > 30 && t.cases[0] == t.cases[1] && t.cases[0] == t.cases[2]);
    test_faults(&t);
    backend_cpu.close(&t.exec);
    ladder_gl_close(&t.guests);
    return check_summary("draw_gl");
}
