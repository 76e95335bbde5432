/* Surfaces written to meshes, on the CPU and on a simulated GPU. Whether the stages or the fused rung make it, in one
 * call or in two, a mesh must equal that of iso_extract at every value, and be empty if there is no surface. */
#include "fake_backends.h"
#include "iso_util.h"
#include "merged.h"
#include "surface.h"

enum { SIZE = 33 }; /* several bricks along each axis */

/* Of a ball with 0.8 in its middle: the mesh grows, shrinks, vanishes, and comes back twice. */
static const float values[] = { 0.4f, 0, 0.6f, 0.9f, 0.2f, INFINITY, -0.1f };

static int make_in_two(struct mesh *mesh, struct iso *iso, float value, double *map_ms, struct err *err)
{
    bool again;
    const int code = surface_begin(mesh, iso, value, map_ms, err);
    return code ? code : surface_end(mesh, iso, value, &again, map_ms, err);
}

static int (*const ways[])(struct mesh *, struct iso *, float, double *, struct err *) = { surface_update, make_in_two };

/* The pretended GPU's memory is the CPU's. */
static void check_mesh(const struct mesh *mesh, const struct mesh_host *want)
{
    const struct mesh_out at = mesh_memory_of(mesh);
    const struct mesh_host got = {
        .vertices = at.vertices, .indices = at.indices, .vertex_count = mesh->vertices, .triangle_count = mesh->triangles
    };
    CHECK(!mesh->mapped && !mesh->queued && same_mesh(&got, want));
}

static void test_values(struct iso *iso, const struct grid *grid, const char *fused, int way)
{
    struct mesh mesh;
    struct err err = { 0 };
    double map_ms;
    CHECK(!iso_set_volume(iso, grid, &err) && !iso_set_rung(iso, STAGE_FUSED, fused, &err));
    CHECK(iso_is_fused(iso) == !fused);
    mesh_open(&mesh, &mesh_memory, &iso->exec);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        const uint64_t version = mesh.version;
        struct iso plain;
        struct mesh_host want;
        CHECK(!iso_open(&plain, BACKEND_CPU, -1, 1, &err) && !iso_set_volume(&plain, grid, &err));
        CHECK(!iso_extract(&plain, values[i], &want, &err) && !want.triangle_count == (values[i] > 0.8f));
        CHECK(!ways[way](&mesh, iso, values[i], &map_ms, &err) && mesh.version != version && map_ms >= 0);
        check_mesh(&mesh, &want);
        mesh_host_free(&want);
        iso_close(&plain);
    }
    mesh_close(&mesh);
}

/* No machine could hold such meshes. They are never read. */
static void sums_fit_32_bits(void)
{
    struct exec x = { .backend = BACKEND_CPU };
    struct mesh half[2];
    struct mesh *mesh[MERGED_MOST] = { &half[0], &half[1] };
    struct merged merged;
    struct err err = { 0 };
    check_subject("more triangles than 32-bit indices allow");
    for (int i = 0; i < 2; i++) {
        mesh_open(&half[i], &mesh_memory, &x);
        half[i].vertices = 3, half[i].triangles = (uint64_t)1 << 31;
    }
    merged_open(&merged, &mesh_memory, &x);
    CHECK(merged_update(&merged, mesh, &err) == ERR_FAILED && strstr(err.text, "more than 32-bit indices allow"));
    CHECK(!strcmp(err.advice, "hide one of them"));
    merged_close(&merged);
    for (int i = 0; i < 2; i++) mesh_close(&half[i]);
}

int main(void)
{
    struct volume v = field_volume(sphere, SIZE);
    struct err err = { 0 };
    for (int i = 0; i < 8; i++) {
        const enum backend backend = i & 1 ? BACKEND_CUDA : BACKEND_CPU;
        const char *fused = i & 2 ? "none" : NULL;
        char subject[64];
        struct iso iso;
        snprintf(subject, sizeof subject, "%s, fused=%s, way %d", backends[backend]->name, fused ? fused : "default",
                 i / 4);
        check_subject(subject);
        if (CHECK(!iso_open(&iso, backend, -1, 1, &err))) test_values(&iso, &v.grid, fused, i / 4);
        iso_close(&iso);
    }
    volume_free(&v);
    sums_fit_32_bits();
    check_subject("");
    CHECK(fake_backends.blocks == 0 && fake_backends.execs == 0);
    return check_summary("test_surface");
}
