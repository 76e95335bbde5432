/* Parts of surfaces: compares how every rung finds, measures and filters them with a flood fill and sums in doubles.
 * Also tests shapes with closed forms, open parts, cavities, and surfaces without parts.
 * Usage: test_components cpu|cuda */
#include "iso_util.h"

#include "component_list.h"
#include "mesh_check.h"
#include "parts_util.h"
#include "synth.h"

static struct iso iso;
static struct err err;

/* ---- by the plainest code ---------------------------------------------------------------------------------------- */

struct plain {
    uint64_t triangles;
    double area, volume, low[3], high[3];
    bool open;
};

static void world_of(const struct volume *v, const struct vertex *p, double q[3])
{
    const double voxel[3] = { (double)p->x, (double)p->y, (double)p->z };
    volume_to_world(v, voxel, q);
}

static void add_plainly(struct plain *to, const struct volume *v, const struct mesh_host *mesh, uint64_t t)
{
    double p[3][3], u[3], w[3], c[3];
    for (int i = 0; i < 3; i++) {
        world_of(v, &mesh->vertices[mesh->indices[3 * t + (uint64_t)i]], p[i]);
        for (int r = 0; r < 3; r++) to->low[r] = fmin(to->low[r], p[i][r]), to->high[r] = fmax(to->high[r], p[i][r]);
    }
    for (int r = 0; r < 3; r++) u[r] = p[1][r] - p[0][r], w[r] = p[2][r] - p[0][r];
    for (int r = 0; r < 3; r++) c[r] = u[(r + 1) % 3] * w[(r + 2) % 3] - u[(r + 2) % 3] * w[(r + 1) % 3];
    to->triangles++;
    to->area += 0.5 * sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
    to->volume += (p[0][0] * c[0] + p[0][1] * c[1] + p[0][2] * c[2]) / 6;
}

struct edge {
    uint32_t low, high, label;
};

static int compare_edges(const void *a, const void *b) { return memcmp(a, b, sizeof(struct edge)); }

/* Marks the parts that have an edge of one triangle. */
static void find_open(const struct mesh_host *mesh, const uint32_t *label, struct plain *plain)
{
    const uint64_t n = 3 * mesh->triangle_count;
    struct edge *edge = malloc((n + 1) * sizeof *edge);
    if (!edge) abort();
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t a = mesh->indices[i], b = mesh->indices[i / 3 * 3 + (i + 1) % 3];
        edge[i] = (struct edge){ a < b ? a : b, a < b ? b : a, label[a] };
    }
    qsort(edge, n, sizeof *edge, compare_edges);
    for (uint64_t i = 0; i < n;) {
        uint64_t end = i + 1;
        while (end < n && !compare_edges(&edge[i], &edge[end])) end++;
        if ((end - i) % 2) plain[edge[i].label].open = true;
        i = end;
    }
    free(edge);
}

/* One per vertex; only those of roots have triangles. */
static struct plain *measure_plainly(const struct volume *v, const struct mesh_host *mesh, const uint32_t *label)
{
    struct plain *plain = malloc((mesh->vertex_count + 1) * sizeof *plain);
    if (!plain) abort();
    for (uint64_t i = 0; i < mesh->vertex_count; i++)
        plain[i] = (struct plain){ 0, 0, 0, { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY }, false };
    for (uint64_t t = 0; t < mesh->triangle_count; t++) add_plainly(&plain[label[mesh->indices[3 * t]]], v, mesh, t);
    find_open(mesh, label, plain);
    return plain;
}

/* ---- the list ---------------------------------------------------------------------------------------------------- */

static uint64_t count_vertices(const uint32_t *label, uint64_t n, uint32_t root)
{
    uint64_t count = 0;
    for (uint64_t v = 0; v < n; v++) count += label[v] == root;
    return count;
}

/* Compares part `got`, whose root is known. Sums are rounded by 2^-40 of their largest at most: the steps of measure.c. */
static void same_part(const struct component *got, const struct plain *want, const struct volume *v)
{
    const double scale = volume_spacing(v, 0) + volume_spacing(v, 1) + volume_spacing(v, 2);
    const double sign = volume_handedness(v) < 0 ? -1 : 1;
    double size = 0;
    CHECK(got->measure.triangles == want->triangles && got->measure.closed == !want->open);
    CHECK_NEAR(got->measure.area, want->area, 1e-9 * scale * scale * (double)want->triangles);
    if (!want->open)
        CHECK_NEAR(got->measure.volume, sign * want->volume, 1e-7 * scale * scale * scale * (double)want->triangles);
    for (int r = 0; r < 3; r++) {
        CHECK_NEAR(got->measure.low[r], want->low[r], 1e-12 * scale * 1000);
        CHECK_NEAR(got->measure.high[r], want->high[r], 1e-12 * scale * 1000);
        size = fmax(size, want->high[r] - want->low[r]);
    }
    CHECK_NEAR(got->size, size, 1e-12 * scale * 1000);
}

static uint32_t root_of_number(const uint32_t *label, uint64_t vertices, uint32_t number)
{
    for (uint64_t v = 0; v < vertices; v++)
        if (label[v] == v && !number--) return (uint32_t)v;
    return UINT32_MAX;
}

static void list_is_right(const struct component_list *c, const struct volume *v, const struct mesh_host *mesh,
                          const uint32_t *label)
{
    struct plain *plain = measure_plainly(v, mesh, label);
    uint64_t triangles = 0, parts = 0;
    for (uint64_t i = 0; i < mesh->vertex_count; i++) parts += plain[i].triangles > 0;
    CHECK(c->count == parts);
    for (uint64_t i = 0; i < c->count; i++) {
        if (i) CHECK(c->list[i].measure.area <= c->list[i - 1].measure.area);
        triangles += c->list[i].measure.triangles;
        if (i >= 50 && i + 50 < c->count) continue; /* looking each up is slow in this way */
        const uint32_t root = root_of_number(label, mesh->vertex_count, c->list[i].number);
        if (!CHECK(root != UINT32_MAX)) continue;
        same_part(&c->list[i], &plain[root], v);
        CHECK(c->list[i].measure.vertices == count_vertices(label, mesh->vertex_count, root));
    }
    CHECK(triangles == mesh->triangle_count);
    free(plain);
}

/* ---- the filter -------------------------------------------------------------------------------------------------- */

/* The result must be the triangles of the kept parts, in the same order and with the same corners. */
static void filter_is_right(const struct component_list *c, const struct volume *v, const struct mesh_host *mesh,
                            const uint32_t *label, const struct component_filter *filter)
{
    struct mesh_host left;
    struct measure sum;
    uint64_t parts, at = 0, used = 0;
    if (!CHECK(!mesh_host_alloc(&left, mesh->vertex_count, mesh->triangle_count, &err))) return;
    memcpy(left.vertices, mesh->vertices, mesh->vertex_count * sizeof *mesh->vertices);
    memcpy(left.indices, mesh->indices, 12 * mesh->triangle_count);
    component_list_sum(c, filter, &parts, &sum);
    uint8_t *keep = calloc(mesh->vertex_count + 1, 1); /* by root */
    if (!keep) abort();
    double longest = 0;
    for (uint64_t i = 0; i < c->count; i++) longest = fmax(longest, c->list[i].size);
    const double least = filter->percent ? filter->min_size * longest / 100 : filter->min_size;
    for (uint64_t i = 0, kept = 0; i < c->count; i++)
        if (c->list[i].size >= least && (!filter->keep || kept < filter->keep))
            keep[root_of_number(label, mesh->vertex_count, c->list[i].number)] = 1, kept++;
    if (!CHECK(!component_list_filter_host(&left, &iso, v, filter, &err))) printf("%s\n", err.text);
    CHECK(left.triangle_count == sum.triangles);
    for (uint64_t i = 0; i < mesh->vertex_count; i++) used += keep[label[i]];
    CHECK(left.vertex_count == used && sum.vertices == used);
    for (uint64_t t = 0; t < mesh->triangle_count; t++) {
        if (!keep[label[mesh->indices[3 * t]]]) continue;
        if (!CHECK(at < left.triangle_count)) break;
        for (uint64_t k = 0; k < 3; k++)
            CHECK(left.indices[3 * at + k] < left.vertex_count &&
                  !memcmp(&left.vertices[left.indices[3 * at + k]], &mesh->vertices[mesh->indices[3 * t + k]],
                          sizeof(struct vertex)));
        at++;
    }
    CHECK(at == left.triangle_count);
    mesh_host_free(&left);
    free(keep);
}

/* ---- volumes ----------------------------------------------------------------------------------------------------- */

/* Bit for bit. */
static bool same_list(const struct component_list *a, const struct component_list *b)
{
    bool same = a->count == b->count;
    for (uint64_t i = 0; i < a->count && same; i++) {
        const struct measure *p = &a->list[i].measure, *q = &b->list[i].measure;
        same = a->list[i].number == b->list[i].number && p->area == q->area && p->volume == q->volume &&
               p->closed == q->closed && p->triangles == q->triangles && p->vertices == q->vertices &&
               !memcmp(p->low, q->low, sizeof p->low) && !memcmp(p->high, q->high, sizeof p->high);
    }
    return same;
}

/* Every rung gives the same list with any number of threads. */
static void rungs_agree(const struct volume *v, const struct mesh_host *mesh, const struct component_list *first)
{
    const struct ladder *ladder = ladder_of("components");
    const struct rung *rung;
    const int threads = iso.exec.threads;
    for (size_t i = 0; (rung = ladder_rung(ladder, iso.exec.backend, i)); i++)
        for (iso.exec.threads = 1; iso.exec.threads <= 5; iso.exec.threads += 2) {
            struct component_list c = { .list = NULL };
            if (rung_unavailable(rung, &iso.exec)) continue;
            CHECK(!iso_set_rung(&iso, AUX_COMPONENTS, rung->name, &err));
            CHECK(!component_list_find_host(&c, &iso, v, mesh, &err) && same_list(&c, first));
            component_list_free(&c);
        }
    iso.exec.threads = threads;
    CHECK(!iso_set_rung(&iso, AUX_COMPONENTS, NULL, &err));
}

/* Skew axes, unequal voxels, left-handed. */
static void place(struct volume *v)
{
    static const double direction[3][3] = { { 0.5, 0.1, 0 }, { 0, -0.7, 0.2 }, { 0, 0, 1.25 } };
    memcpy(v->direction, direction, sizeof direction);
    v->origin[0] = 10, v->origin[1] = -200, v->origin[2] = 7;
}

static void volume_is_right(struct volume *v, double value)
{
    static const struct component_filter filters[] = {
        { 0, false, 1 }, { 0, false, 3 }, { 4, false, 0 }, { 30, true, 0 }, { 2, false, 2 }, { 1e9, false, 0 },
    };
    struct mesh_host mesh;
    struct component_list c = { .list = NULL };
    place(v);
    if (!CHECK(extract(&iso, &v->grid, volume_iso(v, value), &mesh))) return;
    uint32_t *label = label_plainly(mesh.indices, mesh.vertex_count, mesh.triangle_count);
    if (CHECK(!component_list_find_host(&c, &iso, v, &mesh, &err))) {
        printf("  %s: %llu triangles, %llu parts\n", check.subject, (unsigned long long)mesh.triangle_count,
               (unsigned long long)c.count);
        CHECK(c.count == mesh_check(&mesh, &v->grid, volume_iso(v, value)).components);
        list_is_right(&c, v, &mesh, label);
        rungs_agree(v, &mesh, &c);
        for (size_t f = 0; f < sizeof filters / sizeof filters[0]; f++) filter_is_right(&c, v, &mesh, label, &filters[f]);
    }
    component_list_free(&c);
    free(label);
    mesh_host_free(&mesh);
}

static void synthetic_volumes(void)
{
    static const struct {
        const char *name;
        uint64_t n;
        double value;
    } list[] = {
        { "sphere", 24, 0 },          /* one part */
        { "sphere", 24, -0.3 },       /* cut open by all six sides */
        { "torus", 20, 0 },           /* one part with a hole */
        { "metaballs", 40, 96.5 },    /* some */
        { "vessels", 48, 80.5 },      /* many, open ones among them */
        { "noise", 17, 235.5 },       /* dust: single voxels */
        { "noise", 17, 127.5 },       /* one tangle with cavities */
        { "marschner-lobb", 32, 0.5 } /* rings */
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        struct volume v;
        check_subject(list[i].name);
        if (!CHECK(!synth_volume(&v, list[i].name, (const uint64_t[]){ list[i].n, list[i].n + 3, list[i].n - 2 }, 0, 1,
                                 NULL, &err)))
            continue;
        volume_is_right(&v, list[i].value);
        volume_free(&v);
    }
    check_subject("");
}

/* ---- closed forms ------------------------------------------------------------------------------------------------ */

/* A ball of radius 0.6 with a bubble of radius 0.3, and a small ball beside it. */
static double bubble(double x, double y, double z)
{
    const double r = sqrt(x * x + y * y + z * z), s = sqrt((x - 0.8) * (x - 0.8) + y * y + (z - 0.8) * (z - 0.8));
    return fmax(fmin(0.6 - r, r - 0.3), 0.15 - s);
}

static void balls_have_their_sizes(void)
{
    struct volume v = field_volume(bubble, 81);
    struct mesh_host mesh;
    struct component_list c = { .list = NULL };
    static const double radius[] = { 0.6, 0.3, 0.15 }, sign[] = { 1, -1, 1 };
    if (!CHECK(extract(&iso, &v.grid, 0, &mesh) && !component_list_find_host(&c, &iso, &v, &mesh, &err))) return;
    CHECK(c.count == 3);
    for (uint64_t i = 0; i < c.count && c.count == 3; i++) {
        const struct measure *m = &c.list[i].measure;
        const double r = radius[i], centre[3] = { i == 2 ? 0.8 : 0, 0, i == 2 ? 0.8 : 0 };
        CHECK(m->closed);
        CHECK_NEAR(m->area / (4 * M_PI * r * r), 1, 0.01); /* the small one has 12 voxels across */
        CHECK_NEAR(m->volume / (sign[i] * 4 / 3 * M_PI * r * r * r), 1, 0.02);
        CHECK_NEAR(c.list[i].size, 2 * r, 0.01);
        for (int a = 0; a < 3; a++) {
            CHECK_NEAR(m->low[a], centre[a] - r, 0.005);
            CHECK_NEAR(m->high[a], centre[a] + r, 0.005);
        }
    }
    component_list_free(&c);
    mesh_host_free(&mesh);
    volume_free(&v);
}

static void nothing_has_no_parts(void)
{
    struct volume v = field_volume(sphere, 9);
    struct mesh_host mesh = { NULL, NULL, 0, 0 };
    struct component_list c = { .list = NULL };
    const struct component_filter filter = { .keep = 1 };
    struct measure m;
    CHECK(!component_list_find_host(&c, &iso, &v, &mesh, &err) && c.count == 0);
    CHECK(!component_list_filter_host(&mesh, &iso, &v, &filter, &err) && mesh.triangle_count == 0 &&
          mesh.vertex_count == 0);
    CHECK(!measure_mesh(&m, &mesh, &v, 3, &err) && m.area == 0 && m.closed && isnan(m.low[0]));
    component_list_free(&c);
    volume_free(&v);
}

/* A vertex that no triangle uses is no part, but it has a number. */
static void unused_vertices_are_no_parts(void)
{
    struct volume v = field_volume(sphere, 9);
    struct vertex vertices[] = { { 1, 1, 1, 0 }, { 2, 1, 1, 0 }, { 2, 2, 1, 0 }, { 2, 2, 2, 0 } };
    uint32_t indices[] = { 1, 2, 3 };
    const struct mesh_host mesh = { vertices, indices, 4, 1 };
    struct component_list c = { .list = NULL };
    CHECK(!component_list_find_host(&c, &iso, &v, &mesh, &err) && c.count == 1 && c.list[0].number == 1);
    CHECK(c.count == 1 && c.list[0].measure.vertices == 3 && c.list[0].measure.triangles == 1);
    component_list_free(&c);
    volume_free(&v);
}

/* A tetrahedron with a face on the border is closed, unless that face is missing, or turned. */
static void faces_on_the_border_close(void)
{
    struct volume v = field_volume(sphere, 9);
    struct vertex vertices[] = { { 0, 1, 1, 0 }, { 0, 2, 1, 0 }, { 0, 1, 2, 0 }, { 0.5f, 1.25f, 1.25f, 0 } };
    static const uint32_t faces[] = { 0, 1, 3, 1, 2, 3, 2, 0, 3, 0, 2, 1 },
                          turned[] = { 0, 1, 3, 1, 2, 3, 2, 0, 3, 0, 1, 2 };
    uint32_t indices[12];
    struct component_list c = { .list = NULL };
    struct mesh_host mesh = { vertices, indices, 4, 4 };
    memcpy(indices, faces, sizeof faces);
    CHECK(!component_list_find_host(&c, &iso, &v, &mesh, &err) && c.count == 1 && c.list[0].measure.closed);
    if (c.count == 1) CHECK_NEAR(c.list[0].measure.volume, 0.25 / 3 / 64, 1e-12); /* a voxel is 1/4 long */
    mesh.triangle_count = 3;
    CHECK(!component_list_find_host(&c, &iso, &v, &mesh, &err) && c.count == 1 && !c.list[0].measure.closed);
    mesh.triangle_count = 4;
    memcpy(indices, turned, sizeof turned);
    CHECK(!component_list_find_host(&c, &iso, &v, &mesh, &err) && c.count == 1 && !c.list[0].measure.closed);
    component_list_free(&c);
    volume_free(&v);
}

int main(int argc, char **argv)
{
    const int code = open_backend(&iso, argc, argv);
    if (code) return code;
    synthetic_volumes();
    balls_have_their_sizes();
    nothing_has_no_parts();
    unused_vertices_are_no_parts();
    faces_on_the_border_close();
    iso_close(&iso);
    return check_summary("test_components");
}
