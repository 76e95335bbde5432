/* The verifier must find the same numbers whether it works run by run, slab by slab, or on everything at once. Tests
 * meshes that are right and meshes broken on purpose, cut anywhere; voxels likewise; files of every type, with ties,
 * plateaus, NaN and odd shapes, by both topologies. */
#include "stream_util.h"

#include "stream_verify.h"

#include <math.h>

static size_t below(size_t n) { return n ? (size_t)(check_random() >> 11) % n : 0; }

/* ---- volumes ----------------------------------------------------------------------------------------------------- */

enum { MOST = 9000 };

struct field {
    float value[MOST];
    struct grid grid;
    float iso;
};

enum kind { NOISE, TIES, PLATEAUS, ODD, SMOOTH, KINDS };
static const char *const kind_name[] = { "noise", "ties", "plateaus", "NaN and infinity", "gyroid" };

static float value_of(enum kind kind, size_t x, size_t y, size_t z)
{
    static const float odd[] = { NAN, INFINITY, -INFINITY, 0, 9, -9 };
    const float r = (float)(check_random() >> 40) * 0x1p-24f;
    const double a = (double)x * 0.5, b = (double)y * 0.5, c = (double)z * 0.5;
    switch (kind) {
    case TIES: return (float)below(5) - 2;
    case PLATEAUS: return (float)((x / 3 + y / 2 + z / 3) % 3) - 1;
    case ODD: return below(4) ? r - 0.5f : odd[below(6)];
    case SMOOTH: return (float)(sin(a) * cos(b) + sin(b) * cos(c) + sin(c) * cos(a));
    default: return r - 0.5f;
    }
}

static void make_field(struct field *f, enum kind kind, const size_t n[3])
{
    f->grid = (struct grid){ .voxels = f->value, .type = VOXEL_FLOAT32, .nx = n[0], .ny = n[1], .nz = n[2] };
    f->iso = kind == SMOOTH ? 0.1f : 0;
    for (size_t i = 0; i < grid_voxels(&f->grid); i++)
        f->value[i] = value_of(kind, i % n[0], i / n[0] % n[1], i / n[0] / n[1]);
}

/* How many of the 256 cases of a cell it has. */
static int cases_of(const struct field *f)
{
    bool seen[256] = { false };
    const size_t nx = f->grid.nx, ny = f->grid.ny;
    int count = 0;
    for (size_t z = 0; z + 1 < f->grid.nz; z++)
        for (size_t y = 0; y + 1 < ny; y++)
            for (size_t x = 0; x + 1 < nx; x++) {
                unsigned c = 0;
                for (size_t k = 0; k < 8; k++)
                    c |= (unsigned)(f->value[((z + (k >> 2)) * ny + y + (k >> 1 & 1)) * nx + x + (k & 1)] >= f->iso) << k;
                count += !seen[c], seen[c] = true;
            }
    return count;
}

/* ---- meshes in runs ---------------------------------------------------------------------------------------------- */

enum { RUNS = 64 };

/* A mesh, and where runs of it begin: of vertices, and of triangles that join no vertex before. */
struct cut {
    struct mesh_host mesh;
    size_t n[3];
    uint64_t vertex[RUNS + 1], triangle[RUNS + 1];
    int runs;
};

static void end_run(struct cut *c, uint64_t vertex)
{
    uint64_t t = c->mesh.triangle_count;
    const uint32_t *index = c->mesh.indices;
    while (t && index[3 * t - 3] >= vertex && index[3 * t - 2] >= vertex && index[3 * t - 1] >= vertex) t--;
    c->runs++;
    c->vertex[c->runs] = vertex, c->triangle[c->runs] = t;
}

/* slices: of a run; 0: they end anywhere. */
static void cut_mesh(struct cut *c, size_t slices)
{
    c->runs = 0, c->vertex[0] = c->triangle[0] = 0;
    for (size_t z = slices; slices && z < c->n[2] && c->runs < RUNS - 1; z += slices) {
        uint64_t v = c->vertex[c->runs];
        while (v < c->mesh.vertex_count && c->mesh.vertices[v].z < (float)z) v++;
        end_run(c, v);
    }
    for (uint64_t v = 0; !slices && c->runs < 12; end_run(c, v))
        v += (uint64_t)below((size_t)(c->mesh.vertex_count - v) / 2 + 1);
    end_run(c, c->mesh.vertex_count);
    c->triangle[c->runs] = c->mesh.triangle_count;
}

/* Some meshes come without the vertices long before their runs, as those of slabs do. */
static int check_runs(struct mesh_topology *found, const struct cut *c)
{
    struct mesh_topology_sum sum;
    struct err err = { 0 };
    int code = ERR_NONE;
    mesh_topology_begin(&sum, c->n);
    for (int i = 0; i < c->runs && !code; i++) {
        const uint64_t first = below(2) && c->vertex[i] > 3 ? c->vertex[i] - 3 : 0, n = c->triangle[i + 1] - c->triangle[i];
        uint32_t *index = malloc((size_t)n * 12 + 1);
        for (uint64_t k = 0; k < 3 * n; k++) index[k] = c->mesh.indices[3 * c->triangle[i] + k] - (uint32_t)first;
        const struct mesh_host part = { c->mesh.vertices + first, index, c->mesh.vertex_count - first, n };
        const struct mesh_topology_run run = { &part, c->vertex[i] - first, c->vertex[i + 1] - c->vertex[i], 0, n };
        code = mesh_topology_add(&sum, &run, NULL, &err);
        free(index);
    }
    mesh_topology_end(code ? NULL : found, &sum);
    return code;
}

static uint32_t *triangle(const struct cut *c, uint64_t t) { return c->mesh.indices + 3 * t; }

/* Near a border between runs, where there is one. */
static uint64_t some_triangle(const struct cut *c)
{
    const uint64_t n = c->mesh.triangle_count, border = c->triangle[below((size_t)c->runs + 1)];
    const uint64_t t = border + below(7) < 3 ? 0 : border + below(7) - 3;
    return t < n ? t : below((size_t)n);
}

static void flip(struct cut *c)
{
    uint32_t *t = triangle(c, some_triangle(c)), first = t[0];
    t[0] = t[1], t[1] = first;
}

static void drop(struct cut *c)
{
    const uint64_t t = some_triangle(c);
    c->mesh.triangle_count--;
    memmove(triangle(c, t), triangle(c, t + 1), (size_t)(c->mesh.triangle_count - t) * 12);
    for (int i = 0; i <= c->runs; i++) c->triangle[i] -= c->triangle[i] > t;
}

static void repeat(struct cut *c)
{
    uint32_t *t = triangle(c, some_triangle(c));
    t[2] = t[1];
}

static void replace_by_next(struct cut *c)
{
    const uint64_t t = below((size_t)c->mesh.triangle_count - 1);
    for (int i = 0; i < c->runs; i++)
        if (t + 1 == c->triangle[i + 1]) return flip(c); /* whose corners may be out of reach */
    memcpy(triangle(c, t), triangle(c, t + 1), 12);
}

/* Joins some vertex instead, of the same run or any after it. */
static void swap_forward(struct cut *c)
{
    const uint64_t t = some_triangle(c);
    int run = 0;
    while (t >= c->triangle[run + 1]) run++;
    const uint64_t first = c->vertex[run], near = c->vertex[run + 1] + below(9), all = c->mesh.vertex_count;
    triangle(c, t)[below(3)] = (uint32_t)(below(2) && near < all ? near : first + below((size_t)(all - first)));
}

static void point_nowhere(struct cut *c)
{
    triangle(c, some_triangle(c))[below(3)] = (uint32_t)c->mesh.vertex_count + (uint32_t)below(3);
}

static void lose_vertex(struct cut *c)
{
    struct vertex *v = &c->mesh.vertices[triangle(c, some_triangle(c))[0] % c->mesh.vertex_count];
    const struct vertex wrong[] = { { NAN, v->y, v->z, v->normal },
                                    { v->x, v->y, -v->z - 1, v->normal },
                                    { v->x, v->y, v->z, 0 } };
    *v = wrong[below(3)];
}

static void move_vertex(struct cut *c)
{
    const uint32_t *t = triangle(c, some_triangle(c));
    const uint64_t n = c->mesh.vertex_count; /* where an index may point by now */
    c->mesh.vertices[t[0] % n] = c->mesh.vertices[t[1] % n];
}

static void (*const breaks[])(struct cut *) = { flip,         drop,          repeat,      replace_by_next,
                                                swap_forward, point_nowhere, lose_vertex, move_vertex };

static struct mesh_host copy_of(const struct mesh_host *m)
{
    struct mesh_host copy = *m;
    copy.vertices = malloc(m->vertex_count * sizeof *m->vertices + 1);
    copy.indices = malloc(m->triangle_count * 12 + 12);
    if (!copy.vertices || !copy.indices) abort();
    if (m->vertex_count) memcpy(copy.vertices, m->vertices, m->vertex_count * sizeof *m->vertices);
    if (m->triangle_count) memcpy(copy.indices, m->indices, m->triangle_count * 12);
    return copy;
}

static bool same(const void *a, const void *b, size_t n) { return !memcmp(a, b, n); }

static bool is_same(const struct cut *c, struct mesh_topology *whole)
{
    struct mesh_topology runs;
    struct err err = { 0 };
    return !mesh_topology_find(whole, &c->mesh, c->n, NULL, &err) && !check_runs(&runs, c) &&
           same(whole, &runs, sizeof runs);
}

static long broken, unnoticed; /* unnoticed: a triangle alone was flipped, or joins what it did */

/* One to four faults, of each kind alone and mixed. */
static void break_and_check(const struct cut *right, int turn, const char *name)
{
    enum { N = sizeof breaks / sizeof breaks[0] };
    struct cut c = *right;
    struct mesh_topology whole;
    char text[256];
    c.mesh = copy_of(&right->mesh);
    for (int i = 0; i <= turn / N % 4; i++) breaks[i ? below(N) : (size_t)turn % N](&c);
    if (!CHECK(is_same(&c, &whole))) printf("  %s, broken by number %d\n", name, turn);
    if (turn < N) broken++, unnoticed += verify_sound(&whole, false, text, sizeof text);
    free(c.mesh.vertices), free(c.mesh.indices);
}

/* An index to a vertex that a run before has closed: wrong by both, though not always by the same numbers. */
static void reach_back(const struct cut *right)
{
    struct cut c = *right;
    struct mesh_topology whole, runs;
    struct err err = { 0 };
    char text[256];
    if (c.runs < 2 || c.triangle[1] == c.mesh.triangle_count || !c.vertex[1]) return;
    c.mesh = copy_of(&right->mesh);
    triangle(&c, c.triangle[1])[1] = (uint32_t)below((size_t)c.vertex[1]);
    CHECK(!mesh_topology_find(&whole, &c.mesh, c.n, NULL, &err) && !verify_sound(&whole, true, text, sizeof text));
    CHECK(!check_runs(&runs, &c) && runs.fault[FAULT_INDEX] == 1 && !verify_sound(&runs, true, text, sizeof text));
    free(c.mesh.vertices), free(c.mesh.indices);
}

static void check_meshes(const struct field *f, const char *name)
{
    static const size_t slices[] = { 4, 7, 64, 1, 0, 0 };
    struct cut c = { .n = { f->grid.nx, f->grid.ny, f->grid.nz } };
    struct mesh_topology whole;
    struct err err = { 0 };
    if (!CHECK(!iso_set_volume(&iso, &f->grid, &err) && !iso_extract(&iso, f->iso, &c.mesh, &err))) return;
    for (size_t s = 0; s < sizeof slices / sizeof slices[0]; s++) {
        cut_mesh(&c, slices[s]);
        if (!CHECK(is_same(&c, &whole))) printf("  %s in runs of %zu slices\n", name, slices[s]);
        for (int turn = 0; turn < 32 && c.mesh.triangle_count > 100; turn += c.mesh.triangle_count > 2500 ? 5 : 1)
            break_and_check(&c, turn, name);
        if (c.mesh.triangle_count > 100) reach_back(&c);
    }
    mesh_host_free(&c.mesh);
}

/* ---- voxels in layers -------------------------------------------------------------------------------------------- */

static bool same_in_layers(const struct field *f, enum topology rule, bool closed, size_t layers)
{
    const struct grid *g = &f->grid;
    const size_t n[3] = { g->nx, g->ny, g->nz };
    struct grid_topology whole, found;
    struct grid_topology_sum sum;
    struct err err = { 0 };
    if (closed ? grid_topology_find_closed(&whole, g, f->iso, rule, NULL, &err)
               : grid_topology_find(&whole, g, f->iso, rule, NULL, &err))
        return false;
    int code = grid_topology_begin(&sum, n, f->iso, rule, closed, &err);
    for (size_t z = 0; z < g->nz && !code; z += layers) {
        struct grid block = *g;
        const size_t from = z ? z - 1 : 0, end = min_size(z + layers, g->nz);
        block.voxels = (const float *)g->voxels + from * g->nx * g->ny;
        block.first[2] = from, block.nz = end - from;
        code = grid_topology_add(&sum, &block, end, NULL, &err);
    }
    grid_topology_end(code ? NULL : &found, &sum);
    return !code && same(&whole, &found, sizeof found);
}

static void check_voxels(const struct field *f, const char *name)
{
    static const size_t layers[] = { 1, 4, 7, 64 };
    for (int rule = 0; rule < TOPOLOGY_COUNT; rule++)
        for (int closed = 0; closed < 2; closed++)
            for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++)
                if (!CHECK(same_in_layers(f, (enum topology)rule, closed, layers[i])))
                    printf("  %s in layers of %zu, rule %d\n", name, layers[i], rule);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static int verify_whole(struct stream_verify *found, const char *path, const struct load_desc *load, double value,
                        struct err *err)
{
    struct volume volume;
    struct mesh_host mesh = { 0 };
    int code = load_volume(&volume, path, load, err);
    const size_t n[3] = { volume.grid.nx, volume.grid.ny, volume.grid.nz };
    const float at = volume_iso(&volume, value);
    if (!code) code = iso_set_volume(&iso, &volume.grid, err);
    if (!code) code = iso_extract(&iso, at, &mesh, err);
    if (!code) code = mesh_topology_find(&found->mesh, &mesh, n, NULL, err);
    if (!code) code = grid_topology_find(&found->voxels, &volume.grid, at, iso.topology, NULL, err);
    mesh_host_free(&mesh);
    volume_free(&volume);
    return code;
}

static int verify_slabs(struct stream_verify *found, const char *path, const struct load_desc *load, double value,
                        size_t layers, struct err *err)
{
    struct store store;
    open_store(&store, path, load);
    const struct stream_verify_desc desc = { &store, value, (uint64_t)1 << 30, layers, { NULL, NULL } };
    const int code = stream_verify_find(found, &desc, &iso, err);
    store_close(&store);
    return code;
}

/* Returns whether the mesh is right, which depends on what was done to it. */
static bool check_file(const char *name, const char *path, const struct load_desc *load, double value, size_t layers)
{
    struct stream_verify whole, slabs;
    struct err err = { 0 };
    char a[256] = "", b[256] = "";
    if (!CHECK(!verify_whole(&whole, path, load, value, &err)) ||
        !CHECK(!verify_slabs(&slabs, path, load, value, layers, &err))) {
        printf("  %s: %s\n", name, err.text);
        return false;
    }
    if (!CHECK(same(&whole, &slabs, sizeof whole))) printf("  %s, %zu layers of bricks\n", name, layers);
    const bool right = verify_judge(&whole.mesh, &whole.voxels, iso.exact, a, sizeof a);
    CHECK(verify_judge(&slabs.mesh, &slabs.voxels, iso.exact, b, sizeof b) == right && !strcmp(a, b));
    return right;
}

/* By both topologies, exact positions, and both pipelines. */
static void check_ways(const char *name, const char *path, const struct load_desc *load, double value)
{
    static const size_t layers[] = { 1, 2, 16, 0 };
    struct err err = { 0 };
    for (int way = 0; way < 8; way++) {
        CHECK(!iso_set_topology(&iso, way & 1 ? TOPOLOGY_FIXED : TOPOLOGY_TRILINEAR, &err));
        iso_set_exact(&iso, way & 2);
        CHECK(!iso_set_rung(&iso, STAGE_FUSED, way & 4 ? "none" : NULL, &err));
        for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++)
            if (!CHECK(check_file(name, path, load, value, layers[i]))) printf("  %s, way %d: not right\n", name, way);
    }
    iso_set_exact(&iso, false);
    CHECK(!iso_set_topology(&iso, TOPOLOGY_TRILINEAR, &err) && !iso_set_rung(&iso, STAGE_FUSED, NULL, &err));
}

static void check_subjects(void)
{
    char path[256], name[64];
    for (size_t i = 0; i < subject_count; i++) {
        const struct subject *s = &subjects[i];
        const struct load_desc load = load_of(s);
        snprintf(name, sizeof name, "%s of %d x %d x %d", s->type, (int)s->n[0], (int)s->n[1], (int)s->n[2]);
        write_volume(volume_of(path, s), s);
        check_ways(name, path, &load, s->value);
    }
}

static struct load_desc write_field(const struct field *f, char path[256])
{
    const struct grid *g = &f->grid;
    write_file(path_of(path, "field.raw"), f->value, grid_voxels(g) * sizeof f->value[0]);
    return (struct load_desc){ .dims = { g->nx, g->ny, g->nz }, .type = "float32", .threads = 2 };
}

static void check_fields(void)
{
    static const size_t shapes[][3] = { { 16, 15, 24 }, { 33, 6, 17 }, { 5, 3, 70 }, { 40, 11, 2 }, { 2, 2, 2 } };
    static struct field f;
    char name[64], path[256];
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
            make_field(&f, (enum kind)kind, shapes[s]);
            if (kind == NOISE && s == 0) CHECK(cases_of(&f) == 256);
            snprintf(name, sizeof name, "%s of %zu x %zu x %zu", kind_name[kind], shapes[s][0], shapes[s][1], shapes[s][2]);
            check_meshes(&f, name);
            check_voxels(&f, name);
            const struct load_desc load = write_field(&f, path);
            check_ways(name, path, &load, (double)f.iso);
        }
}

/* A body in a corner: the second reading takes 2 of 6 rows of blocks, in some slices, and the numbers stay. */
static void check_little(void)
{
    static uint8_t voxels[70 * 330 * 150];
    const struct load_desc load = { .dims = { 70, 330, 150 }, .type = "uint8", .threads = 2 };
    struct stream_verify found;
    struct err err = { 0 };
    char path[256];
    for (size_t i = 0; i < sizeof voxels; i++) {
        const size_t x = i % 70, y = i / 70 % 330, z = i / (70 * 330);
        voxels[i] = x - 27 < 7 && y - 27 < 7 && z - 27 < 7 ? (uint8_t)below(60) : 10;
    }
    write_file(path_of(path, "little.raw"), voxels, sizeof voxels);
    for (size_t layers = 0; layers < 4; layers += 2) {
        CHECK(check_file("little", path, &load, 25.5, layers));
        const unsigned long long before = bytes_read();
        CHECK(!verify_slabs(&found, path, &load, 25.5, layers, &err) && found.mesh.euler);
        const unsigned long long read = bytes_read() - before;
        if (!before) printf("skipped: no /proc/self/io here\n");
        else if (!CHECK(read >= sizeof voxels && read < sizeof voxels + sizeof voxels / (layers ? 10 : 2)))
            printf("  %.3f of the file was read\n", (double)read / (double)sizeof voxels);
    }
}

/* ---- a rung that is wrong ---------------------------------------------------------------------------------------- */

static const struct fused_rung *real;
static struct {
    struct vertex corner[3]; /* of the triangle that is broken, wherever it comes */
    struct vertex other;     /* that it joins instead */
    int how;                 /* 0: it is flipped, 1: joins `other`, 2: has a corner twice */
    uint64_t broken;
} wrong;

static bool is_at(const struct vertex *a, const struct vertex *b) { return a->x == b->x && a->y == b->y && a->z == b->z; }

static void spoil(const struct mesh_out *m, uint32_t *t, uint64_t vertices)
{
    const uint32_t first = t[0];
    if (wrong.how == 0) t[0] = t[1], t[1] = first;
    if (wrong.how == 2) t[1] = t[0];
    for (uint64_t v = 0; v < vertices && wrong.how == 1; v++)
        if (is_at(&m->vertices[v], &wrong.other)) t[0] = (uint32_t)v;
    wrong.broken++;
}

static int run_wrong(const struct fused_desc *d, struct exec *x)
{
    const int code = real->run(d, x);
    const struct fused_counts *c = d->counts;
    if (code || !d->mesh.indices || c->triangles > d->triangle_capacity || c->vertices > d->vertex_capacity) return code;
    for (uint64_t t = 0; t < c->triangles; t++) {
        bool is = true;
        for (int i = 0; i < 3; i++) is = is && is_at(&d->mesh.vertices[d->mesh.indices[3 * t + i]], &wrong.corner[i]);
        if (is) spoil(&d->mesh, d->mesh.indices + 3 * t, c->vertices);
    }
    return code;
}

/* The triangle, across the border above slice `z`, that joins what the next slab owns. */
static uint64_t across(const struct mesh_host *m, float z)
{
    for (uint64_t t = 0; t < m->triangle_count; t++) {
        bool under = false, over = false;
        for (int i = 0; i < 3; i++) {
            const float at = m->vertices[m->indices[3 * t + i]].z;
            under = under || at < z, over = over || at == z;
        }
        if (under && over) return t;
    }
    return 0;
}

static void check_wrong_rung(void)
{
    static struct field f;
    char path[256], name[64];
    struct mesh_host mesh = { 0 };
    struct err err = { 0 };
    make_field(&f, NOISE, (const size_t[3]){ 15, 14, 40 });
    const struct load_desc load = write_field(&f, path);
    if (!CHECK(!iso_set_volume(&iso, &f.grid, &err) && !iso_extract(&iso, f.iso, &mesh, &err))) return;
    real = (const struct fused_rung *)iso.rung[STAGE_FUSED];
    struct fused_rung spoiler = *real;
    spoiler.run = run_wrong;
    for (int how = 0; how < 3; how++)
        for (size_t z = 4; z < 40; z += 12) {
            const uint64_t t = across(&mesh, (float)z);
            uint64_t v = 0;
            while (mesh.vertices[v].z < (float)z) v++; /* the first that the next slab owns */
            for (int i = 0; i < 3; i++) wrong.corner[i] = mesh.vertices[mesh.indices[3 * t + (uint64_t)i]];
            wrong.other = mesh.vertices[v + 1], wrong.how = how, wrong.broken = 0;
            iso.rung[STAGE_FUSED] = &spoiler.rung;
            snprintf(name, sizeof name, "a rung that is wrong at slice %zu by %d", z, how);
            for (size_t layers = 1; layers < 4; layers++) CHECK(!check_file(name, path, &load, (double)f.iso, layers));
            CHECK(wrong.broken >= 6); /* each time in both, and where it lies in a halo */
            iso.rung[STAGE_FUSED] = &real->rung;
        }
    mesh_host_free(&mesh);
}

/* ---- what goes wrong --------------------------------------------------------------------------------------------- */

struct change {
    const char *path;
    bool done;
};

/* Changes the file between the two readings. */
static bool change_file(void *context, double fraction)
{
    static uint8_t other[70 * 31 * 41];
    struct change *c = context;
    if (fraction < 0.5 || c->done) return true;
    for (size_t i = 0; i < sizeof other; i++) other[i] = (uint8_t)(i % 40 < 20 ? 9 : 2);
    write_file(c->path, other, sizeof other);
    return c->done = true;
}

static bool stop(void *context, double fraction)
{
    (void)context;
    return fraction < 0.7;
}

static void check_failures(void)
{
    static const struct subject s = { NULL, "uint8", 1, { 70, 31, 41 }, 2.5 };
    static const struct {
        uint64_t memory;
        double value;
        bool (*step)(void *, double);
        int code;
        const char *says;
    } cases[] = { { 1 << 20, 2.5, NULL, ERR_FAILED, "1.0 MiB is allowed" },
                  { 1 << 30, 2.5, change_file, ERR_INPUT, "has changed" },
                  { 1 << 30, 2.5, stop, ERR_FAILED, "cancelled" },
                  { 1 << 30, (double)NAN, NULL, ERR_USAGE, "NaN" } };
    char path[256];
    const struct load_desc load = { .dims = { 70, 31, 41 }, .type = "uint8" };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct stream_verify found;
        struct store store;
        struct err err = { 0 };
        write_volume(path_of(path, "volume.raw"), &s);
        struct change change = { path, false };
        open_store(&store, path, &load);
        const struct stream_verify_desc desc = { &store, cases[i].value, cases[i].memory, 1, { cases[i].step, &change } };
        CHECK(stream_verify_find(&found, &desc, &iso, &err) == cases[i].code);
        if (!CHECK(strstr(err.text, cases[i].says))) printf("  %s\n", err.text);
        store_close(&store);
    }
}

int main(void)
{
    set_up(20261126, 3);
    check_subjects();
    check_fields();
    check_little();
    CHECK(broken > 300 && unnoticed < broken / 50);
    check_wrong_rung();
    check_failures();
    return tear_down("stream_verify");
}
