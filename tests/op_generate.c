/* generate against a mesh made the slow way: vertex numbers from a table of all edges, positions and normals in double. */
#include "mesh_check.h"
#include "ops.h"
#include "kernels/edge_vertex.h"
#include "synth.h"

#include <stdlib.h>
#include <string.h>

static double difference(const struct grid *g, const size_t p[3], int axis)
{
    const size_t n[3] = { g->nx, g->ny, g->nz }, step[3] = { 1, g->nx, g->nx * g->ny };
    const size_t i = p[2] * step[2] + p[1] * step[1] + p[0];
    double d;
#define F(k) ((double)grid_value(g, (size_t)((ptrdiff_t)i + (k) * (ptrdiff_t)step[axis])))
    if (n[axis] == 2) d = p[axis] ? F(0) - F(-1) : F(1) - F(0);
    else if (p[axis] == 0) d = (-3 * F(0) + 4 * F(1) - F(2)) / 2;
    else if (p[axis] == n[axis] - 1) d = (3 * F(0) - 4 * F(-1) + F(-2)) / 2;
    else d = (F(1) - F(-1)) / 2;
#undef F
    return d;
}

/* Position and normal in double. False where the field has values too odd for double and float to agree. */
static bool slow_vertex(const struct grid *g, double iso, size_t i, int axis, double position[3], double normal[3])
{
    const size_t step[3] = { 1, g->nx, g->nx * g->ny };
    size_t p[3] = { i % g->nx, i / g->nx % g->ny, i / g->nx / g->ny }, q[3] = { p[0], p[1], p[2] };
    q[axis]++;
    const double a = grid_value(g, i), b = grid_value(g, i + step[axis]), t = (iso - a) / (b - a);
    double length = 0, largest = 0;
    for (int k = 0; k < 3; k++) {
        const double d = difference(g, p, k), e = difference(g, q, k);
        position[k] = (double)p[k] + (k == axis ? t : 0);
        normal[k] = -((1 - t) * d + t * e);
        length += normal[k] * normal[k];
        largest = fmax(largest, fmax(fabs(d), fabs(e)));
    }
    length = sqrt(length);
    for (int k = 0; k < 3; k++) normal[k] /= length;
    return length > 1e-4 * largest && largest < 1e6; /* else the ends cancel beyond float, or are not finite */
}

static void compare_vertices(struct env *env, const struct sample *sample, const struct truth *truth,
                             const struct vertex *got, uint32_t *number)
{
    const struct grid *g = &sample->grid;
    const size_t n[3] = { g->nx, g->ny, g->nz }, step[3] = { 1, g->nx, g->nx * g->ny };
    uint32_t next = 0;
    for (size_t i = 0; i < truth->n; i++)
        for (int axis = 0; axis < 3; axis++) {
            double p[3], m[3], u[3];
            if (i / step[axis] % n[axis] + 1 == n[axis] || truth->inside[i] == truth->inside[i + step[axis]]) continue;
            const struct vertex *v = &got[next];
            number[3 * i + (size_t)axis] = next++;
            normal_unpack(v->normal, u);
            const double square = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
            env_expect(env, square > 0.99 && square < 1.01, "%s: the normal of vertex %u has length^2 %g", sample->name,
                       next - 1, square);
            const bool finite = isfinite(v->x) && isfinite(v->y) && isfinite(v->z);
            env_expect(env, finite, "%s: vertex %u is not finite", sample->name, next - 1);
            if (!slow_vertex(g, sample->iso, i, axis, p, m)) continue;
            const double off = fabs(v->x - p[0]) + fabs(v->y - p[1]) + fabs(v->z - p[2]);
            const double turn = fabs(u[0] - m[0]) + fabs(u[1] - m[1]) + fabs(u[2] - m[2]);
            env_expect(env, off < 1e-4, "%s: vertex %u is %g off", sample->name, next - 1, off);
            env_expect(env, turn < 0.01, "%s: the normal of vertex %u is %g off", sample->name, next - 1, turn);
        }
}

/* Calls `each` for every corner of every triangle in order, with its number and the edge it is on. */
static void each_corner(const struct env *env, const struct sample *sample, const struct truth *truth, void *context,
                        void (*each)(void *context, size_t corner, size_t owner, unsigned axis))
{
    const size_t up = sample->grid.nx, back = up * sample->grid.ny;
    size_t k = 0;
    for (size_t i = 0; i < truth->n; i++) {
        if (!truth->triangles[i]) continue;
        unsigned index = 0;
        for (unsigned c = 0; c < 8; c++)
            index |= (unsigned)truth->inside[i + (c & 1) + (c >> 1 & 1) * up + (c >> 2) * back] << c;
        for (unsigned j = 0; j < 3 * truth->triangles[i]; j++, k++) {
            const unsigned e = env->tables.edge[index][j];
            each(context, k, i + mc_edge_dx(e) + mc_edge_dy(e) * up + mc_edge_dz(e) * back, mc_edge_axis(e));
        }
    }
}

struct corners { /* what is compared, and with what */
    const struct sample *sample;
    const struct vertex *vertices;
    const uint32_t *indices, *number;
    size_t wrong, count;
};

static void compare_index(void *context, size_t corner, size_t owner, unsigned axis)
{
    struct corners *c = context;
    c->wrong += c->indices[corner] != c->number[3 * owner + axis];
    c->count++;
}

/* The shared vertex's bits, by the CPU's build of the function that every rung calls; what it computes is compared with
 * double where vertices are shared. */
static void compare_soup(void *context, size_t corner, size_t owner, unsigned axis)
{
    struct corners *c = context;
    const struct grid *g = &c->sample->grid;
    const size_t row = owner / g->nx;
    const struct vertex want = edge_vertex(g, c->sample->iso, owner % g->nx, row % g->ny, row / g->ny, axis);
    c->wrong += c->indices[corner] != corner || memcmp(&c->vertices[corner], &want, sizeof want) != 0;
    c->count++;
}

static void compare_mesh(struct env *env, const struct sample *sample, const struct truth *truth, bool soup,
                         const struct vertex *vertices, const uint32_t *indices)
{
    uint32_t *number = malloc(3 * truth->n * sizeof *number);
    memset(number, 0xff, 3 * truth->n * sizeof *number);
    struct corners c = { sample, vertices, indices, number, 0, 0 };
    if (!soup) compare_vertices(env, sample, truth, vertices, number);
    each_corner(env, sample, truth, &c, soup ? compare_soup : compare_index);
    env_expect(env, c.wrong == 0, "%s: %zu of %zu corners are wrong", sample->name, c.wrong, c.count);
    free(number);
}

/* Two of three lists in any order, as some compact rungs leave them. */
static void shuffle_list(struct env *env, struct strips_sample *s)
{
    const size_t n = (size_t)s->active, bytes = n * sizeof(uint32_t);
    if (env->cases % 3 == 0 || n < 2) return;
    uint32_t *list = malloc(bytes);
    uint64_t seed = 2026;
    env->ops->download(list, s->list, bytes, &env->exec);
    for (size_t i = n - 1; i > 0; i--) {
        const size_t j = synth_random(&seed) % (i + 1);
        const uint32_t kept = list[i];
        list[i] = list[j], list[j] = kept;
    }
    env->ops->upload(s->list, list, bytes, &env->exec);
    free(list);
}

static void generate_case(struct env *env, const struct sample *sample)
{
    const struct generate_rung *rung = (const struct generate_rung *)env->rung;
    struct truth truth = truth_of(env, sample);
    for (unsigned width = 1; width <= 32; width += 31) {
        struct strips_sample s = strips_of(env, sample, &truth, width);
        const uint64_t count = rung->soup ? 3 * s.triangles : s.vertices;
        const size_t vertex_bytes = count * sizeof(struct vertex), index_bytes = 12 * s.triangles;
        struct vertex *vertices = malloc(vertex_bytes + 1);
        uint32_t *indices = malloc(index_bytes + 1);
        const struct mesh_out mesh = { env_memory(env, NULL, vertex_bytes), env_memory(env, NULL, index_bytes) };
        shuffle_list(env, &s);
        const struct generate_desc desc = { sample->device, sample->iso,      s.strips, env->device_tables,
                                            s.list,         (size_t)s.active, mesh };
        env_ran(env, s.active ? rung->run(&desc, &env->exec) : 0);
        env_take(env, mesh.vertices, vertices, vertex_bytes);
        env_take(env, mesh.indices, indices, index_bytes);
        compare_mesh(env, sample, &truth, rung->soup, vertices, indices);
        free(vertices);
        free(indices);
        strips_free(env, &s);
    }
    truth_free(&truth);
}

void op_generate(struct env *env) { each_sample(env, generate_case); }
