/* The pipeline as a whole: closed surfaces with known topology, area and volume; empty surfaces; changes of volume; the
 * promises of iso.h at its limits.
 * Usage: test_iso cpu|cuda [quick]   quick: skip what is slow under a checker */
#include "iso_util.h"

#include "measure.h"
#include "mesh_check.h"
#include "kernels/edge_vertex.h"

static enum backend backend; /* under test */

/* ---- shapes with closed forms ---------------------------------------------------------------------------------------- */

static void shape_converges(struct iso *iso, double (*field)(double, double, double), int64_t euler, double area,
                            double enclosed)
{
    double area_error[2], volume_error[2];
    struct err err;
    for (int level = 0; level < 2; level++) {
        struct volume v = field_volume(field, level ? 97 : 49); /* h halves exactly */
        struct mesh_host mesh;
        struct measure m;
        if (!CHECK(extract(iso, &v.grid, 0, &mesh))) return;
        const struct mesh_findings c = mesh_check(&mesh, &v.grid, 0);
        if (!CHECK(!c.fault)) printf("  %s\n", c.fault);
        CHECK(c.border_edges == 0 && c.euler == euler && c.components == 1);
        CHECK(!measure_mesh(&m, &mesh, &v, 1, &err) && m.closed);
        area_error[level] = fabs(m.area - area) / area;
        volume_error[level] = fabs(m.volume - enclosed) / enclosed;
        mesh_host_free(&mesh);
        volume_free(&v);
    }
    printf("  relative error of area %.2e -> %.2e, of volume %.2e -> %.2e\n", area_error[0], area_error[1], volume_error[0],
           volume_error[1]);
    CHECK(area_error[1] <= 1e-3 && volume_error[1] <= 2e-3);
    /* Order 2: halving h divides the error by 4; 2^1.8 = 3.48 allows for the next terms. */
    CHECK(log2(area_error[0] / area_error[1]) >= 1.8);
    CHECK(log2(volume_error[0] / volume_error[1]) >= 1.8);
}

/* Central differences of a quadratic are exact: normals must be exact to their 10 bits. */
static double paraboloid(double x, double y, double z) { return 0.5 - x * x - 0.5 * y * y - 0.25 * z * z; }

static void normals_are_second_order(struct iso *iso)
{
    struct volume v = field_volume(paraboloid, 33);
    struct mesh_host mesh;
    double worst = 0;
    if (!CHECK(extract(iso, &v.grid, 0, &mesh))) return;
    for (uint64_t i = 0; i < mesh.vertex_count; i++) {
        const double p[3] = { -1 + mesh.vertices[i].x / 16.0, -1 + mesh.vertices[i].y / 16.0,
                              -1 + mesh.vertices[i].z / 16.0 };
        const double g[3] = { 2 * p[0], p[1], 0.5 * p[2] }, length = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
        double n[3], dot = 0;
        normal_unpack(mesh.vertices[i].normal, n);
        for (int a = 0; a < 3; a++) dot += n[a] * g[a] / length;
        const double size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        worst = fmax(worst, acos(fmin(1, dot / size)));
    }
    printf("  largest angle of a normal from the true one: %.4f degrees\n", worst * 57.29578);
    CHECK(worst <= 2.0 / 511);
    mesh_host_free(&mesh);
    volume_free(&v);
}

/* ---- spacing and handedness ------------------------------------------------------------------------------------------ */

static void measures_follow_the_direction_matrix(struct iso *iso)
{
    struct volume v = field_volume(sphere, 65);
    struct mesh_host mesh;
    struct measure plain, stretched, mirrored;
    struct err err;
    if (!CHECK(extract(iso, &v.grid, 0, &mesh))) return;
    CHECK(!measure_mesh(&plain, &mesh, &v, 1, &err));
    v.direction[2][2] *= 3;
    CHECK(!measure_mesh(&stretched, &mesh, &v, 1, &err));
    CHECK_NEAR(stretched.volume, 3 * plain.volume, 1e-9);
    v.direction[2][2] /= -3;
    CHECK(!measure_mesh(&mirrored, &mesh, &v, 1, &err));
    CHECK_NEAR(mirrored.volume, plain.volume, 1e-9);
    CHECK_NEAR(mirrored.area, plain.area, 1e-9);
    mesh_host_free(&mesh);
    volume_free(&v);
}

/* ---- edges of the contract ------------------------------------------------------------------------------------------- */

static void degenerate_volumes_are_empty(struct iso *iso)
{
    static const uint64_t shapes[][3] = { { 1, 1, 1 }, { 1, 5, 7 }, { 5, 1, 7 }, { 5, 7, 1 }, { 1, 1, 9 } };
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        struct volume v;
        struct mesh_host mesh = { 0 };
        struct cell_counts cells;
        struct err err = { 0 };
        if (!CHECK(!volume_alloc(&v, VOXEL_UINT8, shapes[s], &err))) continue;
        for (size_t i = 0; i < grid_voxels(&v.grid); i++) ((uint8_t *)v.grid.voxels)[i] = (uint8_t)(i % 2);
        CHECK(extract(iso, &v.grid, 0.5f, &mesh));
        CHECK(mesh.vertex_count == 0 && mesh.triangle_count == 0);
        CHECK(!iso_count_cells(iso, &cells, &err) && cells.active == 0);
        mesh_host_free(&mesh);
        volume_free(&v);
    }
}

static void values_outside_the_range_are_empty(struct iso *iso)
{
    struct volume v = field_volume(sphere, 17);
    static const float values[] = { 100, -100, INFINITY, -INFINITY };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        struct mesh_host mesh;
        CHECK(extract(iso, &v.grid, values[i], &mesh) && mesh.vertex_count == 0 && mesh.triangle_count == 0);
        mesh_host_free(&mesh);
    }
    struct err err = { 0 };
    CHECK(iso_count(iso, NAN, &err) == ERR_USAGE && strlen(err.text) > 0);
    volume_free(&v);
}

/* Smaller and larger volumes, other types, isovalues back and forth: no state of an earlier volume may remain. */
static void state_does_not_leak(struct iso *iso)
{
    static const size_t sizes[] = { 33, 9, 64, 2, 40 };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct volume v = field_volume(i % 2 ? torus : sphere, sizes[i]);
        struct mesh_host first, again, other;
        CHECK(extract(iso, &v.grid, 0.1f, &first));
        CHECK(extract(iso, &v.grid, -0.1f, &other));
        CHECK(extract(iso, &v.grid, 0.1f, &again) && same_mesh(&first, &again));
        mesh_host_free(&first);
        mesh_host_free(&again);
        mesh_host_free(&other);
        volume_free(&v);
    }
}

/* ---- the way into the backend's memory ------------------------------------------------------------------------------- */

struct told {
    int times, stop_at;
    double last;
    bool fell;
};

static bool tell(void *context, double fraction)
{
    struct told *told = context;
    told->fell = told->fell || !(fraction > told->last && fraction <= 1);
    told->last = fraction;
    return ++told->times != told->stop_at;
}

static bool holds(struct iso *iso, const struct volume *v, char *out)
{
    const size_t bytes = grid_voxels(&v->grid) * voxel_bytes(v->grid.type);
    memset(out, 0xa5, bytes);
    return !iso->ops->download(out, iso->original.voxels, bytes, &iso->exec) && !memcmp(out, v->grid.voxels, bytes);
}

/* The CPU borrows the voxels. On CUDA each rung of upload copies every byte, in three chunks, the last of odd size. */
static void volumes_arrive(struct iso *iso, bool quick)
{
    const uint64_t dims[3] = { 421, 419, quick ? 3 : 401 }; /* 67.5 MiB */
    struct volume v = noise_volume(VOXEL_UINT8, dims);
    struct err err = { 0 };
    const struct rung *rung;
    char *out = malloc(dims[0] * dims[1] * dims[2]);
    for (size_t i = 0; (rung = ladder_rung(ladder_of("upload"), backend, i)); i++) {
        struct told told = { 0, -1, 0, false };
        const struct progress progress = { tell, &told };
        if (rung_unavailable(rung, &iso->exec)) continue;
        check_subject(rung->name);
        CHECK(!iso_set_rung(iso, AUX_UPLOAD, rung->name, &err) && !iso_upload(iso, &v.grid, &progress, &err));
        CHECK(holds(iso, &v, out));
        if (backend == BACKEND_CPU) CHECK(iso->original.voxels == v.grid.voxels && !told.times);
        else CHECK(told.times == (quick ? 1 : 3) && told.last == 1 && !told.fell);
    }
    check_subject("");
    CHECK(!iso_set_rung(iso, AUX_UPLOAD, NULL, &err));
    free(out);
    volume_free(&v);
}

/* A cancelled upload keeps the old volume. A volume handed over to another iso works there. For backends that upload. */
static void volumes_stay_or_go(struct iso *iso)
{
    struct volume v = field_volume(sphere, 33), other = field_volume(torus, 65);
    struct told told = { 0, 1, 0, false };
    const struct progress progress = { tell, &told };
    struct mesh_host want, got;
    struct iso second;
    struct iso_volume volume;
    struct err err = { 0 };
    CHECK(extract(iso, &v.grid, 0.1f, &want));
    CHECK(iso_upload(iso, &other.grid, &progress, &err) == ERR_FAILED && told.times == 1);
    CHECK(!iso_count(iso, 0.1f, &err) && !iso_mesh_host(iso, &got, &err) && same_mesh(&want, &got));
    mesh_host_free(&got);
    CHECK(!iso_open(&second, backend, -1, 1, &err));
    iso_give_volume(iso, &volume);
    CHECK(!iso->grid.voxels && iso_take_volume(&second, &volume) && !iso_take_volume(&second, &volume));
    CHECK(!iso_count(&second, 0.1f, &err) && !iso_mesh_host(&second, &got, &err) && same_mesh(&want, &got));
    iso_close(&second);
    mesh_host_free(&got), mesh_host_free(&want);
    volume_free(&v), volume_free(&other);
}

/* ---- the limits of 32 bits ------------------------------------------------------------------------------------------- */

/* No machine holds a surface with more than 2^32 vertices. A backend that reports false totals simulates one. */
static const struct backend_ops *honest;
static uint64_t false_vertices, false_triangles;

static int false_download(void *host, const void *memory, size_t bytes, struct exec *x)
{
    const int code = honest->download(host, memory, bytes, x);
    uint64_t *totals = host; /* of vertices and triangles, as iso_count reads them */
    totals[0] = false_vertices, totals[1] = false_triangles;
    return code;
}

static int false_sync(struct exec *x)
{
    struct fused_counts *counts = x->result; /* as iso_fuse_end reads them */
    const int code = honest->sync(x);
    counts->vertices = false_vertices, counts->triangles = false_triangles;
    return code;
}

static void totals_are_limited(struct iso *iso)
{
    const uint64_t most = UINT32_MAX;
    const struct {
        uint64_t vertices, triangles;
        bool fits, fits_as_soup; /* three vertices per triangle */
    } cases[] = {
        { most, most / 3, true, true },         { most + 1, most / 3, false, true },
        { most, most / 3 + 1, true, false },    { most, most, true, false },
        { most, most + 1, false, false },       { 1, most + 1, false, false },
        { 5, (uint64_t)1 << 32, false, false }, { (uint64_t)1 << 33, 7, false, true },
    };
    struct volume v = field_volume(sphere, 17);
    struct err err = { 0 };
    struct backend_ops liar = *(honest = iso->ops);
    const struct rung *generate, *fused;
    CHECK(!iso_set_volume(iso, &v.grid, &err) && !iso_count(iso, 0, &err));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        false_vertices = cases[i].vertices, false_triangles = cases[i].triangles;
        liar.download = false_download, liar.sync = honest->sync;
        for (size_t k = 0; (generate = ladder_rung(ladder_of("generate"), backend, k)); k++) {
            const bool fits = ((const struct generate_rung *)generate)->soup ? cases[i].fits_as_soup : cases[i].fits;
            check_subject(generate->name);
            CHECK(!iso_set_rung(iso, STAGE_GENERATE, generate->name, &err));
            iso->ops = &liar;
            const int code = iso_count(iso, 0, &err);
            iso->ops = honest;
            CHECK(fits ? code == ERR_NONE : code == ERR_FAILED && strstr(err.text, "32-bit indices"));
        }
        CHECK(!iso_set_rung(iso, STAGE_GENERATE, NULL, &err));
        liar.download = honest->download, liar.sync = false_sync;
        for (size_t k = 1; (fused = ladder_rung(ladder_of("fused"), backend, k)); k++) {
            const struct mesh_buffers none = { { NULL, NULL }, 0, 0 };
            bool does_fit = true;
            if (rung_unavailable(fused, &iso->exec)) continue;
            check_subject(fused->name);
            CHECK(!iso_set_rung(iso, STAGE_FUSED, fused->name, &err));
            iso->ops = &liar;
            const int code = iso_fuse(iso, 0, &none, &does_fit, &err);
            iso->ops = honest;
            CHECK(cases[i].fits ? code == ERR_NONE && !does_fit : code == ERR_FAILED && strstr(err.text, "32-bit indices"));
        }
        CHECK(!iso_set_rung(iso, STAGE_FUSED, NULL, &err));
    }
    check_subject("");
    volume_free(&v);
}

/* ---- the caller's memory --------------------------------------------------------------------------------------------- */

enum { GUARD = 4096, POISON = 0xa5 };

static bool is_untouched(const uint8_t *bytes, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (bytes[i] != POISON) return false;
    return true;
}

/* Poisoned backend memory for a mesh of given counts, with a guard after each array. */
struct guarded {
    struct buffer buffer;
    uint8_t *host;
    size_t indices, bytes; /* offset of the indices, and total size */
};

/* Runs once with capacity for `vertices` and `triangles`: counts are exact in any event, and no byte past the end
 * changes. */
static void run_into(struct iso *iso, struct guarded *g, const struct iso_counts *want, uint64_t vertices,
                     uint64_t triangles)
{
    uint8_t *memory = g->buffer.memory;
    const struct mesh_buffers out = { { (struct vertex *)memory, (uint32_t *)(memory + g->indices) }, vertices, triangles };
    struct err err = { 0 };
    bool fits;
    CHECK(!iso->ops->fill(memory, POISON, g->bytes, &iso->exec));
    if (!CHECK(!iso_fuse(iso, 0.1f, &out, &fits, &err))) return;
    CHECK(fits == (want->vertices <= vertices && want->triangles <= triangles));
    CHECK(iso->counts.vertices == want->vertices && iso->counts.triangles == want->triangles);
    CHECK(!iso->ops->download(g->host, memory, g->bytes, &iso->exec));
    CHECK(is_untouched(g->host, vertices * sizeof(struct vertex), g->indices));
    CHECK(is_untouched(g->host, g->indices + 12 * triangles, g->bytes));
}

/* Every fused rung, with capacity for exactly the mesh, one less of either, and much less. */
static void fused_keeps_to_its_room(struct iso *iso)
{
    static const uint64_t less[][2] = { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 1, 1 }, { 2, 0 }, { 0, 2 }, { 65, 0 }, { 0, 700 } };
    struct volume v = field_volume(torus, 61);
    struct err err = { 0 };
    const struct rung *rung;
    CHECK(!iso_set_volume(iso, &v.grid, &err) && !iso_count(iso, 0.1f, &err));
    const struct iso_counts want = iso->counts;
    struct guarded g = { .indices = scratch_round(want.vertices * sizeof(struct vertex)) + GUARD };
    g.bytes = g.indices + 12 * want.triangles + GUARD;
    g.host = malloc(g.bytes);
    CHECK(want.triangles > 10000 && !buffer_reserve(&g.buffer, iso->ops, &iso->exec, g.bytes, "the guarded mesh", &err));
    for (size_t k = 1; (rung = ladder_rung(ladder_of("fused"), backend, k)); k++) {
        if (rung_unavailable(rung, &iso->exec)) continue;
        check_subject(rung->name);
        CHECK(!iso_set_rung(iso, STAGE_FUSED, rung->name, &err));
        for (size_t i = 0; i < sizeof less / sizeof less[0]; i++)
            run_into(iso, &g, &want, want.vertices - less[i][0], want.triangles - less[i][1]);
        run_into(iso, &g, &want, 0, want.triangles), run_into(iso, &g, &want, want.vertices, 0);
    }
    CHECK(!iso_set_rung(iso, STAGE_FUSED, NULL, &err));
    check_subject("");
    buffer_release(&g.buffer, iso->ops);
    free(g.host);
    volume_free(&v);
}

/* ---- real values ------------------------------------------------------------------------------------------------- */

/* Stored floats compare with volume_iso(x) as with x in double: the neighbours of x, and of its rounded value. */
static void values_compare_as_in_double(void)
{
    struct volume v = { .slope = 1 };
    static const double named[] = { 0.7, 0.1, 80.5, 0, -0.7, 1.0 / 3, 16777217, -16777217, 1e-40, 3e38 };
    for (int i = 0; i < 20000; i++) {
        const int count = (int)(sizeof named / sizeof named[0]);
        const double random = ((double)(check_random() >> 11) / 9007199254740992.0 - 0.5) * 512,
                     x = i < count ? named[i] : random;
        const float iso = volume_iso(&v, x),
                    at[3] = { nextafterf((float)x, -INFINITY), (float)x, nextafterf((float)x, INFINITY) };
        for (int k = 0; k < 3; k++) CHECK((at[k] >= iso) == ((double)at[k] >= x));
    }
    CHECK(volume_iso(&v, 0.7) > 0.7f && volume_iso(&v, (double)0.7f) == 0.7f && volume_iso(&v, -0.7) == -0.7f);
    v.slope = 0.5, v.intercept = -7;
    CHECK(volume_iso(&v, 13) == 40 && volume_iso(&v, 13.25) == 40.5f && volume_real(&v, 40) == 13);
}

static void unknown_rungs_are_named(struct iso *iso)
{
    struct err err = { 0 };
    CHECK(iso_set_rung(iso, STAGE_SCAN, "fastest", &err) == ERR_USAGE);
    CHECK(strstr(err.text, "fastest") && strstr(err.text, "textbook"));
}

int main(int argc, char **argv)
{
    const double pi = 3.14159265358979323846;
    const bool quick = argc > 2 && !strcmp(argv[argc - 1], "quick");
    struct iso iso;
    const int code = open_backend(&iso, argc, argv);
    if (code) return code;
    backend = iso.exec.backend;
    check_seed(20260101);
    shape_converges(&iso, sphere, 2, 4 * pi * 0.8 * 0.8, 4.0 / 3 * pi * 0.8 * 0.8 * 0.8);
    shape_converges(&iso, torus, 0, 4 * pi * pi * 0.6 * 0.27, 2 * pi * pi * 0.6 * 0.27 * 0.27);
    normals_are_second_order(&iso);
    measures_follow_the_direction_matrix(&iso);
    degenerate_volumes_are_empty(&iso);
    values_outside_the_range_are_empty(&iso);
    state_does_not_leak(&iso);
    unknown_rungs_are_named(&iso);
    totals_are_limited(&iso);
    fused_keeps_to_its_room(&iso);
    values_compare_as_in_double();
    volumes_arrive(&iso, quick);
    if (backend != BACKEND_CPU) volumes_stay_or_go(&iso);
    else check_skip("the CPU borrows volumes: none is uploaded, stopped or given away");
    iso_close(&iso);
    return check_summary("test_iso");
}
