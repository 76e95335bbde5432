/* Helpers of the tests of topology: small grids of every type, the mesh of each way to make it, and the verdict on it. */
#ifndef ISO_VERIFY_UTIL_H
#define ISO_VERIFY_UTIL_H

#include "iso_util.h"

#include "verify.h"

enum { SMALL = 512 }; /* voxels of the largest small grid: 8^3 */

/* A grid that holds its voxels, for thousands of tiny ones. */
struct small {
    struct grid grid;
    float value[SMALL];
    uint8_t bytes[2 * SMALL];
};

static inline double uniform(double low, double high)
{
    return low + (high - low) * (double)(check_random() >> 11) / 9007199254740992.0;
}

/* Points the grid at its floats. */
static inline void small_floats(struct small *s, size_t nx, size_t ny, size_t nz)
{
    s->grid = (struct grid){ s->value, VOXEL_FLOAT32, nx, ny, nz };
}

/* The values of a float grid, between -1 and 1, scaled to the whole range of an integer type and rounded. Returns the
 * isovalue for 0; between two whole numbers, so that no voxel equals it. */
static inline float small_convert(struct small *to, const struct small *from, enum voxel_type type)
{
    static const double scale[] = { 127, 127, 32767, 32767 }, middle[] = { 128, 0, 32768, 0 };
    *to = *from;
    to->grid.voxels = type == VOXEL_FLOAT32 ? (const void *)to->value : to->bytes;
    to->grid.type = type;
    if (type == VOXEL_FLOAT32) return 0;
    for (size_t i = 0; i < grid_voxels(&to->grid); i++) {
        const int whole = (int)lrint((double)from->value[i] * scale[type] + middle[type]);
        if (voxel_bytes(type) == 1) to->bytes[i] = (uint8_t)whole;
        else memcpy(to->bytes + 2 * i, &(uint16_t){ (uint16_t)whole }, 2);
    }
    return (float)(middle[type] + 0.5);
}

static inline void small_print(const struct small *s, float iso)
{
    printf("  %zux%zux%zu of type %d, iso %.9g:", s->grid.nx, s->grid.ny, s->grid.nz, (int)s->grid.type, (double)iso);
    for (size_t i = 0; i < grid_voxels(&s->grid); i++) printf(" %.9g", (double)grid_value(&s->grid, i));
    printf("\n");
}

/* ---- every way to a mesh --------------------------------------------------------------------------------------------- */

enum { WAYS = 16 };

/* A pipeline per fused rung and one of separate stages, all with one rule. Opened once, because grids are tiny. */
struct ways {
    enum topology rule;
    bool exact; /* vertices may lie on voxels, and triangles there have no area */
    int count;
    struct iso iso[WAYS];
    const char *name[WAYS];
    struct buffer buffer[WAYS];
    struct mesh_buffers out[WAYS];
};

static inline bool ways_open(struct ways *w, enum backend backend, enum topology rule, bool exact)
{
    const struct rung *rung;
    struct err err = { 0 };
    *w = (struct ways){ .rule = rule, .exact = exact };
    for (size_t i = 0; (rung = ladder_rung(ladder_of("fused"), backend, i)) && w->count < WAYS; i++) {
        struct iso *iso = &w->iso[w->count];
        if (iso_open(iso, backend, -1, 1, &err)) return false;
        if (rung_unavailable(rung, &iso->exec)) {
            iso_close(iso);
            continue;
        }
        w->name[w->count++] = rung->name;
        if (iso_set_rung(iso, STAGE_FUSED, rung->name, &err) || iso_set_topology(iso, rule, &err)) return false;
        if (iso_set_rung(iso, AUX_UPLOAD, "textbook", &err)) return false; /* the faster ones pin memory each time */
        iso_set_exact(iso, exact);
    }
    return w->count > 0;
}

static inline void ways_close(struct ways *w)
{
    for (int i = 0; i < w->count; i++) {
        buffer_release(&w->buffer[i], w->iso[i].ops);
        iso_close(&w->iso[i]);
    }
}

/* Makes the mesh in the backend's memory; an enlarged buffer holds that of a grid before. */
static inline int ways_run(struct ways *w, int way, float value, struct err *err)
{
    struct iso *iso = &w->iso[way];
    bool fits = false;
    for (int turn = 0; iso_is_fused(iso) && turn < 2; turn++) {
        const int code = iso_fuse(iso, value, &w->out[way], &fits, err);
        if (code || fits) return code;
        if (iso_reserve_mesh(iso, &w->buffer[way], &w->out[way], err)) return err->code;
    }
    if (iso_is_fused(iso)) return err_set(err, ERR_FAILED, "no room after room was made");
    if (iso_count(iso, value, err) || iso_reserve_mesh(iso, &w->buffer[way], &w->out[way], err)) return err->code;
    return iso_emit(iso, &w->out[way].mesh, err);
}

/* Makes the mesh and copies it to a new one in host memory. (mesh_host_alloc would ask the system for its free memory,
 * which takes longer than these meshes.) */
static inline bool ways_mesh(struct ways *w, int way, const struct grid *grid, float value, struct mesh_host *mesh)
{
    struct iso *iso = &w->iso[way];
    struct err err = { 0 };
    int code = iso_set_volume(iso, grid, &err);
    if (!code) code = ways_run(w, way, value, &err);
    if (!code && iso->counts.vertices) {
        const struct mesh_out *from = &w->out[way].mesh;
        *mesh = (struct mesh_host){ malloc(iso->counts.vertices * sizeof *mesh->vertices),
                                    malloc(12 * iso->counts.triangles), iso->counts.vertices, iso->counts.triangles };
        code = iso->ops->download(mesh->vertices, from->vertices, mesh->vertex_count * sizeof *mesh->vertices, &iso->exec);
        if (!code) code = iso->ops->download(mesh->indices, from->indices, 12 * mesh->triangle_count, &iso->exec);
    }
    if (code) printf("%s: %s\n", w->name[way], err.text);
    return !code;
}

/* ---- the verdict ------------------------------------------------------------------------------------------------- */

/* Whether two vertices lie in one face of a cell. */
static inline bool in_one_face(const struct vertex *v, const struct vertex *w)
{
    const float p[3] = { v->x, v->y, v->z }, q[3] = { w->x, w->y, w->z };
    bool plane = false;
    for (int a = 0; a < 3; a++) {
        if (ceilf(fmaxf(p[a], q[a])) > floorf(fminf(p[a], q[a])) + 1) return false;
        plane = plane || (p[a] == q[a] && p[a] == floorf(p[a]));
    }
    return plane;
}

/* How many edges of a mesh lie in faces of cells; only the arcs may. For surfaces that meet no voxel. */
static inline uint64_t edges_in_faces(const struct mesh_host *m, const struct grid *g)
{
    uint64_t twice = 0;
    for (uint64_t i = 0; i < 3 * m->triangle_count; i++) {
        const struct vertex *v = &m->vertices[m->indices[i]], *w = &m->vertices[m->indices[i % 3 == 2 ? i - 2 : i + 1]];
        const float p[3] = { v->x, v->y, v->z }, q[3] = { w->x, w->y, w->z };
        const float last[3] = { (float)(g->nx - 1), (float)(g->ny - 1), (float)(g->nz - 1) };
        bool border = false;
        if (!in_one_face(v, w)) continue;
        for (int a = 0; a < 3; a++) border = border || (p[a] == q[a] && (p[a] == 0 || p[a] == last[a]));
        twice += border ? 2 : 1; /* an edge on the border has one triangle */
    }
    return twice / 2;
}

/* Whether a mesh of one way is sound, and that of the `truth` (NULL: any); if not, says why. mesh NULL: there is none. */
static inline bool ways_judge_mesh(const struct ways *w, int way, const struct mesh_host *mesh, const struct grid *grid,
                                   const struct grid_topology *truth, struct mesh_topology *found)
{
    const size_t n[3] = { grid->nx, grid->ny, grid->nz };
    struct err err = { 0 };
    char text[256] = "no mesh";
    *found = (struct mesh_topology){ 0 };
    bool good = mesh && !mesh_topology_find(found, mesh, n, NULL, &err) &&
                (truth ? verify_judge(found, truth, w->exact, text, sizeof text)
                       : verify_sound(found, w->exact, text, sizeof text));
    if (good && truth && !w->exact && edges_in_faces(mesh, grid) != truth->arcs) {
        snprintf(text, sizeof text, "%d edges lie in faces, of %d arcs", (int)edges_in_faces(mesh, grid), (int)truth->arcs);
        good = false;
    }
    if (!CHECK(good) && check.failed < 50) printf("  fused=%s: %s\n", w->name[way], text);
    return good;
}

/* The same of the mesh that one way makes. */
static inline bool ways_judge(struct ways *w, int way, const struct grid *grid, float value,
                              const struct grid_topology *truth, struct mesh_topology *found)
{
    struct mesh_host mesh = { 0 };
    const bool made = ways_mesh(w, way, grid, value, &mesh);
    const bool good = ways_judge_mesh(w, way, made ? &mesh : NULL, grid, truth, found);
    mesh_host_free(&mesh);
    return good;
}

/* Judges the mesh of each way. Returns how many are wrong. */
static inline long ways_check(struct ways *w, const struct grid *grid, float value)
{
    struct grid_topology truth;
    struct mesh_topology found;
    struct err err = { 0 };
    long wrong = 0;
    if (!CHECK(!grid_topology_find(&truth, grid, value, w->rule, NULL, &err))) return 1;
    for (int way = 0; way < w->count; way++) wrong += !ways_judge(w, way, grid, value, &truth, &found);
    return wrong;
}

/* Whether the word follows the backend. */
static inline bool ways_asked(int argc, char **argv, const char *word) { return argc > 2 && !strcmp(argv[2], word); }

/* Finds the backend that argv[1] names, and whether `full` follows. Returns 0, or the exit code of a test that cannot
 * run. */
static inline int ways_begin(int argc, char **argv, enum backend *backend, long *times)
{
    struct iso probe;
    const int code = open_backend(&probe, argc, argv);
    *times = ways_asked(argc, argv, "full") ? 10 : 1;
    if (code) return code;
    *backend = probe.exec.backend;
    iso_close(&probe);
    return 0;
}

#endif
