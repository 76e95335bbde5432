#include "crop.h"

#include <math.h>

#define LEAST 1.0 /* least distance of opposite sides, voxels */

double crop_end(const size_t dims[3], int side) { return side % 2 ? (double)(dims[side / 2] - 1) : 0; }

void crop_reset(struct crop *crop, const size_t dims[3])
{
    crop->on = false;
    for (int i = 0; i < CROP_SIDES; i++) crop->side[i] = crop_end(dims, i);
}

void crop_move(struct crop *crop, const size_t dims[3], int side, double place)
{
    const double end = crop_end(dims, side), other = crop->side[side ^ 1];
    crop->side[side] = side % 2 ? fmin(end, fmax(place, other + LEAST)) : fmax(end, fmin(place, other - LEAST));
}

void crop_bounds(const struct crop *crop, double low[3], double high[3])
{
    for (int a = 0; a < 3 && crop->on; a++) {
        const double from = crop->side[2 * a], to = crop->side[2 * a + 1];
        const bool apart = !(low[a] < to && high[a] > from);
        low[a] = apart ? from : fmax(low[a], from);
        high[a] = apart ? to : fmin(high[a], to);
    }
}

void crop_choose(struct crop *crop, const size_t dims[3], const bool given[CROP_SIDES], const double side[CROP_SIDES])
{
    crop_reset(crop, dims);
    for (int a = 0; a < 3; a++) {
        const double end = crop_end(dims, 2 * a + 1);
        double *const low = &crop->side[2 * a], *const high = low + 1;
        if (given[2 * a]) *low = fmax(0, side[2 * a] < end ? side[2 * a] : end - LEAST);
        if (given[2 * a + 1]) *high = fmin(end, side[2 * a + 1] > *low ? side[2 * a + 1] : *low + LEAST);
    }
    crop->on = true;
}
