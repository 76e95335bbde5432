/* Where a volume lies in the world, and how precise numbers must be to distinguish its vertices. */
#include "export_format.h"

#include "text.h"

#include <float.h>
#include <math.h>

static double column_cross(const struct volume *v, int b, int c, int r)
{
    const int p = (r + 1) % 3, q = (r + 2) % 3;
    return v->direction[p][b] * v->direction[q][c] - v->direction[q][b] * v->direction[p][c];
}

/* The inverse transpose of the direction matrix, up to scale: cross products of its columns. */
static void set_normals(struct export_file *e, const struct volume *v)
{
    const double sign = volume_handedness(v) < 0 ? -1 : 1;
    e->flipped = sign < 0;
    for (int r = 0; r < 3; r++)
        for (int a = 0; a < 3; a++) e->normal[r][a] = sign * column_cross(v, (a + 1) % 3, (a + 2) % 3, r);
}

int export_set_world(struct export_file *e, const struct volume *v, struct err *err)
{
    const double last[3] = { (double)v->grid.nx - 1, (double)v->grid.ny - 1, (double)v->grid.nz - 1 };
    double least = INFINITY, farthest = 0;
    for (int a = 0; a < 3; a++) {
        double reach = fabs(v->origin[a]), middle = v->origin[a];
        for (int b = 0; b < 3; b++)
            reach += fabs(v->direction[a][b]) * (last[b] + 1), middle += v->direction[a][b] * last[b] / 2;
        least = fmin(least, volume_spacing(v, a)), farthest = fmax(farthest, reach);
        e->origin[a] = v->origin[a], e->centre[a] = middle;
    }
    if (!(least > FLT_MIN && farthest < 1e17))
        return err_set(err, ERR_FAILED,
                       "voxels %g apart, as far as %g from the origin, exceed what files can hold: give "
                       "another distance with --spacing",
                       least, farthest);
    set_normals(e, v);
    const double step = (double)(nextafterf((float)farthest, INFINITY) - (float)farthest);
    e->wide = step > (double)grid_margin(&v->grid) * least; /* vertices on neighbouring edges can be as close as that */
    const double decimals = fmin(6 - floor(log10(least)), 17 - ceil(log10(farthest))); /* fits 63 bits */
    e->decimals = (int)fmax(0, fmin(15, decimals));
    return ERR_NONE;
}

void export_set_shift(struct export_file *e)
{
    const bool centred = e->wide && e->format->narrow;
    char at[3][32];
    for (int a = 0; a < 3; a++) e->shift[a] = e->origin[a] - (centred ? e->centre[a] : 0);
    if (centred)
        text_note(e->note,
                  "32 bits cannot tell coordinates apart this far from the origin: those of the %s file are relative to "
                  "%s, %s, %s%s",
                  e->format->name, text_print(at[0], e->centre[0]), text_print(at[1], e->centre[1]),
                  text_print(at[2], e->centre[2]), e->format->narrow);
}
