/* What is cut away: beyond slices, before the knife, and outside the crop box (slices.h). */
#include "slices.h"

#include <math.h>
#include <string.h>

/* Moves a side of the uncut box inwards, if `place` lies further in. */
static void narrow(double *side, enum cut_side *kind, int upper, double place, enum cut_side by)
{
    const double inwards = upper ? *side - place : place - *side;
    if (inwards < 0 || (inwards == 0 && by != CUT_SLICE)) return;
    *side = place;
    *kind = by;
}

/* Finds a side of the uncut box, and what lies in it. */
static double find_side(const struct slices *slices, int side, int except, enum cut_side *kind)
{
    const int axis = side / 2, upper = side % 2;
    const struct slice_plane *plane = &slices->plane[axis];
    double place = crop_end(slices->dims, side);
    *kind = CUT_BORDER;
    if (slices->crop.on) narrow(&place, kind, upper, slices->crop.side[side], CUT_BARE);
    if (plane->on && axis != except && plane->cut == (upper ? 1 : -1))
        narrow(&place, kind, upper, (double)plane->index, CUT_SLICE);
    return place;
}

void slices_cut(const struct slices *slices, int except, struct cut *cut)
{
    const struct slices_knife *knife = &slices->knife;
    memset(cut, 0, sizeof *cut);
    for (int i = 0; i < CROP_SIDES; i++) {
        const float sign = i % 2 ? -1 : 1;
        cut->plane[i][i / 2] = sign;
        cut->plane[i][3] = -sign * (float)find_side(slices, i, except, &cut->side[i]);
    }
    if (!knife->on) return;
    memcpy(cut->plane[CROP_SIDES], knife->normal, sizeof knife->normal);
    cut->plane[CROP_SIDES][3] = (float)-knife->offset;
    cut->side[CROP_SIDES] = CUT_BARE;
}

void slices_place_knife(struct slices *slices, const float along[3], const double point[3])
{
    struct slices_knife *knife = &slices->knife;
    const float largest = fmaxf(fabsf(along[0]), fmaxf(fabsf(along[1]), fabsf(along[2])));
    knife->offset = 0;
    for (int a = 0; a < 3; a++) {
        knife->normal[a] = along[a] / largest;
        knife->offset += knife->normal[a] * point[a];
    }
    knife->on = true;
}

void slices_set_knife(struct slices_knife *knife, const double plane[4])
{
    for (int a = 0; a < 3; a++) knife->normal[a] = (float)plane[a];
    knife->offset = plane[3];
    knife->on = true;
}

void slices_choose_knife(struct slices *slices, const double plane[4])
{
    slices_set_knife(&slices->knife, plane);
    slices->knife.offset = slices_here(slices, plane[3]);
}

void slices_knife_range(const struct slices *slices, double range[2])
{
    range[0] = range[1] = 0;
    for (int a = 0; a < 3; a++) {
        const double reach = slices->knife.normal[a] * (double)(slices->dims[a] - 1);
        range[reach > 0] += reach;
    }
}

void slices_move_knife(struct slices *slices, double voxels)
{
    double range[2];
    slices_knife_range(slices, range);
    slices->knife.offset = fmax(range[0], fmin(range[1], slices->knife.offset + voxels));
}
