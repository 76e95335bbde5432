#include "draw_truth.h"

#include <math.h>
#include <string.h>

#define SNAP (0.75 / 256)    /* pixels: slightly more than the diagonal of half a fixed-point step */
#define ROUNDING 1e-6        /* of float, relative to the largest term of a clip coordinate */
#define DEPTH_ROUNDING 4e-7  /* of a depth that is linear in screen space */
#define NORMAL_ROUNDING 3e-3 /* steps of 12 bits and of 10 bits */

enum { CORNERS = 5 }; /* most, of a triangle clipped by the near and the far plane */

struct corner {            /* of a piece */
    double x, y, depth;    /* x, y in pixels, depth from 0 to 1 */
    double off, off_depth; /* largest possible errors */
};

struct clip {
    double at[4], size; /* size: largest sum of magnitudes */
};

struct whole { /* a triangle */
    struct clip corner[3];
    double normal[3][3]; /* voxel coordinates */
};

struct candidate {    /* a triangle at a pixel */
    double low, high; /* bounds of the depth */
    bool sure;        /* it certainly covers the pixel */
    bool one_sided;   /* `outside` is certain */
    bool outside;     /* which side is seen */
    double reach;     /* largest error of the barycentric coordinates, summed */
};

typedef void visit(void *context, const struct draw_truth *truth, const struct whole *whole, size_t x, size_t y,
                   const struct candidate *c);

/* ---- corners ------------------------------------------------------------------------------------------------------- */

static struct clip clip_of(const struct draw_desc *d, const struct vertex *v)
{
    const double at[4] = { (double)v->x, (double)v->y, (double)v->z, 1 };
    struct clip c = { { 0 }, 0 };
    for (int i = 0; i < 4; i++) {
        double size = 0;
        for (int k = 0; k < 4; k++) {
            const double term = (double)d->clip_from_voxel[4 * k + i] * at[k];
            c.at[i] += term, size += fabs(term);
        }
        c.size = fmax(c.size, size);
    }
    return c;
}

static struct whole whole_of(const struct draw_desc *d, const uint32_t index[3])
{
    struct whole whole;
    for (int i = 0; i < 3; i++) {
        const struct vertex *v = &d->vertices[index[i]];
        whole.corner[i] = clip_of(d, v);
        for (int a = 0; a < 3; a++) {
            int part = (int)(v->normal >> 10 * a & 1023);
            part -= part > 511 ? 1024 : 0;
            whole.normal[i][a] = fmax(-1, part / 511.0);
        }
    }
    return whole;
}

static struct corner corner_of(const struct draw_desc *d, const struct clip *c, bool exact)
{
    const double w = c->at[3], most = fmax(d->width, d->height), rounded = exact ? 0 : ROUNDING * c->size / w;
    const double x = (c->at[0] / w + 1) / 2 * d->width, y = (c->at[1] / w + 1) / 2 * d->height;
    const double reach = 1 + (fabs(x) + fabs(y)) / most;
    return (struct corner){ x, y, (c->at[2] / w + 1) / 2, exact ? 0 : SNAP + rounded * most * reach, rounded };
}

/* Clips a polygon by the near (sign 1) or the far plane (-1). Returns the number of corners left. */
static int cut(const struct clip *in, int n, double sign, struct clip *out)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        const struct clip *a = &in[i], *b = &in[(i + 1) % n];
        const double at_a = a->at[3] + sign * a->at[2], at_b = b->at[3] + sign * b->at[2];
        if (at_a >= 0) out[count++] = *a;
        if ((at_a >= 0) == (at_b >= 0)) continue;
        const double t = at_a / (at_a - at_b);
        for (int k = 0; k < 4; k++) out[count].at[k] = a->at[k] + (b->at[k] - a->at[k]) * t;
        out[count++].size = fmax(a->size, b->size);
    }
    return count;
}

/* ---- pieces -------------------------------------------------------------------------------------------------------- */

struct edge {
    double x, y, dx, dy, length; /* of the edge opposite to a corner */
};

struct piece {
    struct corner corner[3];
    struct edge edge[3];
    double area, off, depth[2]; /* twice the signed area; largest error of a position; lowest and highest depth */
};

static struct piece piece_of(const struct corner corner[3])
{
    struct piece p = { .depth = { INFINITY, -INFINITY } };
    memcpy(p.corner, corner, sizeof p.corner);
    for (int i = 0; i < 3; i++) {
        const struct corner *a = &corner[(i + 1) % 3], *b = &corner[(i + 2) % 3];
        p.edge[i] = (struct edge){ a->x, a->y, b->x - a->x, b->y - a->y, hypot(b->x - a->x, b->y - a->y) };
        p.off = fmax(p.off, corner[i].off);
        p.depth[0] = fmin(p.depth[0], corner[i].depth - corner[i].off_depth);
        p.depth[1] = fmax(p.depth[1], corner[i].depth + corner[i].off_depth);
    }
    p.area = p.edge[0].dx * p.edge[1].dy - p.edge[0].dy * p.edge[1].dx;
    return p;
}

/* Whether the piece may cover the pixel. If so, describes it in *c. */
static bool meets(const struct draw_truth *truth, const struct piece *p, size_t x, size_t y, struct candidate *c)
{
    const double sign = p->area < 0 ? -1 : 1, size = fabs(p->area);
    double depth = 0, spread = 0;
    *c = (struct candidate){ .sure = size > 0, .one_sided = size > 0, .outside = (p->area > 0) != truth->d->clockwise };
    for (int i = 0; i < 3; i++) {
        const struct edge *e = &p->edge[i];
        const double at = sign * (e->dx * ((double)y + 0.5 - e->y) - e->dy * ((double)x + 0.5 - e->x));
        const double away = e->length > 0 ? at / e->length : 0, height = e->length > 0 ? size / e->length : 0;
        const bool left_or_top = sign * e->dy < 0 || (e->dy == 0 && sign * e->dx < 0);
        if (truth->exact && (at < 0 || (at == 0 && !left_or_top))) return false;
        if (away < -p->off) return false;
        if (!truth->exact && away < p->off) c->sure = false;
        if (!truth->exact && height < 2 * p->off) c->one_sided = false;
        const double part = truth->exact ? 0 : height > 0 ? fmin(1, 2 * p->off / height) : 1;
        c->reach += part;
        depth += size > 0 ? at / size * p->corner[i].depth : 0;
        spread += part * (p->depth[1] - p->depth[0]);
    }
    if (!(size > 0)) depth = p->depth[0], spread = p->depth[1] - p->depth[0];
    c->low = fmax(p->depth[0], depth - spread) - DEPTH_ROUNDING;
    c->high = fmin(p->depth[1], depth + spread) + DEPTH_ROUNDING;
    if (c->low > c->high) c->low = p->depth[0] - DEPTH_ROUNDING, c->high = p->depth[1] + DEPTH_ROUNDING; /* past a corner */
    return size > 0 || !truth->exact;
}

static size_t bounded(double at, size_t most) { return at < 0 ? 0 : at > (double)most ? most : (size_t)at; }

static void visit_piece(const struct draw_truth *truth, const struct whole *whole, const struct piece *p, visit *to,
                        void *context)
{
    double low[2] = { INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY };
    for (int i = 0; i < 3; i++) {
        low[0] = fmin(low[0], p->corner[i].x), high[0] = fmax(high[0], p->corner[i].x);
        low[1] = fmin(low[1], p->corner[i].y), high[1] = fmax(high[1], p->corner[i].y);
    }
    const size_t width = truth->d->width, height = truth->d->height;
    for (size_t y = bounded(ceil(low[1] - p->off - 0.5), height); y < bounded(floor(high[1] + p->off + 0.5), height); y++)
        for (size_t x = bounded(ceil(low[0] - p->off - 0.5), width); x < bounded(floor(high[0] + p->off + 0.5), width);
             x++) {
            struct candidate c;
            if (meets(truth, p, x, y, &c)) to(context, truth, whole, x, y, &c);
        }
}

static void visit_all(const struct draw_truth *truth, visit *to, void *context)
{
    const struct draw_desc *d = truth->d;
    for (size_t t = 0; t < d->triangle_count; t++) {
        const struct whole whole = whole_of(d, d->indices + 3 * t);
        struct clip near[CORNERS], polygon[CORNERS];
        struct corner corner[CORNERS];
        const int n = cut(near, cut(whole.corner, 3, 1, near), -1, polygon);
        for (int i = 0; i < n; i++) corner[i] = corner_of(d, &polygon[i], truth->exact);
        for (int i = 1; i + 1 < n; i++) {
            const struct piece piece = piece_of((struct corner[]){ corner[0], corner[i], corner[i + 1] });
            visit_piece(truth, &whole, &piece, to, context);
        }
    }
}

/* ---- depth --------------------------------------------------------------------------------------------------------- */

struct bounds {
    double *low, *high;
};

static void bound(void *context, const struct draw_truth *truth, const struct whole *whole, size_t x, size_t y,
                  const struct candidate *c)
{
    const struct bounds *b = context;
    const size_t at = y * truth->d->width + x;
    (void)whole;
    b->low[at] = fmin(b->low[at], c->low);
    if (c->sure) b->high[at] = fmin(b->high[at], c->high);
}

void draw_truth_bounds(const struct draw_truth *truth, double *low, double *high)
{
    for (size_t i = 0; i < (size_t)truth->d->width * truth->d->height; i++) low[i] = high[i] = INFINITY;
    visit_all(truth, bound, &(struct bounds){ low, high });
}

/* ---- normal, side, surface ------------------------------------------------------------------------------------------- */

/* The outward normal at a pixel, in view space. Computed from homogeneous coordinates, without perspective division. */
static void normal_at(const struct draw_truth *truth, const struct whole *whole, size_t x, size_t y, double n[3])
{
    const struct draw_desc *d = truth->d;
    const double at[2] = { (2 * (double)x + 1) / d->width - 1, (2 * (double)y + 1) / d->height - 1 };
    double share[3], sum = 0, voxel[3] = { 0 };
    for (int i = 0; i < 3; i++) {
        const double *a = whole->corner[(i + 1) % 3].at, *b = whole->corner[(i + 2) % 3].at;
        share[i] = (a[0] - at[0] * a[3]) * (b[1] - at[1] * b[3]) - (b[0] - at[0] * b[3]) * (a[1] - at[1] * a[3]);
        sum += share[i];
    }
    for (int i = 0; i < 3; i++)
        for (int a = 0; a < 3; a++) voxel[a] += share[i] / sum * whole->normal[i][a];
    for (int a = 0; a < 3; a++) {
        n[a] = 0;
        for (int k = 0; k < 3; k++) n[a] += (double)d->view_normal[3 * k + a] * voxel[k];
    }
}

static void unpack(uint32_t seen, double n[3])
{
    const double u = (double)(seen & 4095) / 2047.5 - 1, v = (double)(seen >> 12 & 4095) / 2047.5 - 1;
    n[0] = u, n[1] = v, n[2] = 1 - fabs(u) - fabs(v);
    if (n[2] < 0) n[0] = (1 - fabs(v)) * (u >= 0 ? 1 : -1), n[1] = (1 - fabs(u)) * (v >= 0 ? 1 : -1);
}

static double length_of(const double n[3]) { return sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]); }

struct shown {
    const float *depth;
    const uint32_t *seen;
    uint8_t *explained;
};

static void explain(void *context, const struct draw_truth *truth, const struct whole *whole, size_t x, size_t y,
                    const struct candidate *c)
{
    const struct shown *s = context;
    const size_t at = y * truth->d->width + x;
    const uint32_t seen = s->seen[at];
    const bool outside = (seen >> 24 & 1) != truth->d->flipped;
    const double depth = (double)s->depth[at];
    double got[3], want[3], off = 0;
    if (s->explained[at] || seen >> 25 != truth->d->surface || !(depth >= c->low && depth <= c->high)) return;
    if (c->one_sided && outside != c->outside) return;
    unpack(seen, got);
    normal_at(truth, whole, x, y, want);
    const double length = length_of(want), scale = length_of(got);
    for (int a = 0; a < 3; a++) off = fmax(off, fabs(got[a] / scale - (outside ? 1 : -1) * want[a] / length));
    s->explained[at] = off <= NORMAL_ROUNDING + 3 * c->reach / fmin(1, length) || !(length > 0.05);
}

void draw_truth_explain(const struct draw_truth *truth, const float *depth, const uint32_t *seen, uint8_t *explained)
{
    memset(explained, 0, (size_t)truth->d->width * truth->d->height);
    visit_all(truth, explain, &(struct shown){ depth, seen, explained });
}
