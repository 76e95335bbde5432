/* Slices: compares pictures with the voxels, contours of every marching_squares rung with the surface of the same value,
 * and checks values between voxels. Usage: test_slice cpu|cuda */
#include "iso_util.h"

#include "slice.h"

static struct iso iso;
static struct err err;

/* Noise that reaches all 256 cases of the surface and all 16 of a slice, the ambiguous ones too; no float equals 0.5. */
static struct volume fine_noise(enum voxel_type type, const uint64_t dims[3])
{
    struct volume v;
    if (volume_alloc(&v, type, dims, &err)) abort();
    uint8_t *to = (uint8_t *)v.grid.voxels;
    for (size_t i = 0; i < grid_voxels(&v.grid) * voxel_bytes(type); i++) to[i] = (uint8_t)(check_random() >> 56);
    for (size_t i = 0; type == VOXEL_FLOAT32 && i < grid_voxels(&v.grid); i++)
        ((float *)v.grid.voxels)[i] = (float)(check_random() >> 40) / 16777216.0f;
    return v;
}

static float voxel_at(const struct grid *g, unsigned axis, size_t index, size_t u, size_t v)
{
    const size_t x = axis == 0 ? index : u, y = axis == 0 ? u : axis == 1 ? index : v, z = axis == 2 ? index : v;
    return grid_value(g, (z * g->ny + y) * g->nx + x);
}

static void pictures_are_the_voxels(enum voxel_type type)
{
    static const uint64_t dims[3] = { 7, 5, 11 };
    struct volume v = fine_noise(type, dims);
    for (unsigned axis = 0; axis < SLICE_AXES; axis++)
        for (size_t index = 0; index < dims[axis]; index++) {
            size_t size[2], wrong = 0;
            slice_size(&v.grid, axis, size);
            CHECK(size[0] * size[1] * dims[axis] == grid_voxels(&v.grid));
            float *got = malloc((size[0] * size[1] + 1) * sizeof *got);
            for (size_t i = 0; i <= size[0] * size[1]; i++) got[i] = -4711; /* no voxel value; the last is a guard */
            slice_values(&v.grid, axis, index, got);
            for (size_t i = 0; i < size[0] * size[1]; i++)
                wrong += got[i] != voxel_at(&v.grid, axis, index, i % size[0], i / size[0]);
            CHECK(wrong == 0 && got[size[0] * size[1]] == -4711);
            free(got);
        }
    volume_free(&v);
}

/* ---- contours ------------------------------------------------------------------------------------------------------ */

struct edge {
    float p[2][3];
}; /* ends in order: both directions compare equal */

static int compare(const void *a, const void *b) { return memcmp(a, b, sizeof(struct edge)); }

static struct edge make_edge(const float a[3], const float b[3])
{
    struct edge e = { 0 };
    const bool turned = memcmp(a, b, sizeof e.p[0]) > 0;
    memcpy(e.p[0], turned ? b : a, sizeof e.p[0]);
    memcpy(e.p[1], turned ? a : b, sizeof e.p[1]);
    for (int i = 0; i < 6; i++) e.p[i / 3][i % 3] += 0.0f; /* no -0 */
    return e;
}

/* All edges of the mesh's triangles, sorted. */
static struct edge *mesh_edges(const struct mesh_host *mesh)
{
    struct edge *edges = malloc((3 * mesh->triangle_count + 1) * sizeof *edges);
    for (uint64_t i = 0; i < 3 * mesh->triangle_count; i++) {
        const struct vertex *a = &mesh->vertices[mesh->indices[i]];
        const struct vertex *b = &mesh->vertices[mesh->indices[i % 3 == 2 ? i - 2 : i + 1]];
        const float from[3] = { a->x, a->y, a->z }, to[3] = { b->x, b->y, b->z };
        edges[i] = make_edge(from, to);
    }
    qsort(edges, 3 * mesh->triangle_count, sizeof *edges, compare);
    return edges;
}

/* Segments of a contour that are not edges of the mesh. */
static size_t count_strangers(const struct contour *c, unsigned axis, const struct edge *edges, uint64_t edge_count)
{
    size_t strangers = 0;
    unsigned uv[2];
    slice_uv(axis, uv);
    for (uint64_t i = 0; i < c->count; i++) {
        const struct segment *s = &c->segments[i];
        float from[3], to[3];
        from[axis] = to[axis] = (float)c->index;
        from[uv[0]] = s->u0, from[uv[1]] = s->v0, to[uv[0]] = s->u1, to[uv[1]] = s->v1;
        const struct edge e = make_edge(from, to);
        strangers += !bsearch(&e, edges, edge_count, sizeof e, compare);
    }
    return strangers;
}

/* Edges of the mesh in the plane, each once; the contour must contain all. */
static size_t count_in_plane(unsigned axis, size_t index, const struct edge *edges, uint64_t n)
{
    size_t found = 0;
    for (uint64_t i = 0; i < n; i++)
        found += edges[i].p[0][axis] == (float)index && edges[i].p[1][axis] == (float)index &&
                 (i == 0 || compare(&edges[i], &edges[i - 1]));
    return found;
}

/* On a slice between cells, the segments and the edges of the surface are the same, bit for bit. */
static void contours_are_edges_of_the_surface(void)
{
    static const uint64_t dims[3] = { 19, 14, 23 };
    struct volume v = fine_noise(VOXEL_FLOAT32, dims);
    struct mesh_host mesh;
    struct contour contour[SLICE_AXES] = { { .wanted = false } };
    if (!CHECK(!iso_set_volume(&iso, &v.grid, &err)) || !CHECK(!iso_extract(&iso, 0.5f, &mesh, &err))) return;
    struct edge *edges = mesh_edges(&mesh);
    for (size_t index = 0; index < 23; index++) {
        const uint64_t runs = iso.stage[AUX_MARCHING_SQUARES].runs;
        for (int a = 0; a < SLICE_AXES; a++) contour[a].wanted = index < dims[a], contour[a].index = index;
        if (!CHECK(!slice_contours(&iso, &iso.grid, 0.5f, contour, &err))) break;
        CHECK(iso.stage[AUX_MARCHING_SQUARES].runs > runs);
        for (unsigned a = 0; a < SLICE_AXES; a++) {
            if (!contour[a].wanted) continue;
            CHECK(contour[a].count > 50);
            CHECK(count_strangers(&contour[a], a, edges, 3 * mesh.triangle_count) == 0);
            CHECK(count_in_plane(a, index, edges, 3 * mesh.triangle_count) == contour[a].count);
        }
    }
    slice_free(contour);
    free(edges);
    mesh_host_free(&mesh);
    volume_free(&v);
}

/* Values from no contour to the longest and back: nothing remains of the previous one, and capacity only grows. */
static void contours_follow_the_value(void)
{
    static const uint64_t dims[3] = { 33, 33, 33 };
    struct volume v = fine_noise(VOXEL_FLOAT32, dims);
    struct contour contour[SLICE_AXES] = { [1] = { .wanted = true, .index = 16 } };
    uint64_t most = 0, capacity = 0;
    CHECK(!iso_set_volume(&iso, &v.grid, &err));
    for (int i = 0; i <= 20; i++) {
        if (!CHECK(!slice_contours(&iso, &iso.grid, -0.05f + 0.055f * (float)i, contour, &err))) break;
        most = contour[1].count > most ? contour[1].count : most;
        CHECK(contour[1].capacity >= capacity && contour[1].capacity >= contour[1].count);
        CHECK(contour[0].count == 0 && !contour[0].segments && contour[2].count == 0);
        CHECK((i == 0 || i == 20) == (contour[1].count == 0));
        capacity = contour[1].capacity;
    }
    CHECK(most > 500);
    slice_free(contour);
    CHECK(contour[1].capacity == 0 && !contour[1].segments);
    volume_free(&v);
}

static void thin_volumes_have_no_contours(void)
{
    static const uint64_t shapes[][3] = { { 1, 1, 1 }, { 1, 9, 1 }, { 9, 1, 1 } };
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        struct volume v = fine_noise(VOXEL_UINT8, shapes[s]);
        struct contour contour[SLICE_AXES];
        for (int a = 0; a < SLICE_AXES; a++) contour[a] = (struct contour){ .wanted = true, .index = shapes[s][a] - 1 };
        CHECK(!iso_set_volume(&iso, &v.grid, &err) && !slice_contours(&iso, &iso.grid, 127.5f, contour, &err));
        for (int a = 0; a < SLICE_AXES; a++) CHECK(contour[a].count == 0);
        slice_free(contour);
        volume_free(&v);
    }
}

/* ---- values between voxels ----------------------------------------------------------------------------------------- */

/* Trilinear interpolation reproduces fields that are linear along each axis. */
static void values_between_voxels_are_trilinear(void)
{
    static const uint64_t dims[3] = { 6, 5, 4 };
    struct volume v;
    if (!CHECK(!volume_alloc(&v, VOXEL_FLOAT32, dims, &err))) return;
    v.slope = 2, v.intercept = 1, v.origin[1] = 10, v.direction[1][1] = -3, v.direction[0][2] = 0.5;
    for (size_t i = 0; i < grid_voxels(&v.grid); i++) {
        const size_t x = i % 6, y = i / 6 % 5, z = i / 30;
        ((float *)v.grid.voxels)[i] = (float)(1 + x + 2 * y + 3 * z + x * y * z);
    }
    for (int i = 0; i < 200; i++) {
        double p[3];
        for (int a = 0; a < 3; a++) p[a] = (double)(check_random() >> 11) / 9007199254740992.0 * (double)(dims[a] - 1);
        CHECK_NEAR(volume_value(&v, p), 1 + 2 * (1 + p[0] + 2 * p[1] + 3 * p[2] + p[0] * p[1] * p[2]), 1e-9);
    }
    const double corner[3] = { 5, 4, 3 }, outside[3] = { 7, 99, 3 }, inside[3] = { 2.5, 1, 2 };
    CHECK_NEAR(volume_value(&v, corner), 1 + 2 * 83, 1e-9);
    CHECK(volume_value(&v, outside) == volume_value(&v, corner));
    double at[3];
    volume_to_world(&v, inside, at);
    CHECK_NEAR(at[0], 3.5, 1e-12);
    CHECK_NEAR(at[1], 7, 1e-12);
    CHECK_NEAR(at[2], 2, 1e-12);
    ((float *)v.grid.voxels)[2 * 30 + 6 + 2] = NAN;
    CHECK(isnan(volume_value(&v, inside)));
    const double beside[3] = { 1, 1, 2 }; /* next to the NaN, without weight on the NaN */
    CHECK(!isnan(volume_value(&v, beside)));
    volume_free(&v);
}

int main(int argc, char **argv)
{
    const struct rung *rung;
    const int code = open_backend(&iso, argc, argv);
    if (code) return code;
    check_seed(20261121);
    for (int type = 0; type < VOXEL_TYPE_COUNT; type++) pictures_are_the_voxels((enum voxel_type)type);
    values_between_voxels_are_trilinear();
    for (size_t i = 0; (rung = ladder_rung(ladder_of("marching_squares"), iso.exec.backend, i)); i++) {
        check_subject(rung->name);
        if (!CHECK(!iso_set_rung(&iso, AUX_MARCHING_SQUARES, rung->name, &err))) continue;
        contours_are_edges_of_the_surface();
        contours_follow_the_value();
        thin_volumes_have_no_contours();
    }
    iso_close(&iso);
    return check_summary("test_slice");
}
