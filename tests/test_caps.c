/* Caps close a surface that the volume's border cuts open. The result must have the topology and the volume that the
 * grid's surface has when the grid is surrounded by a layer of outside. */
#include "verify_util.h"

#include "caps.h"
#include "export_edit.h"
#include "measure.h"

/* ---- small grids ----------------------------------------------------------------------------------------------------- */

/* Box edges and corners in every voxel, planes that are neighbours, and planes with a middle. */
static const size_t shapes[][3] = { { 2, 2, 2 }, { 2, 3, 4 }, { 4, 2, 2 }, { 3, 4, 2 }, { 5, 5, 5 } };

enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* Few different values, so that many voxels and saddles equal the isovalue 0. odd: also NaN and infinities. */
static void fill(struct small *s, const size_t n[3], bool odd)
{
    static const float ties[] = { -1, 0, 1, -0.5f, 0.5f }, odds[] = { NAN, INFINITY, -INFINITY };
    const unsigned kind = (unsigned)(check_random() % 3);
    small_floats(s, n[0], n[1], n[2]);
    for (size_t i = 0; i < grid_voxels(&s->grid); i++) {
        s->value[i] = kind ? ties[check_random() % (kind == 1 ? 3 : 5)] : (float)uniform(-1, 1);
        if (odd && check_random() % 8 == 0) s->value[i] = odds[check_random() % 3];
    }
}

static int add_caps(struct mesh_host *mesh, const struct grid *grid, float iso, enum caps_side side, enum topology rule,
                    struct err *err)
{
    const struct caps_desc desc = { iso, side, rule };
    const size_t n[3] = { grid->nx, grid->ny, grid->nz };
    struct grid with_margin = *grid;
    struct caps caps;
    struct mesh_host planes = { 0 };
    with_margin.margin = grid_margin(grid);
    int code = caps_read(&caps, &with_margin, 1, err);
    if (!code) code = caps_make(&caps, &desc, 1, &planes, err);
    if (!code) code = caps_weld(mesh, &planes, n, err);
    mesh_host_free(&planes);
    caps_free(&caps);
    return code;
}

static bool is_closed(const struct mesh_host *mesh, const struct grid *grid, const struct grid_topology *truth, char *text,
                      size_t size)
{
    const size_t n[3] = { grid->nx, grid->ny, grid->nz };
    struct mesh_topology found;
    struct err err;
    snprintf(text, size, "no mesh");
    return !mesh_topology_find(&found, mesh, n, NULL, &err) && verify_judge(&found, truth, false, text, size) &&
           found.border_edges == 0;
}

/* Closes the surface of each way to make it. */
static void close_ways(struct ways *ways, const struct small *s, float iso)
{
    struct grid_topology truth;
    struct err err = { 0 };
    CHECK(!grid_topology_find_closed(&truth, &s->grid, iso, ways->rule, NULL, &err));
    for (int way = 0; way < ways->count; way++) {
        struct mesh_host mesh = { 0 };
        char text[256];
        const bool made = ways_mesh(ways, way, &s->grid, iso, &mesh);
        if (!CHECK(made && !add_caps(&mesh, &s->grid, iso, false, ways->rule, &err)) && check.failed < 50)
            printf("  %s\n", err.text);
        if (!CHECK(is_closed(&mesh, &s->grid, &truth, text, sizeof text)) && check.failed < 50) {
            printf("  fused=%s: %s\n", ways->name[way], text);
            small_print(s, iso);
        }
        mesh_host_free(&mesh);
    }
}

/* Sets the grid of the same numbers, doubled, in another type. Returns the isovalue for 0. */
static float retype(struct small *to, const struct small *from, enum voxel_type type)
{
    const int by = type == VOXEL_UINT8 || type == VOXEL_UINT16 ? 128 : 0;
    *to = *from;
    to->grid.voxels = type == VOXEL_FLOAT32 ? (const void *)to->value : to->bytes;
    to->grid.type = type;
    if (type == VOXEL_FLOAT32) return 0;
    for (size_t i = 0; i < grid_voxels(&to->grid); i++) {
        const int whole = (int)lrintf(2 * from->value[i]) + by;
        if (voxel_bytes(type) == 1) to->bytes[i] = (uint8_t)whole;
        else memcpy(to->bytes + 2 * i, &(uint16_t){ (uint16_t)whole }, 2);
    }
    return (float)by;
}

static void small_grids_are_closed(struct ways *ways)
{
    for (int k = 0; k < 1000; k++) {
        const enum voxel_type type = (enum voxel_type)(k % VOXEL_TYPE_COUNT);
        struct small floats, s;
        fill(&floats, shapes[check_random() % SHAPES], type == VOXEL_FLOAT32);
        const float iso = retype(&s, &floats, type);
        close_ways(ways, &s, iso);
    }
}

/* ---- the volume ------------------------------------------------------------------------------------------------------ */

/* The enclosed volume in voxels, by the divergence theorem. */
static double enclosed(const struct mesh_host *m)
{
    double sum = 0;
    for (uint64_t t = 0; t < m->triangle_count; t++) {
        const struct vertex *a = &m->vertices[m->indices[3 * t]], *b = &m->vertices[m->indices[3 * t + 1]],
                            *c = &m->vertices[m->indices[3 * t + 2]];
        const double bx = (double)b->x - (double)a->x, by = (double)b->y - (double)a->y;
        const double cx = (double)c->x - (double)a->x, cy = (double)c->y - (double)a->y;
        sum += (bx * cy - by * cx) * ((double)a->z + (double)b->z + (double)c->z) / 6;
    }
    return sum;
}

/* What both sides of a surface enclose, each closed by its own caps, is the box; each is closed, also by NaN and
 * infinities. */
static void both_sides_fill_the_box(struct ways *ways)
{
    for (int k = 0; k < 500; k++) {
        const size_t *n = shapes[k % SHAPES];
        struct mesh_host side[2] = { { 0 }, { 0 } };
        struct small s;
        fill(&s, n, k % 2);
        for (enum caps_side at = CAPS_ABOVE; at <= CAPS_BELOW; at++) {
            struct mesh_topology found;
            struct err err = { 0 };
            CHECK(ways_mesh(ways, 0, &s.grid, 0, &side[at]));
            CHECK(!add_caps(&side[at], &s.grid, 0, at, ways->rule, &err));
            CHECK(!mesh_topology_find(&found, &side[at], n, NULL, &err) && found.border_edges == 0);
        }
        const double above = enclosed(&side[0]), under = -enclosed(&side[1]);
        CHECK(above >= 0 && under >= 0);
        CHECK_NEAR(above + under, (double)((n[0] - 1) * (n[1] - 1) * (n[2] - 1)), 1e-4);
        for (int i = 0; i < 2; i++) mesh_host_free(&side[i]);
    }
}

/* Surrounds the grid with a layer of values so low that the surface there comes as near to the voxels as it may. */
static void pad(struct small *to, const struct small *from)
{
    const struct grid *g = &from->grid;
    small_floats(to, g->nx + 2, g->ny + 2, g->nz + 2);
    for (size_t i = 0; i < grid_voxels(&to->grid); i++) to->value[i] = -1e30f;
    for (size_t i = 0; i < grid_voxels(g); i++)
        to->value[((i / g->nx / g->ny + 1) * to->grid.ny + i / g->nx % g->ny + 1) * to->grid.nx + i % g->nx + 1] =
            from->value[i];
}

/* The surface in the padded grid lies a margin (0.0001) or two outside the caps, whose area is at most the box's. */
static void volumes_are_those_of_padded_grids(struct ways *ways)
{
    for (int k = 0; k < 500; k++) {
        const size_t *n = shapes[k % SHAPES];
        const double box = 2.0 * (double)(n[0] * n[1] + n[1] * n[2] + n[2] * n[0]);
        struct mesh_host closed = { 0 }, around = { 0 };
        struct small s, padded;
        struct err err = { 0 };
        fill(&s, n, false);
        pad(&padded, &s);
        CHECK(ways_mesh(ways, 0, &s.grid, 0, &closed) && ways_mesh(ways, 0, &padded.grid, 0, &around));
        CHECK(!add_caps(&closed, &s.grid, 0, false, ways->rule, &err));
        CHECK_NEAR(enclosed(&closed), enclosed(&around), 4e-4 * box);
        mesh_host_free(&closed);
        mesh_host_free(&around);
    }
}

static void whole_boxes_are_closed(struct ways *ways)
{
    for (int k = 0; k < SHAPES; k++) {
        const size_t *n = shapes[k];
        struct small s;
        struct err err = { 0 };
        struct mesh_host mesh = { 0 };
        struct grid_topology truth;
        char text[256];
        const size_t inner = (n[0] - 2) * (n[1] - 2) * (n[2] - 2);
        small_floats(&s, n[0], n[1], n[2]);
        for (size_t i = 0; i < grid_voxels(&s.grid); i++) s.value[i] = 0; /* the isovalue is inside */
        CHECK(!add_caps(&mesh, &s.grid, 0, false, ways->rule, &err));
        CHECK(!grid_topology_find_closed(&truth, &s.grid, 0, ways->rule, NULL, &err));
        CHECK(is_closed(&mesh, &s.grid, &truth, text, sizeof text) && truth.euler == 2 && truth.components == 1);
        CHECK(mesh.vertex_count == grid_voxels(&s.grid) - inner);
        CHECK_NEAR(enclosed(&mesh), (double)((n[0] - 1) * (n[1] - 1) * (n[2] - 1)), 0);
        mesh_host_free(&mesh);
    }
}

static void there_may_be_none(void)
{
    const float inside[8] = { 1, 1, 1, 1, 1, 1, 1, 1 }, odd[] = { 2, INFINITY, -INFINITY, NAN };
    struct err err = { 0 };
    struct caps caps;
    struct mesh_host mesh;
    for (int k = 0; k < 5; k++) {
        const struct grid g = { inside, VOXEL_FLOAT32, k < 4 ? 2 : 1, 2, 2 };
        CHECK(!caps_read(&caps, &g, 1, &err));
        const struct caps_desc desc = { k < 4 ? odd[k] : 0, CAPS_ABOVE, TOPOLOGY_TRILINEAR };
        CHECK(!caps_make(&caps, &desc, 1, &mesh, &err));
        CHECK(mesh.vertex_count == 0 && mesh.triangle_count == 0 && !mesh.vertices);
        caps_free(&caps);
    }
}

/* ---- caps to be drawn ------------------------------------------------------------------------------------------------ */

static double part_of_normal(uint32_t packed, int axis)
{
    return (double)((int32_t)(packed << (22 - 10 * axis)) >> 22) / 511;
}

/* Return the axis that all three vertices say the plane has, outwards as 1 + axis or -1 - axis; 0: they lie in no plane of
 * the box, or their normal is another. */
static int plane_of_triangle(const struct vertex *v[3], const size_t n[3])
{
    for (int a = 0; a < 3; a++) {
        const float last = (float)(n[a] - 1);
        bool low = true, high = true;
        for (int k = 0; k < 3; k++) {
            const float p[3] = { v[k]->x, v[k]->y, v[k]->z };
            const double normal = part_of_normal(v[k]->normal, a);
            low = low && p[a] == 0 && normal == -1;
            high = high && p[a] == last && normal == 1;
        }
        if (low || high) return high ? 1 + a : -1 - a;
    }
    return 0;
}

/* The part of a triangle's normal along an axis, twice its area. */
static double turn(const struct vertex *v[3], int a)
{
    const float p[3][3] = { { v[0]->x, v[0]->y, v[0]->z }, { v[1]->x, v[1]->y, v[1]->z }, { v[2]->x, v[2]->y, v[2]->z } };
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    return ((double)p[1][b] - (double)p[0][b]) * ((double)p[2][c] - (double)p[0][c]) -
           ((double)p[1][c] - (double)p[0][c]) * ((double)p[2][b] - (double)p[0][b]);
}

static void drawn_caps_are_flat(void)
{
    const uint64_t dims[3] = { 40, 30, 20 }; /* rows enough for several threads */
    const size_t n[3] = { 40, 30, 20 };
    struct volume v = noise_volume(VOXEL_UINT16, dims);
    struct err err = { 0 };
    const struct caps_desc desc = { 30000, CAPS_ABOVE, TOPOLOGY_TRILINEAR };
    struct caps caps;
    struct mesh_host mesh, other;
    v.grid.margin = grid_margin(&v.grid);
    CHECK(!caps_read(&caps, &v.grid, 3, &err));
    CHECK(!caps_make(&caps, &desc, 1, &mesh, &err));
    CHECK(!caps_make(&caps, &desc, 3, &other, &err));
    CHECK(same_mesh(&mesh, &other));
    for (uint64_t t = 0; t < mesh.triangle_count; t++) {
        const uint32_t *index = mesh.indices + 3 * t;
        const struct vertex *corner[3] = { &mesh.vertices[index[0]], &mesh.vertices[index[1]], &mesh.vertices[index[2]] };
        const int plane = plane_of_triangle(corner, n);
        CHECK(plane && (plane > 0 ? turn(corner, plane - 1) > 0 : turn(corner, -plane - 1) < 0));
    }
    mesh_host_free(&mesh);
    mesh_host_free(&other);
    caps_free(&caps);
    volume_free(&v);
}

/* ---- a ball that all six planes cut ---------------------------------------------------------------------------------- */

static double large_ball(double x, double y, double z) { return 1.2 - sqrt(x * x + y * y + z * z); }

/* The ball without the six parts outside, each of height 0.2, which do not meet: at their edges the box is 1.41 wide. */
static double ball_in_box(void)
{
    const double pi = 3.14159265358979324, r = 1.2, h = r - 1;
    return 4 * pi * r * r * r / 3 - 6 * pi * h * h * (3 * r - h) / 3;
}

static void cut_balls_converge(struct iso *iso)
{
    double error[3];
    for (int k = 0; k < 3; k++) {
        struct volume v = field_volume(large_ball, (size_t)(16 << k) + 1);
        struct mesh_host mesh;
        struct measure measure;
        struct err err = { 0 };
        CHECK(!iso_set_volume(iso, &v.grid, &err) && !iso_extract(iso, 0, &mesh, &err));
        CHECK(!measure_mesh(&measure, &mesh, &v, 1, &err) && !measure.closed);
        CHECK(!caps_close(&mesh, &(struct iso_surface){ iso, &v, 0 }, CAPS_ABOVE, &err));
        CHECK(!measure_mesh(&measure, &mesh, &v, 1, &err) && measure.closed);
        error[k] = fabs(measure.volume - ball_in_box());
        mesh_host_free(&mesh);
        volume_free(&v);
    }
    printf("  cut ball: the volume is wrong by %.3g, %.3g, %.3g\n", error[0], error[1], error[2]);
    for (int k = 0; k < 2; k++) CHECK(error[k + 1] < error[k] / 3); /* second order: a quarter */
}

/* Smoothing leaves caps where they are, fewer triangles leave the surface closed. */
static void edits_keep_it_closed(struct iso *iso)
{
    const struct export_edit edits[] = { { .close = true },
                                         { .close = true, .smooth = 5 },
                                         { .close = true, .keep = 0.3 } };
    struct volume v = field_volume(large_ball, 25);
    const size_t n[3] = { 25, 25, 25 };
    struct export_edited edited = { 0 };
    struct mesh_host plain = { 0 };
    struct err err = { 0 };
    CHECK(!iso_set_volume(iso, &v.grid, &err));
    for (int k = 0; k < 3; k++) {
        struct mesh_host mesh;
        struct mesh_topology found;
        CHECK(!iso_extract(iso, 0, &mesh, &err) &&
              !export_edit_mesh(&edits[k], &mesh, &(struct iso_surface){ iso, &v, 0 }, &edited, &err));
        CHECK(!mesh_topology_find(&found, &mesh, n, NULL, &err) && found.border_edges == 0 && found.euler == 2);
        CHECK(found.fault[FAULT_CROWDED] == 0 && found.fault[FAULT_TURNED] == 0 && found.fault[FAULT_PINCHED] == 0);
        if (k == 0) plain = mesh;
        uint64_t moved = 0, caps_moved = 0;
        for (uint64_t i = 0; k == 1 && i < mesh.vertex_count; i++) {
            const bool same = !memcmp(&mesh.vertices[i], &plain.vertices[i], sizeof *mesh.vertices);
            moved += !same, caps_moved += !same && mesh.vertices[i].normal & CAPS_MARK;
        }
        CHECK(caps_moved == 0 && (k != 1 || moved > 0));
        if (k) mesh_host_free(&mesh);
    }
    mesh_host_free(&plain);
    volume_free(&v);
}

/* ---- what is refused ------------------------------------------------------------------------------------------------- */

static void wrong_surfaces_are_refused(struct iso *iso)
{
    struct volume v = field_volume(large_ball, 17);
    struct mesh_host mesh = { 0 };
    struct err err = { 0 };
    CHECK(!iso_set_volume(iso, &v.grid, &err) && !iso_extract(iso, 0, &mesh, &err));
    const struct mesh_host before = mesh;
    CHECK(caps_close(&mesh, &(struct iso_surface){ iso, &v, 0.05f }, CAPS_ABOVE, &err) == ERR_FAILED &&
          strstr(err.text, "does not end where"));
    CHECK(!memcmp(&mesh, &before, sizeof mesh));
    iso_set_exact(iso, true);
    CHECK(caps_close(&mesh, &(struct iso_surface){ iso, &v, 0 }, CAPS_ABOVE, &err) == ERR_USAGE &&
          strstr(err.text, "exact positions"));
    CHECK(!memcmp(&mesh, &before, sizeof mesh));
    iso_set_exact(iso, false);
    mesh_host_free(&mesh);
    volume_free(&v);
}

static void lower_of_a_pair_is_mirrored(void)
{
    static const double values[] = { 2, -2, NAN, -3, 0, -0.0, INFINITY };
    check_subject("the lower one of two values that are opposite");
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        CHECK((caps_side_of(values[i], values, sizeof values / sizeof *values) == CAPS_BELOW) == (values[i] == -2));
    CHECK(caps_side_of(-2, NULL, 0) == CAPS_ABOVE);
    check_subject("");
}

/* No machine could hold such a mesh. It is never read. */
static void sums_fit_32_bits(void)
{
    const size_t n[3] = { 2, 2, 2 };
    struct mesh_host mesh = { NULL, NULL, 3, UINT32_MAX }, caps = { NULL, NULL, 3, 1 };
    struct err err = { 0 };
    check_subject("more triangles than 32-bit indices allow");
    CHECK(caps_weld(&mesh, &caps, n, &err) == ERR_FAILED && strstr(err.text, "more than 32-bit indices allow"));
    CHECK(mesh.triangle_count == UINT32_MAX && !strcmp(err.advice, "leave it open"));
    check_subject("");
}

int main(void)
{
    static struct ways ways;
    struct iso *iso = &ways.iso[0];
    check_seed(20261122);
    for (int rule = 0; rule < TOPOLOGY_COUNT; rule++) {
        if (!CHECK(ways_open(&ways, BACKEND_CPU, (enum topology)rule, false))) return check_summary("test_caps");
        small_grids_are_closed(&ways);
        volumes_are_those_of_padded_grids(&ways);
        both_sides_fill_the_box(&ways);
        whole_boxes_are_closed(&ways);
        cut_balls_converge(iso);
        edits_keep_it_closed(iso);
        wrong_surfaces_are_refused(iso);
        ways_close(&ways);
    }
    there_may_be_none();
    drawn_caps_are_flat();
    lower_of_a_pair_is_mirrored();
    sums_fit_32_bits();
    return check_summary("test_caps");
}
