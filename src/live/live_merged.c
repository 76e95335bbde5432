/* Sorts the triangles of several translucent surfaces together.
 *
 * Surfaces at several values lie inside each other, so no surface as a whole is behind the others; only triangles are.
 * Sorting them as one mesh is as exact as sorting a single surface, and costs as much per triangle. docs/decisions.md
 * lists the alternatives. */
#include "live_parts.h"

static bool is_drawn(const struct live *live, unsigned surface)
{
    return live->wish->use[surface] == LIVE_SHOWN && live->wish->translucent[surface];
}

bool live_merged_has(const struct live *live, unsigned surface)
{
    int others = 0;
    for (unsigned i = 0; i < LIVE_SURFACES; i++) others += i != surface && is_drawn(live, i);
    return others && is_drawn(live, surface);
}

/* Finds the meshes to merge. False: there are none, or they do not match yet, because the level or the wish has just
 * changed. */
static bool find_meshes(struct live *live, struct mesh *mesh[LIVE_SURFACES], unsigned *step)
{
    bool any = false;
    *step = 0;
    for (unsigned i = 0; i < LIVE_SURFACES; i++) {
        const struct live_surface *s = &live->surface[i];
        mesh[i] = live_merged_has(live, i) && s->drawn.mesh && s->drawn.mesh->triangles ? (struct mesh *)s->drawn.mesh
                                                                                        : NULL;
        if (!mesh[i]) continue;
        if (mesh[i]->queued || s->drawn.ordered || (*step && s->drawn.step != *step)) return false;
        *step = s->drawn.step;
        any = true;
    }
    return any;
}

void live_merged_close(struct live *live)
{
    struct live_together *t = &live->together;
    live_sorted_close(live, &t->sorted, &t->sorted_coarse);
    merged_close(&t->merged);
    merged_close(&t->merged_coarse);
    t->drawn = (struct live_drawn){ .mesh = NULL };
}

static bool put_together(struct live *live, struct mesh *const mesh[LIVE_SURFACES], unsigned step)
{
    struct live_together *t = &live->together;
    const bool coarse = step > 1, cuda = !coarse && live->iso.exec.backend == BACKEND_CUDA;
    struct merged *merged = coarse ? &t->merged_coarse : &t->merged;
    struct err err = { 0 };
    if (!merged->mesh.target) merged_open(merged, live->host.target, cuda ? &live->iso.exec : &live->coarse.iso.exec);
    if (merged_update(merged, mesh, &err)) return live_sorted_give_up(live, &err);
    t->drawn = (struct live_drawn){ .mesh = &merged->mesh, .step = step, .version = merged->mesh.version };
    for (int i = 0; i < LIVE_SURFACES; i++) t->first[i] = merged->first[i];
    return live_sorted_choose(live, coarse ? &t->sorted_coarse : &t->sorted, coarse, &merged->mesh, &t->drawn);
}

bool live_merged_choose(struct live *live)
{
    struct live_together *t = &live->together;
    const struct live_drawn before = t->drawn;
    struct mesh *mesh[LIVE_SURFACES];
    unsigned step;
    bool fine = true;
    t->drawn = (struct live_drawn){ .mesh = NULL };
    if (find_meshes(live, mesh, &step)) fine = put_together(live, mesh, step);
    else live_merged_close(live);
    if (t->drawn.mesh != before.mesh || t->drawn.version != before.version || t->drawn.step != before.step) live->scene++;
    return fine;
}
