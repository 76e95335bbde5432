/* Finds which subcase of its case a cell is: how the surface of the trilinear interpolant passes through its ambiguous
 * faces and its inside. Computed in double, without contraction, so the answer is the same on every backend.
 *
 * Faces: take a face with corner values a, b, c, d in turn, of which a and c are inside. The bilinear interpolant joins
 * the inside corners where its saddle value (a c - b d) / (a + c - b - d) is inside, that is >= iso (the asymptotic
 * decider, Nielson and Hamann 1991). For integers, both sides of the comparison are exact. The answer depends only on
 * the face's four values, so the two cells that share the face agree, even on ties and beside NaN or infinite values.
 *
 * Inside: where a cell holds several pieces of surface, two of them are joined by a tunnel exactly if the hexagon that
 * the interpolant's asymptotes form lies in the cell (Grosso 2016, section 4). This is the case if, along each axis,
 * the determinant of the slice, a quadratic polynomial, has two roots between 0 and 1. */
#ifndef ISO_MC_SUBCASE_H
#define ISO_MC_SUBCASE_H

#include "mc_tables.h"

/* The values at a cell's corners, in corner order. */
struct mc_values {
    float at[8];
};

/* Return the value at a corner of the cell whose lowest voxel has index i. */
ISO_FN float mc_value(const struct grid *g, size_t i, unsigned corner)
{
    return grid_value(g, i + (corner & 1) + (corner & 2 ? g->nx : 0) + (corner & 4 ? g->nx * g->ny : 0));
}

ISO_FN struct mc_values mc_values_at(const struct grid *g, size_t i)
{
    struct mc_values v;
    for (unsigned c = 0; c < 8; c++) v.at[c] = mc_value(g, i, c);
    return v;
}

/* The two sides of the comparison that decides an ambiguous face with the corners a, b, c, d in turn. If a and c are
 * inside, they are joined where left >= right; if b and d are inside, they are joined where left <= right. */
struct mc_saddle {
    double left, right;
};

ISO_FN struct mc_saddle mc_saddle_of(enum voxel_type type, float iso, double a, double b, double c, double d)
{
    if (type != VOXEL_FLOAT32) { /* products of 16-bit integers have 32 bits, their sum times the isovalue 18 + 24 */
        const struct mc_saddle exact = { a * c - b * d, iso * (a + c - b - d) };
        return exact;
    }
    const struct mc_saddle rounded = { (a - iso) * (c - iso), (b - iso) * (d - iso) };
    return rounded;
}

/* Return whether the inside corners a and c of an ambiguous face are joined; b and d are its outside corners. */
ISO_FN bool mc_face_is_joined(enum voxel_type type, float iso, double a, double b, double c, double d)
{
    const struct mc_saddle s = mc_saddle_of(type, iso, a, b, c, d);
    return s.left >= s.right;
}

#ifdef __FP_FAST_FMAF
enum { MC_FLOAT_BYTES = 1 }; /* the widest integers for which mc_saddle_sign() decides, in twice as many lanes */
#else
enum { MC_FLOAT_BYTES = 0 };
#endif

/* Return a number with the sign of left - right for 8-bit integers. In float, every step is exact except the last,
 * which rounds once. */
ISO_FN float mc_saddle_sign(float iso, float a, float b, float c, float d)
{
    return fmaf(-iso, a + c - b - d, a * c - b * d);
}

/* The faces whose inside corners are joined, assuming that these are corners 0 and 2 of the face, or assuming that they
 * are 1 and 3. */
struct mc_joined {
    unsigned even, odd;
};

ISO_FN struct mc_joined mc_joined_faces(const struct mc_values *v, enum voxel_type type, float iso)
{
    struct mc_joined joined = { 0, 0 };
    ISO_UNROLL
    for (unsigned f = 0; f < 6; f++) {
        const struct mc_face face = mc_face_of(f);
        const float a = v->at[face.corner[0]], b = v->at[face.corner[1]], c = v->at[face.corner[2]],
                    d = v->at[face.corner[3]];
        if (voxel_bytes(type) <= MC_FLOAT_BYTES) {
            const float sign = mc_saddle_sign(iso, a, b, c, d);
            joined.even |= sign >= 0 ? 1u << f : 0;
            joined.odd |= sign <= 0 ? 1u << f : 0;
        } else {
            const struct mc_saddle s = mc_saddle_of(type, iso, a, b, c, d);
            joined.even |= s.left >= s.right ? 1u << f : 0;
            joined.odd |= s.left <= s.right ? 1u << f : 0;
        }
    }
    return joined;
}

/* Return the number of a cell's subcase within its case, disregarding tunnels. */
ISO_FN unsigned mc_number(const struct mc_tables *tables, const struct mc_case *c, struct mc_joined joined)
{
    return tables->number[c->ambiguous][(joined.even & ~(unsigned)c->turned) | (joined.odd & c->turned)];
}

/* The determinant f00 f11 - f10 f01 of a cell's slices across an axis is a t^2 + b t + c at point t. Values that equal
 * the isovalue count as inside, as if all values were higher by an infinitesimal e. With it, the determinant is a t^2 +
 * (b + e b_rise) t + c + e c_rise. `end` is its value at t = 1, without the rounding of the sum. */
struct mc_slices {
    double a, b, c, end, b_rise, c_rise;
};

ISO_FN struct mc_slices mc_slices_across(const struct mc_values *v, double iso, unsigned axis)
{
    const unsigned t = 1u << axis, s = 1u << (axis + 1) % 3, r = 1u << (axis + 2) % 3;
    const double f00 = v->at[0] - iso, f10 = v->at[s] - iso, f01 = v->at[r] - iso, f11 = v->at[s | r] - iso;
    const double e00 = v->at[t] - iso, e10 = v->at[t | s] - iso, e01 = v->at[t | r] - iso, e11 = v->at[t | s | r] - iso;
    const double g00 = e00 - f00, g10 = e10 - f10, g01 = e01 - f01, g11 = e11 - f11;
    const struct mc_slices q = { g00 * g11 - g10 * g01,     (f00 * g11 + g00 * f11) - (f10 * g01 + g10 * f01),
                                 f00 * f11 - f10 * f01,     e00 * e11 - e10 * e01,
                                 (g00 + g11) - (g10 + g01), (f00 + f11) - (f10 + f01) };
    return q;
}

/* Return whether x + e rise has the sign of `sign`. */
ISO_FN bool mc_same_sign(double sign, double x, double rise) { return sign * (x != 0 ? x : rise) > 0; }

/* Return whether the determinant has two roots. It has two for all axes or for none. */
ISO_FN bool mc_has_roots(struct mc_slices q)
{
    const double discriminant = q.b * q.b - 4 * (q.a * q.c), rise = 2 * (q.b * q.b_rise) - 4 * (q.a * q.c_rise);
    return (discriminant > 0) | ((discriminant == 0) & ((rise > 0) | ((rise == 0) & (q.b_rise != 0))));
}

/* Return whether the roots lie between 0 and 1, given that there are two. The int tells clang that & is intended: there
 * are no branches. */
ISO_FN bool mc_roots_inside(struct mc_slices q)
{
    const double b = q.a < 0 ? q.b : -q.b, width = q.a < 0 ? -2 * q.a : 2 * q.a; /* middle of the roots: b / width */
    return (int)(b > 0) & (b < width) & mc_same_sign(q.a, q.c, q.c_rise) & mc_same_sign(q.a, q.end, q.b_rise + q.c_rise);
}

/* Return the trilinear interpolant at (x, y, z), each from 0 to 1, minus iso. */
ISO_FN double mc_interpolate(const struct mc_values *v, double iso, double x, double y, double z)
{
    double row[4];
    for (unsigned k = 0; k < 4; k++) row[k] = (1 - x) * (v->at[2 * k] - iso) + x * (v->at[2 * k + 1] - iso);
    return (1 - z) * ((1 - y) * row[0] + y * row[1]) + z * ((1 - y) * row[2] + y * row[3]);
}

/* Return whether the determinant along the first axis has its roots inside. It is a quick filter: few cells without a
 * tunnel pass it. */
ISO_FN bool mc_may_have_tunnel(const struct mc_values *v, double iso)
{
    const struct mc_slices x = mc_slices_across(v, iso, 0);
    return (int)mc_has_roots(x) & mc_roots_inside(x);
}

/* Return whether mc_tunnel_is_possible() can be asked. For integers mc_joined_faces() compares a face's two products
 * exactly, and mc_slices_across() takes the difference of the rounded ones. Both have the same sign if the products,
 * below 2^32 and rounded by less than 2^-20, are equal or differ by more than that. They do where the isovalue is a
 * multiple of 2^-16, because their difference is then such a multiple, too. */
ISO_FN bool mc_joined_tells(enum voxel_type type, float iso)
{
    const double scaled = (double)iso * (1 << 16);
    return type == VOXEL_FLOAT32 || floor(scaled) == scaled;
}

/* Return whether the determinants of both faces across each axis, `c` and `end` of struct mc_slices, can have the same
 * sign. If not, there is no tunnel. Opposite faces list their corners mirrored, so for them the signs in `joined` must
 * differ. */
ISO_FN bool mc_tunnel_is_possible(struct mc_joined joined)
{
    const unsigned both = (joined.even & joined.odd >> 1) | (joined.odd & joined.even >> 1), axes = 1 | 1 << 2 | 1 << 4;
    return (both & axes) == axes;
}

/* Return whether a tunnel joins pieces of the cell: 0 none, 1 through the outside, 2 through the inside. */
ISO_FN unsigned mc_tunnel(const struct mc_values *v, double iso)
{
    if (!mc_may_have_tunnel(v, iso)) return 0;
    const struct mc_slices x = mc_slices_across(v, iso, 0), y = mc_slices_across(v, iso, 1),
                           z = mc_slices_across(v, iso, 2);
    if (!mc_roots_inside(y) || !mc_roots_inside(z)) return 0;
    return mc_interpolate(v, iso, -x.b / (2 * x.a), -y.b / (2 * y.a), -z.b / (2 * z.a)) >= 0 ? 2 : 1;
}

/* Return the number of a cell's subcase within its case, given the one without tunnels, `number`. */
ISO_FN unsigned mc_add_tunnel(const struct mc_tables *tables, const struct mc_case *c, const struct mc_values *v, float iso,
                              unsigned number)
{
    const struct mc_subcase *subcase = &tables->subcase[c->first + number];
    const unsigned tunnel = mc_tunnel(v, iso);
    return tunnel ? subcase->tunnel + (subcase->pieces > 2 ? tunnel - 1 : 0) : number;
}

/* Return the number of the subcase of an open cell within its case, whose index is `index`. */
ISO_RARE_FN unsigned mc_subcase_of(const struct mc_tables *tables, const struct grid *g, float iso, size_t i,
                                   unsigned index)
{
    const struct mc_case *c = &tables->cases[index];
    const struct mc_values v = mc_values_at(g, i);
    const unsigned number = mc_number(tables, c, mc_joined_faces(&v, g->type, iso));
    return c->tunnels >> number & 1 ? mc_add_tunnel(tables, c, &v, iso, number) : number;
}

/* Return the number in tables->subcase of the subcase of a cell. */
ISO_FN unsigned mc_cell(const struct mc_tables *tables, const struct grid *g, float iso, size_t i, unsigned index)
{
    const struct mc_case *c = &tables->cases[index];
    return c->open ? c->first + mc_subcase_of(tables, g, iso, i, index) : c->fixed;
}

#endif
