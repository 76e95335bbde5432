/* Inside words on the CPU: 32 voxels of a row compared at once, in C that compilers make vectors of. */
#ifndef ISO_ROW_WORDS_H
#define ISO_ROW_WORDS_H

#include "bricks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One byte per flag to one bit per flag: the multiplication adds the eight flags into the top byte, each at its place. */
ISO_FN uint32_t pack_flags(const uint8_t flag[BRICK_X])
{
    uint32_t word = 0;
    for (unsigned i = 0; i < 4; i++) {
        uint64_t eight = 0;
        for (unsigned j = 0; j < 8; j++) eight |= (uint64_t)flag[8 * i + j] << (8 * j);
        word |= (uint32_t)(eight * 0x0102040810204080u >> 56) << (8 * i);
    }
    return word;
}

/* Bit i: voxel first + i, one of the n that the row still has, at most BRICK_X, is inside. */
ISO_FN uint32_t row_word(const struct grid *g, float iso, size_t first, size_t n)
{
    uint8_t flag[BRICK_X] = { 0 };
    if (n == BRICK_X)
        for (size_t i = 0; i < BRICK_X; i++) flag[i] = grid_value(g, first + i) >= iso;
    else
        for (size_t i = 0; i < n; i++) flag[i] = grid_value(g, first + i) >= iso;
    return pack_flags(flag);
}

#ifdef __cplusplus
}
#endif
#endif
