/* sort: keys with a 32-bit payload, in order.
 *
 * Every rung is stable: equal keys keep their order, whether the sort is ascending or descending. So there is exactly
 * one right result, and all rungs give the same bits. Floats are in total order (IEEE 754-2008, 5.10): -NaN < -infinity
 * < .. < -0 < +0 < .. < infinity < NaN, by their bits; a NaN from arithmetic may have either sign.
 *
 *    keys 5 2 5 1   payload a b c d      ->     keys 1 2 5 5   payload d b a c       descending: 5 5 2 1, a c b d
 *
 * Most rungs sort 64-bit items of rank (32 bits ordered as the keys, see sort_rank) and position: no two items are
 * equal, so even a sorting network is stable. The payload is fetched at the end. Outputs must not overlap inputs. */
#ifndef ISO_SORT_H
#define ISO_SORT_H

#include "grid.h"
#include "rung.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SORT_MAX 0xffffffffu /* keys; no position is then 0xffffffff */

enum sort_key { SORT_FLOAT32, SORT_UINT32 };

typedef uint32_t __attribute__((__may_alias__)) sort_bits; /* of a key that was written as a float or as an integer */

struct sort_desc {
    size_t n; /* at most SORT_MAX */
    enum sort_key key;
    bool descending;
    const sort_bits *keys_in; /* [n] each, backend memory; floats as their bits */
    uint32_t *keys_out;
    const uint32_t *values_in; /* NULL: the payload is each key's position, 0 .. n - 1 */
    uint32_t *values_out;
};

struct sort_rung {
    struct rung rung;
    int (*run)(const struct sort_desc *desc, void *scratch, struct exec *x);
    size_t (*scratch)(const struct sort_desc *desc, const struct exec *x); /* bytes, 256-byte aligned; NULL: none */
    bool any_block;                                                        /* CUDA: accepts x->block threads per block */
};

extern const struct sort_rung sort_cpu[], sort_cuda[];

/* Map the bits of a key to a number that orders as the desc asks: negative floats are inverted, all others moved above
 * them. */
ISO_FN uint32_t sort_rank(const struct sort_desc *d, uint32_t key)
{
    if (d->key == SORT_FLOAT32) key = key >> 31 ? ~key : key | 0x80000000u;
    return d->descending ? ~key : key;
}

ISO_FN uint32_t sort_key_of(const struct sort_desc *d, uint32_t rank)
{
    if (d->descending) rank = ~rank;
    if (d->key == SORT_FLOAT32) rank = rank >> 31 ? rank & 0x7fffffffu : ~rank;
    return rank;
}

ISO_FN uint64_t sort_item(const struct sort_desc *d, size_t i)
{
    return (uint64_t)sort_rank(d, d->keys_in[i]) << 32 | (uint32_t)i;
}

ISO_FN void sort_store(const struct sort_desc *d, size_t i, uint64_t item)
{
    const uint32_t position = (uint32_t)item;
    d->keys_out[i] = sort_key_of(d, (uint32_t)(item >> 32));
    d->values_out[i] = d->values_in ? d->values_in[position] : position;
}

#ifdef __cplusplus
}
#endif
#endif
