#include "stream_verify.h"

#include "stream_slabs.h"

#include <stdlib.h>

struct job {
    const struct stream_verify_desc *d;
    const struct volume *volume; /* without voxels */
    struct iso *iso;
    struct stream_slabs slabs;
    struct ranges ranges;
    struct iso_layer *layer; /* what each layer of the volume owns */
    struct mesh_host mesh;
    struct mesh_topology_sum meshes;
    struct grid_topology_sum voxels;
    float value; /* stored units */
};

static size_t layers_of(const struct job *j) { return plan_layers(j->volume->grid.nz); }

/* ---- with each slab ---------------------------------------------------------------------------------------------- */

static int count(void *context, const struct plan_slab *slab, const struct grid *block, struct err *err)
{
    struct job *j = context;
    int code = grid_topology_add(&j->voxels, block, slab->end, NULL, err);
    if (!code) code = iso_set_block(j->iso, block, grid_longest(&j->volume->grid), err);
    if (!code) code = iso_count_host(j->iso, j->value, err);
    if (!code) code = stream_slabs_own(&j->slabs, j->iso, slab, j->layer, err);
    const struct bricks bricks = stream_slabs_bricks(j->iso);
    if (!code) ranges_note(&j->ranges, slab, &bricks);
    return code;
}

/* Layer by layer of bricks: that takes less memory besides the mesh than all layers at once. */
static int check(void *context, const struct plan_slab *slab, const struct grid *block, struct err *err)
{
    struct job *j = context;
    struct slab_mesh made = { .slab = *slab, .mesh = j->mesh };
    const struct plan_share own = plan_own(slab);
    int code = iso_set_block(j->iso, block, grid_longest(&j->volume->grid), err);
    if (!code) code = stream_slabs_make(&j->slabs, j->iso, j->value, &made, err);
    struct iso_layer skip = made.skip;
    for (size_t i = own.begin; i < own.end && !code; i++) {
        const struct iso_layer here = j->layer[i];
        const struct mesh_topology_run run = { &made.mesh, skip.vertices, here.vertices, skip.triangles, here.triangles };
        if (here.vertices || here.triangles) code = mesh_topology_add(&j->meshes, &run, NULL, err);
        skip.vertices += here.vertices, skip.triangles += here.triangles;
    }
    return code;
}

static bool owns(const void *context, const struct plan_slab *slab)
{
    (void)context;
    return slab->own.vertices || slab->own.triangles;
}

/* ---- the passes -------------------------------------------------------------------------------------------------- */

static int pass(struct job *j, struct stream_pass pass, struct err *err)
{
    pass.context = j, pass.progress = j->d->progress, pass.share = 0.5;
    pass.name = source_name(&j->d->store->header);
    return stream_slabs_pass(&j->slabs, &pass, err);
}

static int count_all(struct job *j, struct grid_topology *found, struct err *err)
{
    const struct grid *g = &j->volume->grid;
    const struct plan_share all = { 0, layers_of(j) };
    const size_t n[3] = { g->nx, g->ny, g->nz };
    int code = grid_topology_begin(&j->voxels, n, j->value, j->iso->topology, false, err);
    if (code) return code;
    j->slabs.taken = grid_topology_bytes((uint64_t)g->nx * g->ny) + ranges_bytes(j->d->store);
    code = stream_slabs_count(&j->slabs, &all, 1, err);
    if (!code) code = pass(j, (struct stream_pass){ .use = count }, err);
    grid_topology_end(code ? NULL : found, &j->voxels);
    return code;
}

/* Memory that checking takes, besides the mesh of a slab. */
static uint64_t most_bytes(const struct job *j)
{
    uint64_t most = 0;
    for (size_t i = 0; i < layers_of(j); i++) {
        const uint64_t bytes = mesh_topology_bytes(j->layer[i].vertices, j->layer[i].triangles);
        if (bytes > most) most = bytes;
    }
    return most;
}

static int check_all(struct job *j, struct mesh_topology *found, struct err *err)
{
    const struct grid *g = &j->volume->grid;
    const struct plan_share all = { 0, layers_of(j) };
    const size_t n[3] = { g->nx, g->ny, g->nz };
    j->slabs.taken = most_bytes(j) + ranges_bytes(j->d->store);
    ranges_need(&j->ranges, &j->value, 1);
    int code = stream_slabs_write(&j->slabs, j->layer, &all, 1, err);
    const struct iso_layer room = stream_slabs_room(&j->slabs);
    if (!code) code = mesh_host_alloc(&j->mesh, room.vertices, room.triangles, err);
    mesh_topology_begin(&j->meshes, n);
    if (!code) code = pass(j, (struct stream_pass){ .wants = owns, .use = check, .ranges = &j->ranges, .begun = 0.5 }, err);
    mesh_topology_end(code ? NULL : found, &j->meshes);
    return code;
}

int stream_verify_find(struct stream_verify *found, const struct stream_verify_desc *desc, struct iso *iso, struct err *err)
{
    const struct volume *volume = &desc->store->volume;
    struct job j = { .d = desc, .volume = volume, .iso = iso, .value = volume_iso(volume, desc->value) };
    *found = (struct stream_verify){ .mesh = { .euler = 0 } };
    j.slabs = (struct stream_slabs){ .store = desc->store, .iso = iso, .memory = desc->memory, .layers = desc->layers };
    j.layer = calloc(layers_of(&j), sizeof *j.layer);
    int code = j.layer ? stream_slabs_open(&j.slabs, err)
                       : err_set(err, ERR_FAILED, "not enough memory for the counts of layers");
    if (!code) code = stream_slabs_numbered(iso, err);
    if (!code) code = ranges_open(&j.ranges, desc->store, err);
    j.slabs.noted = j.ranges.block ? &j.ranges : NULL;
    if (!code) code = count_all(&j, &found->voxels, err);
    if (!code) code = check_all(&j, &found->mesh, err);
    ranges_close(&j.ranges);
    stream_slabs_close(&j.slabs);
    mesh_host_free(&j.mesh);
    free(j.layer);
    iso_leave_volume(iso);
    return code;
}
