/* Compares draw with a reference in double precision (draw_truth.h), and the CPU's rungs also with the textbook, bit
 * for bit. Guests (draw_guests.h) get the same triangles and the same camera, and are compared with the same reference. */
#include "op_grid.h"

#include "draw_guests.h"
#include "draw_truth.h"
#include "iso.h"
#include "synth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum scene {
    SCENE_SURFACE, /* vessels of n voxels along each axis */
    SCENE_NOISE,   /* surface of noise: a triangle or more in each cell, seen from both sides */
    SCENE_SQUARES, /* 2 n x n triangles side by side over the picture, at multiples of 1/4 of a pixel, each at its own depth */
    SCENE_SOUP     /* n triangles of any size and place, many of them partly behind the eye */
};

enum view { VIEW_WHOLE, VIEW_PARALLEL, VIEW_MIRRORED, VIEW_NEAR, VIEW_INSIDE, VIEW_PIXELS };

struct draw_case {
    enum scene scene;
    size_t n;
    enum view view;
    uint32_t width, height;
    int threads; /* CPU; 0: as exec says */
    bool over, flipped, cancelled;
};

enum { VERTICES = GRID_VOXELS + 1, INDICES, DEPTH, SEEN, STATE, LOW, HIGH, EXPLAINED, SAME_DEPTH, SAME_SEEN };

struct state {
    struct draw_desc host; /* with the textbook's pixels */
};

static const struct grid_case noise = { { 12, 11, 10 }, VOXEL_UINT8, FIELD_NOISE, 40.5f };

/* ---- cases --------------------------------------------------------------------------------------------------------- */

static void at_size(void *param, size_t size)
{
    *(struct draw_case *)param = (struct draw_case){ SCENE_SURFACE, size, VIEW_WHOLE, 1280, 800, 0, false, false, false };
}

static void cases(struct op_walk *walk)
{
    /* clang-format off */
    static const struct draw_case some[] = {
        { SCENE_SQUARES, 0, VIEW_PIXELS, 64, 64 },   /* nothing at all */
        { SCENE_SQUARES, 1, VIEW_PIXELS, 1, 1 },     /* a pixel */
        { SCENE_SQUARES, 23, VIEW_PIXELS, 64, 64 },  /* a tile */
        { SCENE_SQUARES, 23, VIEW_PIXELS, 256, 64 }, /* triangles as wide as a vector */
        { SCENE_SQUARES, 90, VIEW_PIXELS, 128, 128 },/* triangles of a pixel or two */
        { SCENE_SQUARES, 9, VIEW_PIXELS, 256, 256 }, /* triangles wider than a vector */
        { SCENE_SQUARES, 2, VIEW_PIXELS, 512, 512 }, /* triangles over more than 2 x 2 tiles */
        { SCENE_SOUP, 1, VIEW_WHOLE, 65, 63 },       /* around a tile */
        { SCENE_SOUP, 17, VIEW_WHOLE, 129, 127 },    /* around a vector */
        { SCENE_SOUP, 4097, VIEW_WHOLE, 200, 100 },  /* around the triangles that a thread takes */
        { SCENE_SOUP, 300, VIEW_INSIDE, 200, 100 },
        { SCENE_NOISE, 0, VIEW_WHOLE, 320, 200 },
        { SCENE_NOISE, 0, VIEW_PARALLEL, 320, 200 },
        { SCENE_NOISE, 0, VIEW_MIRRORED, 320, 200 },
        { SCENE_NOISE, 0, VIEW_NEAR, 320, 200 },
        { SCENE_NOISE, 0, VIEW_INSIDE, 320, 200 },
        { SCENE_NOISE, 0, VIEW_WHOLE, 31, 5 },       /* triangles smaller than pixels */
        { SCENE_NOISE, 0, VIEW_WHOLE, 320, 200, 0, true, false, false },
        { SCENE_NOISE, 0, VIEW_WHOLE, 320, 200, 0, true, true, false },
        { SCENE_SURFACE, 40, VIEW_WHOLE, 640, 400 },
    };
    /* clang-format on */
    static const int threads[] = { 0, 1, 3 };
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++)
        for (size_t t = 0; t < (walk->backend == BACKEND_CPU ? sizeof threads / sizeof threads[0] : 1); t++) {
            struct draw_case one = some[i];
            one.threads = threads[t];
            walk->add(walk, &one);
        }
    if (walk->backend == BACKEND_CPU)
        walk->add(walk, &(struct draw_case){ SCENE_NOISE, 0, VIEW_WHOLE, 64, 64, 0, false, false, true });
    if (!walk->quick)
        walk->add(walk, &(struct draw_case){ SCENE_SOUP, (1 << 20) + 5, VIEW_WHOLE, 48, 30 }); /* takes two rounds */
}

static struct grid_case grid_of(const struct draw_case *p)
{
    return p->scene == SCENE_SURFACE ? grid_at_size(p->n) : noise;
}

static bool has_grid(const struct draw_case *p) { return p->scene == SCENE_SURFACE || p->scene == SCENE_NOISE; }

static void plan(struct op_case *c)
{
    static const char *const scenes[] = { "surface", "noise", "squares", "soup" };
    static const char *const views[] = { "whole", "parallel", "mirrored", "near", "inside", "pixels" };
    const struct draw_case *p = c->param;
    const struct grid_case g = grid_of(p);
    const size_t pixels = op_product(p->width, p->height);
    if (has_grid(p)) grid_plan(c, &g);
    op_name(c, " %s of %zu, %s, %u x %u, %d threads%s%s%s", scenes[p->scene], p->n, views[p->view], p->width, p->height,
            p->threads, p->over ? ", over" : "", p->flipped ? ", flipped" : "", p->cancelled ? ", cancelled" : "");
    c->threads = c->exec->backend == BACKEND_CPU ? p->threads : 0;
    c->cancelled = p->cancelled;
    op_add(c, DEPTH, p->over ? OP_INOUT : OP_OUTPUT, pixels, sizeof(float));
    op_add(c, SEEN, p->over ? OP_INOUT : OP_OUTPUT, pixels, sizeof(uint32_t));
    op_add(c, STATE, OP_HOST, 1, sizeof(struct state));
    op_add(c, LOW, OP_HOST, pixels, sizeof(double));
    op_add(c, HIGH, OP_HOST, pixels, sizeof(double));
    op_add(c, EXPLAINED, OP_HOST, pixels, 1);
    op_add(c, SAME_DEPTH, OP_HOST, pixels, sizeof(float));
    op_add(c, SAME_SEEN, OP_HOST, pixels, sizeof(uint32_t));
}

/* ---- scenes -------------------------------------------------------------------------------------------------------- */

static void add_mesh(struct op_case *c, size_t vertices, size_t triangles)
{
    struct draw_desc *d = &((struct state *)c->array[STATE].host)->host;
    op_add(c, VERTICES, OP_INPUT, vertices, sizeof(struct vertex));
    op_add(c, INDICES, OP_INPUT, triangles, 3 * sizeof(uint32_t));
    d->vertices = c->array[VERTICES].host, d->indices = c->array[INDICES].host;
    d->vertex_count = vertices, d->triangle_count = triangles;
}

static void fill_surface(struct op_case *c)
{
    const struct grid_case g = grid_of(c->param);
    struct mesh_host mesh = { 0 };
    struct iso iso;
    grid_fill(c, &g);
    if (c->err.code) return;
    struct grid grid = grid_host(c, &g);
    memset(grid.first, 0, sizeof grid.first);
    if (iso_open(&iso, BACKEND_CPU, -1, 0, &c->err)) return;
    if (!iso_set_volume(&iso, &grid, &c->err) && !iso_extract(&iso, g.iso, &mesh, &c->err)) {
        add_mesh(c, mesh.vertex_count, mesh.triangle_count);
        if (!c->err.code && mesh.triangle_count) {
            memcpy(c->array[VERTICES].host, mesh.vertices, c->array[VERTICES].bytes);
            memcpy(c->array[INDICES].host, mesh.indices, c->array[INDICES].bytes);
        }
    }
    mesh_host_free(&mesh);
    iso_close(&iso);
}

static uint32_t pack_normal(uint64_t *seed)
{
    uint32_t packed = 0;
    for (int a = 0; a < 3; a++) packed |= ((uint32_t)((int)(synth_fraction(seed) * 1022) - 511) & 1023) << 10 * a;
    return packed;
}

/* Corners lie on a lattice that covers the picture. Inner ones are moved by some quarters of a pixel. x and y are in
 * pixels. */
static void fill_squares(struct op_case *c)
{
    const struct draw_case *p = c->param;
    const size_t n = p->n;
    const double side[2] = { n ? (double)p->width / (double)n : 0, n ? (double)p->height / (double)n : 0 };
    uint64_t seed = 42;
    add_mesh(c, 6 * n * n, 2 * n * n);
    if (c->err.code) return;
    float(*corner)[2] = malloc((n + 1) * (n + 1) * sizeof *corner);
    if (!corner) {
        err_set(&c->err, ERR_FAILED, "not enough memory for corners");
        return;
    }
    for (size_t i = 0; i < (n + 1) * (n + 1); i++) {
        const size_t at[2] = { i % (n + 1), i / (n + 1) };
        for (int a = 0; a < 2; a++) {
            const double moved = n && at[a] % n ? (synth_fraction(&seed) - 0.5) * 0.5 : 0;
            corner[i][a] = (float)(floor(((double)at[a] + moved) * side[a] * 4) / 4);
        }
    }
    struct vertex *vertex = c->array[VERTICES].host;
    uint32_t *index = c->array[INDICES].host;
    for (size_t i = 0; i < 6 * n * n; i++) {
        static const uint8_t turns[2][6] = { { 0, 1, 2, 2, 1, 3 }, { 0, 3, 2, 0, 1, 3 } };
        const size_t cell = i / 6, which = turns[cell * 7 / 3 % 2][i % 6];
        const float *at = corner[(cell / n + which / 2) * (n + 1) + cell % n + which % 2];
        vertex[i] = (struct vertex){ at[0], at[1], (float)(i / 3 % 61) / 64, pack_normal(&seed) };
        index[i] = (uint32_t)i;
    }
    free(corner);
}

static void fill_soup(struct op_case *c)
{
    const size_t n = ((const struct draw_case *)c->param)->n;
    uint64_t seed = 42;
    add_mesh(c, 3 * n, n);
    if (c->err.code) return;
    struct vertex *vertex = c->array[VERTICES].host;
    uint32_t *index = c->array[INDICES].host;
    for (size_t t = 0; t < n; t++) {
        const double size = pow(0.5, 12 * synth_fraction(&seed)) * 4;
        double middle[3];
        for (int a = 0; a < 3; a++) middle[a] = 3 * synth_fraction(&seed) - 1.5;
        for (size_t i = 3 * t; i < 3 * t + 3; i++) {
            float at[3];
            for (int a = 0; a < 3; a++) at[a] = (float)(middle[a] + size * (synth_fraction(&seed) - 0.5));
            vertex[i] = (struct vertex){ at[0], at[1], at[2], pack_normal(&seed) };
            index[i] = (uint32_t)i;
        }
    }
}

/* ---- views --------------------------------------------------------------------------------------------------------- */

struct camera_at {
    double distance, near, far; /* in half diagonals of what is seen */
};

/* The view at the program's start: 35 degrees to the side, 20 above. */
static void look(struct draw_desc *d, enum view view, const double low[3], const double high[3])
{
    /* clang-format off */
    static const struct camera_at at[] = {
        [VIEW_WHOLE] = { 2.6, 1.4, 3.8 }, [VIEW_PARALLEL] = { 2.6, 1.4, 3.8 }, [VIEW_MIRRORED] = { 2.6, 1.4, 3.8 },
        [VIEW_NEAR] = { 0.9, 0.6, 1.2 }, [VIEW_INSIDE] = { 0.1, 0.01, 1.5 },
    };
    /* clang-format on */
    const double azimuth = 0.61, elevation = 0.35, f = 2.4, aspect = (double)d->width / d->height;
    const double near = at[view].near, far = at[view].far,
                 half = hypot(hypot(high[0] - low[0], high[1] - low[1]), high[2] - low[2]) / 2;
    const double ca = cos(azimuth), sa = sin(azimuth), ce = cos(elevation), se = sin(elevation);
    const double turn[3][3] = { { ca, sa, 0 }, { -sa * se, ca * se, ce }, { sa * ce, -ca * ce, se } }; /* right, up, back */
    const double mirror = view == VIEW_MIRRORED ? -1 : 1;
    for (int k = 0; k < 4; k++) {
        double v[3];
        for (int a = 0; a < 3; a++) {
            v[a] = a == 2 && k == 3 ? -at[view].distance : 0;
            if (k < 3) v[a] = turn[a][k] / half;
            else
                for (int b = 0; b < 3; b++) v[a] -= turn[a][b] * (low[b] + high[b]) / 2 / half;
            if (k < 3) d->view_normal[3 * k + a] = (float)((a ? 1 : mirror) * turn[a][k]);
        }
        const double one = k == 3;
        const bool parallel = view == VIEW_PARALLEL;
        float *m = d->clip_from_voxel + 4 * k;
        m[0] = (float)(mirror * (parallel ? 1 : f) * v[0] / aspect), m[1] = (float)((parallel ? 1 : f) * v[1]);
        m[2] = (float)(parallel ? (-2 * v[2] - one * (far + near)) / (far - near)
                                : (-(far + near) * v[2] - one * 2 * far * near) / (far - near));
        m[3] = (float)(parallel ? one : -v[2]);
    }
    d->clockwise = view == VIEW_MIRRORED;
}

/* A view in which voxel coordinates are pixels and depth. */
static void look_at_pixels(struct draw_desc *d)
{
    const float m[16] = { 2 / (float)d->width, 0, 0, 0, 0, 2 / (float)d->height, 0, 0, 0, 0, 2, 0, -1, -1, -1, 1 };
    memcpy(d->clip_from_voxel, m, sizeof m);
    for (int i = 0; i < 9; i++) d->view_normal[i] = i % 4 == 0;
}

static void set_view(const struct draw_case *p, struct draw_desc *d)
{
    const struct grid_case g = grid_of(p);
    double low[3] = { -1, -1, -1 }, high[3] = { 1, 1, 1 };
    d->width = p->width, d->height = p->height, d->surface = 4; /* pictures have four at most */
    d->over = p->over, d->flipped = p->flipped;
    if (has_grid(p))
        for (int a = 0; a < 3; a++) low[a] = 0, high[a] = (double)g.n[a] - 1;
    if (p->view == VIEW_PIXELS) look_at_pixels(d);
    else look(d, p->view, low, high);
}

/* ---- truth --------------------------------------------------------------------------------------------------------- */

/* If the picture is drawn over another one, that has depth 0.5 in every second column of 16 pixels. */
static void fill_before(struct op_case *c)
{
    const struct draw_case *p = c->param;
    float *depth = c->array[DEPTH].host;
    uint32_t *seen = c->array[SEEN].host;
    for (size_t i = 0; p->over && i < (size_t)p->width * p->height; i++) {
        const bool there = i % p->width / 16 % 2;
        depth[i] = there ? 0.5f : 1, seen[i] = there ? 1u << 25 : 0;
    }
}

static struct draw_truth truth_of(const struct op_case *c)
{
    const struct state *s = c->array[STATE].host;
    return (struct draw_truth){ &s->host, ((const struct draw_case *)c->param)->view == VIEW_PIXELS };
}

static void fill_truth(struct op_case *c)
{
    struct state *s = c->array[STATE].host;
    struct draw_desc *d = &s->host;
    const struct draw_truth truth = truth_of(c);
    const size_t pixels = (size_t)d->width * d->height;
    d->depth = c->array[SAME_DEPTH].host, d->seen = c->array[SAME_SEEN].host;
    if (d->over) {
        memcpy(d->depth, c->array[DEPTH].host, pixels * sizeof *d->depth);
        memcpy(d->seen, c->array[SEEN].host, pixels * sizeof *d->seen);
    }
    draw_cpu[0].run(d, NULL, &(struct exec){ .threads = 1 });
    draw_truth_bounds(&truth, c->array[LOW].host, c->array[HIGH].host);
}

static void fill(struct op_case *c)
{
    static void (*const scenes[])(struct op_case * c) = { fill_surface, fill_surface, fill_squares, fill_soup };
    const struct draw_case *p = c->param;
    struct state *s = c->array[STATE].host;
    scenes[p->scene](c);
    if (c->err.code) return;
    set_view(p, &s->host);
    fill_before(c);
    fill_truth(c);
    c->operations = s->host.triangle_count;
    c->bytes = c->array[VERTICES].bytes + c->array[INDICES].bytes + c->array[DEPTH].bytes + c->array[SEEN].bytes;
}

static struct draw_desc desc_of(const struct op_case *c)
{
    struct draw_desc d = ((const struct state *)c->array[STATE].host)->host;
    d.vertices = c->array[VERTICES].device, d.indices = c->array[INDICES].device;
    d.depth = c->array[DEPTH].device, d.seen = c->array[SEEN].device;
    return d;
}

/* ---- guests -------------------------------------------------------------------------------------------------------- */

static bool is_guest(const struct op_case *c, const struct rung *rung)
{
    const struct rung *guest = c->guests ? c->guests->rung : NULL;
    while (guest && guest->name && guest != rung) guest++;
    return guest && guest->name;
}

void draw_guests_join(struct op_case *c, const struct draw_guests *guests)
{
    const struct state *s = c->array[STATE].host;
    c->guests = guests;
    guests->load(guests->context, &s->host);
}

static const char *refuses(const struct op_case *c, const struct rung *rung)
{
    if (!c || !is_guest(c, rung)) return NULL;
    const struct draw_case *p = c->param;
    if (p->view == VIEW_PIXELS) return "which of two triangles covers a pixel on their common edge is left to it";
    if (p->over) return "it draws over nothing";
    return p->cancelled ? "nothing cancels it" : c->guests->refuses(c->guests->context, rung);
}

static bool read_guest(struct op_case *c)
{
    const struct draw_guests *g = c->guests;
    struct err err = { .code = ERR_NONE };
    return !g->read(g->context, c->array[DEPTH].got, c->array[SEEN].got, &err) || op_wrong(c, "%s", err.text);
}

/* ---- runs ---------------------------------------------------------------------------------------------------------- */

static size_t scratch(const struct op_case *c, const struct rung *rung)
{
    const struct draw_desc d = desc_of(c);
    const struct draw_rung *r = (const struct draw_rung *)rung;
    return !is_guest(c, rung) && r->scratch ? r->scratch(&d, c->exec) : 0;
}

static int run(struct op_case *c, const struct rung *rung)
{
    const struct draw_desc d = desc_of(c);
    if (is_guest(c, rung)) return c->guests->draw(c->guests->context, rung, &c->ms, &c->failed);
    return ((const struct draw_rung *)rung)->run(&d, c->scratch, c->exec);
}

/* ---- judgement ----------------------------------------------------------------------------------------------------- */

static bool check_pixel(struct op_case *c, size_t i)
{
    const struct draw_case *p = c->param;
    const double low = ((const double *)c->array[LOW].host)[i], high = ((const double *)c->array[HIGH].host)[i];
    const float depth = ((const float *)c->array[DEPTH].got)[i];
    const uint32_t seen = ((const uint32_t *)c->array[SEEN].got)[i];
    const float before = p->over ? ((const float *)c->array[DEPTH].host)[i] : 1;
    const uint32_t seen_before = p->over ? ((const uint32_t *)c->array[SEEN].host)[i] : 0;
    const unsigned x = (unsigned)(i % p->width), y = (unsigned)(i / p->width);
    if (depth == before && seen == seen_before)
        return high >= (double)before ||
               op_wrong(c, "pixel (%u, %u) shows nothing new, and a triangle at depth %.8g covers it", x, y, high);
    if (!(depth < before))
        return op_wrong(c, "pixel (%u, %u) has depth %.8g over %.8g", x, y, (double)depth, (double)before);
    if (!((double)depth >= low && (double)depth <= high))
        return op_wrong(c, "pixel (%u, %u) has depth %.8g, not %.8g to %.8g", x, y, (double)depth, low, high);
    return ((const uint8_t *)c->array[EXPLAINED].host)[i] ||
           op_wrong(c, "pixel (%u, %u) shows %08x: no triangle at depth %.8g has that normal, side and surface", x, y, seen,
                    (double)depth);
}

static bool check(struct op_case *c, const struct rung *rung)
{
    const struct draw_case *p = c->param;
    const struct draw_truth truth = truth_of(c);
    const bool guest = is_guest(c, rung);
    if (p->cancelled) return true;
    if (guest && !read_guest(c)) return false;
    draw_truth_explain(&truth, c->array[DEPTH].got, c->array[SEEN].got, c->array[EXPLAINED].host);
    for (size_t i = 0; i < (size_t)p->width * p->height; i++)
        if (!check_pixel(c, i)) return false;
    if (guest || c->exec->backend != BACKEND_CPU) return true;
    return (!memcmp(c->array[DEPTH].got, c->array[SAME_DEPTH].host, c->array[SAME_DEPTH].bytes) &&
            !memcmp(c->array[SEEN].got, c->array[SAME_SEEN].host, c->array[SAME_SEEN].bytes)) ||
           op_wrong(c, "not the textbook's pixels bit for bit");
}

const struct op op_draw = {
    .op = "draw",
    .unit = "voxels along each axis of the surface's volume",
    .size = { 256, 512 },
    .operation = "triangle",
    OP_TIMED,
    .scratch = scratch,
    .refuses = refuses,
};
