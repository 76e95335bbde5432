/* branch: n items, each of one of BRANCH_KINDS kinds, go through `turns` steps of arithmetic whose code depends on the
 * kind: v = (v ^ mask) * factor in 32 bits. The two constants of a kind are part of the instructions of each step.
 *
 * The result of the steps is of no use. What matters is that every kind has a code path of its own, and that all paths
 * are equally long. A warp has, more or less, one program counter for all its lanes: it executes every path that any of
 * its lanes takes, one after the other. A core of a CPU has one lane, but it must guess the path before it knows the
 * kind. */
#ifndef ISO_BRANCH_H
#define ISO_BRANCH_H

#include "rung.h"

#include "grid.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BRANCH_KINDS = 32 };

struct branch_desc {
    const uint32_t *in;
    const uint8_t *kind; /* [n], each less than BRANCH_KINDS */
    uint32_t *out;       /* must not overlap the others */
    size_t n;
    unsigned turns;
};

struct branch_rung {
    struct rung rung;
    int (*run)(const struct branch_desc *desc, struct exec *x);
    bool any_block; /* CUDA: accepts x->block threads per block */
};

extern const struct branch_rung branch_cpu[], branch_cuda[];

/* The constants of a kind; factors are odd, so no value is lost. */
ISO_FN uint32_t branch_mask(uint32_t kind) { return (kind + 1) * 0x9e3779b9u; }
ISO_FN uint32_t branch_factor(uint32_t kind) { return kind * 0x61c88646u + 0x2545f491u; }

/* Expands CASE for every kind: CASE(0) CASE(1) .. CASE(31) */
#define BRANCH_EIGHT(CASE, k) \
    CASE(k) CASE((k) + 1) CASE((k) + 2) CASE((k) + 3) CASE((k) + 4) CASE((k) + 5) CASE((k) + 6) CASE((k) + 7)
#define BRANCH_EACH(CASE) BRANCH_EIGHT(CASE, 0) BRANCH_EIGHT(CASE, 8) BRANCH_EIGHT(CASE, 16) BRANCH_EIGHT(CASE, 24)

#ifdef __cplusplus
}
#endif
#endif
