/* Smoothing in the pipeline: compares the surface of every gaussian rung with a volume smoothed in double by independent
 * code; checks removal, cancellation and lack of memory.
 * Usage: test_smooth cpu|cuda */
#include "iso_util.h"

#include "measure.h"

static enum backend backend; /* under test */

/* ---- volumes --------------------------------------------------------------------------------------------------------- */

static const uint64_t dims[3] = { 21, 17, 15 }; /* odd, different, larger than the radius of sigma 2 */

static void smooth_axis(double *values, const size_t n[3], int axis, double sigma)
{
    const size_t step = axis == 0 ? 1 : axis == 1 ? n[0] : n[0] * n[1], all = n[0] * n[1] * n[2];
    const long radius = (long)ceil(3 * sigma), last = (long)n[axis] - 1;
    double *old = malloc(all * sizeof *old);
    memcpy(old, values, all * sizeof *old);
    for (size_t at = 0; at < all; at++) {
        const long c = (long)(at / step % n[axis]);
        double sum = 0, weights = 0;
        for (long i = -radius; i <= radius; i++) {
            const long from = c + i < 0 ? 0 : c + i > last ? last : c + i;
            const double w = exp(-(double)(i * i) / (2 * sigma * sigma));
            sum += w * old[at + (size_t)from * step - (size_t)c * step];
            weights += w;
        }
        values[at] = sum / weights;
    }
    free(old);
}

static struct volume smoothed_in_double(const struct volume *v, double sigma)
{
    struct volume to;
    struct err err;
    const size_t shape[3] = { v->grid.nx, v->grid.ny, v->grid.nz }, n = grid_voxels(&v->grid);
    double *values = malloc(n * sizeof *values);
    if (volume_alloc(&to, VOXEL_FLOAT32, (uint64_t[3]){ shape[0], shape[1], shape[2] }, &err)) abort();
    for (size_t i = 0; i < n; i++) values[i] = (double)grid_value(&v->grid, i);
    for (int axis = 0; axis < 3; axis++) smooth_axis(values, shape, axis, sigma);
    for (size_t i = 0; i < n; i++) ((float *)(void *)to.grid.voxels)[i] = (float)values[i];
    free(values);
    return to;
}

/* A value near the mean, too far from every voxel for rounding to move any across. */
static float safe_value(const struct grid *g, double tolerance)
{
    const size_t n = grid_voxels(g);
    double mean = 0;
    for (size_t i = 0; i < n; i++) mean += (double)grid_value(g, i) / (double)n;
    for (int k = 0; k < 10000; k++) {
        const float value = (float)(mean + tolerance * k);
        bool near = false;
        for (size_t i = 0; i < n && !near; i++) near = !(fabs((double)grid_value(g, i) - (double)value) > 2 * tolerance);
        if (!near) return value;
    }
    CHECK(!"a value between the voxels");
    return 0;
}

/* ---- surfaces -------------------------------------------------------------------------------------------------------- */

struct surface {
    struct mesh_host mesh;
    struct measure measure;
};

static struct surface surface_of(struct iso *iso, const struct volume *v, float value)
{
    struct surface s = { .measure = { 0 } };
    struct err err = { 0 };
    if (!CHECK(!iso_count(iso, value, &err) && !iso_mesh_host(iso, &s.mesh, &err) &&
               !measure_mesh(&s.measure, &s.mesh, v, 1, &err)))
        printf("  %s\n", err.text);
    return s;
}

static void free_surface(struct surface *s) { mesh_host_free(&s->mesh); }

/* No voxel changes sides: counts are equal. Areas differ because vertices move on edges of little slope. */
static void is_near(const struct surface *got, const struct surface *want)
{
    CHECK(want->mesh.triangle_count > 1000);
    CHECK(got->mesh.vertex_count == want->mesh.vertex_count && got->mesh.triangle_count == want->mesh.triangle_count);
    CHECK_NEAR(got->measure.area, want->measure.area, 1e-3 * want->measure.area);
}

static void rungs_smooth(struct iso *iso, enum voxel_type type, float sigma)
{
    struct volume v = noise_volume(type, dims), exact = smoothed_in_double(&v, (double)sigma);
    struct err err = { 0 };
    const struct rung *rung;
    double largest = 0;
    for (size_t i = 0; i < grid_voxels(&v.grid); i++) largest = fmax(largest, fabs((double)grid_value(&v.grid, i)));
    const float value = safe_value(&exact.grid, largest * gaussian_tolerance((unsigned)ceilf(3 * sigma)));
    CHECK(!iso_set_volume(iso, &exact.grid, &err));
    struct surface want = surface_of(iso, &v, value);
    CHECK(!iso_set_volume(iso, &v.grid, &err) && iso->sigma == 0);
    for (size_t i = 0; (rung = ladder_rung(ladder_of("gaussian"), backend, i)); i++) {
        if (rung_unavailable(rung, &iso->exec) || ((const struct gaussian_rung *)rung)->loose > 0) continue;
        const uint64_t runs = iso->stage[AUX_GAUSSIAN].runs;
        check_subject(rung->name);
        CHECK(!iso_set_rung(iso, AUX_GAUSSIAN, rung->name, &err) && !iso_smooth(iso, sigma, NULL, NULL, &err));
        CHECK(iso->sigma == sigma && iso->grid.type == VOXEL_FLOAT32 && iso->stage[AUX_GAUSSIAN].runs == runs + 1);
        struct surface got = surface_of(iso, &v, value);
        is_near(&got, &want);
        free_surface(&got);
    }
    check_subject("");
    CHECK(!iso_set_rung(iso, AUX_GAUSSIAN, NULL, &err));
    free_surface(&want);
    volume_free(&exact);
    volume_free(&v);
}

/* ---- back again ------------------------------------------------------------------------------------------------------ */

static void is_always_of_the_original(struct iso *iso)
{
    struct volume v = noise_volume(VOXEL_UINT16, dims);
    struct err err = { 0 };
    CHECK(!iso_set_volume(iso, &v.grid, &err));
    const uint64_t memory = iso_memory(iso);
    struct surface plain = surface_of(iso, &v, 30000.5f);
    CHECK(!iso_smooth(iso, 2, NULL, NULL, &err));
    struct surface smooth = surface_of(iso, &v, 30000.5f);
    CHECK(!iso_smooth(iso, 0.6f, NULL, NULL, &err) && !iso_smooth(iso, 2, NULL, NULL, &err));
    struct surface again = surface_of(iso, &v, 30000.5f);
    CHECK(!same_mesh(&smooth.mesh, &plain.mesh) && same_mesh(&again.mesh, &smooth.mesh));
    CHECK(!iso_smooth(iso, 0, NULL, NULL, &err) && iso->sigma == 0 && iso->grid.type == VOXEL_UINT16);
    struct surface back = surface_of(iso, &v, 30000.5f);
    CHECK(same_mesh(&back.mesh, &plain.mesh));
    iso_drop_working(iso);
    CHECK(iso_memory(iso) <= memory); /* all of it is freed */
    free_surface(&plain), free_surface(&smooth), free_surface(&again), free_surface(&back);
    volume_free(&v);
}

static void statistics_see_it(struct iso *iso)
{
    struct volume v = noise_volume(VOXEL_FLOAT32, dims);
    struct summary before = { 0 }, after = { 0 };
    struct err err = { 0 };
    CHECK(!iso_set_volume(iso, &v.grid, &err) && !iso_summary(iso, &before, &err));
    CHECK(!iso_smooth(iso, 1, NULL, NULL, &err) && !iso_summary(iso, &after, &err));
    CHECK(after.min > before.min && after.max < before.max && after.m2 < before.m2 / 4 && after.nan == 0);
    ((float *)(void *)v.grid.voxels)[(7 * v.grid.ny + 8) * v.grid.nx + 9] = NAN; /* more than 3 from every border */
    CHECK(!iso_set_volume(iso, &v.grid, &err) && !iso_smooth(iso, 1, NULL, NULL, &err) && !iso_summary(iso, &after, &err));
    CHECK(after.nan == 7 * 7 * 7);
    volume_free(&v);
}

/* ---- when it cannot be ----------------------------------------------------------------------------------------------- */

static size_t next_to_nothing(void) { return 4096; }

static void no_room_is_said(struct iso *iso)
{
    const struct backend_ops *ops = iso->ops;
    struct backend_ops short_of = *ops;
    struct volume v = noise_volume(VOXEL_UINT8, dims);
    struct err err = { 0 };
    CHECK(!iso_set_volume(iso, &v.grid, &err));
    struct surface before = surface_of(iso, &v, 128.5f);
    short_of.memory_free = next_to_nothing;
    iso->ops = &short_of;
    CHECK(iso_smooth(iso, 1, NULL, NULL, &err) == ERR_FAILED && err.cause == CAUSE_ROOM && strstr(err.text, "MiB needed"));
    iso->ops = ops;
    CHECK(iso->sigma == 0);
    struct surface after = surface_of(iso, &v, 128.5f);
    CHECK(same_mesh(&before.mesh, &after.mesh));
    free_surface(&before), free_surface(&after);
    volume_free(&v);
}

/* Cancelling keeps the old volume; progress is reported meanwhile. */
static void stopping_leaves_it_as_it_was(struct iso *iso)
{
    struct volume v = noise_volume(VOXEL_INT16, dims);
    struct err err = { 0 };
    const bool cancel = true;
    size_t done = 0;
    CHECK(!iso_set_volume(iso, &v.grid, &err) && !iso_smooth(iso, 1, NULL, &done, &err));
    CHECK(done == iso_smooth_work(&v.grid));
    struct surface before = surface_of(iso, &v, 10.5f);
    iso->exec.cancel = &cancel;
    done = 0;
    CHECK(iso_smooth(iso, 3, NULL, &done, &err) && iso->sigma == 1 && done == 0);
    iso->exec.cancel = NULL;
    struct surface after = surface_of(iso, &v, 10.5f);
    CHECK(same_mesh(&before.mesh, &after.mesh));
    free_surface(&before), free_surface(&after);
    volume_free(&v);
}

int main(int argc, char **argv)
{
    static const float sigmas[] = { 0.4f, 1, 2 }; /* radius 2, 3, 6; the last passes half of the shortest axis */
    struct iso iso;
    const int code = open_backend(&iso, argc, argv);
    if (code) return code;
    backend = iso.exec.backend;
    check_seed(20260102);
    for (int type = 0; type < VOXEL_TYPE_COUNT; type++)
        for (size_t i = 0; i < sizeof sigmas / sizeof sigmas[0]; i++) rungs_smooth(&iso, (enum voxel_type)type, sigmas[i]);
    is_always_of_the_original(&iso);
    statistics_see_it(&iso);
    no_room_is_said(&iso);
    if (backend == BACKEND_CPU) stopping_leaves_it_as_it_was(&iso);
    iso_close(&iso);
    return check_summary("test_smooth");
}
