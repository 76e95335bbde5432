#include "forest.h"

#include <inttypes.h>
#include <stdlib.h>

static int reserve(struct forest *f, uint64_t count, struct err *err)
{
    uint64_t capacity = f->capacity ? f->capacity : 1024;
    while (capacity < count) capacity += capacity / 2;
    uint32_t *grown = realloc(f->parent, capacity * sizeof *grown);
    if (!grown) return err_set(err, ERR_FAILED, "not enough memory to connect %" PRIu64 " vertices", count);
    f->parent = grown, f->capacity = capacity;
    return ERR_NONE;
}

int forest_grow(struct forest *f, uint64_t count, struct err *err)
{
    if (count >= UINT32_MAX)
        return err_set(err, ERR_FAILED, "%" PRIu64 " vertices cannot be connected: they exceed 32 bits", count);
    if (count > f->capacity && reserve(f, count, err)) return ERR_FAILED;
    for (; f->count < count; f->count++) f->parent[f->count] = (uint32_t)f->count;
    return ERR_NONE;
}

static uint32_t root(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

/* The tree with the older root takes in the other one. Surfaces grow layer by layer, so this keeps paths short. */
void forest_join(struct forest *f, uint32_t a, uint32_t b)
{
    const uint32_t p = root(f->parent, a), q = root(f->parent, b);
    if (p == q) return;
    if (p < q) f->parent[q] = p;
    else f->parent[p] = q;
    f->joins++;
}

/* If a root is forgotten, the first remaining thing of its tree becomes the new root. The old root points to it until
 * then. */
void forest_keep(struct forest *f, uint64_t from)
{
    uint32_t *parent = f->parent;
    const uint32_t first = (uint32_t)from;
    if (from >= f->count) {
        free(parent);
        *f = (struct forest){ .joins = f->joins };
        return;
    }
    for (uint64_t i = from; i < f->count; i++) parent[i] = root(parent, (uint32_t)i);
    for (uint64_t i = from; i < f->count; i++) {
        const uint32_t p = parent[i];
        if (p < first && parent[p] == p) parent[p] = (uint32_t)i;
        if (p < first) parent[i] = parent[p];
    }
    f->count -= from;
    for (uint64_t i = 0; i < f->count; i++) parent[i] = parent[i + from] - first;
}

void forest_free(struct forest *f)
{
    free(f->parent);
    *f = (struct forest){ 0 };
}
