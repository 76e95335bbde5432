#include "plan.h"

static void add(struct iso_layer *to, struct iso_layer more)
{
    to->vertices += more.vertices, to->triangles += more.triangles, to->bricks += more.bricks;
}

struct plan_slab plan_slab_at(size_t layer, size_t n, size_t nz)
{
    struct plan_slab s = { .begin = layer * BRICK_Z, .end = min_size((layer + n) * BRICK_Z, nz) };
    s.from = s.begin < PLAN_BELOW ? 0 : s.begin - PLAN_BELOW;
    s.to = min_size(s.end + PLAN_ABOVE, nz);
    return s;
}

size_t plan_end(size_t begin, size_t end, size_t chunk)
{
    const size_t last = (end * BRICK_Z + PLAN_ABOVE + BRICK_Z - 1) / chunk * chunk; /* where that chunk ends */
    const size_t at = last < PLAN_ABOVE ? 0 : (last - PLAN_ABOVE) / BRICK_Z;
    return chunk > 1 && at > begin && at < end ? at : end;
}

size_t plan_read(const struct plan_slab *slab, size_t chunk, size_t nz)
{
    const size_t end = min_size((slab->to + chunk - 1) / chunk * chunk, nz);
    return end - slab->to < BRICK_Z ? end : slab->to;
}

uint64_t plan_bytes(struct iso_layer room)
{
    return room.vertices * (sizeof(struct vertex) + 3 * sizeof(float)) + room.triangles * 3 * sizeof(uint32_t);
}

/* The sum of layers i to end - 1 and the layers next to them. A halo has at most as much as the layer that it is part
 * of. */
static struct iso_layer room_of(const struct iso_layer *layer, size_t layers, size_t i, size_t end)
{
    struct iso_layer room = { 0, 0, 0 };
    for (size_t k = i ? i - 1 : 0; k < min_size(end + 1, layers); k++) add(&room, layer[k]);
    return room;
}

struct iso_layer plan_sum(const struct iso_layer *layer, size_t begin, size_t end)
{
    struct iso_layer sum = { 0, 0, 0 };
    for (size_t i = begin; i < end; i++) add(&sum, layer[i]);
    return sum;
}

size_t plan_cut(struct plan_slab *slabs, const struct iso_layer *layer, struct plan_share share, size_t nz,
                const struct plan_limits *limits)
{
    const size_t layers = plan_layers(nz);
    struct iso_layer first = plan_sum(layer, 0, share.begin);
    size_t n = 0;
    for (size_t i = share.begin; i < share.end; n++) {
        size_t end = i + 1;
        while (end < share.end && end - i < limits->layers &&
               plan_bytes(room_of(layer, layers, i, end + 1)) <= limits->bytes)
            end++;
        if (end < share.end) end = plan_end(i, end, limits->chunk);
        slabs[n] = plan_slab_at(i, end - i, nz);
        slabs[n].first = first, slabs[n].room = room_of(layer, layers, i, end);
        slabs[n].own = plan_sum(layer, i, end);
        add(&first, slabs[n].own);
        i = end;
    }
    return n;
}

/* ---- shares ------------------------------------------------------------------------------------------------------ */

static uint64_t cost_of(const struct iso_layer *layer, const struct plan_cost *cost)
{
    const uint64_t bytes = layer->vertices * cost->vertex + layer->triangles * cost->triangle;
    return bytes ? bytes + cost->layer : 0;
}

void plan_shares(size_t *bounds, size_t parts, const struct iso_layer *layer, size_t layers, const struct plan_cost *cost)
{
    uint64_t total = 0, before = 0;
    for (size_t i = 0; i < layers; i++) total += cost_of(&layer[i], cost);
    bounds[0] = 0;
    for (size_t k = 1, i = 0; k < parts; k++) {
        const double wish = (double)total / (double)parts * (double)k;
        for (; i < layers && (double)before + (double)cost_of(&layer[i], cost) / 2 < wish; i++)
            before += cost_of(&layer[i], cost);
        bounds[k] = i;
    }
    bounds[parts] = layers;
}

struct plan_blocks plan_blocks_of(uint64_t begin, uint64_t end, uint64_t block)
{
    const uint64_t first = (begin + block - 1) / block * block, last = end / block * block;
    return first < last ? (struct plan_blocks){ first, last } : (struct plan_blocks){ end, end };
}
