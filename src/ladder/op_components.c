#include "op.h"

#include "kernels/components.h"
#include "synth.h"

#include <string.h>

enum shape {
    TUBES, /* vessels through a stack of slices, numbered slice by slice like a volume's surface */
    DUST,  /* each triangle alone, its vertices far apart */
    STRIP, /* one long strip, numbered at random */
    ANY,   /* random corners: one large component, and single triangles */
    ALONE, /* no triangles */
    SHAPES
};

struct components_case {
    size_t n; /* triangles; of ALONE: vertices */
    enum shape shape;
};

enum { INDICES, LABELS, WANT, FIRST, USERS, STACK }; /* FIRST, USERS: the triangles at each vertex; for the reference */

static void at_size(void *param, size_t size)
{
    *(struct components_case *)param = (struct components_case){ size, TUBES };
}

static void cases(struct op_walk *walk)
{
    /* clang-format off */
    static const size_t sizes[] = {
        0, 1, 2, 31, 32, 33, 255, 256, 257, /* around a warp, a block */
        3001,                               /* several blocks; STRIP: several thousand rounds of propagation */
    };
    /* clang-format on */
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int shape = 0; shape < SHAPES; shape++)
            walk->add(walk, &(struct components_case){ sizes[s], (enum shape)shape });
    for (int shape = 0; shape < SHAPES; shape++) /* large enough that threads and blocks often collide */
        if (shape != STRIP) walk->add(walk, &(struct components_case){ 200003, (enum shape)shape });
}

/* ---- the mesh ---------------------------------------------------------------------------------------------------- */

/* The size of TUBES: each slice has `rings` rings of `ring` vertices. There is one more slice of vertices than of
 * triangles. */
struct tubes {
    size_t ring, rings, slices;
};

static struct tubes tubes_of(size_t triangles)
{
    struct tubes t = { 4, 2, 0 };
    while (2 * t.ring * t.rings * t.ring * 2 < triangles && t.ring < 256) t.ring *= 2, t.rings += t.rings / 2 + 1;
    t.slices = triangles / (2 * t.ring * t.rings) + 2;
    return t;
}

static size_t vertices_of(const struct components_case *p)
{
    const struct tubes t = tubes_of(p->n);
    const size_t counts[SHAPES] = { t.ring * t.rings * t.slices, 3 * p->n + 1, p->n + 2, p->n + 3, p->n };
    return counts[p->shape];
}

/* Two triangles connect each side of a ring to the next slice. Near the last slice, tubes join in pairs. The label of
 * the whole must then travel down the tube that joined, against the order of the triangles. */
static void fill_tubes(uint32_t *index, size_t n)
{
    const struct tubes t = tubes_of(n);
    for (size_t i = 0; i < n; i++) {
        const size_t side = i / 2, slice = side / (t.ring * t.rings), in_slice = side % (t.ring * t.rings);
        const size_t ring = in_slice / t.ring, at = in_slice % t.ring, next = (at + 1) % t.ring;
        const size_t below = slice * t.ring * t.rings, above = below + t.ring * t.rings;
        const bool bends = slice == t.slices - 3 && ring % 2;
        const size_t here = ring * t.ring, there = bends ? here - t.ring : here;
        const size_t low[2] = { below + here + at, below + here + next };
        const size_t high[2] = { above + there + at, above + there + next };
        const size_t triangle[2][3] = { { low[0], low[1], high[0] }, { high[0], low[1], high[1] } };
        for (int c = 0; c < 3; c++) index[3 * i + (size_t)c] = (uint32_t)triangle[i % 2][c];
    }
}

/* Sets number[0 .. n - 1] to a random order of the whole numbers below n. */
static void shuffle(uint32_t *number, size_t n)
{
    uint64_t seed = 7;
    for (size_t i = 0; i < n; i++) {
        const size_t j = (size_t)(synth_random(&seed) % (i + 1));
        number[i] = number[j];
        number[j] = (uint32_t)i;
    }
}

/* Triangle t has the corners number[3 t .. 3 t + 2] in DUST, and number[t .. t + 2] in STRIP. */
static void fill_mesh(const struct components_case *p, uint32_t *index, uint32_t *number, size_t vertices)
{
    uint64_t seed = 11;
    if (p->shape == TUBES) fill_tubes(index, p->n);
    else shuffle(number, vertices);
    for (size_t i = 0; i < 3 * p->n && p->shape != TUBES; i++)
        index[i] = p->shape == DUST    ? number[i]
                   : p->shape == STRIP ? number[i / 3 + i % 3]
                                       : (uint32_t)(synth_random(&seed) % vertices);
}

/* ---- the reference: a flood from each vertex without a label, in ascending order --------------------------------- */

/* Lists the triangles at each vertex. */
static void list_users(const uint32_t *index, size_t triangles, size_t vertices, uint32_t *first, uint32_t *users)
{
    for (size_t i = 0; i < 3 * triangles; i++) first[index[i] + 1]++;
    for (size_t v = 0; v < vertices; v++) first[v + 1] += first[v];
    for (size_t i = 3 * triangles; i-- > 0;) users[--first[index[i] + 1]] = (uint32_t)(i / 3);
    memmove(first, first + 1, vertices * sizeof *first); /* first[v] is now the start of v's list */
    first[vertices] = (uint32_t)(3 * triangles);
}

static void flood(struct op_case *c, uint32_t from)
{
    const uint32_t *index = c->array[INDICES].host, *first = c->array[FIRST].host, *users = c->array[USERS].host;
    uint32_t *label = c->array[WANT].host, *stack = c->array[STACK].host;
    size_t height = 0;
    stack[height++] = from;
    label[from] = from;
    while (height) {
        const uint32_t v = stack[--height];
        for (uint32_t u = first[v]; u < first[v + 1]; u++)
            for (size_t k = 0; k < 3; k++) {
                const uint32_t w = index[3 * (size_t)users[u] + k];
                if (label[w] != UINT32_MAX) continue;
                label[w] = from;
                stack[height++] = w;
            }
    }
}

/* ---- the case ---------------------------------------------------------------------------------------------------- */

static void plan(struct op_case *c)
{
    static const char *const names[SHAPES] = { "tubes", "dust", "a strip", "random", "no triangles" };
    const struct components_case *p = c->param;
    const size_t triangles = p->shape == ALONE ? 0 : p->n, vertices = vertices_of(p);
    if (op_product(3, triangles) >= UINT32_MAX || vertices >= UINT32_MAX)
        err_set(&c->err, ERR_FAILED, "%zu triangles exceed the limit of 2^32 corners", p->n);
    op_name(c, "%zu triangles, %s", triangles, names[p->shape]);
    op_add(c, INDICES, OP_INPUT, 3 * triangles, sizeof(uint32_t));
    op_add(c, LABELS, OP_OUTPUT, vertices, sizeof(uint32_t));
    op_add(c, WANT, OP_HOST, vertices, sizeof(uint32_t));
    op_add(c, FIRST, OP_HOST, vertices + 1, sizeof(uint32_t));
    op_add(c, USERS, OP_HOST, 3 * triangles, sizeof(uint32_t));
    op_add(c, STACK, OP_HOST, vertices, sizeof(uint32_t));
    c->operations = triangles;
    c->bytes = (3 * triangles + vertices) * sizeof(uint32_t);
}

static struct components_desc desc_of(const struct op_case *c)
{
    const struct op_array *a = c->array;
    return (struct components_desc){ a[LABELS].bytes / sizeof(uint32_t), a[INDICES].bytes / (3 * sizeof(uint32_t)),
                                     a[INDICES].device, a[LABELS].device };
}

static void fill(struct op_case *c)
{
    const struct components_desc d = desc_of(c);
    struct components_case mesh = *(const struct components_case *)c->param;
    uint32_t *index = c->array[INDICES].host, *want = c->array[WANT].host;
    mesh.n = d.triangles;
    fill_mesh(&mesh, index, c->array[STACK].host, d.vertices);
    list_users(index, d.triangles, d.vertices, c->array[FIRST].host, c->array[USERS].host);
    memset(want, 0xff, d.vertices * sizeof *want);
    for (size_t v = 0; v < d.vertices; v++)
        if (want[v] == UINT32_MAX) flood(c, (uint32_t)v);
}

OP_BY_DESC(components)

static bool check(struct op_case *c, const struct rung *rung)
{
    const uint32_t *want = c->array[WANT].host, *got = c->array[LABELS].got;
    const size_t vertices = c->array[LABELS].bytes / sizeof *got;
    (void)rung;
    for (size_t v = 0; v < vertices; v++)
        if (got[v] != want[v]) return op_wrong(c, "vertex %zu has the label %u, not %u", v, got[v], want[v]);
    return true;
}

const struct op op_components = {
    .op = "components",
    .unit = "triangles",
    .size = { 1 << 20, 1 << 24 },
    .operation = "triangle",
    OP_TIMED,
    .scratch = scratch,
};
