/* How the CPU rungs split n elements among threads: contiguous parts, sizes equal but for one. */
#ifndef ISO_CPU_PARTS_H
#define ISO_CPU_PARTS_H

#include <stddef.h>

static inline size_t part_start(size_t n, int part, int parts)
{
    const size_t each = n / (size_t)parts, extra = n % (size_t)parts, p = (size_t)part;
    return each * p + (p < extra ? p : extra);
}

#endif
