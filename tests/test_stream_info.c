/* Numbers on volumes that are read slab by slab must equal those computed in memory, to the last bit: every type, both
 * pipelines, percentiles, statistics whose chunks end within slabs, NaN and infinity, fields of distances, closed and cut
 * surfaces. */
#include "stream_util.h"

#include "stream_info.h"

#include <math.h>

/* The same in memory. */
static int info_whole(struct stream_info *info, const char *path, const struct load_desc *load, double value,
                      enum isovalue in, struct err *err)
{
    struct volume volume;
    struct mesh_host mesh;
    int code = load_volume(&volume, path, load, err);
    *info = (struct stream_info){ .value = value };
    if (!code) code = iso_set_volume(&iso, &volume.grid, err);
    if (!code) code = stats_compute(&info->stats, &iso, &volume, err);
    if (!code) code = stats_isovalue(&info->stats, &iso, &volume, in, value, &info->value, err);
    if (!code) code = iso_count_host(&iso, volume_iso(&volume, info->value), err);
    if (!code) code = iso_count_cells(&iso, &info->cells, err);
    if (!code && !iso_has_cells(&iso)) info->cells.inside = iso_inside_host(&volume.grid, volume_iso(&volume, info->value));
    info->vertices = iso.counts.vertices, info->triangles = iso.counts.triangles;
    if (!code) code = iso_mesh_host(&iso, &mesh, err);
    if (!code) code = measure_mesh(&info->measure, &mesh, &volume, 2, err);
    if (!code) mesh_host_free(&mesh);
    volume_free(&volume);
    return code;
}

static int info_slabs(struct stream_info *info, const char *path, const struct load_desc *load, double value,
                      enum isovalue in, size_t layers, struct err *err)
{
    struct store store;
    open_store(&store, path, load);
    const struct stream_info_desc desc = { &store, true, in, value, (uint64_t)1 << 30, layers, { NULL, NULL } };
    const int code = stream_info_find(info, &desc, &iso, err);
    store_close(&store);
    return code;
}

/* Bit by bit: NaN equals NaN. */
static bool same(double a, double b) { return !memcmp(&a, &b, sizeof a); }

static bool same_stats(const struct stats *a, const struct stats *b)
{
    const struct summary *s = &a->summary, *t = &b->summary;
    return same(s->min, t->min) && same(s->max, t->max) && same(s->mean, t->mean) && same(s->m2, t->m2) &&
           s->count == t->count && s->nan == t->nan && s->infinite == t->infinite && same(a->real_mean, b->real_mean) &&
           same(a->real_deviation, b->real_deviation) && a->bins == b->bins &&
           !memcmp(a->counts, b->counts, sizeof a->counts) && !memcmp(&a->cells, &b->cells, sizeof a->cells) &&
           same(a->split_value, b->split_value) && same(a->first_value, b->first_value);
}

static bool same_surface(const struct stream_info *a, const struct stream_info *b)
{
    const struct measure *m = &a->measure, *n = &b->measure;
    bool box = true;
    for (int i = 0; i < 3; i++) box = box && same(m->low[i], n->low[i]) && same(m->high[i], n->high[i]);
    return same(a->value, b->value) && !memcmp(&a->cells, &b->cells, sizeof a->cells) && a->vertices == b->vertices &&
           a->triangles == b->triangles && same(m->area, n->area) && m->closed == n->closed && box &&
           (!m->closed || same(m->volume, n->volume)) && m->vertices == n->vertices && m->triangles == n->triangles;
}

static void check_same(const char *name, const char *path, const struct load_desc *load, double value, size_t layers)
{
    struct stream_info whole = { .value = 0 }, slabs = { .value = 0 };
    struct err err = { 0 };
    static const char *const names[] = { [ISOVALUE_REAL] = "", [ISOVALUE_PERCENT] = "%", [ISOVALUE_SD] = "sd" };
    for (enum isovalue in = ISOVALUE_REAL; in <= ISOVALUE_SD; in++) {
        const double at = in == ISOVALUE_PERCENT ? 70 : in == ISOVALUE_SD ? 0.5 : value;
        if (!CHECK(!info_whole(&whole, path, load, at, in, &err)) ||
            !CHECK(!info_slabs(&slabs, path, load, at, in, layers, &err))) {
            printf("%s\n", err.text);
            return;
        }
        if (!CHECK(same_stats(&whole.stats, &slabs.stats)) || !CHECK(same_surface(&whole, &slabs)))
            printf("  %s, %zu layers, %g%s\n", name, layers, at, names[in]);
    }
}

static void check_subjects(void)
{
    char path[256], name[64];
    struct err err = { 0 };
    for (size_t i = 0; i < subject_count; i++) {
        const struct subject *s = &subjects[i];
        const struct load_desc load = load_of(s);
        snprintf(name, sizeof name, "%s of %d x %d x %d", s->type, (int)s->n[0], (int)s->n[1], (int)s->n[2]);
        write_volume(volume_of(path, s), s);
        for (size_t layers = 1; layers < 4; layers++) {
            CHECK(!iso_set_rung(&iso, STAGE_FUSED, (i + layers) % 3 ? NULL : "none", &err));
            check_same(name, path, &load, s->value, layers);
        }
    }
    CHECK(!iso_set_rung(&iso, STAGE_FUSED, NULL, &err));
}

/* 90280 voxels: two chunks and a part of one, none of which ends with a slab of 6 x 1480 x n. */
enum { NX = 40, NY = 37, NZ = 61 };

static float distance_at(size_t i)
{
    const double x = (double)(i % NX) - 19.2, y = (double)(i / NX % NY) - 18.1, z = (double)(i / NX / NY) - 31.3;
    return (float)(15.5 - sqrt(x * x + y * y + z * z));
}

static float noise_at(size_t i)
{
    const double r = (double)(check_random() >> 11) * 0x1p-53;
    return i % 977 == 5 ? NAN : i % 1013 == 7 ? INFINITY : (float)(r * r * 1e5 - 300);
}

/* What needs several histograms: outliers, and a value that half of the voxels have. */
static float outliers_at(size_t i)
{
    const double r = (double)(check_random() >> 11) * 0x1p-53;
    return i == 4711 ? 1e9f : i == 80000 ? -1e7f : r < 0.5 ? 0.25f : (float)r * 500;
}

static float constant_at(size_t i)
{
    (void)i;
    return 3.25f;
}

static float nan_at(size_t i)
{
    (void)i;
    return NAN;
}

static void check_floats(void)
{
    static const struct {
        const char *name;
        float (*at)(size_t i);
        double value;
    } fields[] = { { "distances", distance_at, 0 },
                   { "noise", noise_at, 2000 },
                   { "outliers", outliers_at, 300 },
                   { "one value", constant_at, 3.25 },
                   { "no value", nan_at, 0 } };
    static float voxels[NX * NY * NZ];
    char path[256];
    const struct load_desc load = { .dims = { NX, NY, NZ }, .type = "float32", .spacing = { 0.3, 0, 1.7 }, .threads = 2 };
    for (size_t f = 0; f < sizeof fields / sizeof fields[0]; f++) {
        for (size_t i = 0; i < NX * NY * NZ; i++) voxels[i] = fields[f].at(i);
        write_file(path_of(path, "floats.raw"), voxels, sizeof voxels);
        for (size_t layers = 0; layers < 6; layers++) check_same(fields[f].name, path, &load, fields[f].value, layers);
    }
    struct stream_info info;
    struct err err = { 0 };
    for (size_t i = 0; i < NX * NY * NZ; i++) voxels[i] = distance_at(i);
    write_file(path, voxels, sizeof voxels);
    CHECK(!info_slabs(&info, path, &load, 0, ISOVALUE_REAL, 2, &err)); /* that the right things were compared */
    CHECK(info.stats.first_value == 0 && info.measure.closed && info.measure.volume > 0);
}

/* ---- what goes wrong --------------------------------------------------------------------------------------------- */

struct change {
    const char *path;
    double after;
    bool shrinks, done;
};

/* Changes the file between the two readings. */
static bool change_file(void *context, double fraction)
{
    struct change *c = context;
    if (fraction < c->after || c->done) return true;
    static uint8_t other[70 * 31 * 41];
    for (size_t i = 0; i < sizeof other; i++) other[i] = (uint8_t)(i % 40 < 20 ? 9 : 2);
    c->done = true;
    if (c->shrinks && truncate(c->path, 50000)) abort();
    if (!c->shrinks) write_file(c->path, other, sizeof other);
    return true;
}

static bool stop(void *context, double fraction)
{
    (void)context;
    return fraction < 0.7;
}

static void check_failures(void)
{
    static const struct subject s = { NULL, "uint8", 1, { 70, 31, 41 }, 2.5 };
    static const char *const says[] = { "1.0 MiB is allowed", "shorter", "has changed", "cancelled" };
    char path[256];
    const struct load_desc load = { .dims = { 70, 31, 41 }, .type = "uint8" };
    for (int what = 0; what < 4; what++) {
        struct stream_info info;
        struct store store;
        struct err err = { 0 };
        write_volume(path_of(path, "volume.raw"), &s);
        struct change change = { path, 0.5, what == 1, false };
        open_store(&store, path, &load);
        const struct stream_info_desc desc = { .store = &store,
                                               .surface = true,
                                               .value = 2.5,
                                               .memory = what ? (uint64_t)1 << 30 : 1 << 20,
                                               .layers = 1,
                                               .progress = { what == 3 ? stop
                                                             : what    ? change_file
                                                                       : NULL,
                                                             &change } };
        CHECK(stream_info_find(&info, &desc, &iso, &err) == (what == 0 || what == 3 ? ERR_FAILED : ERR_INPUT));
        if (!CHECK(strstr(err.text, says[what]))) printf("  %s\n", err.text);
        store_close(&store);
    }
}

int main(void)
{
    set_up(20261124, 3);
    check_subjects();
    check_floats();
    check_failures();
    return tear_down("stream_info");
}
