/* generate on the CPU; contract in generate.h.
 * Run: isoscope ladder generate --bench --backend cpu */
#include "generate.h"

#include "inner_vertex.h"

#include <stdbool.h>

/* ---- soup ----------------------------------------------------------------------------------------------------------
 * The textbook of the field: cell by cell, with a new vertex for every corner of every triangle, in one thread. */

/* Return how the surface passes through cell `lane` of a strip. */
ISO_FN const struct mc_subcase *cell_of(const struct generate_desc *d, const struct grid *g, struct strip_at at,
                                        unsigned lane, unsigned index)
{
    const size_t i = (at.z * g->ny + at.y) * g->nx + at.x + lane;
    return &d->tables->subcase[mc_cell(d->tables, g, d->iso, i, index)];
}

ISO_FN void soup_body(const struct generate_desc *d, const struct grid *g)
{
    for (size_t i = 0; i < d->list_count; i++) {
        const size_t strip = d->list[i];
        const struct strip_at at = strip_locate(&d->strips, strip);
        const struct strip_corners c = strip_cells(&d->strips, strip, at);
        size_t out = (size_t)3 * d->strips.first_triangle[strip];
        for (uint32_t left = strip_active(&c); left; left &= left - 1) {
            const unsigned lane = (unsigned)__builtin_ctz(left), index = strip_case(&c, lane);
            const struct mc_subcase *s = cell_of(d, g, at, lane, index);
            for (unsigned k = 0; k < 3u * s->triangles; k++, out++) {
                d->mesh.vertices[out] = cell_vertex(g, d->iso, at.x + lane, at.y, at.z, s, s->edge[k]);
                d->mesh.indices[out] = (uint32_t)out;
            }
        }
    }
}

static int soup(const struct generate_desc *desc, struct exec *x)
{
    (void)x;
    GRID_TYPED(&desc->grid, soup_body(desc, &GRID))
    return 0;
}

/* ---- indexed -------------------------------------------------------------------------------------------------------
 * A vertex belongs to up to four cells, and the soup makes it anew for each of some six corners. Idea: the voxel that
 * owns the edge makes the vertex once, and corners are numbers of vertices.
 * Cost: every corner looks up its number from scratch, and there is still only one thread. */

/* Write the vertices that a strip owns, in order. */
ISO_FN void strip_vertices(const struct generate_desc *d, const struct grid *g, size_t strip, struct strip_at at,
                           struct strip_edges e, const struct strip_corners *c)
{
    struct vertex *out = d->mesh.vertices + d->strips.first_vertex[strip];
    for (uint32_t left = e.x | e.y | e.z | e.inner; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        if (e.x >> lane & 1) *out++ = edge_vertex(g, d->iso, at.x + lane, at.y, at.z, 0);
        if (e.y >> lane & 1) *out++ = edge_vertex(g, d->iso, at.x + lane, at.y, at.z, 1);
        if (e.z >> lane & 1) *out++ = edge_vertex(g, d->iso, at.x + lane, at.y, at.z, 2);
        if (!(e.inner >> lane & 1)) continue;
        const struct mc_subcase *s = cell_of(d, g, at, lane, strip_case(c, lane));
        for (unsigned k = 0; k < s->inner; k++) *out++ = inner_vertex(g, d->iso, at.x + lane, at.y, at.z, s, MC_INNER + k);
    }
}

ISO_FN void indexed_body(const struct generate_desc *d, const struct grid *g)
{
    for (size_t i = 0; i < d->list_count; i++) {
        const size_t strip = d->list[i];
        const struct strip_at at = strip_locate(&d->strips, strip);
        const struct strip_corners c = strip_cells(&d->strips, strip, at);
        strip_vertices(d, g, strip, at, strip_crossed(&d->strips, strip, at), &c);

        uint32_t *out = d->mesh.indices + (size_t)3 * d->strips.first_triangle[strip];
        for (unsigned lane = 0; lane < d->strips.width; lane++) {
            if (!(c.cells >> lane & 1)) continue;
            const struct mc_subcase *cell = cell_of(d, g, at, lane, strip_case(&c, lane));
            for (unsigned k = 0; k < 3u * cell->triangles; k++)
                *out++ = strip_cell_vertex(&d->strips, strip, at, lane, cell->edge[k]);
        }
    }
}

static int indexed(const struct generate_desc *desc, struct exec *x)
{
    (void)x;
    GRID_TYPED(&desc->grid, indexed_body(desc, &GRID))
    return 0;
}

/* ---- rows ----------------------------------------------------------------------------------------------------------
 * For each corner of each triangle, indexed finds the crossed edges of the same neighbours again. Idea: find them once
 * per strip: for the four rows that its cells touch, and in each also for the next strip, because the last cell reaches
 * one voxel into it. Threads take runs of the list; every strip knows where its output begins.
 * Cost: eight sets of edges, also for a strip with a single triangle. */

struct owners { /* of the vertices of a strip's cells; [row y + 2 * row z][0: this strip, 1: the next] */
    struct strip_edges edges[4][2];
    uint32_t first_vertex[4][2];
};

ISO_FN void owners_find(struct owners *o, const struct strips *s, size_t strip, struct strip_at at)
{
    const unsigned strips = at.x + s->width < s->nx ? 2 : 1;
    for (unsigned row = 0; row < 4; row++)
        for (unsigned next = 0; next < strips; next++) {
            const size_t other = strip + (row & 1) * s->per_row + (row >> 1) * s->per_row * s->ny + next;
            const struct strip_at there = { at.x + next * s->width, at.y + (row & 1), at.z + (row >> 1) };
            o->edges[row][next] = strip_crossed(s, other, there);
            o->first_vertex[row][next] = s->first_vertex[other];
        }
}

ISO_FN void rows_strip(const struct generate_desc *d, const struct grid *g, size_t strip)
{
    const struct strips *s = &d->strips;
    const struct strip_at at = strip_locate(s, strip);
    const struct strip_corners c = strip_cells(s, strip, at);
    uint32_t left = strip_active(&c);
    if (!left) {
        strip_vertices(d, g, strip, at, strip_crossed(s, strip, at), &c);
        return;
    }
    struct owners o;
    owners_find(&o, s, strip, at);
    strip_vertices(d, g, strip, at, o.edges[0][0], &c);

    uint32_t *out = d->mesh.indices + (size_t)3 * s->first_triangle[strip];
    for (; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const struct mc_subcase *cell = cell_of(d, g, at, lane, strip_case(&c, lane));
        for (unsigned k = 0; k < 3u * cell->triangles; k++) {
            const unsigned e = cell->edge[k], there = lane + mc_edge_dx(e), second = e > MC_INNER;
            const unsigned row = mc_edge_dy(e) + 2 * mc_edge_dz(e), next = there == s->width;
            *out++ = strip_vertex(o.edges[row][next], o.first_vertex[row][next], next ? 0 : there, mc_edge_axis(e)) +
                     second;
        }
    }
}

ISO_FN void rows_part(const struct generate_desc *d, const struct grid *g, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) rows_strip(d, g, d->list[i]);
}

static int rows(const struct generate_desc *desc, struct exec *x)
{
    enum { PART = 256 };
#pragma omp parallel for num_threads(x->threads) schedule(dynamic, 1)
    for (size_t begin = 0; begin < desc->list_count; begin += PART) {
        const size_t end = begin + PART < desc->list_count ? begin + PART : desc->list_count;
        if (exec_is_cancelled(x)) continue;
        GRID_TYPED(&desc->grid, rows_part(desc, &GRID, begin, end))
    }
    return 0;
}

const struct generate_rung generate_cpu[] = {
    { { "soup", "cell by cell, three vertices of its own per triangle, one thread", false }, soup, true },
    { { "indexed", "shared vertices; each triangle corner looked up anew, one thread", false }, indexed, false },
    { { "rows", "finds the neighbours' crossed edges once per strip; threads", true }, rows, false },
    { { NULL, NULL, false }, NULL, false },
};
