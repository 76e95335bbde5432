/* Which surface is made for a view of a volume on the disk: which level, which blocks, in which order. The meshes of
 * blocks together must be the mesh of the level, bit for bit: nothing is missing, nothing is there twice. */
#include "stream_util.h"

#include "refine.h"
#include "refine_plan.h"

#include <math.h>

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

enum { SIDE = 8 * BLOCK_CELLS + 1 }; /* voxels of the finest level; 8, 4 and 2 blocks along each axis */

static struct levels three; /* of every voxel, every 2nd and every 4th, where every 8th is in memory */

static void make_levels(void)
{
    three.count = 3;
    for (int i = 0; i < 3; i++) {
        const size_t n = ((size_t)SIDE - 1) / ((size_t)1 << i) + 1;
        three.level[i].step = (uint64_t)1 << i;
        three.level[i].grid = (struct grid){ NULL, VOXEL_UINT8, n, n, n };
        three.level[i].scale = (float)(1 << i) / 8;
    }
}

/* Lines of sight along z, a voxel of `pixels` pixels, and voxel (x, y) in the middle of the picture of 100 x 80 pixels. */
static struct refine_view parallel(double pixels, double x, double y)
{
    struct refine_view v = { .width = 100, .height = 80 };
    v.clip_from_voxel[0] = (float)(pixels / 50), v.clip_from_voxel[12] = (float)(-pixels / 50 * x);
    v.clip_from_voxel[5] = (float)(pixels / 40), v.clip_from_voxel[13] = (float)(-pixels / 40 * y);
    v.clip_from_voxel[10] = 1e-3f, v.clip_from_voxel[14] = 0;
    v.clip_from_voxel[15] = 1;
    return v;
}

/* From (x, y, z) along z; 45 degrees to each side. */
static struct refine_view from(double x, double y, double z)
{
    struct refine_view v = { .width = 100, .height = 100 };
    v.clip_from_voxel[0] = v.clip_from_voxel[5] = v.clip_from_voxel[10] = v.clip_from_voxel[11] = 1;
    v.clip_from_voxel[12] = (float)-x, v.clip_from_voxel[13] = (float)-y;
    v.clip_from_voxel[14] = (float)(-z - 0.5), v.clip_from_voxel[15] = (float)-z;
    return v;
}

static const uint64_t plenty = (uint64_t)1 << 40;

static struct refine_plan plan_for(struct blocks *b, struct refine_view view)
{
    struct refine_plan plan;
    struct err err = { 0 };
    CHECK(!refine_plan_make(&plan, b, &view, NULL, 3, &err));
    return plan;
}

static void expect_level(struct blocks *b, struct refine_view view, int level, bool limited, size_t count)
{
    struct refine_plan plan = plan_for(b, view);
    CHECK(plan.level == level && (plan.lacks > b->budget) == limited && (plan.lacks > 0) == limited &&
          plan.count == count && plan.bytes <= b->budget);
    refine_plan_free(&plan);
}

/* A voxel should be about a pixel, from 1 / sqrt(2) to sqrt(2), and there must be room for the blocks. */
static void test_level(void)
{
    struct blocks b;
    struct err err = { 0 };
    const uint64_t coarse = 8 * 131 * 131 * 163, middle = 64 * 131 * 131 * 163; /* at most */
    if (!CHECK(!blocks_open(&b, &three, plenty, &err))) return;
    expect_level(&b, parallel(0.7, 64, 64), -1, false, 0); /* voxels in memory are small enough */
    expect_level(&b, parallel(1.41, 64, 64), -1, false, 0);
    expect_level(&b, parallel(1.42, 64, 64), 2, false, 8);
    expect_level(&b, parallel(2.82, 64, 64), 2, false, 8);
    b.budget = coarse;
    expect_level(&b, parallel(1.5, 64, 64), 2, false, 8); /* 96 pixels wide */
    b.budget = coarse / 3;
    expect_level(&b, parallel(1.5, 64, 64), -1, true, 0);
    b.budget = middle / 5;
    expect_level(&b, parallel(2.83, 64, 64), 2, true, 8);
    b.budget = middle;
    expect_level(&b, parallel(2.83, 64, 64), 1, false,
                 16); /* 35 x 28 voxels, where blocks are 32 long: 2 x 2 of 4 layers */
    expect_level(&b, parallel(100, 24, 40), 0, false,
                 8); /* a picture of 1 x 0.8 voxels, in one block of each of 8 layers */
    expect_level(&b, parallel(100, 500, 40), -1, false, 0); /* nothing is in view */
    blocks_close(&b);
}

static bool is_at(const struct refine_plan *plan, size_t i, uint32_t x, uint32_t y, uint32_t z)
{
    const uint32_t *at = plan->block[i].at;
    return i < plan->count && at[0] == x && at[1] == y && at[2] == z && plan->block[i].level == (unsigned)plan->level;
}

static void test_order(void)
{
    struct blocks b;
    struct err err = { 0 };
    if (!CHECK(!blocks_open(&b, &three, plenty, &err))) return;
    struct refine_plan plan = plan_for(&b, parallel(100, 32.1, 39.9)); /* blocks are 16 voxels long: x 1 and 2, y 2 */
    if (CHECK(plan.level == 0 && plan.count == 16))
        for (uint32_t i = 0; i < 8; i++) CHECK(is_at(&plan, 2 * i, 1, 2, i) && is_at(&plan, 2 * i + 1, 2, 2, i));
    refine_plan_free(&plan);
    blocks_note(&b, (struct block_key){ 0, { 2, 2, 1 } }, (struct brick_range){ 3, 9 }, 3); /* all inside */
    blocks_note(&b, (struct block_key){ 0, { 1, 2, 1 } }, (struct brick_range){ 0, 2 }, 3); /* all outside */
    blocks_note(&b, (struct block_key){ 0, { 1, 2, 0 } }, (struct brick_range){ 0, 3 }, 3);
    plan = plan_for(&b, parallel(100, 32.1, 39.9));
    CHECK(plan.level == 0 && plan.count == 14 && is_at(&plan, 0, 1, 2, 0) && is_at(&plan, 2, 1, 2, 2));
    refine_plan_free(&plan);
    plan = plan_for(&b, from(40, 40, 120)); /* the last layer, of which 45 degrees to each side show 16 voxels */
    if (CHECK(plan.level == 0 && plan.count >= 2 && plan.count <= 9)) {
        CHECK(is_at(&plan, 0, 1, 1, 7)); /* (1..3, 1..3), all as deep */
        for (size_t i = 0; i < plan.count; i++) CHECK(plan.block[i].at[2] == 7);
    }
    refine_plan_free(&plan);
    plan = plan_for(&b, from(64, 64, -300)); /* from far: all of it */
    CHECK(plan.level == -1 && plan.count == 0);
    refine_plan_free(&plan);
    blocks_close(&b);
}

/* ---- what is hidden ---------------------------------------------------------------------------------------------- */

enum { SHOWN = (SIDE - 1) / 8 + 1 }; /* voxels in memory along each axis */

/* A wall of 10 voxels from z = 80 on, and half of one before it, from z = 40 on, where x < 64. */
static struct grid walls(void)
{
    uint8_t *v = malloc((size_t)SHOWN * SHOWN * SHOWN);
    if (!v) exit(1);
    for (size_t i = 0; i < (size_t)SHOWN * SHOWN * SHOWN; i++) {
        const size_t x = i % SHOWN, z = i / SHOWN / SHOWN;
        v[i] = (z >= 80 && z < 90) || (z >= 40 && z < 50 && x < 64) ? 9 : 0;
    }
    return (struct grid){ v, VOXEL_UINT8, SHOWN, SHOWN, SHOWN };
}

static struct refine_seen rays(const struct grid *shown, struct refine_view view, float value)
{
    struct refine_seen seen;
    struct err err = { 0 };
    if (!CHECK(!refine_seen_make(&seen, &view, shown, value, 2, &err))) exit(1);
    return seen;
}

/* Whether a line has met the wall that begins at z, in voxels. */
static bool meets(const float at[3], double z) { return fabs(at[2] - z) <= 1; }

static void test_rays(void)
{
    struct grid shown = walls();
    struct refine_seen seen = rays(&shown, parallel(1, 64, 64), 3); /* 100 x 80 voxels around the middle */
    const size_t nx = 100 / REFINE_RAYS_APART + 1;
    CHECK(seen.count == nx * (80 / REFINE_RAYS_APART + 1));
    for (size_t i = 0; i < seen.count; i++) {
        const double x = 64 + ((2 * (double)(i % nx) + 1) / (double)nx - 1) * 50;
        CHECK(fabs(seen.at[i][0] - x) < 1e-3 && seen.at[i][1] > 24 && seen.at[i][1] < 104);
        if (fabs(x - 63.5) > 1) CHECK(meets(seen.at[i], x < 63.5 ? 40 : 80));
    }
    refine_seen_free(&seen);
    seen = rays(&shown, from(64, 64, 45), 3); /* out of the half wall, by its back or its side */
    for (size_t i = 0; i < seen.count; i++) {
        const float *at = seen.at[i];
        CHECK(isnan(at[0]) || meets(at, 50) || meets(at, 80) || fabs(at[0] - 63.5) <= 1);
    }
    CHECK(!isnan(seen.at[seen.count / 2][0]));
    refine_seen_free(&seen);
    seen = rays(&shown, parallel(1, 200, 64), 3); /* beside the volume */
    for (size_t i = 0; i < seen.count; i++) CHECK(isnan(seen.at[i][0]));
    refine_seen_free(&seen);
    seen = rays(&shown, parallel(1, 64, 64), 9.5f); /* no such value */
    for (size_t i = 0; i < seen.count; i++) CHECK(isnan(seen.at[i][0]));
    refine_seen_free(&seen);
    free((void *)shown.voxels);
}

/* The blocks of each level within two voxels of where lines of sight end, found one by one. */
static void test_marks(void)
{
    struct grid shown = walls();
    struct refine_seen seen = rays(&shown, parallel(1.7, 50.3, 61.1), 3);
    for (int l = 0; l < 3; l++) {
        const struct level *level = &three.level[l];
        uint32_t n[3];
        blocks_count(&level->grid, n);
        const size_t count = (size_t)n[0] * n[1] * n[2];
        bool *got = malloc(count);
        if (!got) exit(1);
        memset(got, 0xa5, count);
        refine_seen_mark(&seen, level, got);
        for (size_t k = 0; k < count; k++) {
            const uint32_t at[3] = { (uint32_t)(k % n[0]), (uint32_t)(k / n[0] % n[1]), (uint32_t)(k / n[0] / n[1]) };
            double low[3], high[3];
            bool want = false;
            blocks_place(level, at, low, high);
            for (size_t i = 0; i < seen.count; i++) {
                bool near = true;
                for (int a = 0; a < 3; a++) near = near && seen.at[i][a] >= low[a] - 2 && seen.at[i][a] < high[a] + 2;
                want = want || near;
            }
            CHECK(got[k] == want);
        }
        free(got);
    }
    refine_seen_free(&seen);
    free((void *)shown.voxels);
}

/* One column of 8 blocks along the line of sight: blocks behind the first wall wait, and need no room at first. */
static void test_hidden(void)
{
    struct grid shown = walls();
    const struct refine_view view = parallel(100, 24, 40);
    struct refine_seen seen = rays(&shown, view, 3);
    struct refine_plan plan;
    struct blocks b;
    struct err err = { 0 };
    if (!CHECK(!blocks_open(&b, &three, plenty, &err))) return;
    CHECK(!refine_plan_make(&plan, &b, &view, &seen, 3, &err));
    CHECK(plan.level == 0 && plan.seen == 1 && plan.likely == 8 && plan.count == 8 && is_at(&plan, 0, 1, 2, 2));
    for (uint32_t i = 1; i < 8; i++) CHECK(is_at(&plan, i, 1, 2, i <= 2 ? i - 1 : i));
    CHECK(plan.bytes > 0 && plan.likely_bytes > 7 * plan.bytes);
    b.budget = plan.bytes;
    refine_plan_free(&plan);
    CHECK(!refine_plan_make(&plan, &b, &view, &seen, 3, &err) && plan.level == 0 && plan.seen == 1 && !plan.lacks);
    refine_plan_free(&plan);
    CHECK(!refine_plan_make(&plan, &b, &view, NULL, 3, &err) && plan.level != 0 && plan.lacks > b.budget);
    refine_plan_free(&plan);
    b.budget = plenty;
    CHECK(!blocks_guess(&b, &shown, 2, &err)); /* from z = 40 to 50 and from 80 to 90: blocks 2, 3, 4 and 5 */
    blocks_note(&b, (struct block_key){ 0, { 1, 2, 7 } }, (struct brick_range){ 0, 9 }, 3);
    CHECK(!refine_plan_make(&plan, &b, &view, &seen, 3, &err));
    CHECK(plan.seen == 2 && is_at(&plan, 0, 1, 2, 2) && is_at(&plan, 1, 1, 2, 7)); /* of that, no line could tell */
    CHECK(plan.likely == 5 && plan.count == 8);
    refine_plan_free(&plan);
    for (uint32_t z = 3; z < 8; z++) blocks_note(&b, (struct block_key){ 0, { 1, 2, z } }, (struct brick_range){ 0, 2 }, 3);
    CHECK(!refine_plan_make(&plan, &b, &view, &seen, 3, &err) && plan.seen == 1 && plan.likely == 1);
    refine_plan_free(&plan);
    blocks_note(&b, (struct block_key){ 0, { 1, 2, 2 } }, (struct brick_range){ 0, 2 }, 3);
    blocks_note(&b, (struct block_key){ 0, { 1, 2, 4 } }, (struct brick_range){ 0, 9 }, 3);
    CHECK(!refine_plan_make(&plan, &b, &view, &seen, 3, &err) && plan.seen == 1 &&
          is_at(&plan, 0, 1, 2, 4)); /* or nothing */
    refine_plan_free(&plan);
    blocks_close(&b);
    refine_seen_free(&seen);
    free((void *)shown.voxels);
}

/* ---- the meshes of blocks ---------------------------------------------------------------------------------------- */

struct triangle {
    struct vertex corner[3];
};

static int compare(const void *a, const void *b) { return memcmp(a, b, sizeof(struct triangle)); }

/* All triangles with their vertices, in an order that does not depend on theirs. */
static struct triangle *sorted(const struct mesh_host *mesh)
{
    struct triangle *t = malloc((mesh->triangle_count + 1) * sizeof *t);
    if (!t) exit(1);
    for (uint64_t i = 0; i < 3 * mesh->triangle_count; i++) t[i / 3].corner[i % 3] = mesh->vertices[mesh->indices[i]];
    qsort(t, mesh->triangle_count, sizeof *t, compare);
    return t;
}

static bool is_same(const struct mesh_host *a, const struct mesh_host *b)
{
    struct triangle *p = sorted(a), *q = sorted(b);
    const bool same = a->triangle_count == b->triangle_count && !memcmp(p, q, a->triangle_count * sizeof *p);
    free(p), free(q);
    return same;
}

static float value_at(size_t x, size_t y, size_t z, bool noise)
{
    const float r = (float)(check_random() >> 40) * 0x1p-24f, wave = sinf((float)x * 0.11f) + sinf((float)y * 0.13f);
    const bool at_side = (x + 3) % BLOCK_CELLS < 6 || (y + 3) % BLOCK_CELLS < 6 || (z + 3) % BLOCK_CELLS < 6;
    if (noise && r < 0.01f) return NAN;
    if (noise) return floorf(6 * r);
    return 2.5f + wave + sinf((float)z * 0.07f) + (at_side && (x + y + z) % 32 < 8 ? 2 * r - 1 : 0);
}

static void write_waves(const char *path, const struct load_desc *desc, bool noise)
{
    const size_t nx = desc->dims[0], ny = desc->dims[1], nz = desc->dims[2];
    const bool floats = desc->type[0] == 'f';
    FILE *file = fopen(path, "wb");
    for (size_t i = 0; file && i < nx * ny * nz; i++) {
        const float v = value_at(i % nx, i / nx % ny, i / nx / ny, noise);
        const uint8_t byte = v >= 0 ? (uint8_t)v : 0;
        if (fwrite(floats ? (const void *)&v : &byte, floats ? 4 : 1, 1, file) != 1) exit(1);
    }
    if (!file || fclose(file)) exit(1);
}

/* Every block of the level as one mesh, and the level's own. */
static void check_level(struct blocks *b, unsigned level, struct iso *refiner, const char *path,
                        const struct load_desc *desc)
{
    const struct level *l = &b->levels->level[level];
    struct load_desc thin = *desc;
    struct volume whole;
    struct mesh_host want = { NULL, NULL, 0, 0 };
    struct refine_mesh got = { .vertex_room = 0 };
    struct err err = { 0 };
    struct iso plain;
    uint32_t n[3];
    thin.step = l->step;
    blocks_count(&l->grid, n);
    for (uint32_t i = n[0] * n[1] * n[2]; i-- > 0;) {
        const struct block_key key = { level, { i % n[0], i / n[0] % n[1], i / n[0] / n[1] } };
        if (!CHECK(!refine_block(b, key, refiner, 2.5f, plenty, &got, &err))) return;
    }
    if (!CHECK(!load_volume(&whole, path, &thin, &err) && !iso_open(&plain, BACKEND_CPU, -1, 2, &err))) return;
    iso_set_exact(&plain, refiner->exact);
    CHECK(!iso_set_volume(&plain, &whole.grid, &err) && !iso_extract(&plain, 2.5f, &want, &err));
    CHECK(want.triangle_count > 100 && is_same(&got.mesh, &want));
    for (uint64_t i = 0; i < want.vertex_count; i++) {
        struct vertex *v = &want.vertices[i];
        v->x *= l->scale, v->y *= l->scale, v->z *= l->scale;
    }
    refine_place(&got, 0, l);
    CHECK(is_same(&got.mesh, &want));
    refine_mesh_free(&got);
    mesh_host_free(&want);
    iso_close(&plain);
    volume_free(&whole);
}

/* Smooth where blocks do not meet, and noise, ties and NaN; blocks that are read twice; a mesh without room. */
static void test_meshes(void)
{
    static const struct {
        const char *type;
        uint64_t n[3];
        bool noise, exact;
    } kinds[] = { { "float32", { 135, 133, 260 }, false, false },
                  { "float32", { 263, 9, 14 }, true, false },
                  { "uint8", { 259, 131, 7 }, true, true } };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct load_desc desc = { .type = kinds[i].type, .threads = 2 };
        const uint64_t *n = kinds[i].n;
        struct volume shown = { .grid = { .nx = (n[0] - 1) / 4 + 1, .ny = (n[1] - 1) / 4 + 1, .nz = (n[2] - 1) / 4 + 1 },
                                .step = 4,
                                .finer = true };
        struct levels levels;
        struct blocks b;
        struct iso refiner;
        struct refine_mesh none = { .vertex_room = 0 };
        struct err err = { 0 };
        char path[256];
        memcpy(desc.dims, kinds[i].n, sizeof desc.dims);
        snprintf(path, sizeof path, "%s/v.raw", folder);
        check_subject(kinds[i].type);
        write_waves(path, &desc, kinds[i].noise);
        if (!CHECK(!levels_open(&levels, path, &desc, &shown, &err) && levels.count == 2)) return;
        if (!CHECK(!blocks_open(&b, &levels, (uint64_t)12 << 20, &err) && !iso_open(&refiner, BACKEND_CPU, -1, 2, &err)))
            return;
        CHECK(!refine_prepare(&refiner, &err));
        iso_set_exact(&refiner, kinds[i].exact);
        for (unsigned level = 0; level < 2; level++) check_level(&b, level, &refiner, path, &desc);
        const struct block_key key = { 0, { 0, 0, 0 } };
        CHECK(refine_block(&b, key, &refiner, 2.5f, 100, &none, &err) == ERR_FAILED && strstr(err.text, "in view"));
        CHECK(!none.mesh.vertices && !none.mesh.triangle_count);
        CHECK(!refine_block(&b, key, &refiner, 1e30f, 100, &none, &err) && !blocks_may_hold(&b, key, 1e30f));
        CHECK(!refine_block(&b, key, &refiner, INFINITY, 100, &none, &err) && blocks_may_hold(&b, key, 2.5f));
        iso_close(&refiner);
        blocks_close(&b);
        levels_close(&levels);
    }
    check_subject("");
}

int main(void)
{
    set_up(72, 1);
    make_levels();
    test_level();
    test_order();
    test_rays();
    test_marks();
    test_hidden();
    test_meshes();
    return tear_down("test_refine");
}
