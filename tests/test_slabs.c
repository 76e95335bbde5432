/* Meshes of slabs and blocks of a volume are those of the whole, bit for bit: by every rung, in every type, on odd shapes.
 *
 * Noise of few values: all 256 cases, ties of saddles with the isovalue, and voxels on it. Sizes: one more and one less
 * than bricks (32 x 4 x 4), a last layer of one slice, and axes too short for differences on both sides. */
#include "iso_util.h"
#include "plan.h"

static struct iso iso;

/* ---- volumes and their cuts -------------------------------------------------------------------------------------- */

static struct volume noise(enum voxel_type type, const uint64_t n[3])
{
    struct volume v;
    struct err err;
    if (volume_alloc(&v, type, n, &err)) abort();
    for (size_t i = 0; i < grid_voxels(&v.grid); i++) {
        const unsigned value = (unsigned)(check_random() >> 33) % 6;
        const float part = i % 3 ? (float)(check_random() >> 40) * 0x1p-24f : 0; /* uses all bits of a coordinate */
        if (type == VOXEL_FLOAT32) ((float *)v.grid.voxels)[i] = check_random() % 97 ? (float)value + part : NAN;
        else if (voxel_bytes(type) == 1) ((uint8_t *)v.grid.voxels)[i] = (uint8_t)value;
        else ((uint16_t *)v.grid.voxels)[i] = (uint16_t)value;
    }
    return v;
}

/* The block of `g` from voxel `from` up to `to`; voxels: owned by the caller. */
static struct grid cut(const struct grid *g, const size_t from[3], const size_t to[3])
{
    struct grid b = *g;
    const size_t bytes = voxel_bytes(g->type);
    b.nx = to[0] - from[0], b.ny = to[1] - from[1], b.nz = to[2] - from[2];
    for (int a = 0; a < 3; a++) b.first[a] = from[a];
    char *voxels = malloc(grid_bytes(&b));
    if (!voxels) abort();
    for (size_t z = 0; z < b.nz; z++)
        for (size_t y = 0; y < b.ny; y++)
            memcpy(voxels + (z * b.ny + y) * b.nx * bytes,
                   (const char *)g->voxels + (((from[2] + z) * g->ny + from[1] + y) * g->nx + from[0]) * bytes,
                   b.nx * bytes);
    b.voxels = voxels;
    return b;
}

/* ---- a mesh, and which voxel owns what --------------------------------------------------------------------------- */

struct owned {
    struct grid grid;
    struct mesh_host mesh;
    uint32_t *vertex, *triangle; /* [voxels + 1] of each voxel: the number of its first one */
    uint32_t *owner;             /* of each vertex */
};

/* By the stages with strips of one voxel. */
static struct owned make_owned(const struct grid *g, size_t longest, float value)
{
    struct owned o = { .grid = *g };
    struct err err = { 0 };
    const size_t n = grid_voxels(g);
    iso_set_all(&iso, false);
    if (iso_force_rung(&iso, STAGE_CLASSIFY, "textbook", &err) || iso_set_block(&iso, g, longest, &err) ||
        iso_count(&iso, value, &err) || iso_mesh_host(&iso, &o.mesh, &err))
        printf("%s\n", err.text), abort();
    const struct strips *s = &iso.strips;
    o.vertex = malloc((n + 1) * sizeof *o.vertex), o.triangle = malloc((n + 1) * sizeof *o.triangle);
    o.owner = malloc((o.mesh.vertex_count + 1) * sizeof *o.owner);
    if (!o.vertex || !o.triangle || !o.owner || s->count != n) abort();
    if (iso.ops->download(o.vertex, s->first_vertex, n * sizeof *o.vertex, &iso.exec) ||
        iso.ops->download(o.triangle, s->first_triangle, n * sizeof *o.triangle, &iso.exec))
        abort();
    o.vertex[n] = (uint32_t)o.mesh.vertex_count, o.triangle[n] = (uint32_t)o.mesh.triangle_count;
    for (size_t v = 0; v < n; v++)
        for (uint32_t i = o.vertex[v]; i < o.vertex[v + 1]; i++) o.owner[i] = (uint32_t)v;
    return o;
}

static void free_owned(struct owned *o)
{
    mesh_host_free(&o->mesh);
    free(o->vertex);
    free(o->triangle);
    free(o->owner);
}

/* The voxel of the whole that is voxel v of a block. */
static size_t in_whole(const struct grid *whole, const struct grid *block, size_t v)
{
    const size_t x = block->first[0] + v % block->nx, y = block->first[1] + v / block->nx % block->ny,
                 z = block->first[2] + v / block->nx / block->ny;
    return (z * whole->ny + y) * whole->nx + x;
}

/* Whether voxel v of a block owns the same vertices and triangles as in the whole. */
static bool owns_same(const struct owned *whole, const struct owned *block, size_t v)
{
    const size_t w = in_whole(&whole->grid, &block->grid, v);
    const uint32_t vertices = block->vertex[v + 1] - block->vertex[v],
                   triangles = block->triangle[v + 1] - block->triangle[v];
    if (vertices != whole->vertex[w + 1] - whole->vertex[w] || triangles != whole->triangle[w + 1] - whole->triangle[w])
        return false;
    if (memcmp(block->mesh.vertices + block->vertex[v], whole->mesh.vertices + whole->vertex[w],
               vertices * sizeof(struct vertex)) != 0)
        return false;
    for (uint32_t i = 0; i < 3 * triangles; i++) {
        const uint32_t here = block->mesh.indices[3 * (size_t)block->triangle[v] + i], owner = block->owner[here];
        const size_t there = in_whole(&whole->grid, &block->grid, owner);
        if (whole->vertex[there] + here - block->vertex[owner] != whole->mesh.indices[3 * (size_t)whole->triangle[w] + i])
            return false;
    }
    return true;
}

/* ---- every rung on a block --------------------------------------------------------------------------------------- */

static bool same_mesh_as(const struct mesh_host *a, const struct mesh_host *b)
{
    return a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count &&
           !memcmp(a->vertices, b->vertices, a->vertex_count * sizeof *a->vertices) &&
           !memcmp(a->indices, b->indices, 12 * a->triangle_count);
}

/* Runs `judge` after the count by each rung of each stage that gives an ordered mesh with shared vertices. */
static void each_rung(const struct grid *block, size_t longest, float value,
                      void (*judge)(const struct mesh_host *got, const char *name, const void *context),
                      const void *context)
{
    struct mesh_host got;
    struct err err = { 0 };
    const struct rung *rung;
    if (!CHECK(!iso_set_block(&iso, block, longest, &err))) abort();
    for (int stage = STAGE_CLASSIFY; stage <= STAGE_FUSED; stage++)
        for (size_t i = 0; (rung = ladder_rung(ladder_of(stage_name[stage]), iso.exec.backend, i)); i++) {
            iso_set_all(&iso, false);
            if (rung_unavailable(rung, &iso.exec) || iso_set_rung(&iso, (enum stage)stage, rung->name, &err)) continue;
            if (stage != STAGE_FUSED) iso_force_rung(&iso, (enum stage)stage, rung->name, &err);
            if (((const struct generate_rung *)iso.rung[STAGE_GENERATE])->soup || !iso_is_ordered(&iso)) continue;
            if (CHECK(!iso_extract(&iso, value, &got, &err))) judge(&got, rung->name, context);
            else printf("%s\n", err.text);
            mesh_host_free(&got);
        }
    iso_set_all(&iso, false);
}

static void check_same(const struct mesh_host *got, const char *name, const void *context)
{
    if (!CHECK(same_mesh_as(got, context))) printf("  by %s\n", name);
}

/* A block with its halo of 2 below and 2 above; own voxels are those of the whole, and rungs agree on all of it. */
static void check_block(const struct owned *whole, float value, const size_t begin[3], const size_t end[3])
{
    const size_t n[3] = { whole->grid.nx, whole->grid.ny, whole->grid.nz };
    size_t from[3], to[3], wrong = 0;
    for (int a = 0; a < 3; a++) from[a] = begin[a] < 2 ? 0 : begin[a] - 2, to[a] = min_size(end[a] + 2, n[a]);
    struct grid block = cut(&whole->grid, from, to);
    struct owned o = make_owned(&block, grid_longest(&whole->grid), value);
    for (size_t z = begin[2]; z < end[2]; z++)
        for (size_t y = begin[1]; y < end[1]; y++)
            for (size_t x = begin[0]; x < end[0]; x++)
                wrong += !owns_same(whole, &o, ((z - from[2]) * block.ny + y - from[1]) * block.nx + x - from[0]);
    CHECK(!wrong);
    each_rung(&block, grid_longest(&whole->grid), value, check_same, &o.mesh);
    free_owned(&o);
    free((void *)block.voxels);
}

/* ---- slabs of layers of bricks, as plan.h has them --------------------------------------------------------------- */

struct slab_check {
    const struct owned *whole;
    struct plan_slab slab;
};

static void check_run(const struct mesh_host *got, const char *name, const void *context)
{
    const struct slab_check *c = context;
    const struct plan_slab *s = &c->slab;
    const size_t layer = c->whole->grid.nx * c->whole->grid.ny, below = s->from < s->begin,
                 layers = plan_layers(s->end - s->begin);
    const uint32_t v = c->whole->vertex[s->begin * layer], t = c->whole->triangle[s->begin * layer];
    const uint32_t vertices = c->whole->vertex[s->end * layer] - v, triangles = c->whole->triangle[s->end * layer] - t;
    struct err err = { 0 };
    struct iso_layer *before = calloc(iso.bricks.nz + 1, sizeof *before);
    if (!before || !CHECK(!iso_layers(&iso, before, &err))) abort();
    const struct iso_layer a = before[below], b = before[below + layers], last = before[iso.bricks.nz];
    bool same = b.vertices - a.vertices == vertices && b.triangles - a.triangles == triangles &&
                last.vertices == got->vertex_count && last.triangles == got->triangle_count &&
                !memcmp(got->vertices + a.vertices, c->whole->mesh.vertices + v, vertices * sizeof(struct vertex));
    for (size_t i = 0; same && i < (size_t)3 * triangles; i++)
        same = got->indices[3 * a.triangles + i] - (uint32_t)a.vertices + v == c->whole->mesh.indices[(size_t)3 * t + i];
    if (!CHECK(same)) printf("  by %s, slices %zu to %zu\n", name, s->begin, s->end);
    free(before);
}

static void check_slabs(const struct owned *whole, float value, size_t most)
{
    const struct grid *g = &whole->grid;
    for (size_t layer = 0; layer < plan_layers(g->nz); layer += most) {
        const struct slab_check c = { whole, plan_slab_at(layer, min_size(most, plan_layers(g->nz) - layer), g->nz) };
        const size_t from[3] = { 0, 0, c.slab.from }, to[3] = { g->nx, g->ny, c.slab.to };
        struct grid block = cut(g, from, to);
        each_rung(&block, grid_longest(g), value, check_run, &c);
        free((void *)block.voxels);
    }
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static void check_volume(enum voxel_type type, const uint64_t n[3], float value)
{
    struct volume v = noise(type, n);
    struct owned whole = make_owned(&v.grid, 0, value);
    CHECK(whole.mesh.triangle_count > 0);
    for (size_t most = 1; most < 4; most += 2) check_slabs(&whole, value, most);
    for (int i = 0; i < 4; i++) { /* anywhere; rows whole in half of them */
        size_t begin[3], end[3];
        for (int a = 0; a < 3; a++) {
            begin[a] = (size_t)(check_random() % n[a]);
            end[a] = begin[a] + 1 + (size_t)(check_random() % (n[a] - begin[a]));
            if (a == 0 && i % 2) begin[a] = 0, end[a] = (size_t)n[a];
        }
        check_block(&whole, value, begin, end);
    }
    free_owned(&whole);
    volume_free(&v);
}

/* How far a vertex on an edge is from the nearer voxel; 1 if it lies inside a cell. */
static double from_voxel(const struct vertex *v)
{
    const double p[3] = { (double)v->x, (double)v->y, (double)v->z };
    double least = 1;
    int broken = 0;
    for (int a = 0; a < 3; a++) {
        const double part = p[a] - floor(p[a]);
        if (part > 0) least = fmin(part, 1 - part), broken++;
    }
    return broken < 2 ? least : 1;
}

/* Far along an axis, a coordinate has fewer fractional bits, so adding the block's position afterwards would round it
 * twice. Tests a single block with a false position in a long volume; the same voxels at 0 give the expected result. */
static void check_far(void)
{
    const uint64_t n[3] = { 9, 9, 9 };
    struct volume v = noise(VOXEL_FLOAT32, n);
    struct grid far = v.grid;
    struct mesh_host near_mesh = { 0 }, far_mesh = { 0 };
    struct err err = { 0 };
    size_t twice = 0;
    far.first[2] = 13;
    CHECK(!iso_set_block(&iso, &v.grid, 200000, &err) && !iso_extract(&iso, 2.5f, &near_mesh, &err));
    CHECK(!iso_set_block(&iso, &far, 200000, &err) && !iso_extract(&iso, 2.5f, &far_mesh, &err));
    if (!CHECK(near_mesh.vertex_count == far_mesh.vertex_count && near_mesh.vertices && far_mesh.vertices)) return;
    for (uint64_t i = 0; i < near_mesh.vertex_count; i++) {
        const struct vertex a = near_mesh.vertices[i], b = far_mesh.vertices[i];
        CHECK(a.x == b.x && a.y == b.y && a.normal == b.normal);
        CHECK_NEAR((double)b.z - 13, (double)a.z, 0x1p-19); /* the last bit of 16 */
        twice += b.z != a.z + 13.0f;
        CHECK(from_voxel(&a) >= 0.99 * (double)margin_for(200000)); /* 0.048: as in the long volume */
    }
    CHECK(twice > 0);
    printf("of %llu vertices far away, %zu would differ if the place were added afterwards\n",
           (unsigned long long)near_mesh.vertex_count, twice);
    mesh_host_free(&near_mesh);
    mesh_host_free(&far_mesh);
    volume_free(&v);
}

int main(int argc, char **argv)
{
    static const uint64_t shapes[][3] = { { 33, 9, 17 }, { 5, 31, 22 }, { 66, 3, 13 }, { 2, 2, 9 }, { 31, 8, 40 } };
    struct err err = { 0 };
    const int skip = open_backend(&iso, argc, argv);
    if (skip) return skip;
    check_seed(20261122);
    for (int topology = 0; topology < TOPOLOGY_COUNT; topology++)
        for (int exact = 0; exact < 2; exact++) {
            iso_set_exact(&iso, exact);
            CHECK(!iso_set_topology(&iso, (enum topology)topology, &err));
            for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
                for (int type = 0; type < VOXEL_TYPE_COUNT; type++)
                    check_volume((enum voxel_type)type, shapes[i], exact ? 3 : 2.5f);
        }
    iso_set_exact(&iso, false);
    check_far();
    iso_close(&iso);
    return check_summary("slabs");
}
