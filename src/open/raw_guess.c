#include "raw_guess.h"

#include <string.h>

#define MOST_RATIO (4.0 + 1e-9) /* of the longest axis to the shortest */

struct list {
    struct raw_shape *shapes;
    size_t count, most;
};

static double ratio_of(const uint64_t dims[3])
{
    uint64_t least = dims[0], largest = dims[0];
    for (int a = 1; a < 3; a++) {
        least = dims[a] < least ? dims[a] : least;
        largest = dims[a] > largest ? dims[a] : largest;
    }
    return (double)largest / (double)least;
}

/* Keeps the list sorted by ratio; of equal ratios, the one added first comes first. */
static void add(struct list *list, uint64_t x, uint64_t y, uint64_t z)
{
    const struct raw_shape shape = { { x, y, z } };
    const double ratio = ratio_of(shape.dims);
    if (ratio > MOST_RATIO) return;
    size_t at = 0;
    for (size_t i = 0; i < list->count; i++)
        if (!memcmp(&list->shapes[i], &shape, sizeof shape)) return;
    while (at < list->count && ratio_of(list->shapes[at].dims) <= ratio) at++;
    if (at == list->most) return;
    if (list->count < list->most) list->count++;
    memmove(list->shapes + at + 1, list->shapes + at, (list->count - 1 - at) * sizeof shape);
    list->shapes[at] = shape;
}

size_t raw_guess(uint64_t voxels, struct raw_shape *shapes, size_t most)
{
    struct list list = { shapes, 0, most };
    for (uint64_t side = 2; side <= 16384 && side * side <= voxels; side++)
        if (voxels % (side * side) == 0) add(&list, side, side, voxels / (side * side));
    for (uint64_t x = 8; x <= 16384; x *= 2)
        for (uint64_t y = 8; y <= 16384; y *= 2)
            if (voxels % (x * y) == 0) {
                const uint64_t z = voxels / (x * y);
                if (z && !(z & (z - 1))) add(&list, x, y, z);
            }
    return list.count;
}
