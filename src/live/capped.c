#include "capped.h"

#include <assert.h>
#include <string.h>

void capped_open(struct capped *c, const struct mesh_target *target, struct exec *cpu)
{
    *c = (struct capped){ .desc.value = NAN };
    mesh_open(&c->mesh, target, cpu);
}

void capped_close(struct capped *c)
{
    if (!c->mesh.target) return;
    mesh_close(&c->mesh);
    caps_free(&c->border);
    *c = (struct capped){ .desc.value = NAN };
}

static bool is_same(struct capped_of a, struct capped_of b) { return a.epoch == b.epoch && a.sigma == b.sigma; }

bool capped_knows(const struct capped *c, struct capped_of of) { return is_same(c->border_of, of); }

int capped_read(struct capped *c, const struct grid *grid, struct capped_of of, struct err *err)
{
    caps_free(&c->border);
    c->border_of = (struct capped_of){ 0, 0 };
    if (caps_read(&c->border, grid, c->mesh.exec->threads, err)) return ERR_FAILED;
    c->border_of = of;
    return ERR_NONE;
}

/* Removes the caps that are not kept. */
static void leave(struct mesh_host *planes, const struct filtered_caps *caps)
{
    uint64_t left = 0;
    assert(caps->count == planes->triangle_count);
    for (uint64_t t = 0; t < caps->count; t++) {
        if (!caps->kept[t]) continue;
        memmove(planes->indices + 3 * left, planes->indices + 3 * t, 3 * sizeof *planes->indices);
        left++;
    }
    planes->triangle_count = left;
}

int capped_update(struct capped *c, const struct caps_desc *desc, const struct filtered *of, struct err *err)
{
    struct mesh_host planes;
    const uint64_t kept = of ? of->shown.version : 0;
    const enum caps_side side = of ? of->by[0].surface.side : desc->side;
    if (c->desc.value == desc->value && c->desc.side == side && c->kept == kept && is_same(c->of, c->border_of))
        return ERR_NONE;
    c->desc = (struct caps_desc){ desc->value, side, desc->rule }; /* even if it fails, because it would fail again */
    c->kept = kept;
    c->of = c->border_of;
    int code = caps_make(&c->border, &c->desc, c->mesh.exec->threads, &planes, err);
    if (!code && of) leave(&planes, &of->caps);
    if (code) mesh_clear(&c->mesh);
    else code = mesh_host_copy(&planes, &c->mesh, err);
    mesh_host_free(&planes);
    return code;
}
