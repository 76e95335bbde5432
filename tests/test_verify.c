/* The verifier: exact signs, connected parts, every fault of a mesh found where it was made, known topologies, and the
 * limits of its contracts. */
#include "verify_util.h"

#include "exact.h"

#include <float.h>

/* ---- signs ------------------------------------------------------------------------------------------------------- */

/* Differences that doubles round away. */
static void signs_are_exact(void)
{
    const double big = 1 + ldexp(1, -30), small = 1 - ldexp(1, -30); /* big * small = 1 - 2^-60 */
    struct exact sum = exact_products(big, small, -1, 1);
    CHECK(big * small == 1 && exact_sign(&sum) == -1);
    exact_add(&sum, ldexp(1, -60));
    CHECK(exact_sign(&sum) == 0 && sum.parts == 0);
    exact_add(&sum, ldexp(1, -300));
    exact_add(&sum, 1e30);
    exact_add(&sum, -1e30);
    CHECK(exact_sign(&sum) == 1);
    const struct exact a = exact_products(3, ldexp(1, 60), 1, 1), b = exact_products(3, ldexp(1, 60), -1, 1);
    const struct exact product = exact_product(&a, &b), square = exact_products(9, ldexp(1, 120), -1, 1); /* a^2 - 1 */
    const struct exact nothing = exact_sum(&product, -1, &square), scaled = exact_scaled(&a, 1.0 / 3);
    CHECK(exact_sign(&nothing) == 0);
    const struct exact rest = exact_sum(&scaled, -2, &a);
    CHECK(exact_sign(&rest) == 1 && exact_sign(&scaled) == 1);
}

/* On whole numbers, integer arithmetic knows the sign. */
static void signs_agree_with_integers(void)
{
    for (int k = 0; k < 20000; k++) {
        int64_t v[4];
        for (int i = 0; i < 4; i++) v[i] = (int64_t)(check_random() % 2001) - 1000;
        const struct exact p = exact_products((double)v[0], (double)v[1], (double)v[2], (double)v[3]);
        const struct exact q = exact_products((double)v[3], (double)v[1], (double)v[2], (double)v[0]);
        const struct exact product = exact_product(&p, &q), sum = exact_sum(&q, -4, &product);
        const int64_t a = v[0] * v[1] + v[2] * v[3], b = v[3] * v[1] + v[2] * v[0], want = a * b - 4 * b;
        CHECK(exact_sign(&sum) == (want > 0) - (want < 0));
    }
}

/* ---- faults ------------------------------------------------------------------------------------------------------ */

static struct iso pipeline;

/* A sphere in 9^3 voxels; 0.1 keeps it off the voxels. */
static struct mesh_host sphere_mesh(struct volume *v)
{
    struct mesh_host mesh = { 0 };
    *v = field_volume(sphere, 9);
    CHECK(extract(&pipeline, &v->grid, 0.1f, &mesh) && mesh.triangle_count > 100);
    return mesh;
}

static uint32_t *triangle(const struct mesh_host *m, uint64_t i) { return m->indices + 3 * i; }

static void add_triangle(struct mesh_host *m, uint32_t a, uint32_t b, uint32_t c)
{
    m->indices = realloc(m->indices, 12 * (m->triangle_count + 1));
    uint32_t *index = triangle(m, m->triangle_count++);
    index[0] = a, index[1] = b, index[2] = c;
}

static void add_vertex(struct mesh_host *m)
{
    m->vertices = realloc(m->vertices, (m->vertex_count + 1) * sizeof *m->vertices);
    m->vertices[m->vertex_count] = m->vertices[0];
    m->vertex_count++;
}

static void break_index(struct mesh_host *m) { triangle(m, 5)[1] = (uint32_t)m->vertex_count; }
static void break_repeated(struct mesh_host *m) { add_triangle(m, 1, 2, 1); }
static void break_duplicate(struct mesh_host *m)
{
    const uint32_t *t = triangle(m, 7);
    add_triangle(m, t[1], t[2], t[0]);
}
static void break_unused(struct mesh_host *m) { add_vertex(m); }
static void break_open(struct mesh_host *m) { m->triangle_count--; }
static void break_crowded(struct mesh_host *m)
{
    const uint32_t *t = triangle(m, 0), a = t[0], b = t[1];
    add_vertex(m);
    add_triangle(m, a, b, (uint32_t)m->vertex_count - 1);
}
static void break_turned(struct mesh_host *m)
{
    uint32_t *t = triangle(m, 3), first = t[0];
    t[0] = t[1], t[1] = first;
}
/* Joins two vertices with no common neighbour: two fans at one vertex. */
static void break_pinched(struct mesh_host *m)
{
    const uint32_t last = (uint32_t)m->vertex_count - 1;
    for (uint64_t i = 0; i < 3 * m->triangle_count; i++)
        if (m->indices[i] == last) m->indices[i] = 0;
    m->vertex_count--;
}
static void break_outside(struct mesh_host *m) { m->vertices[11].y = NAN; }
static void break_normal(struct mesh_host *m) { m->vertices[4].normal = 0; }
static void break_area(struct mesh_host *m)
{
    const uint32_t *t = triangle(m, 9);
    m->vertices[t[0]].x = m->vertices[t[1]].x, m->vertices[t[0]].y = m->vertices[t[1]].y;
    m->vertices[t[0]].z = m->vertices[t[1]].z;
}

static void every_fault_is_found(void)
{
    static void (*const breaks[MESH_FAULTS])(struct mesh_host *) = {
        [FAULT_INDEX] = break_index,   [FAULT_REPEATED] = break_repeated, [FAULT_DUPLICATE] = break_duplicate,
        [FAULT_UNUSED] = break_unused, [FAULT_OPEN] = break_open,         [FAULT_CROWDED] = break_crowded,
        [FAULT_TURNED] = break_turned, [FAULT_PINCHED] = break_pinched,   [FAULT_OUTSIDE] = break_outside,
        [FAULT_NORMAL] = break_normal, [FAULT_ZERO_AREA] = break_area,
    };
    for (int f = 0; f < MESH_FAULTS; f++) {
        struct volume v;
        struct mesh_host mesh = sphere_mesh(&v);
        const size_t n[3] = { 9, 9, 9 };
        struct mesh_topology found;
        struct grid_topology truth;
        struct err err;
        char text[256] = "";
        check_subject(mesh_fault_text[f]);
        CHECK(!grid_topology_find(&truth, &v.grid, 0.1f, TOPOLOGY_FIXED, NULL, &err));
        CHECK(!mesh_topology_find(&found, &mesh, n, NULL, &err) && verify_judge(&found, &truth, false, text, sizeof text));
        breaks[f](&mesh);
        CHECK(!mesh_topology_find(&found, &mesh, n, NULL, &err) && found.fault[f] > 0);
        CHECK(!verify_judge(&found, &truth, false, text, sizeof text) && *text);
        if (f == FAULT_ZERO_AREA) CHECK(verify_judge(&found, &truth, true, text, sizeof text));
        mesh_host_free(&mesh);
        volume_free(&v);
    }
    check_subject("");
}

/* A sound mesh of another surface; and a vertex that has left its edge. */
static void wrong_numbers_are_found(void)
{
    struct volume v, other = field_volume(torus, 17);
    struct mesh_host mesh = sphere_mesh(&v);
    const size_t n[3] = { 9, 9, 9 };
    struct mesh_topology found;
    struct grid_topology truth;
    struct err err;
    char text[256];
    CHECK(!mesh_topology_find(&found, &mesh, n, NULL, &err));
    CHECK(!grid_topology_find(&truth, &v.grid, 0.1f, TOPOLOGY_FIXED, NULL, &err));
    if (!CHECK(mesh.vertices != NULL)) return;
    const struct vertex kept = mesh.vertices[0];
    mesh.vertices[0].x = floorf(kept.x) + 0.5f, mesh.vertices[0].y = floorf(kept.y) + 0.25f;
    CHECK(!mesh_topology_find(&found, &mesh, n, NULL, &err) && found.inner_vertices == 1);
    CHECK(!verify_judge(&found, &truth, false, text, sizeof text) && strstr(text, "vertices on grid edges"));
    mesh.vertices[0] = kept;
    CHECK(!mesh_topology_find(&found, &mesh, n, NULL, &err) && verify_judge(&found, &truth, false, text, sizeof text));
    CHECK(!grid_topology_find(&truth, &other.grid, 0, TOPOLOGY_FIXED, NULL, &err) && truth.euler == 0);
    truth.crossed_edges = found.vertices;
    CHECK(!verify_judge(&found, &truth, false, text, sizeof text) && strstr(text, "handles: 0 in the mesh, but 1 by the"));
    mesh_host_free(&mesh);
    volume_free(&v), volume_free(&other);
}

/* An umbrella of 200 triangles: more than are sorted by hand. One more between two of its edges crowds them. */
static void large_fans_are_fans(void)
{
    enum { RIBS = 200 };
    struct mesh_host mesh = { 0 };
    const size_t n[3] = { 3, 3, 3 };
    struct mesh_topology found;
    struct err err;
    CHECK(!mesh_host_alloc(&mesh, RIBS + 1, RIBS, &err));
    for (uint32_t i = 0; i <= RIBS; i++) {
        const double angle = 6.283185307179586 * i / RIBS;
        mesh.vertices[i] = (struct vertex){ 1 + (float)cos(angle), 1 + (float)sin(angle), 0, 511u << 20 };
    }
    mesh.vertices[RIBS] = (struct vertex){ 1, 1, 0, 511u << 20 };
    for (uint32_t i = 0; i < RIBS; i++) {
        uint32_t *t = triangle(&mesh, i);
        t[0] = RIBS, t[1] = i, t[2] = (i + 1) % RIBS;
    }
    CHECK(!mesh_topology_find(&found, &mesh, n, NULL, &err));
    CHECK(found.fault[FAULT_PINCHED] == 0 && found.fault[FAULT_CROWDED] == 0 && found.fault[FAULT_TURNED] == 0);
    CHECK(found.border_edges == RIBS && found.border_loops == 1 && found.euler == 1 && found.components == 1);
    add_triangle(&mesh, RIBS, 0, RIBS / 2);
    CHECK(!mesh_topology_find(&found, &mesh, n, NULL, &err));
    CHECK(found.fault[FAULT_CROWDED] == 2 && found.fault[FAULT_PINCHED] > 0);
    mesh_host_free(&mesh);
}

/* ---- topologies that are known ----------------------------------------------------------------------------------- */

static double halves(double x, double y, double z) { return x + 0.013 * y + 0.017 * z + 0.03; }

static double rod(double x, double y, double z) { return 0.5 + 0 * z - sqrt(x * x + y * y); }

static void known_topologies_are_found(void)
{
    static const struct {
        double (*field)(double, double, double);
        int64_t euler;
        uint64_t components, border_loops;
    } cases[] = { { sphere, 2, 1, 0 }, { torus, 0, 1, 0 }, { halves, 1, 1, 1 }, { rod, 0, 1, 2 } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct volume v = field_volume(cases[i].field, 24);
        for (int rule = 0; rule < 2; rule++) {
            struct grid_topology found;
            struct err err;
            CHECK(!grid_topology_find(&found, &v.grid, 0, (enum topology)rule, NULL, &err));
            CHECK(found.euler == cases[i].euler && found.components == cases[i].components);
            CHECK(found.border_loops == cases[i].border_loops && found.tunnels == 0);
        }
        volume_free(&v);
    }
}

/* Two corners across a face, and the value of the others: joined if the saddle (1 - w^2) / (2 + 2 w) is not below 0. */
static void faces_are_decided_by_the_saddle(void)
{
    for (int k = 0; k < 3; k++) {
        const double w = k == 0 ? 0.5 : k == 1 ? 1 : 2;
        const double value[8] = { 1, -w, -w, 1, -9, -9, -9, -9 };
        struct cell_contour contour;
        cell_contour_find(&contour, value, TOPOLOGY_TRILINEAR);
        CHECK(contour.loops == (k == 2 ? 2 : 1) && !contour.tunnel && contour.arcs[4] == 2);
        cell_contour_find(&contour, value, TOPOLOGY_FIXED);
        CHECK(contour.loops == 1);
    }
}

/* Opposite corners of a cube with all others alike: f is 1 at two corners and w at six. Along the diagonal
 * f(t) = w + (1 - w) (t^3 + (1 - t)^3), at least w + (1 - w) / 4 in the middle: a tunnel from w = -1/3 on. */
static void tunnels_begin_where_they_must(void)
{
    static const double w[] = { -0.34, -0.3333334, -0.3333333, -0.33, -0.1 };
    for (int k = 0; k < 5; k++) {
        double value[8];
        struct cell_contour contour;
        for (int c = 0; c < 8; c++) value[c] = c == 0 || c == 7 ? 1 : w[k];
        cell_contour_find(&contour, value, TOPOLOGY_TRILINEAR);
        CHECK(contour.loops == 2 && contour.tunnel == (k >= 2));
    }
    const double tie[8] = { 3, -1, -1, -1, -1, -1, -1, 3 }; /* the middle equals the isovalue, which is inside */
    struct cell_contour contour;
    cell_contour_find(&contour, tie, TOPOLOGY_TRILINEAR);
    CHECK(contour.loops == 2 && contour.tunnel && contour.ends[0] != contour.ends[1]);
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

static bool stop_at_half(void *context, double fraction)
{
    (void)context;
    return fraction < 0.5;
}

static bool is_nothing(const struct grid_topology *t)
{
    const struct grid_topology nothing = { 0 };
    return !memcmp(t, &nothing, sizeof nothing);
}

static void limits_are_kept(void)
{
    static const size_t thin[][3] = { { 1, 1, 1 }, { 1, 5, 5 }, { 5, 1, 5 }, { 5, 5, 1 } };
    const struct progress progress = { stop_at_half, NULL };
    struct volume v = field_volume(sphere, 9);
    struct mesh_host empty = { 0 };
    struct grid_topology found;
    struct mesh_topology mesh;
    struct err err = { 0 };
    CHECK(grid_topology_find(&found, &v.grid, NAN, TOPOLOGY_TRILINEAR, NULL, &err) == ERR_USAGE && *err.text);
    CHECK(grid_topology_find(&found, &v.grid, 0, TOPOLOGY_TRILINEAR, &progress, &err) == ERR_FAILED);
    CHECK(strstr(err.text, "cancelled") && is_nothing(&found));
    CHECK(!grid_topology_find(&found, &v.grid, INFINITY, TOPOLOGY_TRILINEAR, NULL, &err) && is_nothing(&found));
    CHECK(!grid_topology_find(&found, &v.grid, 100, TOPOLOGY_TRILINEAR, NULL, &err) && is_nothing(&found));
    for (size_t i = 0; i < sizeof thin / sizeof thin[0]; i++) {
        const struct grid g = { v.grid.voxels, VOXEL_FLOAT32, thin[i][0], thin[i][1], thin[i][2] };
        CHECK(!grid_topology_find(&found, &g, 0, TOPOLOGY_TRILINEAR, NULL, &err) && is_nothing(&found));
    }
    CHECK(!mesh_topology_find(&mesh, &empty, (const size_t[3]){ 9, 9, 9 }, NULL, &err));
    CHECK(mesh.components == 0 && mesh.edges == 0 && verify_judge(&mesh, &found, false, err.text, sizeof err.text));
    volume_free(&v);
}

/* NaN and infinities anywhere: inside by comparison, never a tunnel beside them, and the parts still add up. */
static void odd_values_are_decided(void)
{
    static const float odd[] = { NAN, INFINITY, -INFINITY, FLT_MAX, -FLT_MAX, 0, 1e-45f };
    for (int k = 0; k < 2000; k++) {
        struct small s;
        struct err err;
        struct grid_topology found, fixed;
        small_floats(&s, 4, 4, 4);
        for (size_t i = 0; i < 64; i++)
            s.value[i] = check_random() % 4 ? (float)uniform(-1, 1) : odd[check_random() % (sizeof odd / sizeof *odd)];
        CHECK(!grid_topology_find(&found, &s.grid, 0, TOPOLOGY_TRILINEAR, NULL, &err));
        CHECK(!grid_topology_find(&fixed, &s.grid, 0, TOPOLOGY_FIXED, NULL, &err));
        CHECK(found.crossed_edges == fixed.crossed_edges && found.arcs == fixed.arcs);
        CHECK((found.euler + (int64_t)found.border_loops) % 2 == 0 && found.components > 0); /* closed by discs */
        CHECK(2 * (int64_t)found.components >= found.euler + (int64_t)found.border_loops);
    }
}

int main(void)
{
    struct err err = { 0 };
    check_seed(20261123);
    if (!CHECK(!iso_open(&pipeline, BACKEND_CPU, -1, 1, &err))) return check_summary("test_verify");
    signs_are_exact();
    signs_agree_with_integers();
    every_fault_is_found();
    wrong_numbers_are_found();
    large_fans_are_fans();
    known_topologies_are_found();
    faces_are_decided_by_the_saddle();
    tunnels_begin_where_they_must();
    limits_are_kept();
    odd_values_are_decided();
    iso_close(&pipeline);
    return check_summary("test_verify");
}
