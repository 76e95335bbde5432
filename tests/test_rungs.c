/* Every rung and both pipelines must give the mesh of the CPU's textbook rungs: for noise that reaches all cases, odd
 * shapes, real volumes, any number of threads, and repeated runs with kept buffers.
 * Usage: test_rungs cpu|cuda [FOLDER] [quick]   FOLDER: real volumes; quick: skip what is slow under a checker */
#include "iso_util.h"

#include "load.h"
#include "mesh_check.h"

#include <sys/mman.h>
#include <unistd.h>

static enum backend backend; /* under test */

/* ---- every rung and both pipelines against the CPU ------------------------------------------------------------------- */

struct want {
    struct mesh_host mesh, soup;
    struct mesh_digest sums;
};

static bool is_soup(const struct rung *generate) { return ((const struct generate_rung *)generate)->soup; }

/* The mesh by the CPU's textbook rungs, but with shared vertices, and the same as a soup. */
static bool make_want(const struct grid *grid, float value, enum topology topology, struct want *want)
{
    struct iso cpu;
    struct err err = { 0 };
    const struct rung *rung;
    if (!CHECK(!iso_open(&cpu, BACKEND_CPU, -1, 1, &err))) return false;
    iso_set_all(&cpu, true);
    for (size_t i = 0; is_soup(rung = ladder_rung(ladder_of("generate"), BACKEND_CPU, i)); i++) {
    }
    CHECK(!iso_set_rung(&cpu, STAGE_GENERATE, rung->name, &err) && !iso_set_topology(&cpu, topology, &err));
    const bool made = CHECK(extract(&cpu, grid, value, &want->mesh));
    iso_close(&cpu);
    if (!made) return false;
    want->sums = mesh_sums(&want->mesh);
    return CHECK(!mesh_host_soup(&want->mesh, &want->soup, &err));
}

static void free_want(struct want *want)
{
    mesh_host_free(&want->mesh);
    mesh_host_free(&want->soup);
}

struct kept {
    struct buffer buffer;
    struct mesh_buffers out;
}; /* buffers for a mesh, as the window keeps them */

static int fuse(struct iso *iso, float value, struct kept *kept, struct err *err)
{
    bool fits;
    if (iso_fuse(iso, value, &kept->out, &fits, err) || fits) return err->code;
    if (iso_reserve_mesh(iso, &kept->buffer, &kept->out, err) || iso_fuse(iso, value, &kept->out, &fits, err))
        return err->code;
    return fits ? ERR_NONE : err_set(err, ERR_FAILED, "no room after room was made");
}

/* Reserves the mesh, poisons it, because it may hold the mesh of the previous rung, then writes it. */
static int make_poisoned(struct iso *iso, float value, struct kept *kept, struct err *err)
{
    const bool fused = iso_is_fused(iso);
    if (fused ? fuse(iso, value, kept, err)
              : iso_count(iso, value, err) || iso_reserve_mesh(iso, &kept->buffer, &kept->out, err))
        return err->code;
    if (iso->ops->fill(kept->buffer.memory, 0xa5, kept->buffer.bytes, &iso->exec))
        return err_set(err, ERR_FAILED, "the room was not poisoned");
    return fused ? fuse(iso, value, kept, err) : iso_emit(iso, &kept->out.mesh, err);
}

/* Downloads the mesh from the kept buffers. */
static bool download(struct iso *iso, const struct kept *kept, struct mesh_host *mesh)
{
    const size_t vertex_bytes = iso->counts.vertices * sizeof *mesh->vertices, index_bytes = 12 * iso->counts.triangles;
    *mesh = (struct mesh_host){ malloc(vertex_bytes + 1), malloc(index_bytes + 1), iso->counts.vertices,
                                iso->counts.triangles };
    return !iso->ops->download(mesh->vertices, kept->out.mesh.vertices, vertex_bytes, &iso->exec) &&
           !iso->ops->download(mesh->indices, kept->out.mesh.indices, index_bytes, &iso->exec);
}

/* Whether the chosen rungs give the expected mesh: bit for bit, soups by corner, unordered fused rungs as a set. */
static bool rungs_give(struct iso *iso, float value, struct kept *kept, const struct want *want)
{
    struct mesh_host got;
    struct err err = { 0 };
    if (make_poisoned(iso, value, kept, &err)) {
        printf("%s\n", err.text);
        return false;
    }
    bool same = download(iso, kept, &got) && iso->counts.shared_vertices == want->mesh.vertex_count;
    if (!iso_is_ordered(iso)) {
        const struct mesh_digest sums = mesh_sums(&got);
        same = same && got.vertex_count == want->mesh.vertex_count && got.triangle_count == want->mesh.triangle_count &&
               sums.vertices == want->sums.vertices && sums.triangles == want->sums.triangles;
    } else {
        same = same &&
               same_mesh(&got, !iso_is_fused(iso) && is_soup(iso->rung[STAGE_GENERATE]) ? &want->soup : &want->mesh);
    }
    mesh_host_free(&got);
    return same;
}

struct fenced {
    char *memory;
    size_t bytes;
};

/* Moves the voxels between two pages that nobody may touch, to one of them in turn: what reads past the volume crashes, even
 * by instructions that sanitizers do not see. */
static struct fenced fence(struct grid *grid)
{
    static bool at_end;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = grid_bytes(grid), body = (bytes + page - 1) / page * page;
    struct fenced f = { NULL, body + 2 * page };
    f.memory = mmap(NULL, f.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (f.memory == MAP_FAILED) abort();
    at_end = !at_end;
    grid->voxels = memcpy(f.memory + page + (at_end ? body - bytes : 0), grid->voxels, bytes);
    if (mprotect(f.memory, page, PROT_NONE) || mprotect(f.memory + page + body, page, PROT_NONE)) abort();
    return f;
}

/* Each rung in turn with defaults for the others, then all textbook. */
static void all_rungs_agree(struct iso *iso, const struct grid *of, float value, const char *subject)
{
    struct grid copy = *of, *const grid = &copy;
    const struct fenced fenced = fence(grid);
    struct want want = { { 0 }, { 0 }, { 0, 0 } };
    struct kept kept = { { NULL, 0 }, { { NULL, NULL }, 0, 0 } };
    struct err err = { 0 };
    const struct rung *rung;
    check_subject(subject);
    if (make_want(grid, value, iso->topology, &want) && CHECK(!iso_set_volume(iso, grid, &err))) {
        for (int stage = 0; stage < STAGE_COUNT; stage++)
            for (size_t i = 0; (rung = ladder_rung(ladder_of(stage_name[stage]), backend, i)); i++) {
                if (rung_unavailable(rung, &iso->exec)) continue;
                iso_set_all(iso, false);
                CHECK(!iso_set_rung(iso, (enum stage)stage, rung->name, &err));
                if (stage != STAGE_FUSED) CHECK(!iso_set_rung(iso, STAGE_FUSED, "none", &err)); /* or no stage would run */
                if (!CHECK(rungs_give(iso, value, &kept, &want)))
                    printf("  %s: %s=%s\n", subject, stage_name[stage], rung->name);
            }
        iso_set_all(iso, true);
        CHECK(rungs_give(iso, value, &kept, &want));
    }
    iso_set_all(iso, false);
    buffer_release(&kept.buffer, iso->ops);
    free_want(&want);
    munmap(fenced.memory, fenced.bytes);
    check_subject("");
}

/* ---- on noise, of every type and many shapes ------------------------------------------------------------------------- */

/* A value in the middle of a type's range. */
static const float middle[VOXEL_TYPE_COUNT] = { 127.5f, -0.5f, 32767.5f, -0.5f, 50 };

static unsigned cases_reached(const struct grid *g, float value)
{
    bool seen[256] = { false };
    unsigned cases = 0;
    for (size_t z = 0; z + 1 < g->nz; z++)
        for (size_t y = 0; y + 1 < g->ny; y++)
            for (size_t x = 0; x + 1 < g->nx; x++) {
                unsigned index = 0;
                for (unsigned c = 0; c < 8; c++) {
                    const size_t row = (z + (c >> 2)) * g->ny + y + (c >> 1 & 1);
                    index |= (unsigned)(grid_value(g, row * g->nx + x + (c & 1)) >= value) << c;
                }
                cases += !seen[index];
                seen[index] = true;
            }
    return cases;
}

static void noise_reaches_every_case(struct iso *iso, enum voxel_type type)
{
    const uint64_t dims[3] = { 67, 35, 29 };
    struct volume v = noise_volume(type, dims);
    struct want want = { { 0 }, { 0 }, { 0, 0 } };
    char subject[64];
    CHECK(cases_reached(&v.grid, middle[type]) == 256);
    snprintf(subject, sizeof subject, "noise of type %d", (int)type);
    all_rungs_agree(iso, &v.grid, middle[type], subject);
    if (make_want(&v.grid, middle[type], iso->topology, &want)) {
        const struct mesh_findings c = mesh_check(&want.mesh, &v.grid, middle[type]);
        if (!CHECK(!c.fault)) printf("  %s: %s\n", subject, c.fault);
    }
    free_want(&want);
    volume_free(&v);
}

/* The same by the fixed rule, which takes the triangles from the case alone, also in cells that are otherwise open. */
static void fixed_rule_agrees(struct iso *iso)
{
    struct err err = { 0 };
    CHECK(!iso_set_topology(iso, TOPOLOGY_FIXED, &err));
    for (int type = 0; type < VOXEL_TYPE_COUNT; type++) noise_reaches_every_case(iso, (enum voxel_type)type);
    CHECK(!iso_set_topology(iso, TOPOLOGY_TRILINEAR, &err));
}

/* Lengths around the strip of 32 and the powers of two, mixed; types alternate. Then all outside and all inside. */
static void shapes_agree(struct iso *iso, bool quick)
{
    /* clang-format off */
    static const uint64_t shapes[][3] = {
        { 1, 33, 257 }, { 255, 1, 2 }, { 31, 32, 1 }, { 2, 2, 2 }, { 3, 2, 33 },   { 31, 3, 2 },   { 32, 33, 3 },
        { 33, 31, 32 }, { 2, 255, 3 }, { 3, 2, 257 }, { 257, 3, 2 }, { 255, 32, 2 }, { 33, 257, 3 }, { 2, 31, 255 },
        { 257, 255, 3 }, { 31, 257, 33 }, /* quick skips the last two */
    };
    /* clang-format on */
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0] - (quick ? 2 : 0); s++) {
        const enum voxel_type type = (enum voxel_type)(s % VOXEL_TYPE_COUNT);
        const uint64_t *n = shapes[s];
        struct volume v = noise_volume(type, n);
        char subject[64];
        snprintf(subject, sizeof subject, "%dx%dx%d of type %d", (int)n[0], (int)n[1], (int)n[2], (int)type);
        all_rungs_agree(iso, &v.grid, middle[type], subject);
        memset((void *)v.grid.voxels, 0, grid_voxels(&v.grid) * voxel_bytes(type));
        if (s % 4 == 3) all_rungs_agree(iso, &v.grid, 0.5f, "all outside");
        if (s % 4 == 3) all_rungs_agree(iso, &v.grid, -0.5f, "all inside");
        volume_free(&v);
    }
}

/* ---- on real volumes --------------------------------------------------------------------------------------------- */

static void real_volumes_agree(struct iso *iso, const char *folder, bool quick)
{
    static const struct {
        const char *file;
        double value;
        struct load_desc desc;
        bool large;
    } real[] = {
        { "Bucky.raw", 142.5, { .dims = { 32, 32, 32 }, .type = "uint8" }, false },
        { "cases/BallBinary30x30x30.nrrd", 128.5, { .offset = 0 }, false },
        { "3pqr.ccp4", 0.28, { .offset = 0 }, false },
        { "tooth/tooth.nhdr", 640.5, { .offset = 0 }, true },
        { "stent_128x128x256_int16.raw", 400.5, { .offset = 0 }, true },
        { "bonsai_256x256x256_uint8.raw", 40.5, { .offset = 0 }, true },
    };
    for (size_t i = 0; i < sizeof real / sizeof real[0]; i++) {
        char path[4096];
        struct volume v;
        struct err err = { 0 };
        if (quick && real[i].large) continue;
        snprintf(path, sizeof path, "%s/%s", folder, real[i].file);
        FILE *there = fopen(path, "rb");
        if (!there) {
            check_skip(path);
            continue;
        }
        fclose(there);
        if (!CHECK(!load_volume(&v, path, &real[i].desc, &err))) {
            printf("  %s\n", err.text);
            continue;
        }
        all_rungs_agree(iso, &v.grid, volume_iso(&v, real[i].value), real[i].file);
        volume_free(&v);
    }
}

/* ---- over time --------------------------------------------------------------------------------------------------- */

/* One voxel inside per brick: most bricks active for the fewest triangles. */
static struct volume dotted_volume(uint64_t nx, uint64_t ny, uint64_t nz)
{
    const uint64_t dims[3] = { nx, ny, nz };
    struct volume v;
    struct err err;
    if (volume_alloc(&v, VOXEL_UINT8, dims, &err)) abort();
    uint8_t *to = (uint8_t *)v.grid.voxels;
    for (size_t i = 0; i < grid_voxels(&v.grid); i++)
        to[i] = i % nx % BRICK_X == 16 && i / nx % ny % BRICK_Y == 2 && i / nx / ny % BRICK_Z == 2;
    return v;
}

/* From a few bricks to more than an iso starts with, and back: every buffer grows on the way. */
static void buffers_grow(void)
{
    static const uint64_t shapes[][3] = { { 33, 9, 9 }, { 160, 132, 132 }, { 65, 33, 17 } };
    struct iso iso;
    struct err err = { 0 };
    if (!CHECK(!iso_open(&iso, backend, -1, 3, &err))) return;
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        struct volume v = dotted_volume(shapes[s][0], shapes[s][1], shapes[s][2]);
        all_rungs_agree(&iso, &v.grid, 0.5f, "buffers that grow");
        volume_free(&v);
    }
    iso_close(&iso);
}

enum { STEPS = 2000, QUICK_STEPS = 200, VALUES = 45 };

static int step(struct iso *iso, float value, struct kept *kept, struct err *err)
{
    if (iso_is_fused(iso)) return fuse(iso, value, kept, err);
    if (iso_count(iso, value, err) || iso_reserve_mesh(iso, &kept->buffer, &kept->out, err)) return err->code;
    return iso_emit(iso, &kept->out.mesh, err);
}

/* Moves the value up and down, from no surface to the largest and back, with kept buffers. Counts must repeat, and after
 * the first pass neither iso's memory nor the device's may grow. The driver allocates blocks of 2 MiB, which is the bound:
 * a leak of 1 KiB a step exceeds it. */
static void steps_do_not_drift(const struct rung *fused, int steps)
{
    const size_t bound = (size_t)2 << 20;
    struct volume v = field_volume(torus, 53);
    struct iso_counts first[VALUES] = { 0 };
    struct kept kept = { { NULL, 0 }, { { NULL, NULL }, 0, 0 } };
    struct iso iso;
    struct err err = { 0 };
    uint64_t held = 0, out = 0;
    size_t at_hand = 0;
    long drifted = 0;
    if (!CHECK(!iso_open(&iso, backend, -1, 2, &err)) || !CHECK(!iso_set_rung(&iso, STAGE_FUSED, fused->name, &err)) ||
        !CHECK(!iso_set_volume(&iso, &v.grid, &err)))
        return;
    for (int i = 0; i < steps; i++) {
        const int turn = i % (2 * VALUES - 2), k = turn < VALUES ? turn : 2 * VALUES - 2 - turn;
        const float value = 0.3f - 1.65f * (float)k / (VALUES - 1); /* the torus has values in -1.03 .. 0.27 */
        if (!CHECK(!step(&iso, value, &kept, &err))) break;
        if (i < VALUES) first[k] = iso.counts;
        drifted += iso.counts.vertices != first[k].vertices || iso.counts.triangles != first[k].triangles;
        if (i == 2 * VALUES) held = iso_memory(&iso), out = kept.buffer.bytes, at_hand = iso.ops->memory_free();
    }
    const size_t left = iso.ops->memory_free(), lost = at_hand > left ? at_hand - left : left - at_hand;
    CHECK(drifted == 0);
    CHECK(first[0].triangles == 0 && first[VALUES - 1].triangles == 0 && first[VALUES / 2].triangles > 0);
    CHECK(iso_memory(&iso) == held && kept.buffer.bytes == out);
    printf("  %d steps, fused=%s: %ld counts drifted", steps, fused->name, drifted);
    if (backend == BACKEND_CUDA) { /* on the CPU, other processes change the free memory */
        printf(", free memory moved by %zu bytes", lost);
        CHECK(lost <= bound || steps < STEPS); /* a checker allocates, too */
    }
    printf("\n");
    buffer_release(&kept.buffer, iso.ops);
    iso_close(&iso);
    volume_free(&v);
}

/* Moves the value up and down over volumes of many and few bricks; buffers grow as in the window. */
static void fused_counts_like_the_stages(struct iso *iso)
{
    static const size_t sizes[] = { 17, 129, 64 };
    struct buffer buffer = { NULL, 0 };
    struct mesh_buffers out = { { NULL, NULL }, 0, 0 };
    struct err err = { 0 };
    bool fits;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        struct volume v = field_volume(s % 2 ? sphere : torus, sizes[s]);
        CHECK(!iso_set_volume(iso, &v.grid, &err));
        for (int i = -40; i <= 40; i++) {
            const float value = 0.02f * (float)abs(i) - 0.4f;
            if (!CHECK(!iso_fuse(iso, value, &out, &fits, &err))) break;
            if (!fits) {
                CHECK(!iso_reserve_mesh(iso, &buffer, &out, &err) && !iso_fuse(iso, value, &out, &fits, &err) && fits);
            }
            const struct iso_counts fused = iso->counts;
            CHECK(!iso_count(iso, value, &err));
            CHECK(fused.vertices == iso->counts.vertices && fused.triangles == iso->counts.triangles);
        }
        volume_free(&v);
    }
    buffer_release(&buffer, iso->ops);
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

static void thread_counts_agree(void)
{
    struct volume v = field_volume(torus, 61);
    struct mesh_host want = { 0 }, got;
    struct err err;
    for (int threads = 1; threads <= 7; threads += threads) {
        struct iso iso;
        if (!CHECK(!iso_open(&iso, BACKEND_CPU, -1, threads, &err))) return;
        CHECK(extract(&iso, &v.grid, 0.01f, threads == 1 ? &want : &got));
        if (threads > 1) {
            CHECK(same_mesh(&got, &want));
            mesh_host_free(&got);
        }
        iso_close(&iso);
    }
    mesh_host_free(&want);
    volume_free(&v);
}

int main(int argc, char **argv)
{
    struct iso iso;
    const struct rung *fused;
    const char *folder = NULL;
    bool quick = false;
    for (int i = 2; i < argc; i++)
        if (!strcmp(argv[i], "quick")) quick = true;
        else folder = argv[i];
    const int code = open_backend(&iso, argc, argv);
    if (code) return code;
    backend = iso.exec.backend;
    check_seed(20260101);
    for (int type = 0; type < VOXEL_TYPE_COUNT; type++) noise_reaches_every_case(&iso, (enum voxel_type)type);
    fixed_rule_agrees(&iso);
    shapes_agree(&iso, quick);
    if (folder) real_volumes_agree(&iso, folder, quick);
    else check_skip("real volumes: no folder was given");
    buffers_grow();
    for (size_t i = 0; (fused = ladder_rung(ladder_of("fused"), backend, i)); i++)
        if (!rung_unavailable(fused, &iso.exec)) steps_do_not_drift(fused, quick ? QUICK_STEPS : STEPS);
    if (backend == BACKEND_CPU) thread_counts_agree();
    iso_set_all(&iso, false);
    if (iso_is_fused(&iso)) fused_counts_like_the_stages(&iso);
    else check_skip("no fused rung on this backend");
    iso_close(&iso);
    return check_summary("test_rungs");
}
