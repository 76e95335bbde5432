#include "smooth_mesh.h"

#include "caps.h"
#include "forest.h"
#include "mesh_border.h"
#include "kernels/backend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In a round, a wave of frequency k (0: constant, 2: neighbours opposite) keeps (1 - k / 2)(1 + k / 2) of its height.
 * Taubin's step outwards is a little more than a half. It keeps waves of k = 0.1 and makes longer ones grow: a ball with a
 * radius of ten voxels gains 3 % of its volume in 100 rounds. With equal steps the ball loses 0.2 %, and thin vessels lose
 * a sixth in 20 rounds. Moving a piece outwards after each round restores what it has lost. */
#define STEP 0.5

/* Of a piece of few voxels, a move in proportion to what is missing restores too much: up to 19 % after each round. Each
 * further one squares this error. */
enum { LAST_STEPS = 2 };

struct pull { /* on a vertex: by its neighbours, later by the volume */
    double sum[3];
    double count; /* of neighbours, once for each side that leads there */
};

struct piece {                    /* connected */
    double volume, present, area; /* enclosed at first; now; gain per unit outwards */
};

struct smoother {
    struct mesh_host *mesh;
    struct pull *pull;
    uint64_t *border;    /* not 0: the vertex stays */
    struct piece *piece; /* by the number of its representative vertex */
    struct forest forest;
};

static void add_to(struct pull *p, const struct vertex *v)
{
    p->sum[0] += (double)v->x;
    p->sum[1] += (double)v->y;
    p->sum[2] += (double)v->z;
    p->count++;
}

/* Moves every inner vertex by `factor` of the way to the mean of its neighbours. */
static void move(const struct smoother *s, double factor)
{
    const struct mesh_host *mesh = s->mesh;
    memset(s->pull, 0, mesh->vertex_count * sizeof *s->pull);
    for (uint64_t i = 0; i < 3 * mesh->triangle_count; i++) {
        add_to(&s->pull[mesh->indices[i]], &mesh->vertices[mesh_host_next(mesh, i)]);
        add_to(&s->pull[mesh_host_next(mesh, i)], &mesh->vertices[mesh->indices[i]]);
    }
    for (uint64_t v = 0; v < mesh->vertex_count; v++) {
        struct vertex *const at = &mesh->vertices[v];
        const struct pull *const p = &s->pull[v];
        if (s->border[v] || !(p->count > 0)) continue;
        at->x = (float)((1 - factor) * (double)at->x + factor * p->sum[0] / p->count);
        at->y = (float)((1 - factor) * (double)at->y + factor * p->sum[1] / p->count);
        at->z = (float)((1 - factor) * (double)at->z + factor * p->sum[2] / p->count);
    }
}

/* ---- the volume -------------------------------------------------------------------------------------------------- */

static struct piece *piece_of(const struct smoother *s, uint32_t vertex) { return &s->piece[s->forest.parent[vertex]]; }

/* Sets the present volume of every piece, and `sum` of every vertex to the area vector around it, outwards. For a piece
 * with a border, the volume lacks a constant part, because the border stays. */
static void measure(const struct smoother *s)
{
    const struct mesh_host *m = s->mesh;
    memset(s->pull, 0, m->vertex_count * sizeof *s->pull);
    for (uint64_t v = 0; v < m->vertex_count; v++) s->piece[v].present = s->piece[v].area = 0;
    for (uint64_t t = 0; t < m->triangle_count; t++) {
        const uint32_t *const corner = &m->indices[3 * t];
        double p[3][3], normal[3];
        for (int k = 0; k < 3; k++) {
            const struct vertex *v = &m->vertices[corner[k]];
            p[k][0] = (double)v->x, p[k][1] = (double)v->y, p[k][2] = (double)v->z;
        }
        for (int a = 0; a < 3; a++) {
            const int b = (a + 1) % 3, c = (a + 2) % 3;
            normal[a] = ((p[1][b] - p[0][b]) * (p[2][c] - p[0][c]) - (p[1][c] - p[0][c]) * (p[2][b] - p[0][b])) / 2;
            for (int k = 0; k < 3; k++) s->pull[corner[k]].sum[a] += normal[a];
        }
        piece_of(s, corner[0])->present += (p[0][0] * normal[0] + p[0][1] * normal[1] + p[0][2] * normal[2]) / 3;
    }
}

static double length(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

/* Moves each piece outwards by its missing volume divided by its area. */
static void restore(const struct smoother *s)
{
    const struct mesh_host *m = s->mesh;
    measure(s);
    for (uint64_t v = 0; v < m->vertex_count; v++)
        if (!s->border[v]) piece_of(s, (uint32_t)v)->area += length(s->pull[v].sum) / 3;
    for (uint64_t v = 0; v < m->vertex_count; v++) {
        const struct piece *const piece = piece_of(s, (uint32_t)v);
        const double *const out = s->pull[v].sum, size = length(out);
        if (s->border[v] || !(size > 0)) continue;
        const double by = fmax(-0.25, fmin(0.25, (piece->volume - piece->present) / piece->area)) / size; /* voxels */
        m->vertices[v].x += (float)(by * out[0]);
        m->vertices[v].y += (float)(by * out[1]);
        m->vertices[v].z += (float)(by * out[2]);
    }
}

/* ---- beginning and end ------------------------------------------------------------------------------------------- */

/* Makes the forest's parent of each vertex the representative of its piece. Parents have smaller numbers, so one pass
 * flattens the trees. */
static int find_pieces(struct smoother *s, struct err *err)
{
    const struct mesh_host *m = s->mesh;
    if (forest_grow(&s->forest, m->vertex_count, err)) return ERR_FAILED;
    for (uint64_t i = 0; i < 3 * m->triangle_count; i++) forest_join(&s->forest, m->indices[i], mesh_host_next(m, i));
    for (uint64_t v = 0; v < m->vertex_count; v++) s->forest.parent[v] = s->forest.parent[s->forest.parent[v]];
    measure(s);
    for (uint64_t v = 0; v < m->vertex_count; v++) s->piece[v].volume = s->piece[v].present;
    return ERR_NONE;
}

uint64_t smooth_mesh_bytes(uint64_t vertices)
{
    return vertices * (sizeof(struct pull) + sizeof(uint64_t) + sizeof(struct piece) + sizeof(uint32_t));
}

int smooth_mesh(struct mesh_host *mesh, int rounds, const struct progress *progress, struct err *err)
{
    struct smoother s = { .mesh = mesh };
    const uint64_t n = mesh->vertex_count, bytes = n * (sizeof *s.pull + sizeof *s.border + sizeof *s.piece);
    if (!n) return ERR_NONE;
    s.pull = bytes <= backend_cpu.memory_free() ? malloc(bytes) : NULL;
    if (!s.pull)
        return err_set(err, ERR_FAILED, "not enough memory to smooth the mesh (%.1f MiB)", (double)bytes / 1048576);
    s.piece = (struct piece *)(s.pull + n);
    s.border = (uint64_t *)(s.piece + n);
    mesh_border(mesh, s.border);
    for (uint64_t v = 0; v < n; v++) s.border[v] |= mesh->vertices[v].normal & CAPS_MARK; /* caps stay flat */
    int code = find_pieces(&s, err);
    for (int i = 0; i < rounds && !code; i++) {
        move(&s, STEP);
        move(&s, -STEP);
        restore(&s);
        if (!progress_tell(progress, (i + 1.0) / rounds)) code = err_set(err, ERR_FAILED, "cancelled");
    }
    for (int i = 0; i < LAST_STEPS && !code; i++) restore(&s);
    forest_free(&s.forest);
    free(s.pull);
    return code;
}
