/* Packs thousands of tiny grids into a handful of volumes, because setting up an extraction takes a GPU milliseconds
 * and a tiny grid hardly any time.
 *
 * The grids of a pack lie side by side, with a layer of outside between them. A triangle whose corners all lie in the
 * box of a grid belongs to one of its cells: a cell of the layers shares at most one face with the box, and no triangle
 * lies in a face. So each grid gets its own mesh back, and is judged as if it had been extracted alone.
 *
 * With exact positions a vertex may lie on the voxel where its edge leaves the box. Then the pack is judged as one grid. */
#ifndef ISO_PACK_UTIL_H
#define ISO_PACK_UTIL_H

#include "verify_util.h"

enum {
    PACK = 1000, /* grids of one pack: up to 10 x 10 x 10 */
    PACKS = 64,  /* kinds of grids at a time */
    ALL_WAYS = -1
};

struct pack_found {
    struct mesh_topology *to; /* what the mesh of the last way has; NULL: nowhere */
};

struct pack {         /* of grids of one shape and type, at one value */
    struct grid like; /* without voxels */
    float value;
    int way;     /* that makes the mesh, or ALL_WAYS */
    bool judged; /* by the truth; else a mesh without faults will do */
    int count;
    struct small *small;      /* [PACK] */
    struct pack_found *found; /* [PACK] */
};

struct packs {
    struct ways *ways;
    int count;
    long wrong;
    struct pack pack[PACKS];
};

/* ---- one volume of many ---------------------------------------------------------------------------------------------- */

/* How many grids lie along each axis. */
static inline size_t pack_side(const struct pack *p)
{
    size_t side = 1;
    while (side * side * side < (size_t)p->count) side++;
    return side;
}

/* Sets voxel i of `to` to outside. */
static inline void pack_leave_out(const struct grid *to, size_t i)
{
    static const int low[] = { 0, -128, 0, -32768 };
    const uint16_t lowest = (uint16_t)(to->type == VOXEL_FLOAT32 ? 0 : low[to->type]);
    char *const at = (char *)to->voxels + i * voxel_bytes(to->type);
    if (to->type == VOXEL_FLOAT32) memcpy(at, &(float){ NAN }, sizeof(float));
    else memcpy(at, &lowest, voxel_bytes(to->type));
}

/* Makes the volume of all grids; its voxels are the caller's to free. */
static inline struct grid pack_volume(const struct pack *p)
{
    const size_t side = pack_side(p), n[3] = { p->like.nx, p->like.ny, p->like.nz };
    struct grid all = { NULL, p->like.type, side * (n[0] + 1) - 1, side * (n[1] + 1) - 1, side * (n[2] + 1) - 1 };
    const size_t bytes = voxel_bytes(all.type);
    char *to = malloc(grid_bytes(&all));
    all.voxels = to;
    for (size_t i = 0; to && i < grid_voxels(&all); i++, to += bytes) {
        const size_t x = i % all.nx, y = i / all.nx % all.ny, z = i / all.nx / all.ny;
        const size_t cell[3] = { x / (n[0] + 1), y / (n[1] + 1), z / (n[2] + 1) };
        const size_t at[3] = { x % (n[0] + 1), y % (n[1] + 1), z % (n[2] + 1) };
        const size_t k = (cell[2] * side + cell[1]) * side + cell[0];
        if (k >= (size_t)p->count || at[0] == n[0] || at[1] == n[1] || at[2] == n[2]) pack_leave_out(&all, i);
        else memcpy(to, (const char *)p->small[k].grid.voxels + ((at[2] * n[1] + at[1]) * n[0] + at[0]) * bytes, bytes);
    }
    return all;
}

/* Returns the number of the grid in whose box the vertex lies, and moves it to where it is in that; -1: in none. */
static inline int pack_place(const struct pack *p, size_t side, struct vertex *v)
{
    const size_t n[3] = { p->like.nx, p->like.ny, p->like.nz };
    float *const at[3] = { &v->x, &v->y, &v->z };
    size_t k = 0;
    for (int a = 2; a >= 0; a--) {
        const size_t cell = *at[a] >= 0 ? (size_t)*at[a] / (n[a] + 1) : side;
        if (cell >= side) return -1;
        *at[a] -= (float)(cell * (n[a] + 1));
        if (!(*at[a] <= (float)(n[a] - 1))) return -1;
        k = k * side + cell;
    }
    return k < (size_t)p->count ? (int)k : -1;
}

/* Returns the grid to which a triangle belongs; -1: to none; -2: it has no such vertex. */
static inline int pack_owner(const struct mesh_host *all, const int *owner, uint64_t t)
{
    const uint32_t *const c = &all->indices[3 * t];
    for (int k = 0; k < 3; k++)
        if (c[k] >= all->vertex_count) return -2;
    return owner[c[0]] == owner[c[1]] && owner[c[0]] == owner[c[2]] ? owner[c[0]] : -1;
}

/* Allocates the parts, whose counts are known, and sets the counts to 0. */
static inline bool pack_alloc(const struct pack *p, struct mesh_host *part)
{
    bool good = true;
    for (int k = 0; k < p->count; k++) {
        part[k].vertices = malloc((part[k].vertex_count + 1) * sizeof *part->vertices);
        part[k].indices = malloc((part[k].triangle_count + 1) * 3 * sizeof *part->indices);
        part[k].vertex_count = part[k].triangle_count = 0;
        good = good && part[k].vertices && part[k].indices;
    }
    return good;
}

/* Gives each grid its part of the mesh, in the same order; leaves out what no grid has. Moves the vertices of `all`. False:
 * it is no mesh. */
static inline bool pack_split(const struct pack *p, const struct mesh_host *all, struct mesh_host *part)
{
    const size_t side = pack_side(p);
    int *const owner = malloc((all->vertex_count + 1) * sizeof *owner);
    uint32_t *const number = malloc((all->vertex_count + 1) * sizeof *number);
    bool good = owner && number;
    for (uint64_t v = 0; good && v < all->vertex_count; v++) {
        owner[v] = pack_place(p, side, &all->vertices[v]);
        if (owner[v] >= 0) number[v] = (uint32_t)part[owner[v]].vertex_count++;
    }
    for (uint64_t t = 0; good && t < all->triangle_count; t++) {
        const int k = pack_owner(all, owner, t);
        if (k >= 0) part[k].triangle_count++;
        good = k != -2;
    }
    good = pack_alloc(p, part) && good;
    for (uint64_t v = 0; good && v < all->vertex_count; v++)
        if (owner[v] >= 0) part[owner[v]].vertices[part[owner[v]].vertex_count++] = all->vertices[v];
    for (uint64_t t = 0; good && t < all->triangle_count; t++) {
        const int k = pack_owner(all, owner, t);
        if (k < 0) continue;
        uint32_t *const to = part[k].indices + 3 * part[k].triangle_count++;
        for (int c = 0; c < 3; c++) to[c] = number[all->indices[3 * t + (uint64_t)c]];
    }
    free(owner);
    free(number);
    return good;
}

/* ---- the verdict ------------------------------------------------------------------------------------------------- */

/* Judges the part of each grid in the mesh of one way; bad[k]: it is wrong. */
static inline void pack_judge_parts(struct ways *w, int way, const struct pack *p, const struct mesh_host *all,
                                    const struct grid_topology *truth, bool *bad)
{
    struct mesh_host *const part = calloc((size_t)p->count, sizeof *part);
    const bool split = CHECK(part) && CHECK(pack_split(p, all, part));
    for (int k = 0; part && k < p->count; k++) {
        struct mesh_topology found;
        if (!ways_judge_mesh(w, way, split ? &part[k] : NULL, &p->small[k].grid, p->judged ? &truth[k] : NULL, &found))
            bad[k] = true;
        if (p->found[k].to) *p->found[k].to = found;
        mesh_host_free(&part[k]);
    }
    free(part);
}

/* Makes the mesh of all grids by one way, and judges it. */
static inline void pack_judge(struct ways *w, int way, const struct pack *p, const struct grid *volume,
                              const struct grid_topology *truth, bool *bad)
{
    struct mesh_host all = { 0 };
    struct mesh_topology found;
    struct grid_topology whole;
    struct err err;
    if (!CHECK(ways_mesh(w, way, volume, p->value, &all))) bad[0] = true;
    else if (!w->exact) pack_judge_parts(w, way, p, &all, truth, bad);
    else if (CHECK(!grid_topology_find(&whole, volume, p->value, w->rule, NULL, &err)))
        bad[0] |= !ways_judge_mesh(w, way, &all, volume, p->judged ? &whole : NULL, &found);
    mesh_host_free(&all);
}

/* Judges the grids of a pack, which is empty then. Returns how many are wrong. */
static inline long pack_flush(struct ways *w, struct pack *p)
{
    struct grid_topology *const truth = calloc((size_t)p->count + 1, sizeof *truth);
    bool *const bad = calloc((size_t)p->count + 1, sizeof *bad);
    const struct grid volume = pack_volume(p);
    struct err err;
    long wrong = 0;
    const bool room = CHECK(truth && bad && volume.voxels);
    for (int k = 0; room && p->judged && k < p->count; k++)
        CHECK(!grid_topology_find(&truth[k], &p->small[k].grid, p->value, w->rule, NULL, &err));
    for (int way = 0; room && way < w->count; way++)
        if (p->way == way || p->way == ALL_WAYS) pack_judge(w, way, p, &volume, truth, bad);
    for (int k = 0; room && k < p->count; k++) {
        if (bad[k] && !wrong) small_print(&p->small[k], p->value);
        wrong += bad[k];
    }
    free((void *)volume.voxels);
    free(truth);
    free(bad);
    p->count = 0;
    return wrong;
}

/* ---- filling ----------------------------------------------------------------------------------------------------- */

/* Returns the pack of this kind of grid, a new one if there is none; NULL: no memory. */
static inline struct pack *packs_find(struct packs *packs, const struct grid *grid, float value, int way, bool judged)
{
    struct pack *p = packs->pack;
    for (; p < packs->pack + packs->count; p++)
        if (p->like.type == grid->type && p->like.nx == grid->nx && p->like.ny == grid->ny && p->like.nz == grid->nz &&
            p->value == value && p->way == way && p->judged == judged)
            return p;
    if (!CHECK(packs->count < PACKS)) return NULL;
    packs->count++;
    *p = (struct pack){ { NULL, grid->type, grid->nx, grid->ny, grid->nz }, value, way, judged };
    p->small = malloc(PACK * sizeof *p->small);
    p->found = malloc(PACK * sizeof *p->found);
    return CHECK(p->small && p->found) ? p : NULL;
}

/* Adds a grid, to be judged by one way or ALL_WAYS, by the truth or by itself alone. *found (NULL: nowhere) gets what the
 * mesh of the last way has, as soon as the pack is full or packs_end() is called; not with exact positions. */
static inline void packs_add(struct packs *packs, const struct small *s, float value, int way, bool judged,
                             struct mesh_topology *found)
{
    struct pack *const p = packs_find(packs, &s->grid, value, way, judged);
    if (!p) return;
    struct small *const to = &p->small[p->count];
    *to = *s;
    to->grid.voxels = s->grid.voxels == s->value ? (const void *)to->value : to->bytes;
    p->found[p->count++].to = found;
    if (p->count == PACK) packs->wrong += pack_flush(packs->ways, p);
}

/* Judges what is left, and frees all. Returns how many grids were wrong in all. */
static inline long packs_end(struct packs *packs)
{
    for (struct pack *p = packs->pack; p < packs->pack + packs->count; p++) {
        if (p->count) packs->wrong += pack_flush(packs->ways, p);
        free(p->small);
        free(p->found);
    }
    const long wrong = packs->wrong;
    *packs = (struct packs){ .ways = packs->ways };
    return wrong;
}

#endif
