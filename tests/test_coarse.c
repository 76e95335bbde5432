/* Compares the coarse level with the pipeline on the same voxels: which voxels are picked, and how much they are
 * smoothed. */
#include "coarse.h"
#include "iso_util.h"

enum { SIZE = 33, MOST = 17 * 17 * 17 }; /* voxels along each axis; what one of two along each axis leaves */

/* The surface of `grid`, smoothed by sigma of its voxels. */
static struct mesh_host surface_of(const struct grid *grid, float sigma, float value)
{
    struct iso iso;
    struct mesh_host mesh = { 0 };
    struct err err = { 0 };
    if (CHECK(!iso_open(&iso, BACKEND_CPU, -1, 1, &err))) {
        CHECK(!iso_set_volume(&iso, grid, &err) && !iso_smooth(&iso, sigma, NULL, NULL, &err));
        CHECK(!iso_extract(&iso, value, &mesh, &err));
    }
    iso_close(&iso);
    return mesh;
}

static void test_level(struct coarse *coarse, const struct grid *grid, float level_sigma, float sigma)
{
    struct coarse_mesh m = { .epoch = 0 };
    struct mesh_buffers out;
    struct err err = { 0 };
    mesh_open(&m.mesh, &mesh_memory, &coarse->iso.exec);
    struct mesh_host want = surface_of(grid, level_sigma, 0);
    if (!CHECK(!coarse_update(coarse, &m, 0, sigma, &err) && want.vertices && want.triangle_count > 100)) return;
    CHECK(m.mesh.vertices == want.vertex_count && m.mesh.triangles == want.triangle_count);
    const uint64_t vertices = m.mesh.vertices;
    CHECK(!mesh_map(&m.mesh, &out, &err) &&
          memcmp(out.mesh.vertices, want.vertices, vertices * sizeof *want.vertices) == 0);
    CHECK(!mesh_unmap(&m.mesh, 0, 0, &err));
    mesh_host_free(&want);
    mesh_close(&m.mesh);
}

int main(void)
{
    struct volume v = field_volume(sphere, SIZE);
    struct coarse coarse;
    struct coarse_level level, smoothed;
    struct err err = { 0 };
    coarse_pick(&level, &v.grid, MOST - 1);
    CHECK(level.step == 4);
    coarse_drop(&level);
    coarse_pick(&level, &v.grid, MOST);
    CHECK(level.step == 2 && level.grid.nx == 17 && level.grid.ny == 17 && level.grid.nz == 17);
    for (size_t i = 0; i < 17; i++)
        CHECK(grid_value(&level.grid, (i * 17 + i) * 17 + i) ==
              grid_value(&v.grid, ((2 * i * SIZE) + 2 * i) * SIZE + 2 * i));
    if (!CHECK(!coarse_open(&coarse, 1, &err))) return check_summary("test_coarse");
    coarse_pick(&smoothed, &v.grid, MOST);
    coarse_take(&coarse, &level);
    test_level(&coarse, &coarse.level.grid, 0, 0);
    test_level(&coarse, &coarse.level.grid, 1.5f, 3); /* a voxel of the level is two of the volume */
    coarse_take_smoothed(&coarse, &smoothed, 3);
    test_level(&coarse, &coarse.smoothed.grid, 0, 3); /* it is smoothed already */
    test_level(&coarse, &coarse.level.grid, 1, 2);    /* but not by this */
    coarse_close(&coarse);
    volume_free(&v);
    return check_summary("test_coarse");
}
