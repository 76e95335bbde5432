/* branch on the CPU: what a wrong guess costs. Contract in branch.h.
 * Run: isoscope ladder branch --bench --backend cpu
 *
 * Here kinds are drawn at random, and the paths are short, so no processor can guess which of 32 kinds comes next. */
#include "branch.h"

#include "cpu_util.h"

#include <string.h>

static inline uint32_t path(uint32_t v, uint32_t kind, unsigned turns)
{
    for (unsigned t = 0; t < turns; t++) v = (v ^ branch_mask(kind)) * branch_factor(kind);
    return v;
}

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * A switch per item, which jumps through a table. The processor starts on the path that it guesses; a wrong guess
 * throws away what it has begun. Predicted: about 50 cycles per item, with 8 steps of 4 cycles: 31 of 32 guesses are
 * wrong, which costs some 20 cycles each, and the steps of the next item do not overlap with this one's. Measured: 13
 * ns on an EPYC, which is just that. */

static int textbook(const struct branch_desc *d, struct exec *x)
{
    (void)x;
    for (size_t i = 0; i < d->n; i++) {
        uint32_t v = d->in[i];
        switch (d->kind[i]) {
#define CASE(k) \
    case k: v = path(v, k, d->turns); break;
            BRANCH_EACH(CASE)
#undef CASE
        }
        d->out[i] = v;
    }
    return 0;
}

/* ---- sorted --------------------------------------------------------------------------------------------------------
 * Wrong guesses are the limit of the textbook. Idea: regroup. The items of a piece are counted and placed by kind; then
 * a loop does all items of one kind in a row, several at a time if the compiler manages that. Predicted: a third of the
 * textbook's time. There is no wrong guess, and the steps of neighbouring items overlap; what is left is moving each
 * item to its place and back.
 * Cost: three passes over the piece, which must stay in L1. */

enum { PIECE = 2048 };

struct piece {
    uint32_t value[PIECE]; /* in order of kinds */
    uint16_t from[PIECE];  /* its place in the input */
    uint16_t start[BRANCH_KINDS + 1];
};

static void place(struct piece *p, const struct branch_desc *d, size_t first, size_t n)
{
    uint16_t next[BRANCH_KINDS];
    memset(p->start, 0, sizeof p->start);
    for (size_t i = 0; i < n; i++) p->start[d->kind[first + i] + 1]++;
    for (unsigned k = 0; k < BRANCH_KINDS; k++) p->start[k + 1] = (uint16_t)(p->start[k + 1] + p->start[k]);
    memcpy(next, p->start, sizeof next);
    for (size_t i = 0; i < n; i++) {
        const uint16_t at = next[d->kind[first + i]]++;
        p->value[at] = d->in[first + i], p->from[at] = (uint16_t)i;
    }
}

static inline void group(struct piece *p, uint32_t kind, unsigned turns)
{
    for (unsigned t = 0; t < turns; t++)
#pragma omp simd
        for (unsigned i = p->start[kind]; i < p->start[kind + 1]; i++)
            p->value[i] = (p->value[i] ^ branch_mask(kind)) * branch_factor(kind);
}

static int sorted(const struct branch_desc *d, struct exec *x)
{
    (void)x;
    for (size_t first = 0; first < d->n; first += PIECE) {
        const size_t n = d->n - first < PIECE ? d->n - first : (size_t)PIECE;
        struct piece p;
        place(&p, d, first, n);
#define CASE(k) group(&p, k, d->turns);
        BRANCH_EACH(CASE)
#undef CASE
        for (size_t i = 0; i < n; i++) d->out[first + p.from[i]] = p.value[i];
    }
    return 0;
}

/* ---- data ----------------------------------------------------------------------------------------------------------
 * sorted moves every item twice so that each kind can keep code of its own. Idea: the paths differ only in two numbers,
 * so make these numbers data. There is one path for all; its numbers are computed from the kind (or read from a table),
 * and LANES items are done side by side in vectors.
 * Predicted: half the time of sorted. It is three quarters where the build has only SSE2's vectors, which have no such
 * multiplication and build it from others.
 * Cost: it works only where paths differ in numbers, not in what they do. */

enum { LANES = 16 };

static void data_part(const struct branch_desc *d, size_t begin, size_t end)
{
    for (size_t first = begin; first < end; first += LANES) {
        const size_t n = end - first < LANES ? end - first : (size_t)LANES;
        uint32_t v[LANES] = { 0 }, mask[LANES] = { 0 }, factor[LANES] = { 0 };
        for (size_t l = 0; l < n; l++) {
            v[l] = d->in[first + l];
            mask[l] = branch_mask(d->kind[first + l]), factor[l] = branch_factor(d->kind[first + l]);
        }
        for (unsigned t = 0; t < d->turns; t++)
            for (unsigned l = 0; l < LANES; l++) v[l] = (v[l] ^ mask[l]) * factor[l];
        memcpy(d->out + first, v, n * sizeof *v);
    }
}

static int data(const struct branch_desc *d, struct exec *x)
{
    (void)x;
    data_part(d, 0, d->n);
    return 0;
}

/* ---- threads -------------------------------------------------------------------------------------------------------
 * data uses one core. Idea: each thread does a part. Predicted: as many times faster as there are cores.
 * Cost: none. */

static int threads(const struct branch_desc *d, struct exec *x)
{
#pragma omp parallel for num_threads(x->threads) schedule(static, 1)
    for (int p = 0; p < x->threads; p++) data_part(d, part_start(d->n, p, x->threads), part_start(d->n, p + 1, x->threads));
    return 0;
}

const struct branch_rung branch_cpu[] = {
    { { "textbook", "a switch per item", false }, textbook },
    { { "sorted", "items regrouped by kind, so that no branch is mispredicted", false }, sorted },
    { { "data", "one path, whose numbers depend on the kind", false }, data },
    { { "threads", "as data, on all cores", true }, threads },
    { { NULL, NULL, false }, NULL },
};
