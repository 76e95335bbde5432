/* banks: warps read every word of a table in shared memory, each word once per round, for n rounds. out[0] is the sum
 * of everything that all warps read, and out[1] is the number of cycles that it took.
 *
 * Shared memory has 32 banks: word w lies in bank w % 32, and a bank delivers one word per cycle. A load takes as many
 * cycles as the busiest bank has different words to deliver. All rungs read the same words; they differ only in which
 * lane reads which word, and where it lies.
 *
 * The table is BANKS_WORDS words below 2^20, as 32 rows of 32. CUDA only: the caches of a CPU have banks too, but they
 * cannot be observed. */
#ifndef ISO_BANKS_H
#define ISO_BANKS_H

#include "rung.h"

#include "grid.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    BANKS = 32,
    BANKS_WORDS = BANKS * BANKS,
    BANKS_WARPS = 32, /* each reads the whole table; so many that shared memory is the limit, not its latency */
};

/* Which word lane `lane` reads in load `load` of a round. */
enum banks_order {
    BANKS_STRIDE,    /* lanes are `stride` words apart */
    BANKS_BROADCAST, /* all lanes the same word: 32 times as many loads */
    BANKS_RANDOM,    /* anywhere */
};

/* Where the table has word w. */
enum banks_place {
    BANKS_PLAIN,  /* at w */
    BANKS_PADDED, /* rows are 33 words apart */
    BANKS_XOR,    /* the column is xored with the row */
};

struct banks_rung {
    struct rung rung;
    int (*run)(const uint32_t *table, uint64_t *out, size_t n, struct exec *x);
    enum banks_order order;
    enum banks_place place;
    unsigned stride;
};

extern const struct banks_rung banks_cpu[], banks_cuda[];

ISO_FN unsigned banks_loads(enum banks_order order)
{
    return order == BANKS_BROADCAST ? (unsigned)BANKS_WORDS : (unsigned)BANKS;
}

/* The word; each is read once in a round. */
ISO_FN unsigned banks_word(enum banks_order order, unsigned stride, unsigned lane, unsigned load)
{
    if (order == BANKS_BROADCAST) return load;
    if (order == BANKS_STRIDE) return load / stride * BANKS * stride + lane * stride + load % stride;
    unsigned w = load * BANKS + lane;
    for (unsigned turn = 0; turn < 3; turn++) { /* a permutation: each step can be undone */
        w = (w * 0x2ddu + 0x1b3u) & (BANKS_WORDS - 1);
        w ^= w >> 5;
    }
    return w;
}

/* Its place in shared memory, in words. */
ISO_FN unsigned banks_at(enum banks_place place, unsigned word)
{
    const unsigned row = word / BANKS, column = word % BANKS;
    return place == BANKS_PADDED ? row * (BANKS + 1) + column : place == BANKS_XOR ? row * BANKS + (column ^ row) : word;
}

/* Cycles of a load, by the rule above. */
ISO_FN unsigned banks_conflict(const struct banks_rung *rung, unsigned load)
{
    unsigned most = 0;
    for (unsigned bank = 0; bank < BANKS; bank++) {
        unsigned words = 0, last = ~0u;
        for (unsigned lane = 0; lane < BANKS; lane++) {
            const unsigned at = banks_at(rung->place, banks_word(rung->order, rung->stride, lane, load));
            words += at % BANKS == bank && at != last; /* lanes of one word are one demand */
            if (at % BANKS == bank) last = at;
        }
        if (words > most) most = words;
    }
    return most;
}

#ifdef __cplusplus
}
#endif
#endif
