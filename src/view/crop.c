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

int crop_choose(struct crop *crop, const size_t dims[3], const struct crop_file *file, const bool given[CROP_SIDES],
                const double side[CROP_SIDES], struct err *err)
{
    struct crop chosen;
    bool any = false;
    crop_reset(&chosen, dims);
    for (int a = 0; a < 3; a++) {
        const bool *is = &given[2 * a];
        const double last = (double)file->last[a], low = is[0] ? side[2 * a] : 0, high = is[1] ? side[2 * a + 1] : last;
        if (!is[0] && !is[1]) continue;
        any = true;
        if (!(low >= 0 && low < high && high <= last))
            return err_set(err, ERR_USAGE,
                           "--crop %c=%.9g:%.9g: this volume has voxels 0 to %.9g along %c, from low to high", 'x' + a, low,
                           high, last, 'x' + a);
        const double end = crop_end(dims, 2 * a + 1); /* voxels beyond it may have been skipped */
        chosen.side[2 * a + 1] = fmin(high / file->step, end);
        chosen.side[2 * a] = low / file->step < end ? low / file->step : fmax(0, end - LEAST);
    }
    if (!any) return ERR_NONE;
    *crop = chosen;
    crop->on = true;
    return ERR_NONE;
}
