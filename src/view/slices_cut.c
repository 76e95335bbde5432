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

int slices_choose_crop(struct slices *slices, const bool given[CROP_SIDES], const double side[CROP_SIDES], struct err *err)
{
    double here[CROP_SIDES] = { 0 };
    bool any = false;
    for (int a = 0; a < 3; a++) {
        const bool *is = &given[2 * a];
        const double last = (double)slices->last[a], low = is[0] ? side[2 * a] : 0, high = is[1] ? side[2 * a + 1] : last;
        if (!is[0] && !is[1]) continue;
        any = true;
        if (!(low >= 0 && low < high && high <= last))
            return err_set(err, ERR_USAGE,
                           "--crop %c=%.9g:%.9g: this volume has voxels 0 to %.9g along %c, from low to high", 'x' + a, low,
                           high, last, 'x' + a);
        here[2 * a] = slices_here(slices, a, low);
        here[2 * a + 1] = slices_here(slices, a, high);
    }
    if (any) crop_choose(&slices->crop, slices->dims, given, here);
    return ERR_NONE;
}

static double largest_of(const double normal[3]) { return fmax(fabs(normal[0]), fmax(fabs(normal[1]), fabs(normal[2]))); }

/* Moves the knife from one way of counting voxels to another; `to` converts a place along an axis, which is linear. The
 * normal stays as long. */
static void convert_knife(const struct slices *slices, struct slices_knife *knife,
                          double (*to)(const struct slices *slices, int axis, double place))
{
    double before[3], normal[3];
    if (!knife->on) return;
    for (int a = 0; a < 3; a++) {
        const double first = to(slices, a, 0), every = to(slices, a, 1) - first;
        before[a] = (double)knife->normal[a];
        normal[a] = before[a] / every;
        knife->offset += normal[a] * first;
    }
    const double longer = largest_of(before) / largest_of(normal);
    for (int a = 0; a < 3; a++) knife->normal[a] = (float)(normal[a] * longer);
    knife->offset *= longer;
}

void slices_knife_in_file(const struct slices *slices, struct slices_knife *knife)
{
    convert_knife(slices, knife, slices_in_file);
}

void slices_knife_here(const struct slices *slices, struct slices_knife *knife)
{
    convert_knife(slices, knife, slices_here);
}

void slices_choose_knife(struct slices *slices, const double plane[4])
{
    slices_set_knife(&slices->knife, plane);
    slices_knife_here(slices, &slices->knife);
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
