#include "caps.h"

#include "kernels/edge_vertex.h"
#include "kernels/mc_subcase.h"

#include <stdlib.h>

enum caps_side caps_side_of(double value, const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (value < 0 && values[i] == -value) return CAPS_BELOW;
    return CAPS_ABOVE;
}

/* ---- the border -------------------------------------------------------------------------------------------------- */

static void read_row(const struct grid *grid, const struct caps_plane *p, size_t v)
{
    const size_t n[3] = { grid->nx, grid->ny, grid->nz }, step[3] = { 1, grid->nx, grid->nx * grid->ny };
    const size_t from = (p->side ? (n[p->axis] - 1) * step[p->axis] : 0) + v * step[p->v], by = step[p->u];
    float *to = p->value + v * p->nu;
    GRID_TYPED(grid, for (size_t u = 0; u < p->nu; u++) to[u] = grid_value(&GRID, from + u * by));
}

/* Rows are numbered through all planes. Returns the plane of row `*row`, and sets `*row` to its number in that plane. */
static const struct caps_plane *plane_of(const struct caps *caps, size_t *row)
{
    const struct caps_plane *p = caps->plane;
    for (; *row >= p->nv; p++) *row -= p->nv;
    return p;
}

static size_t count_rows(const struct caps *caps)
{
    size_t rows = 0;
    for (int f = 0; f < CAPS_PLANES; f++) rows += caps->plane[f].nv;
    return rows;
}

static struct caps_plane make_plane(const struct grid *grid, unsigned face)
{
    const size_t n[3] = { grid->nx, grid->ny, grid->nz };
    const unsigned axis = face >> 1, side = face & 1, u = axis == 0, v = axis == 2 ? 1 : 2;
    return (struct caps_plane){ NULL, n[u], n[v], axis, side, u, v, (axis == 1) == side };
}

int caps_read(struct caps *caps, const struct grid *grid, int threads, struct err *err)
{
    size_t used = 0;
    *caps = (struct caps){ .grid = *grid };
    caps->grid.voxels = NULL;
    for (unsigned f = 0; f < CAPS_PLANES; f++) {
        caps->plane[f] = make_plane(grid, f);
        used += caps->plane[f].nu * caps->plane[f].nv;
    }
    caps->values = used <= backend_cpu.memory_free() / sizeof *caps->values ? malloc(used * sizeof *caps->values) : NULL;
    if (!caps->values)
        return err_set(err, ERR_FAILED, "not enough memory for the border of the volume (%.1f MiB)", (double)used / 262144);
    used = 0;
    for (unsigned f = 0; f < CAPS_PLANES; f++) {
        caps->plane[f].value = caps->values + used;
        used += caps->plane[f].nu * caps->plane[f].nv;
    }
    const size_t rows = count_rows(caps);
#pragma omp parallel for num_threads(threads > 0 ? threads : 1) schedule(static)
    for (size_t r = 0; r < rows; r++) {
        size_t v = r;
        const struct caps_plane *p = plane_of(caps, &v);
        read_row(grid, p, v);
    }
    return ERR_NONE;
}

uint64_t caps_bytes(const struct caps *caps)
{
    uint64_t values = 0;
    for (int f = 0; f < CAPS_PLANES; f++) values += (uint64_t)caps->plane[f].nu * caps->plane[f].nv;
    return values * sizeof *caps->values;
}

void caps_free(struct caps *caps)
{
    free(caps->values);
    *caps = (struct caps){ .values = NULL };
}

/* ---- faces of cells ---------------------------------------------------------------------------------------------- */

/* The ring of a face, counter-clockwise from its lowest voxel: the corners have numbers 0 2 4 6, the edges between them 1 3
 * 5 7. */
enum { RING = 8 };

struct job {
    const struct caps *caps;
    float iso;
    bool below; /* the caps cover what is outside the surface */
    enum topology rule;
    uint32_t *vertices, *triangles; /* count of each row; later the number of its first */
    const struct mesh_host *mesh;
};

/* Sets inside[u] to whether voxel u of a row is inside, 0 or 1. */
static void find_inside(const struct job *job, const struct caps_plane *p, size_t v, uint8_t *inside)
{
    const float *value = p->value + v * p->nu;
    for (size_t u = 0; u < p->nu; u++) inside[u] = (value[u] >= job->iso) != job->below;
}

/* Returns a bit mask. Bit k: corner k is inside, counted counter-clockwise from the lowest voxel. */
static unsigned inside_of(const uint8_t *low, const uint8_t *high)
{
    return low[0] | (unsigned)low[1] << 1 | (unsigned)high[1] << 2 | (unsigned)high[0] << 3;
}

static bool is_ambiguous(unsigned inside) { return inside == 5 || inside == 10; }

/* Whether the caps' inside corners of an ambiguous face are separate pieces. If the surface separates its inside corners,
 * the other two corners are connected. */
static bool is_parted(const struct job *job, const struct caps_plane *p, size_t u, size_t v)
{
    const float *low = p->value + v * p->nu + u, *high = low + p->nu;
    const double at[4] = { (double)low[0], (double)low[1], (double)high[1], (double)high[0] };
    const unsigned first = low[0] >= job->iso ? 0 : 1;
    const bool parted = job->rule != TOPOLOGY_FIXED &&
                        !mc_face_is_joined(job->caps->grid.type, job->iso, at[first], at[first + 1], at[first + 2],
                                           at[(first + 3) % 4]);
    return parted != job->below;
}

/* ---- counting ---------------------------------------------------------------------------------------------------- */

/* Whether a face has four crossed edges. */
static unsigned is_crossed_round(const uint8_t *low, const uint8_t *high)
{
    return (low[0] ^ low[1]) & (low[1] ^ high[1]) & (high[1] ^ high[0]);
}

/* A face has one triangle per inside corner, but two if all four are inside. An ambiguous face whose inside corners are
 * joined has two more. */
static uint32_t count_triangles(const struct job *job, const struct caps_plane *p, size_t v, const uint8_t *low,
                                const uint8_t *high)
{
    uint32_t count = 0, ambiguous = 0;
    for (size_t u = 0; u + 1 < p->nu; u++) {
        const unsigned corners = low[u] + low[u + 1] + high[u] + high[u + 1];
        count += corners - (corners == 4 ? 2 : 0);
        ambiguous += is_crossed_round(low + u, high + u);
    }
    for (size_t u = 0; ambiguous; u++) {
        if (!is_crossed_round(low + u, high + u)) continue;
        ambiguous--;
        count += is_parted(job, p, u, v) ? 0 : 2;
    }
    return count;
}

/* scratch: 2 nu bytes. */
static void count_row(const struct job *job, const struct caps_plane *p, size_t v, size_t row, uint8_t *scratch)
{
    const bool last = v + 1 == p->nv;
    const uint8_t *low = scratch, *high = last ? low : scratch + p->nu;
    uint32_t count = 0;
    find_inside(job, p, v, scratch);
    if (!last) find_inside(job, p, v + 1, scratch + p->nu);
    for (size_t u = 0; u < p->nu; u++) count += low[u] + (low[u] ^ high[u]);
    for (size_t u = 0; u + 1 < p->nu; u++) count += low[u] ^ low[u + 1];
    job->vertices[row] = count;
    job->triangles[row] = last ? 0 : count_triangles(job, p, v, low, high);
}

/* Turns counts into their exclusive prefix sums. Returns the total. */
static uint64_t sum_up(uint32_t *count, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t here = count[i];
        count[i] = (uint32_t)sum;
        sum += here;
    }
    count[n] = (uint32_t)sum;
    return sum;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

struct numbers { /* numbers of a row's vertices by u: at the voxel, on its edge to the next u, on its edge to the next v */
    uint32_t *voxel, *along, *across;
};

struct scratch { /* of one thread; each array fits the longest row */
    struct numbers low, high;
    uint8_t *inside[3]; /* of the row and the next two */
    void *memory;
};

static struct vertex make_vertex(const struct job *job, const struct caps_plane *p, size_t u, size_t v, unsigned axis,
                                 float t)
{
    const size_t n[3] = { job->caps->grid.nx, job->caps->grid.ny, job->caps->grid.nz };
    const float out = (p->side != 0) != job->below ? 1.0f : -1.0f;
    uint32_t at[3];
    at[p->axis] = p->side ? (uint32_t)(n[p->axis] - 1) : 0;
    at[p->u] = (uint32_t)u, at[p->v] = (uint32_t)v;
    return vertex_at(at[0], at[1], at[2], axis, t, true, p->axis == 0 ? out : 0, p->axis == 1 ? out : 0,
                     p->axis == 2 ? out : 0);
}

static float crossing(const struct job *job, float from, float to)
{
    return edge_crossing(job->caps->grid.type, job->iso, job->caps->grid.margin, from, to);
}

/* Numbers the vertices of a row of n voxels from `number` on. inside: of this row; above: of the next. */
static void number_row(size_t n, uint32_t number, struct numbers row, const uint8_t *inside, const uint8_t *above)
{
    for (size_t u = 0; u < n; u++) {
        if (inside[u]) row.voxel[u] = number++;
        if (u + 1 < n && inside[u] != inside[u + 1]) row.along[u] = number++;
        if (inside[u] != above[u]) row.across[u] = number++;
    }
}

/* Writes the vertices that have these numbers. */
static void write_vertices(const struct job *job, const struct caps_plane *p, size_t v, struct numbers row,
                           const uint8_t *inside, const uint8_t *above)
{
    const float *here = p->value + v * p->nu;
    struct vertex *to = job->mesh->vertices;
    for (size_t u = 0; u < p->nu; u++) {
        if (inside[u]) to[row.voxel[u]] = make_vertex(job, p, u, v, p->u, 0);
        if (u + 1 < p->nu && inside[u] != inside[u + 1])
            to[row.along[u]] = make_vertex(job, p, u, v, p->u, crossing(job, here[u], here[u + 1]));
        if (inside[u] != above[u])
            to[row.across[u]] = make_vertex(job, p, u, v, p->v, crossing(job, here[u], here[u + p->nu]));
    }
}

static uint32_t *put(uint32_t *to, bool turned, uint32_t a, uint32_t b, uint32_t c)
{
    to[0] = a, to[1] = turned ? c : b, to[2] = turned ? b : c;
    return to + 3;
}

/* Returns a bit mask. Bit k: the ring has a vertex at position k. */
static unsigned vertices_of(unsigned inside)
{
    unsigned there = 0;
    for (unsigned k = 0; k < 4; k++) {
        const unsigned here = inside >> k & 1, next = inside >> (k + 1) % 4 & 1;
        there |= here << 2 * k | (here ^ next) << (2 * k + 1);
    }
    return there;
}

/* Returns where the triangle fan of a face begins: at an inside corner, so that no edge within the face joins two vertices
 * of the surface. Of three inside corners it is the middle one. */
static unsigned begin_of(unsigned inside)
{
    static const uint8_t begin[16] = { 0, 0, 2, 0, 4, 0, 2, 2, 6, 0, 2, 0, 4, 6, 4, 0 };
    return begin[inside];
}

static uint32_t *put_fan(uint32_t *to, bool turned, const uint32_t ring[RING], unsigned inside)
{
    const unsigned there = vertices_of(inside), begin = begin_of(inside);
    unsigned last = RING;
    for (unsigned i = 1; i < RING; i++) {
        const unsigned at = (begin + i) % RING;
        if (!(there >> at & 1)) continue;
        if (last < RING) to = put(to, turned, ring[begin], ring[last], ring[at]);
        last = at;
    }
    return to;
}

static uint32_t *put_face(const struct job *job, const struct caps_plane *p, size_t u, size_t v, unsigned inside,
                          const uint32_t ring[RING], uint32_t *to)
{
    const bool turned = p->flipped != job->below;
    if (!is_ambiguous(inside) || !is_parted(job, p, u, v)) return put_fan(to, turned, ring, inside);
    for (unsigned k = 0; k < RING; k += 2)
        if (inside >> k / 2 & 1) to = put(to, turned, ring[k], ring[k + 1], ring[(k + RING - 1) % RING]);
    return to;
}

static void write_row(const struct job *job, const struct caps_plane *p, size_t v, size_t row, const struct scratch *s)
{
    const struct numbers low = s->low, high = s->high;
    uint32_t *to = job->mesh->indices + 3 * (size_t)job->triangles[row];
    if (job->vertices[row] == job->vertices[row + 1] && job->triangles[row] == job->triangles[row + 1]) return;
    for (size_t i = 0; i < 3; i++) find_inside(job, p, min_size(v + i, p->nv - 1), s->inside[i]);
    number_row(p->nu, job->vertices[row], low, s->inside[0], s->inside[1]);
    write_vertices(job, p, v, low, s->inside[0], s->inside[1]);
    if (job->triangles[row] == job->triangles[row + 1]) return;
    number_row(p->nu, job->vertices[row + 1], high, s->inside[1], s->inside[2]);
    for (size_t u = 0; u + 1 < p->nu; u++) {
        const unsigned inside = inside_of(s->inside[0] + u, s->inside[1] + u);
        const uint32_t ring[RING] = { low.voxel[u],      low.along[u],  low.voxel[u + 1], low.across[u + 1],
                                      high.voxel[u + 1], high.along[u], high.voxel[u],    low.across[u] };
        if (inside) to = put_face(job, p, u, v, inside, ring, to);
    }
}

static size_t longest_row(const struct caps *caps)
{
    size_t longest = 0;
    for (int f = 0; f < CAPS_PLANES; f++)
        if (caps->plane[f].nu > longest) longest = caps->plane[f].nu;
    return longest;
}

static bool open_scratch(struct scratch *s, const struct caps *caps)
{
    const size_t n = longest_row(caps);
    uint32_t *number = s->memory = calloc(n, 6 * sizeof *number + 3);
    if (!number) return false;
    s->low = (struct numbers){ number, number + n, number + 2 * n };
    s->high = (struct numbers){ number + 3 * n, number + 4 * n, number + 5 * n };
    for (size_t i = 0; i < 3; i++) s->inside[i] = (uint8_t *)(number + 6 * n) + i * n;
    return true;
}

/* Counts all rows, or writes them. */
static int run_rows(const struct job *job, size_t rows, int threads, bool writes, struct err *err)
{
    bool good = true;
#pragma omp parallel num_threads(threads) reduction(&& : good)
    {
        struct scratch scratch = { .memory = NULL };
        good = open_scratch(&scratch, job->caps);
#pragma omp for schedule(dynamic, 64)
        for (size_t r = 0; r < rows; r++) {
            size_t v = r;
            const struct caps_plane *p = plane_of(job->caps, &v);
            if (!good) continue;
            if (writes) write_row(job, p, v, r, &scratch);
            else count_row(job, p, v, r, scratch.inside[0]);
        }
        free(scratch.memory);
    }
    return good ? ERR_NONE : err_set(err, ERR_FAILED, "not enough memory to make caps");
}

/* Sets the counts of `mesh`. If `writes`, also allocates it and writes the caps. */
static int make(struct job *job, size_t rows, int threads, bool writes, struct mesh_host *mesh, struct err *err)
{
    if (run_rows(job, rows, threads, false, err)) return ERR_FAILED;
    const uint64_t vertices = sum_up(job->vertices, rows), triangles = sum_up(job->triangles, rows);
    *mesh = (struct mesh_host){ NULL, NULL, vertices, triangles };
    if (!writes) return ERR_NONE;
    if (mesh_host_check("the caps have", vertices, triangles, "leave the surface open", err) ||
        mesh_host_alloc(mesh, vertices, triangles, err))
        return ERR_FAILED;
    job->mesh = mesh;
    const int code = vertices ? run_rows(job, rows, threads, true, err) : ERR_NONE;
    if (code) mesh_host_free(mesh);
    return code;
}

static int count_or_make(const struct caps *caps, const struct caps_desc *of, int threads, bool writes,
                         struct mesh_host *mesh, struct err *err)
{
    const struct grid *g = &caps->grid;
    const size_t rows = count_rows(caps);
    *mesh = (struct mesh_host){ NULL, NULL, 0, 0 };
    if (!isfinite(of->value) || g->nx < 2 || g->ny < 2 || g->nz < 2) return ERR_NONE;
    struct job job = { .caps = caps,
                       .iso = of->value,
                       .below = of->side == CAPS_BELOW,
                       .rule = of->rule,
                       .vertices = calloc(2 * (rows + 1), sizeof(uint32_t)) };
    if (!job.vertices) return err_set(err, ERR_FAILED, "not enough memory to make caps");
    job.triangles = job.vertices + rows + 1;
    const int code = make(&job, rows, threads > 0 ? threads : 1, writes, mesh, err);
    free(job.vertices);
    return code;
}

int caps_make(const struct caps *caps, const struct caps_desc *of, int threads, struct mesh_host *mesh, struct err *err)
{
    return count_or_make(caps, of, threads, true, mesh, err);
}

int caps_count(const struct caps *caps, const struct caps_desc *of, int threads, uint64_t *vertices, uint64_t *triangles,
               struct err *err)
{
    struct mesh_host counted;
    const int code = count_or_make(caps, of, threads, false, &counted, err);
    *vertices = counted.vertex_count, *triangles = counted.triangle_count;
    return code;
}
