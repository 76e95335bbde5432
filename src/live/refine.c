#include "refine.h"

#include "text.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int refine_prepare(struct iso *iso, struct err *err)
{
    assert(iso->exec.backend == BACKEND_CPU);
    return iso_set_rung(iso, STAGE_FUSED, "none", err);
}

static void free_room(struct refine_room *room)
{
    mesh_host_free(&room->mesh);
    free(room->number);
    *room = (struct refine_room){ .vertices = 0 };
}

uint64_t refine_mesh_bytes(const struct refine_mesh *m)
{
    return m->vertex_room * sizeof *m->mesh.vertices + m->triangle_room * 3 * sizeof *m->mesh.indices;
}

void refine_mesh_free(struct refine_mesh *m)
{
    mesh_host_free(&m->mesh);
    free_room(&m->block);
    *m = (struct refine_mesh){ .vertex_room = 0 };
}

void refine_place(struct refine_mesh *m, uint64_t first, const struct level *level)
{
    for (uint64_t i = first; i < m->mesh.vertex_count; i++) {
        struct vertex *v = &m->mesh.vertices[i];
        v->x = v->x * level->scale + level->offset[0];
        v->y = v->y * level->scale + level->offset[1];
        v->z = v->z * level->scale + level->offset[2];
    }
}

/* ---- room -------------------------------------------------------------------------------------------------------- */

static uint64_t grown(uint64_t room, uint64_t need) { return need <= room ? room : need > 2 * room ? need : 2 * room; }

static int refuse(uint64_t bytes, uint64_t most, struct err *err)
{
    char needed[32], may[32];
    err_set(err, ERR_FAILED, "the surface in view needs at least %s, but only %s is left for it",
            text_bytes(needed, (double)bytes), text_bytes(may, (double)most));
    err_advise(err, "give a larger --cache, or look at a smaller part");
    return err_blame(err, ERR_FAILED, CAUSE_VOLUME);
}

/* Makes room for the block's own mesh. It reuses the memory of earlier blocks. */
static int make_block_room(struct refine_room *room, const struct iso_counts *counts, struct err *err)
{
    if (counts->vertices > room->vertices || counts->triangles > room->triangles) {
        const uint64_t vertices = grown(room->vertices, counts->vertices),
                       triangles = grown(room->triangles, counts->triangles);
        free_room(room);
        if (mesh_host_alloc(&room->mesh, vertices, triangles, err)) return ERR_FAILED;
        room->number = malloc(vertices * sizeof *room->number);
        if (!room->number) return err_set(err, ERR_FAILED, "not enough memory for a block's vertices");
        room->vertices = vertices, room->triangles = triangles;
    }
    room->mesh.vertex_count = counts->vertices, room->mesh.triangle_count = counts->triangles;
    return ERR_NONE;
}

/* Makes room for as many more vertices and triangles as the block has. */
static int make_room(struct refine_mesh *m, const struct iso_counts *more, uint64_t most, struct err *err)
{
    const uint64_t vertices = m->mesh.vertex_count + more->vertices, triangles = m->mesh.triangle_count + more->triangles;
    const uint64_t need = vertices * sizeof *m->mesh.vertices + triangles * 3 * sizeof *m->mesh.indices;
    if (need > most) return refuse(need, most, err);
    if (mesh_host_check("the surface in view has", vertices, triangles, "look at a smaller part", err))
        return err_blame(err, ERR_FAILED, CAUSE_VOLUME);
    const uint64_t room[2] = { grown(m->vertex_room, vertices), grown(m->triangle_room, triangles) };
    struct vertex *v = realloc(m->mesh.vertices, room[0] * sizeof *v);
    if (v) m->mesh.vertices = v, m->vertex_room = room[0];
    uint32_t *i = v ? realloc(m->mesh.indices, room[1] * 3 * sizeof *i) : NULL;
    if (i) m->mesh.indices = i, m->triangle_room = room[1];
    return i ? ERR_NONE
             : err_set(err, ERR_FAILED, "not enough memory for the surface in view (%.1f MB)", (double)need * 1e-6);
}

/* ---- a block's own triangles ------------------------------------------------------------------------------------- */

struct own {               /* the block's own cells */
    size_t from[3], to[3]; /* in voxels of the grid, which has more around the block; along x in strips */
};

static struct own own_of(const struct grid *grid, const struct block_key *key, const struct strips *strips)
{
    const size_t n[3] = { grid->nx, grid->ny, grid->nz };
    struct own own;
    for (int a = 0; a < 3; a++) {
        own.from[a] = (size_t)key->at[a] * BLOCK_CELLS - grid->first[a];
        own.to[a] = min_size(own.from[a] + BLOCK_CELLS, n[a]);
    }
    assert(own.from[0] % strips->width == 0 && BLOCK_CELLS % strips->width == 0);
    own.from[0] /= strips->width;
    own.to[0] = (own.to[0] + strips->width - 1) / strips->width;
    return own;
}

/* Adds triangles first to end - 1 of the block, and those of their vertices that have no number yet. */
static void add_triangles(struct refine_mesh *m, uint64_t first, uint64_t end)
{
    const struct mesh_host *from = &m->block.mesh;
    uint32_t *number = m->block.number;
    uint32_t *to = m->mesh.indices + 3 * m->mesh.triangle_count;
    for (uint64_t i = 3 * first; i < 3 * end; i++) {
        const uint32_t v = from->indices[i];
        if (number[v] == UINT32_MAX) {
            number[v] = (uint32_t)m->mesh.vertex_count;
            m->mesh.vertices[m->mesh.vertex_count++] = from->vertices[v];
        }
        *to++ = number[v];
    }
    m->mesh.triangle_count += end - first;
}

/* Triangles are numbered like their cells, strip by strip. So the triangles of a row of own cells are consecutive. */
static void add_own(struct refine_mesh *m, const struct strips *s, const struct own *own)
{
    for (size_t z = own->from[2]; z < own->to[2]; z++)
        for (size_t y = own->from[1]; y < own->to[1]; y++) {
            const size_t row = (z * s->ny + y) * s->per_row, last = row + own->to[0] - 1;
            const uint64_t first = s->first_triangle[row + own->from[0]],
                           end = (uint64_t)s->first_triangle[last] + s->triangles[last];
            add_triangles(m, first, end);
        }
}

/* ---- a block ----------------------------------------------------------------------------------------------------- */

static struct brick_range range_of(const struct bricks *b)
{
    struct brick_range all = { INFINITY, -INFINITY };
    if (!b->range) return (struct brick_range){ -INFINITY, INFINITY };
    for (size_t i = 0; i < b->nx * b->ny * b->nz; i++) {
        all.min = fminf(all.min, b->range[i].min);
        all.max = fmaxf(all.max, b->range[i].max);
    }
    return all;
}

int refine_look(struct blocks *blocks, struct block_key key, struct iso *iso, float value, bool *has, struct err *err)
{
    struct grid grid;
    *has = false;
    if (!blocks_may_hold(blocks, key, value)) return ERR_NONE;
    int code = blocks_get(blocks, key, iso->exec.threads, &grid, err);
    if (!code) code = iso_set_block(iso, &grid, grid_longest(&blocks->levels->level[key.level].grid), err);
    if (!code) code = iso_count(iso, value, err);
    if (code) return code;
    if (!iso->bricks_stale) blocks_note(blocks, key, range_of(&iso->bricks), value); /* else no stage has run */
    *has = iso->counts.triangles > 0;
    return ERR_NONE;
}

int refine_block(struct blocks *blocks, struct block_key key, struct iso *iso, float value, uint64_t most,
                 struct refine_mesh *m, struct err *err)
{
    bool has;
    int code = refine_look(blocks, key, iso, value, &has, err);
    if (code || !has) return code;
    code = make_room(m, &iso->counts, most, err);
    if (!code) code = make_block_room(&m->block, &iso->counts, err);
    if (!code) code = iso_emit_host(iso, &m->block.mesh, err);
    if (code) return code;
    const struct own own = own_of(&iso->grid, &key, &iso->strips);
    memset(m->block.number, 0xff, m->block.mesh.vertex_count * sizeof *m->block.number);
    add_own(m, &iso->strips, &own);
    return ERR_NONE;
}
