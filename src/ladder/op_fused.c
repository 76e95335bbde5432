/* Compares fused with the CPU's stages: it must give the same triangles, each once, in a closed mesh. Ordered rungs
 * must give the same bytes for any number of threads. */
#include "op_grid.h"

#include "mesh_check.h"

#include <string.h>

enum capacity {
    CAPACITY_NONE,   /* only counts the bricks */
    CAPACITY_BRICKS, /* for the bricks but not for a mesh: counts are exact */
    CAPACITY_EXACT,
    CAPACITY_SHORT /* one vertex and one triangle too few: guards catch writes past the end */
};

struct fused_case {
    struct grid_case grid;
    enum capacity capacity;
    int threads; /* CPU; 0: as exec says */
};

struct wanted {
    struct mesh_host mesh;
    struct cell_counts cells;
    uint64_t bricks; /* whose range contains the isovalue */
};

enum { RANGES = GRID_OWN, COUNTS, DRAW, VERTICES, INDICES, WANT };

static void add(struct op_walk *walk, const struct grid_case *g, int threads)
{
    for (int capacity = CAPACITY_NONE; capacity <= CAPACITY_SHORT; capacity++)
        walk->add(walk, &(struct fused_case){ *g, (enum capacity)capacity, threads });
}

static void each(struct op_walk *walk, const struct grid_case *g) { add(walk, g, 0); }

static void cases(struct op_walk *walk)
{
    /* Sizes around strips, bricks and slabs that grid_each() leaves out, with several thread counts. */
    static const size_t shapes[][3] = { { 255, 3, 2 },  { 257, 2, 3 }, { 63, 33, 31 },
                                        { 64, 32, 64 }, { 2, 257, 3 }, { 3, 2, 255 } };
    static const int threads[] = { 1, 2, 3, 7 };
    grid_each(walk, each);
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
            const size_t *n = shapes[s];
            add(walk, &(struct grid_case){ { n[0], n[1], n[2] }, VOXEL_UINT8, FIELD_NOISE, 40.5f }, threads[t]);
        }
}

static struct bricks bricks_of(const struct op_case *c)
{
    const struct grid g = grid_device(c, &((const struct fused_case *)c->param)->grid);
    struct bricks b = bricks_for(&g);
    b.range = c->array[RANGES].device;
    return b;
}

static void plan(struct op_case *c)
{
    static const char *const names[] = { "no capacity", "capacity for the bricks", "capacity for the mesh",
                                         "too little capacity" };
    const struct fused_case *p = c->param;
    grid_plan(c, &p->grid);
    op_name(c, ", %s, %d threads", names[p->capacity], p->threads ? p->threads : c->exec->threads);
    c->threads = c->exec->backend == BACKEND_CPU ? p->threads : 0;
    const struct bricks b = bricks_of(c);
    op_add(c, GRID_TABLES, OP_INPUT, 1, sizeof(struct mc_tables));
    op_add(c, RANGES, OP_INPUT, b.nx * b.ny * b.nz, sizeof *b.range);
    op_add(c, COUNTS, OP_OUTPUT, 1, sizeof(struct fused_counts));
    op_add(c, DRAW, OP_OUTPUT, 1, sizeof(struct draw_command));
    op_add(c, WANT, OP_HOST, 1, sizeof(struct wanted));
}

static void fill_wanted(struct op_case *c, const struct grid_case *g)
{
    struct wanted *want = c->array[WANT].host;
    struct brick_range *range = c->array[RANGES].host;
    struct iso iso;
    const struct grid grid = grid_host(c, g);
    if (iso_open(&iso, BACKEND_CPU, -1, 2, &c->err)) return;
    if (!iso_set_volume(&iso, &grid, &c->err) && !iso_count(&iso, g->iso, &c->err) &&
        !iso_mesh_host(&iso, &want->mesh, &c->err) && !iso_count_cells(&iso, &want->cells, &c->err))
        memcpy(range, iso.bricks.range, c->array[RANGES].bytes);
    iso_close(&iso);
    for (size_t i = 0; i < c->array[RANGES].bytes / sizeof *range; i++)
        want->bricks += brick_state_of(range[i], g->iso) == BRICK_ACTIVE;
}

static void fill(struct op_case *c)
{
    const struct fused_case *p = c->param;
    const struct wanted *want = c->array[WANT].host;
    grid_fill(c, &p->grid);
    memcpy(c->array[GRID_TABLES].host, mc_tables_of(TOPOLOGY_TRILINEAR), sizeof(struct mc_tables));
    fill_wanted(c, &p->grid);
    const size_t missing = p->capacity == CAPACITY_SHORT && want->mesh.triangle_count, none = p->capacity < CAPACITY_EXACT;
    op_add(c, VERTICES, OP_OUTPUT, none ? 0 : want->mesh.vertex_count - missing, sizeof(struct vertex));
    op_add(c, INDICES, OP_OUTPUT, none ? 0 : want->mesh.triangle_count - missing, 3 * sizeof(uint32_t));
}

static void close(struct op_case *c)
{
    struct wanted *want = c->array[WANT].host;
    if (want) mesh_host_free(&want->mesh);
}

static const char *refuses(const struct op_case *c, const struct rung *rung)
{
    (void)c;
    return ((const struct fused_rung *)rung)->run ? NULL : "is the stages, which have tests of their own";
}

static uint64_t brick_capacity(const struct op_case *c)
{
    const struct wanted *want = c->array[WANT].host;
    return ((const struct fused_case *)c->param)->capacity == CAPACITY_NONE ? 0 : want->bricks;
}

static struct fused_desc desc_of(const struct op_case *c)
{
    const struct grid_case *g = &((const struct fused_case *)c->param)->grid;
    return (struct fused_desc){ .grid = grid_device(c, g),
                                .iso = g->iso,
                                .bricks = bricks_of(c),
                                .tables = c->array[GRID_TABLES].device,
                                .mesh = { c->array[VERTICES].device, c->array[INDICES].device },
                                .vertex_capacity = c->array[VERTICES].bytes / sizeof(struct vertex),
                                .triangle_capacity = c->array[INDICES].bytes / (3 * sizeof(uint32_t)),
                                .brick_capacity = brick_capacity(c),
                                .scratch = c->scratch,
                                .counts = c->array[COUNTS].device,
                                .draw = c->array[DRAW].device };
}

/* Of the rung itself; its copy of the volume follows. */
static size_t own_scratch(const struct op_case *c, const struct fused_rung *rung)
{
    const struct bricks b = bricks_of(c);
    return scratch_round(rung->scratch(&b, brick_capacity(c), c->exec));
}

static size_t scratch(const struct op_case *c, const struct rung *rung)
{
    const struct fused_rung *r = (const struct fused_rung *)rung;
    const struct grid g = grid_device(c, &((const struct fused_case *)c->param)->grid);
    return own_scratch(c, r) + (r->copy ? r->copy_bytes(&g) : 0);
}

static int before(struct op_case *c, const struct rung *rung)
{
    const struct fused_rung *r = (const struct fused_rung *)rung;
    return r->keeps_state ? c->ops->fill(c->scratch, 0, own_scratch(c, r), c->exec) : 0;
}

/* Runs twice: the second run must work with the scratch that the first run left, and with the rung's copy of the volume. */
static int run(struct op_case *c, const struct rung *rung)
{
    const struct fused_rung *r = (const struct fused_rung *)rung;
    struct fused_desc d = desc_of(c);
    void *copy = (char *)c->scratch + own_scratch(c, r);
    int code = r->run(&d, c->exec);
    if (!code) code = c->ops->sync(c->exec);
    if (!code && r->copy) code = r->copy(&d.grid, copy, c->exec), d.copy = copy;
    if (!code) code = r->run(&d, c->exec);
    return code ? code : c->ops->sync(c->exec);
}

static bool check_mesh(struct op_case *c, const struct mesh_host *want, bool ordered)
{
    const struct grid_case *g = &((const struct fused_case *)c->param)->grid;
    const struct grid grid = grid_host(c, g);
    const struct mesh_host got = { c->array[VERTICES].got, c->array[INDICES].got, want->vertex_count,
                                   want->triangle_count };
    if (!grid.first[0]) { /* if the grid is cut out of a volume, its sides are no border */
        const struct mesh_findings found = mesh_check(&got, &grid, g->iso);
        if (found.fault) return op_wrong(c, "%s", found.fault);
    }
    if (ordered)
        return (!memcmp(got.vertices, want->vertices, want->vertex_count * sizeof *got.vertices) &&
                !memcmp(got.indices, want->indices, 12 * want->triangle_count)) ||
               op_wrong(c, "not the mesh of the stages bit for bit");
    const struct mesh_digest a = mesh_sums(&got), b = mesh_sums(want);
    return (a.vertices == b.vertices && a.triangles == b.triangles) || op_wrong(c, "the triangles differ");
}

static bool check(struct op_case *c, const struct rung *rung)
{
    const struct fused_rung *r = (const struct fused_rung *)rung;
    const struct fused_desc d = desc_of(c);
    const struct wanted *want = c->array[WANT].host;
    const struct fused_counts *counts = c->array[COUNTS].got;
    const struct draw_command *draw = c->array[DRAW].got;
    const bool fits = counts->bricks <= d.brick_capacity && counts->vertices <= d.vertex_capacity &&
                      counts->triangles <= d.triangle_capacity;
    if (draw->indices != (fits ? 3 * counts->triangles : 0) || draw->instances != 1 || draw->first_index ||
        draw->first_vertex || draw->first_instance)
        return op_wrong(c, "%u indices to draw, of %llu triangles", draw->indices, (unsigned long long)counts->triangles);
    if (counts->bricks != want->bricks)
        return op_wrong(c, "%llu bricks, not %llu", (unsigned long long)counts->bricks, (unsigned long long)want->bricks);
    if (counts->bricks > d.brick_capacity) return true; /* the other counts may be too small */
    if (counts->vertices != want->mesh.vertex_count || counts->triangles != want->mesh.triangle_count)
        return op_wrong(c, "%llu vertices, %llu triangles, not %llu, %llu", (unsigned long long)counts->vertices,
                        (unsigned long long)counts->triangles, (unsigned long long)want->mesh.vertex_count,
                        (unsigned long long)want->mesh.triangle_count);
    if (r->totals && (counts->cells.inside != want->cells.inside || counts->cells.active != want->cells.active ||
                      counts->cells.inner != want->cells.inner))
        return op_wrong(c, "%llu voxels inside, %llu active cells, %llu vertices inside cells",
                        (unsigned long long)counts->cells.inside, (unsigned long long)counts->cells.active,
                        (unsigned long long)counts->cells.inner);
    return !fits || !want->mesh.vertex_count || check_mesh(c, &want->mesh, r->totals != NULL);
}

const struct op op_fused = {
    .op = "fused",
    OP_STAGE,
    .refuses = refuses,
    .scratch = scratch,
    .before = before,
    .close = close,
};
