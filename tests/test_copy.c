/* When the pipeline makes a fused rung's copy of the volume, and when it does without. No rung of the CPU has one, so a
 * default rung is given one that counts its calls.
 * Usage: test_copy */
#include "iso_util.h"

static struct fused_rung rung; /* under test */
static const struct fused_rung *original;
static unsigned copies, questions; /* made; for the free memory */
static size_t free_bytes;
static const void *given; /* to the last run */

static size_t copy_bytes(const struct grid *grid) { return grid_bytes(grid); }

static int copy(const struct grid *grid, void *to, struct exec *x)
{
    (void)x;
    memcpy(to, grid->voxels, grid_bytes(grid));
    copies++;
    return 0;
}

static int run(const struct fused_desc *desc, struct exec *x)
{
    given = desc->copy;
    return original->run(desc, x);
}

static size_t memory_free(void)
{
    questions++;
    return free_bytes;
}

/* Makes a surface; returns whether the rung was given a copy, of the right voxels. */
static bool has_copy(struct iso *iso, struct buffer *buffer, float value)
{
    struct mesh_buffers out = { { NULL, NULL }, 0, 0 };
    struct err err = { 0 };
    bool fits = false;
    if (!CHECK(!iso_count(iso, value, &err) && !iso_reserve_mesh(iso, buffer, &out, &err))) return false;
    CHECK(!iso_fuse(iso, value, &out, &fits, &err) && fits && iso->counts.triangles > 1000);
    CHECK(!given || !memcmp(given, iso->grid.voxels, grid_bytes(&iso->grid)));
    return given != NULL;
}

/* Sets the volume anew, and forgets what was counted. */
static void begin(struct iso *iso, const struct volume *v)
{
    struct err err = { 0 };
    CHECK(!iso_set_volume(iso, &v->grid, &err));
    copies = questions = 0;
}

static void it_comes_with_the_second_surface(struct iso *iso, struct buffer *buffer, const struct volume *v,
                                             const struct volume *other)
{
    struct mesh_buffers small = { { NULL, NULL }, 0, 0 };
    struct err err = { 0 };
    bool fits = true;
    begin(iso, v);
    CHECK(!iso_fuse(iso, 0, &small, &fits, &err) && !fits && !given);
    CHECK(!has_copy(iso, buffer, 0) && !copies); /* what did not fit was no surface */
    CHECK(has_copy(iso, buffer, 0.1f) && copies == 1);
    CHECK(has_copy(iso, buffer, 0.1f) && copies == 1 && iso->copy.stats.runs == 1);
    begin(iso, other);
    CHECK(!iso->copy.buffer.memory);
    CHECK(!has_copy(iso, buffer, 0) && has_copy(iso, buffer, 0) && copies == 1);
    CHECK(!iso_smooth(iso, 1, NULL, NULL, &err) && !has_copy(iso, buffer, 0) && has_copy(iso, buffer, 0) && copies == 2);
    iso_unsmooth(iso);
    CHECK(!has_copy(iso, buffer, 0) && has_copy(iso, buffer, 0) && copies == 3);
}

static void other_rungs_get_none(struct iso *iso, struct buffer *buffer, const struct volume *v)
{
    struct fused_rung plain = rung;
    plain.copy = NULL;
    begin(iso, v);
    CHECK(!has_copy(iso, buffer, 0) && has_copy(iso, buffer, 0) && copies == 1);
    iso->rung[STAGE_FUSED] = &plain.rung;
    CHECK(!has_copy(iso, buffer, 0));
    iso->rung[STAGE_FUSED] = &rung.rung;
    CHECK(has_copy(iso, buffer, 0) && copies == 1);
}

static void it_leaves_memory_for_others(struct iso *iso, struct buffer *buffer, const struct volume *v)
{
    char text[256];
    struct err err = { 0 };
    begin(iso, v);
    CHECK(!has_copy(iso, buffer, 0));
    free_bytes = 4 * grid_bytes(&v->grid) - 1;
    questions = 0;
    for (int turn = 0; turn < 3; turn++) CHECK(!has_copy(iso, buffer, 0));
    CHECK(!copies && questions == 1); /* asking takes a GPU as long as a small surface */
    free_bytes = 4 * grid_bytes(&v->grid);
    begin(iso, v);
    CHECK(!has_copy(iso, buffer, 0) && has_copy(iso, buffer, 0) && copies == 1);
    free_bytes = SIZE_MAX;

    const uint64_t before = iso_memory(iso);
    CHECK(before >= grid_bytes(&v->grid));
    err_set(&err, ERR_FAILED, "too little");
    err_blame(&err, ERR_FAILED, CAUSE_MEMORY);
    CHECK(iso_use_less(iso, &err, text, sizeof text) && strstr(text, "too little; going on without fused="));
    CHECK(iso->rung[STAGE_FUSED] == &rung.rung && !iso->copy.buffer.memory);
    for (int turn = 0; turn < 3; turn++) CHECK(!has_copy(iso, buffer, 0));
    CHECK(copies == 1);
}

int main(void)
{
    struct iso iso;
    struct err err = { 0 };
    struct buffer buffer = { NULL, 0 };
    if (iso_open(&iso, BACKEND_CPU, -1, 2, &err)) return 1;
    struct backend_ops ops = *iso.ops;
    ops.memory_free = memory_free;
    free_bytes = SIZE_MAX;
    iso.ops = &ops;
    original = (const struct fused_rung *)iso.rung[STAGE_FUSED];
    rung = *original;
    rung.run = run, rung.copy_bytes = copy_bytes, rung.copy = copy;
    iso.rung[STAGE_FUSED] = &rung.rung;
    struct volume v = field_volume(sphere, 33), other = field_volume(torus, 41);
    it_comes_with_the_second_surface(&iso, &buffer, &v, &other);
    other_rungs_get_none(&iso, &buffer, &v);
    it_leaves_memory_for_others(&iso, &buffer, &v);
    buffer_release(&buffer, iso.ops);
    iso_close(&iso);
    volume_free(&v);
    volume_free(&other);
    return check_summary("test_copy");
}
