/* classify on the CPU; contract in classify.h.
 * Run: isoscope ladder classify --bench --backend cpu */
#include "classify.h"

#include "cpu_util.h"
#include "mc_subcase.h"

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * A triple loop over the voxels: eight values per cell, and one word per voxel in each of four arrays. Cost: each voxel
 * is compared eight times, and most of the 16 bytes written for it are zeros. */

ISO_FN unsigned corner_bits(const struct grid *g, float iso, size_t x, size_t y, size_t z)
{
    unsigned bits = 0;
    for (unsigned c = 0; c < 8; c++) {
        const size_t i = x + (c & 1), j = y + (c >> 1 & 1), k = z + (c >> 2);
        if (i < g->nx && j < g->ny && k < g->nz && grid_value(g, (k * g->ny + j) * g->nx + i) >= iso) bits |= 1u << c;
    }
    return bits;
}

ISO_FN void textbook_slice(const struct grid *g, float iso, const struct bricks *b, const struct mc_tables *tables,
                           const struct strips *out, size_t z)
{
    size_t i = z * g->ny * g->nx;
    for (size_t y = 0; y < g->ny; y++)
        for (size_t x = 0; x < g->nx; x++, i++) {
            const enum brick_state state = brick_state_at(b, x, y, z, iso);
            out->inside[i] = state == BRICK_INSIDE;
            out->inner[i] = out->vertices[i] = out->triangles[i] = 0;
            if (state != BRICK_ACTIVE) continue;
            const unsigned bits = corner_bits(g, iso, x, y, z), in = bits & 1;
            const bool has_x = x + 1 < g->nx, has_y = y + 1 < g->ny, has_z = z + 1 < g->nz;
            out->inside[i] = in;
            out->vertices[i] = (has_x && (bits >> 1 & 1) != in) + (has_y && (bits >> 2 & 1) != in) +
                               (has_z && (bits >> 4 & 1) != in);
            if (!has_x || !has_y || !has_z) continue;
            const struct mc_subcase *s = &tables->subcase[mc_cell(tables, g, iso, i, bits)];
            out->inner[i] = s->inner > 0;
            out->vertices[i] += s->inner;
            out->triangles[i] = s->triangles;
        }
}

static int textbook(const struct grid *grid, float iso, const struct bricks *bricks, const struct mc_tables *tables,
                    const struct strips *out, struct exec *x)
{
    (void)x;
    for (size_t z = 0; z < grid->nz; z++) GRID_TYPED(grid, textbook_slice(&GRID, iso, bricks, tables, out, z))
    return 0;
}

/* ---- rows ----------------------------------------------------------------------------------------------------------
 * The textbook reads each voxel eight times and writes 16 bytes for it. Idea: compare each voxel once and pack 32
 * results into a word. Crossed edges and active cells are then XOR, AND and OR of neighbouring words: 32 uncrossed
 * cells cost a few instructions, and only active cells are looked up in the table. It writes 16 bytes per 32 voxels.
 * Cost: two passes, because the counts of a strip need the words of the rows above. Threads take slices.
 *
 * There is no AVX2 rung: SSE2 vectors already compare 32 voxels here, and a version with movemask and popcnt took 6.3
 * ms for bonsai 256^3 against 7.1, on one thread. Table lookups of active cells take most of that. */

ISO_FN void words_slice(const struct grid *g, float iso, const struct bricks *b, const struct strips *out, size_t z)
{
    size_t strip = z * g->ny * out->per_row;
    for (size_t y = 0; y < g->ny; y++)
        for (size_t x = 0; x < g->nx; x += BRICK_X, strip++) {
            const enum brick_state state = brick_state_at(b, x, y, z, iso);
            const size_t n = g->nx - x < BRICK_X ? g->nx - x : BRICK_X;
            if (state == BRICK_ACTIVE) out->inside[strip] = row_word(g, iso, (z * g->ny + y) * g->nx + x, n);
            /* cppcheck-suppress shiftTooManyBits ; n is at least 1 */
            else out->inside[strip] = state == BRICK_INSIDE ? 0xffffffffu >> (BRICK_X - n) : 0;
        }
}

/* Count the triangles of a strip's active cells; *inner: the cells that have vertices inside. */
ISO_FN uint32_t count_cells(const struct grid *g, float iso, const struct mc_tables *tables, const struct strips *out,
                            size_t strip, struct strip_at at, uint32_t *inner)
{
    const struct strip_corners c = strip_cells(out, strip, at);
    uint32_t triangles = 0, active = strip_active(&c), open = strip_open(&c) & tables->open_mask;
    *inner = 0;
    for (uint32_t left = active & ~open; left; left &= left - 1)
        triangles += tables->triangles[strip_case(&c, (unsigned)__builtin_ctz(left))];
    for (; open; open &= open - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(open);
        const size_t i = (at.z * g->ny + at.y) * g->nx + at.x + lane;
        const struct mc_subcase *s = &tables->subcase[mc_cell(tables, g, iso, i, strip_case(&c, lane))];
        triangles += s->triangles;
        *inner |= (uint32_t)(s->inner > 0) << lane;
    }
    return triangles;
}

ISO_FN void count_slice(const struct grid *g, float iso, const struct bricks *b, const struct mc_tables *tables,
                        const struct strips *out, size_t z)
{
    size_t strip = z * out->ny * out->per_row;
    for (size_t y = 0; y < out->ny; y++)
        for (size_t x = 0; x < out->nx; x += BRICK_X, strip++) {
            const struct strip_at at = { x, y, z };
            const bool active = brick_state_at(b, x, y, z, iso) == BRICK_ACTIVE;
            out->inner[strip] = 0;
            out->triangles[strip] = active ? count_cells(g, iso, tables, out, strip, at, &out->inner[strip]) : 0;
            out->vertices[strip] = active ? strip_owned(strip_crossed(out, strip, at)) : 0;
        }
}

static int rows(const struct grid *grid, float iso, const struct bricks *bricks, const struct mc_tables *tables,
                const struct strips *out, struct exec *x)
{
#pragma omp parallel num_threads(x->threads)
    {
#pragma omp for schedule(dynamic, 1)
        for (size_t z = 0; z < grid->nz; z++) {
            if (exec_is_cancelled(x)) continue;
            GRID_TYPED(grid, words_slice(&GRID, iso, bricks, out, z))
        }
#pragma omp for schedule(dynamic, 1)
        for (size_t z = 0; z < grid->nz; z++)
            if (!exec_is_cancelled(x)) GRID_TYPED(grid, count_slice(&GRID, iso, bricks, tables, out, z))
    }
    return 0;
}

const struct classify_rung classify_cpu[] = {
    { { "textbook", "triple loop, eight values per cell, four words per voxel, one thread", false }, textbook, 1 },
    { { "rows", "one bit per voxel, 32 cells at once by word arithmetic; threads", true }, rows, 32 },
    { { NULL, NULL, false }, NULL, 0 },
};
