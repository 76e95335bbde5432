#include "slice.h"

#include <assert.h>
#include <stdlib.h>

/* ---- planes -------------------------------------------------------------------------------------------------------- */

void slice_dims(const struct grid *grid, size_t dims[3]) { dims[0] = grid->nx, dims[1] = grid->ny, dims[2] = grid->nz; }

void slice_uv(unsigned axis, unsigned uv[2])
{
    uv[0] = axis == 0 ? 1 : 0;
    uv[1] = axis == 2 ? 1 : 2;
}

void slice_size(const struct grid *grid, unsigned axis, size_t size[2])
{
    size_t dims[3];
    unsigned uv[2];
    slice_dims(grid, dims);
    slice_uv(axis, uv);
    size[0] = dims[uv[0]], size[1] = dims[uv[1]];
}

static void pick(const struct grid *grid, const struct slice *s, float *to)
{
    for (size_t v = 0; v < s->nv; v++)
        for (size_t u = 0; u < s->nu; u++) *to++ = grid_value(grid, s->first + u * s->step_u + v * s->step_v);
}

void slice_values(const struct grid *host, unsigned axis, size_t index, float *to)
{
    const struct marching_squares_desc desc = { .grid = *host, .axis = axis, .index = index };
    const struct slice s = slice_of(&desc);
    GRID_TYPED(host, pick(&GRID, &s, to))
}

/* ---- contours ------------------------------------------------------------------------------------------------------ */

void slice_free(struct contour contour[SLICE_AXES])
{
    for (int a = 0; a < SLICE_AXES; a++) {
        free(contour[a].segments);
        contour[a] = (struct contour){ .wanted = false };
    }
}

/* Runs the op once per wanted contour: sets their counts, writes as many segments as their capacity, and sets
 * segments[axis] to where each begins in the backend's memory. */
static int run(struct iso *iso, const struct grid *grid, float value, struct contour contour[SLICE_AXES],
               struct segment *segments[SLICE_AXES], struct err *err)
{
    static const char doing[] = "the contour of a slice";
    const struct marching_squares_rung *rung = (const struct marching_squares_rung *)iso->rung[AUX_MARCHING_SQUARES];
    struct marching_squares_desc desc[SLICE_AXES];
    uint64_t count[SLICE_AXES] = { 0 }, capacity = 0, bytes = 0;
    size_t scratch = 0, size[2];
    for (unsigned a = 0; a < SLICE_AXES; a++) {
        if (!contour[a].wanted) continue;
        desc[a] = (struct marching_squares_desc){
            *grid, a, contour[a].index, value, NULL, contour[a].capacity, (uint64_t *)iso->results.memory + a, iso->topology
        };
        desc[a].grid.margin = iso_margin(iso, grid);
        const size_t need = rung->scratch ? rung->scratch(&desc[a], &iso->exec) : 0;
        scratch = need > scratch ? need : scratch;
        capacity += contour[a].capacity;
    }
    scratch = scratch_round(scratch);
    if (iso_aux_begin(iso, AUX_MARCHING_SQUARES, &rung->rung, scratch + capacity * sizeof **segments, err))
        return ERR_FAILED;

    struct segment *next = (struct segment *)((char *)iso->scratch.memory + scratch);
    int code = 0;
    for (unsigned a = 0; a < SLICE_AXES; a++) {
        if (!contour[a].wanted) continue;
        segments[a] = desc[a].segments = contour[a].capacity ? next : NULL;
        next += contour[a].capacity;
        slice_size(grid, a, size);
        bytes += size[0] * size[1] * voxel_bytes(grid->type) + contour[a].count * sizeof **segments;
        if (!code) code = rung->run(&desc[a], iso->scratch.memory, &iso->exec);
    }
    if (iso_aux_end(iso, AUX_MARCHING_SQUARES, code, bytes, doing, err)) return ERR_FAILED;
    code = iso->ops->download(count, iso->results.memory, sizeof count, &iso->exec);
    if (!code) code = iso->ops->sync(&iso->exec);
    if (code) return iso_fail(iso, code, doing, err);
    for (int a = 0; a < SLICE_AXES; a++)
        if (contour[a].wanted) contour[a].count = count[a];
    return ERR_NONE;
}

/* Grows contours whose count exceeds their capacity to a quarter more than the count, because the next value may need a
 * little more. *grown: whether any grew. */
static int grow(struct contour contour[SLICE_AXES], bool *grown, struct err *err)
{
    *grown = false;
    for (int a = 0; a < SLICE_AXES; a++) {
        struct contour *c = &contour[a];
        if (!c->wanted || c->count <= c->capacity) continue;
        const uint64_t capacity = c->count + c->count / 4;
        free(c->segments);
        c->capacity = 0;
        c->segments = malloc(capacity * sizeof *c->segments);
        if (!c->segments)
            return err_set(err, ERR_FAILED, "not enough memory for the contour of a slice, of %llu segments",
                           (unsigned long long)c->count);
        c->capacity = capacity;
        *grown = true;
    }
    return ERR_NONE;
}

static int fetch(struct iso *iso, struct contour contour[SLICE_AXES], struct segment *const segments[SLICE_AXES],
                 struct err *err)
{
    int code = 0;
    for (int a = 0; a < SLICE_AXES && !code; a++) {
        struct contour *c = &contour[a];
        if (!c->wanted || !c->count) continue;
        assert(c->count <= c->capacity); /* the same value was counted twice */
        code = iso->ops->download(c->segments, segments[a], c->count * sizeof *c->segments, &iso->exec);
    }
    if (!code) code = iso->ops->sync(&iso->exec);
    return code ? iso_fail(iso, code, "reading back a contour", err) : ERR_NONE;
}

int slice_contours(struct iso *iso, const struct grid *grid, float value, struct contour contour[SLICE_AXES],
                   struct err *err)
{
    struct segment *segments[SLICE_AXES];
    bool grown;
    int code = run(iso, grid, value, contour, segments, err);
    if (!code) code = grow(contour, &grown, err);
    if (!code && grown) code = run(iso, grid, value, contour, segments, err);
    if (!code) code = fetch(iso, contour, segments, err);
    if (code) slice_free(contour);
    return code;
}

int slice_follow(struct slice_set *set, struct iso *iso, const struct grid *grid, const struct slice_wish *wish, bool *made,
                 struct err *err)
{
    const struct rung *rung = iso->rung[AUX_MARCHING_SQUARES];
    const bool stale = set->rung != rung || !(set->value == wish->value) || set->epoch != wish->epoch;
    *made = false;
    for (int a = 0; a < SLICE_AXES; a++) {
        struct contour *c = &set->contour[a];
        if (stale) c->index = SIZE_MAX; /* matches no slice */
        c->wanted = wish->on[a] && c->index != wish->index[a];
        if (c->wanted) c->index = wish->index[a], *made = true;
    }
    if (!*made) return ERR_NONE;
    if (slice_contours(iso, grid, wish->value, set->contour, err)) {
        *made = false;
        slice_drop(set);
        return err->code;
    }
    set->value = wish->value;
    set->epoch = wish->epoch;
    set->rung = rung;
    return ERR_NONE;
}

void slice_drop(struct slice_set *set)
{
    slice_free(set->contour);
    *set = (struct slice_set){ .rung = NULL };
}
