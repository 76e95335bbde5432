/* The pipeline as a whole: closed surfaces with known topology, area and volume; every combination of rungs and, where
 * there is a GPU, both backends, must give the same mesh. Usage: test_iso cpu|cuda */
#include "check.h"
#include "mesh_check.h"
#include "../src/measure.h"

#include <stdlib.h>
#include <string.h>

static enum backend backend; /* under test */

/* ---- fields on [-1, 1]^3, voxel centres at both ends ---------------------------------------------------------------- */

static double sphere(double x, double y, double z)
{
    return 0.8 - sqrt(x * x + y * y + z * z);
}

static double torus(double x, double y, double z)
{
    const double ring = sqrt(x * x + y * y) - 0.6;
    return 0.27 - sqrt(ring * ring + z * z);
}

static struct volume field_volume(double (*field)(double, double, double), size_t n)
{
    struct volume v;
    struct err err;
    const uint64_t dims[3] = { n, n, n };
    if (volume_alloc(&v, VOXEL_FLOAT32, dims, &err)) abort();
    float *to = (float *)v.grid.voxels;
    const double h = 2.0 / (double)(n - 1);
    for (size_t i = 0; i < n * n * n; i++)
        to[i] = (float)field(-1 + h * (double)(i % n), -1 + h * (double)(i / n % n), -1 + h * (double)(i / n / n));
    for (int a = 0; a < 3; a++) v.direction[a][a] = h, v.origin[a] = -1;
    return v;
}

static bool extract(struct iso *iso, const struct grid *grid, float value, struct mesh_host *mesh)
{
    struct err err = { 0 };
    if (!iso_set_volume(iso, grid, &err) && !iso_count(iso, value, &err) && !iso_mesh_host(iso, mesh, &err)) return true;
    printf("%s\n", err.text);
    return false;
}

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
        const struct mesh_check c = mesh_check(&mesh, &v.grid, 0);
        if (!CHECK(!c.fault)) printf("  %s\n", c.fault);
        CHECK(c.border_edges == 0 && c.euler == euler && c.components == 1);
        CHECK(!measure_mesh(&m, &mesh, &v, &err) && m.closed);
        area_error[level] = fabs(m.area - area) / area;
        volume_error[level] = fabs(m.volume - enclosed) / enclosed;
        mesh_host_free(&mesh);
        volume_free(&v);
    }
    printf("  relative error of area %.2e -> %.2e, of volume %.2e -> %.2e\n", area_error[0], area_error[1], volume_error[0],
           volume_error[1]);
    CHECK(area_error[1] <= 1e-3 && volume_error[1] <= 2e-3);
    /* Order 2: halving h divides the error by 4; 2^1.8 = 3.48 leaves room for the next terms. */
    CHECK(log2(area_error[0] / area_error[1]) >= 1.8);
    CHECK(log2(volume_error[0] / volume_error[1]) >= 1.8);
}

/* Central differences of a quadratic are exact, and so must the normals be, but for their 10 bits. */
static double paraboloid(double x, double y, double z)
{
    return 0.5 - x * x - 0.5 * y * y - 0.25 * z * z;
}

static void normals_are_second_order(struct iso *iso)
{
    struct volume v = field_volume(paraboloid, 33);
    struct mesh_host mesh;
    double worst = 0;
    if (!CHECK(extract(iso, &v.grid, 0, &mesh))) return;
    for (uint64_t i = 0; i < mesh.vertex_count; i++) {
        const double p[3] = { -1 + mesh.vertices[i].x / 16.0, -1 + mesh.vertices[i].y / 16.0, -1 + mesh.vertices[i].z / 16.0 };
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
    CHECK(!measure_mesh(&plain, &mesh, &v, &err));
    v.direction[2][2] *= 3;
    CHECK(!measure_mesh(&stretched, &mesh, &v, &err));
    CHECK_NEAR(stretched.volume, 3 * plain.volume, 1e-9);
    v.direction[2][2] /= -3;
    CHECK(!measure_mesh(&mirrored, &mesh, &v, &err));
    CHECK_NEAR(mirrored.volume, plain.volume, 1e-9);
    CHECK_NEAR(mirrored.area, plain.area, 1e-9);
    mesh_host_free(&mesh);
    volume_free(&v);
}

/* ---- rungs and backends ---------------------------------------------------------------------------------------------- */

static bool same_mesh(const struct mesh_host *a, const struct mesh_host *b)
{
    if (a->vertex_count != b->vertex_count || a->triangle_count != b->triangle_count) return false;
    if (!a->vertex_count) return true;
    return !memcmp(a->vertices, b->vertices, a->vertex_count * sizeof *a->vertices) &&
           !memcmp(a->indices, b->indices, 12 * a->triangle_count);
}

/* Noise of every type: each rung in turn, the others at their defaults, must give the textbook's mesh bit for bit; and the
 * textbook of the CPU that of the backend under test. */
static void all_rungs_agree(struct iso *iso, enum voxel_type type)
{
    const uint64_t dims[3] = { 67, 35, 29 };
    struct volume v;
    struct mesh_host want, got;
    struct iso cpu;
    struct err err = { 0 };
    if (!CHECK(!volume_alloc(&v, type, dims, &err) && !iso_open(&cpu, BACKEND_CPU, -1, 1, &err))) return;
    uint8_t *bytes = (uint8_t *)v.grid.voxels;
    for (size_t i = 0; i < grid_voxels(&v.grid); i++) {
        if (type == VOXEL_FLOAT32) ((float *)bytes)[i] = (float)(check_random() % 1000) / 10;
        else for (size_t b = 0; b < voxel_bytes(type); b++) bytes[i * voxel_bytes(type) + b] = (uint8_t)check_random();
    }
    const float value = type == VOXEL_FLOAT32 ? 50 : 64.5f;
    iso_set_all(&cpu, true);
    if (!CHECK(extract(&cpu, &v.grid, value, &want))) return;
    for (int stage = 0; stage < STAGE_COUNT; stage++) {
        const struct rung *rung;
        iso_set_all(iso, false);
        for (size_t i = 0; (rung = ladder_rung(ladder_of(stage_name[stage]), backend, i)); i++) {
            if (!rung_available(rung)) continue;
            CHECK(!iso_set_rung(iso, (enum stage)stage, rung->name, &err));
            if (!CHECK(extract(iso, &v.grid, value, &got))) continue;
            if (!CHECK(same_mesh(&got, &want))) printf("  type %d, %s=%s\n", type, stage_name[stage], rung->name);
            mesh_host_free(&got);
        }
    }
    iso_set_all(iso, true);
    CHECK(extract(iso, &v.grid, value, &got) && same_mesh(&got, &want));
    const struct mesh_check c = mesh_check(&want, &v.grid, value);
    if (!CHECK(!c.fault)) printf("  noise of type %d: %s\n", type, c.fault);
    mesh_host_free(&got);
    mesh_host_free(&want);
    iso_set_all(iso, false);
    iso_close(&cpu);
    volume_free(&v);
}

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

/* ---- edges of the contract ------------------------------------------------------------------------------------------- */

static void degenerate_volumes_are_empty(struct iso *iso)
{
    static const uint64_t shapes[][3] = { { 1, 1, 1 }, { 1, 5, 7 }, { 5, 1, 7 }, { 5, 7, 1 }, { 1, 1, 9 } };
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        struct volume v;
        struct mesh_host mesh;
        struct tally tally;
        struct err err = { 0 };
        if (!CHECK(!volume_alloc(&v, VOXEL_UINT8, shapes[s], &err))) continue;
        for (size_t i = 0; i < grid_voxels(&v.grid); i++) ((uint8_t *)v.grid.voxels)[i] = (uint8_t)(i % 2);
        CHECK(extract(iso, &v.grid, 0.5f, &mesh));
        CHECK(mesh.vertex_count == 0 && mesh.triangle_count == 0);
        CHECK(!iso_tally(iso, &tally, &err) && tally.active_cells == 0);
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

/* A volume smaller, larger, of another type, an isovalue back and forth: nothing of the old state may show. */
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

/* The value goes up and down over volumes of many and of few bricks; the room grows as the window's does. */
static void fused_counts_like_the_stages(struct iso *iso)
{
    static const size_t sizes[] = { 17, 129, 64 };
    struct iso_buffer buffer = { NULL, 0 };
    struct mesh_room room = { { NULL, NULL }, 0, 0 };
    struct err err = { 0 };
    bool fits;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        struct volume v = field_volume(s % 2 ? sphere : torus, sizes[s]);
        CHECK(!iso_set_volume(iso, &v.grid, &err));
        for (int i = -40; i <= 40; i++) {
            const float value = 0.02f * (float)abs(i) - 0.4f;
            if (!CHECK(!iso_fuse(iso, value, &room, &fits, &err))) break;
            if (!fits) {
                CHECK(!iso_room(iso, &buffer, &room, &err) && !iso_fuse(iso, value, &room, &fits, &err) && fits);
            }
            const struct iso_counts fused = iso->counts;
            CHECK(!iso_count(iso, value, &err));
            CHECK(fused.vertices == iso->counts.vertices && fused.triangles == iso->counts.triangles);
        }
        volume_free(&v);
    }
    iso_room_free(iso, &buffer);
}

static void unknown_rungs_are_named(struct iso *iso)
{
    struct err err = { 0 };
    CHECK(iso_set_rung(iso, STAGE_SCAN, "fastest", &err) == ERR_USAGE);
    CHECK(strstr(err.text, "fastest") && strstr(err.text, "textbook"));
}

int main(int argc, char **argv)
{
    struct iso iso;
    struct err err = { 0 };
    char text[256];
    backend = argc > 1 && !strcmp(argv[1], "cuda") ? BACKEND_CUDA : BACKEND_CPU;
    if (!backends[backend]->available(text, sizeof text)) {
        printf("skipped: no %s backend: %s\n", backends[backend]->name, text);
        return 77;
    }
    check_seed(20260101);
    if (iso_open(&iso, backend, -1, 3, &err)) {
        printf("%s\n", err.text);
        return 1;
    }
    const double pi = 3.14159265358979323846;
    shape_converges(&iso, sphere, 2, 4 * pi * 0.8 * 0.8, 4.0 / 3 * pi * 0.8 * 0.8 * 0.8);
    shape_converges(&iso, torus, 0, 4 * pi * pi * 0.6 * 0.27, 2 * pi * pi * 0.6 * 0.27 * 0.27);
    normals_are_second_order(&iso);
    measures_follow_the_direction_matrix(&iso);
    for (int type = 0; type < VOXEL_TYPE_COUNT; type++) all_rungs_agree(&iso, (enum voxel_type)type);
    if (backend == BACKEND_CPU) thread_counts_agree();
    degenerate_volumes_are_empty(&iso);
    values_outside_the_range_are_empty(&iso);
    state_does_not_leak(&iso);
    unknown_rungs_are_named(&iso);
    iso_set_all(&iso, false);
    if (iso_is_fused(&iso)) fused_counts_like_the_stages(&iso);
    else check_skip("no fused rung on this backend");
    iso_close(&iso);
    return check_summary("test_iso");
}
