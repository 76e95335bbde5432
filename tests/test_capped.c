/* Caps of a surface of which parts are left out: the shown parts are those in files, and caps close these and no
 * others. One struct is used for all surfaces, so that remains of one would be seen in the next. */
#include "verify_util.h"

#include "capped.h"
#include "closed_util.h"

enum { ROUNDS = 600 };

static struct iso iso; /* makes surfaces */
static struct filtered filtered;
static struct capped capped;
static struct exec cpu = { .backend = BACKEND_CPU, .threads = 2 };
static struct mesh mesh; /* the surface, as it is drawn */
static long hidden_caps, shown_caps, empty;

static const struct component_filter filters[] = {
    { .keep = 1 }, { .keep = 2 }, { .min_size = 1.5 }, { .min_size = 60, .percent = true }, { .min_size = 1e9 }
};

enum { FILTERS = sizeof filters / sizeof filters[0] };

/* Blobs: most voxels are outside, and many parts touch the border. */
static void fill(struct small *s, const size_t n[3])
{
    small_floats(s, n[0], n[1], n[2]);
    const double most = uniform(0.2, 2);
    for (size_t i = 0; i < grid_voxels(&s->grid); i++) s->value[i] = (float)uniform(-1, most);
}

/* A copy of what is drawn, without unused vertices. */
static struct mesh_host copy_of(const struct mesh *drawn)
{
    const struct mesh_out at = mesh_memory_of(drawn);
    const uint64_t room = drawn->vertices + 1;
    struct mesh_host copy = { calloc(room, sizeof *copy.vertices), calloc(3 * drawn->triangles + 1, sizeof *copy.indices),
                              drawn->vertices, drawn->triangles };
    uint32_t *number = calloc(room, sizeof *number);
    if (!copy.vertices || !copy.indices || !number) abort();
    if (drawn->vertices) memcpy(copy.vertices, at.vertices, drawn->vertices * sizeof *copy.vertices);
    if (drawn->triangles) memcpy(copy.indices, at.indices, 12 * drawn->triangles);
    mesh_host_drop_unused(&copy, number);
    free(number);
    return copy;
}

static uint64_t hash_drawn(const struct mesh *drawn)
{
    const struct mesh_out at = mesh_memory_of(drawn);
    return hash_places(at.vertices, at.indices, drawn->triangles);
}

/* Every edge of surface and caps has its two triangles. */
static bool is_closed(const struct small *s)
{
    const size_t n[3] = { s->grid.nx, s->grid.ny, s->grid.nz };
    struct mesh_host all = copy_of(&filtered.shown), caps = copy_of(&capped.mesh);
    struct mesh_topology found;
    struct err err = { 0 };
    const bool closed = !caps_weld(&all, &caps, n, &err) && !mesh_topology_find(&found, &all, n, NULL, &err) &&
                        !found.border_edges && !found.fault[FAULT_OPEN] && !found.fault[FAULT_TURNED];
    if (!closed) printf("  %s\n", err.text);
    mesh_host_free(&all);
    mesh_host_free(&caps);
    return closed;
}

static void update(const struct small *s, const struct volume *volume, const struct component_filter *filter,
                   enum caps_side side, uint64_t round)
{
    struct grid grid = s->grid;
    struct err err = { 0 };
    grid.margin = grid_margin(&grid);
    CHECK(!capped_read(&capped, &grid, (struct capped_of){ round + 1, 0 }, &err));
    const struct filtered_by by = { *filter, &capped.border, { 0, side, iso.topology } };
    if (round % 2) CHECK(!filtered_update(&filtered, &mesh, volume, &(struct filtered_by){ .filter = *filter }, &err));
    if (round % 2) CHECK(!filtered.caps.count);
    CHECK(!filtered_is_now(&filtered, &mesh, &by));
    if (!CHECK(!filtered_update(&filtered, &mesh, volume, &by, &err))) printf("  %s\n", err.text);
    CHECK(filtered_is_now(&filtered, &mesh, &by));
    const struct caps_desc other = { 0, side == CAPS_BELOW ? CAPS_ABOVE : CAPS_BELOW, iso.topology };
    CHECK(!capped_update(&capped, &other, &filtered, &err)); /* of the side that was shown, whatever is wanted now */
}

static void what_is_left_is_closed(uint64_t round)
{
    static const size_t shapes[][3] = { { 5, 5, 5 }, { 8, 6, 4 }, { 2, 6, 7 }, { 7, 2, 3 } };
    const struct component_filter *filter = &filters[check_random() % FILTERS];
    const enum caps_side side = round % 3 ? CAPS_ABOVE : CAPS_BELOW;
    struct small s;
    struct mesh_host whole, left;
    struct measure sum;
    struct err err = { 0 };
    fill(&s, shapes[check_random() % 4]);
    struct volume volume = { .grid = s.grid, .direction = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
    if (!CHECK(extract(&iso, &s.grid, 0, &whole) && extract(&iso, &s.grid, 0, &left))) return;
    if (whole.triangle_count) {
        CHECK(!mesh_host_copy(&whole, &mesh, &err));
        update(&s, &volume, filter, side, round);
        CHECK(close_and_filter(&left, &iso, &volume, 0, side, filter));
        CHECK(hash_drawn(&filtered.shown) + hash_drawn(&capped.mesh) ==
              hash_places(left.vertices, left.indices, left.triangle_count));
        CHECK(filtered.shown.triangles + capped.mesh.triangles == left.triangle_count);
        CHECK(is_closed(&s));
        CHECK(!measure_mesh(&sum, &left, &volume, 1, &err) && filtered.facts.measure.closed);
        CHECK_NEAR(filtered.facts.measure.area, sum.area, 1e-6);
        CHECK_NEAR(filtered.facts.measure.volume, side == CAPS_BELOW ? -sum.volume : sum.volume,
                   1e-6); /* of what lies below */
        hidden_caps += capped.mesh.triangles < filtered.caps.count;
        shown_caps += capped.mesh.triangles > 0;
        empty += !filtered.shown.triangles;
    }
    mesh_host_free(&whole);
    mesh_host_free(&left);
}

int main(void)
{
    struct err err = { 0 };
    check_seed(20261123);
    if (iso_open(&iso, BACKEND_CPU, -1, 2, &err) || filtered_open(&filtered, &mesh_memory, NULL, 2, &err)) return 1;
    mesh_open(&mesh, &mesh_memory, &cpu);
    capped_open(&capped, &mesh_memory, &cpu);
    for (uint64_t round = 0; round < ROUNDS; round++) what_is_left_is_closed(round);
    CHECK(hidden_caps > ROUNDS / 4 && shown_caps > ROUNDS / 4 && empty > 0);
    capped_close(&capped);
    filtered_close(&filtered);
    mesh_close(&mesh);
    iso_close(&iso);
    return check_summary("test_capped");
}
