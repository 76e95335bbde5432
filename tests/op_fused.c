/* fused against the stages of the CPU: the same triangles, each once, and a closed mesh; by an ordered rung the same bytes,
 * whatever the number of threads. */
#include "mesh_check.h"
#include "ops.h"
#include "synth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct corners {
    struct vertex corner[3];
};

static int compare(const void *a, const void *b) { return memcmp(a, b, sizeof(struct corners)); }

/* Triangles by the content of their corners, each turned so that the smallest is first, sorted. */
static struct corners *sorted_triangles(const struct mesh_host *mesh)
{
    struct corners *list = malloc((mesh->triangle_count + 1) * sizeof *list);
    for (uint64_t t = 0; t < mesh->triangle_count; t++) {
        struct corners turned[3];
        for (int turn = 0; turn < 3; turn++)
            for (int c = 0; c < 3; c++)
                turned[turn].corner[c] = mesh->vertices[mesh->indices[3 * t + (uint64_t)((c + turn) % 3)]];
        list[t] = turned[0];
        for (int turn = 1; turn < 3; turn++)
            if (compare(&turned[turn], &list[t]) < 0) list[t] = turned[turn];
    }
    qsort(list, mesh->triangle_count, sizeof *list, compare);
    return list;
}

static void compare_meshes(struct env *env, const struct sample *sample, const struct mesh_host *got,
                           const struct mesh_host *want)
{
    struct mesh_check check = mesh_check(got, &sample->grid, sample->iso);
    env_expect(env, !check.fault, "%s: %s", sample->name, check.fault ? check.fault : "");
    if (check.fault || !want->vertex_count) return; /* indices may be out of range; there is none to compare */
    if (((const struct fused_rung *)env->rung)->ordered) {
        env_expect(env,
                   !memcmp(got->vertices, want->vertices, want->vertex_count * sizeof *got->vertices) &&
                       !memcmp(got->indices, want->indices, 12 * want->triangle_count),
                   "%s: not the mesh of the stages bit for bit", sample->name);
        return;
    }
    struct corners *a = sorted_triangles(got), *b = sorted_triangles(want);
    env_expect(env, !memcmp(a, b, want->triangle_count * sizeof *a), "%s: the triangles differ", sample->name);
    free(a);
    free(b);
}

/* Runs with the given room; the mesh comes back in `got`, whose counts are the room. */
static struct fused_counts run_with(struct env *env, const struct sample *sample, const struct bricks *bricks,
                                    uint64_t brick_capacity, struct mesh_host *got)
{
    const struct fused_rung *rung = (const struct fused_rung *)env->rung;
    const size_t scratch_bytes = rung->scratch(bricks, brick_capacity, &env->exec);
    const size_t vertex_bytes = got->vertex_count * sizeof(struct vertex), index_bytes = 12 * got->triangle_count;
    struct fused_counts counts, *device_counts = env_memory(env, NULL, sizeof counts);
    const struct mesh_out mesh = { env_memory(env, NULL, vertex_bytes), env_memory(env, NULL, index_bytes) };
    void *scratch = env_memory(env, NULL, scratch_bytes);
    struct draw_command draw, *device_draw = env_memory(env, NULL, sizeof draw);
    const struct fused_desc desc = { sample->device,      sample->iso,    *bricks,
                                     env->device_tables,  mesh,           got->vertex_count,
                                     got->triangle_count, brick_capacity, scratch,
                                     device_counts,       device_draw };
    if (rung->keeps_state) env_ran(env, env->ops->fill(scratch, 0, scratch_bytes, &env->exec));
    for (int turn = 0; turn < 2; turn++) env_ran(env, rung->run(&desc, &env->exec)); /* again with what the first left */
    got->vertices = malloc(vertex_bytes + 1);
    got->indices = malloc(index_bytes + 1);
    env_take(env, device_counts, &counts, sizeof counts);
    env_take(env, device_draw, &draw, sizeof draw);
    const bool fits = counts.bricks <= brick_capacity && counts.vertices <= got->vertex_count &&
                      counts.triangles <= got->triangle_count;
    env_expect(env,
               draw.indices == (fits ? 3 * counts.triangles : 0) && draw.instances == 1 && !draw.first_index &&
                   !draw.first_vertex && !draw.first_instance,
               "%s: %u indices to draw, of %llu triangles", sample->name, draw.indices,
               (unsigned long long)counts.triangles);
    env_take(env, mesh.vertices, got->vertices, vertex_bytes);
    env_take(env, mesh.indices, got->indices, index_bytes);
    env_take(env, scratch, NULL, scratch_bytes);
    return counts;
}

static void fused_case(struct env *env, const struct sample *sample)
{
    struct iso iso;
    struct err err;
    if (!((const struct fused_rung *)env->rung)->run) return; /* the stages, which have tests of their own */
    struct mesh_host want, none = { NULL, NULL, 0, 0 };
    if (iso_open(&iso, BACKEND_CPU, -1, 2, &err) || iso_set_volume(&iso, &sample->grid, &err) ||
        iso_count(&iso, sample->iso, &err) || iso_mesh_host(&iso, &want, &err)) {
        env_expect(env, false, "%s: %s", sample->name, err.text);
        return;
    }
    struct bricks bricks = iso.bricks;
    const size_t range_bytes = bricks.nx * bricks.ny * bricks.nz * sizeof *bricks.range;
    bricks.range = env_memory(env, iso.bricks.range, range_bytes);

    /* No room at all: how many bricks. Then room for those and no mesh: exact counts. Then exactly enough. */
    struct fused_counts counts = run_with(env, sample, &bricks, 0, &none);
    mesh_host_free(&none);
    const uint64_t active = counts.bricks;
    counts = run_with(env, sample, &bricks, active, &none);
    mesh_host_free(&none);
    env_expect(env,
               counts.bricks == active && counts.vertices == want.vertex_count && counts.triangles == want.triangle_count,
               "%s: counted %llu vertices, %llu triangles, not %llu, %llu", sample->name,
               (unsigned long long)counts.vertices, (unsigned long long)counts.triangles,
               (unsigned long long)want.vertex_count, (unsigned long long)want.triangle_count);
    struct tally tally;
    if (((const struct fused_rung *)env->rung)->ordered && !iso_tally(&iso, &tally, &err))
        env_expect(env, !memcmp(&tally, &counts.tally, sizeof tally),
                   "%s: %llu voxels inside, %llu active cells, not %llu, %llu", sample->name,
                   (unsigned long long)counts.tally.voxels_inside, (unsigned long long)counts.tally.active_cells,
                   (unsigned long long)tally.voxels_inside, (unsigned long long)tally.active_cells);
    struct mesh_host got = { NULL, NULL, want.vertex_count, want.triangle_count };
    counts = run_with(env, sample, &bricks, active, &got);
    if (counts.vertices == want.vertex_count && counts.triangles == want.triangle_count)
        compare_meshes(env, sample, &got, &want);
    mesh_host_free(&got);

    /* One too few of each: the guards say whether anything was written past the end. */
    if (want.triangle_count) {
        struct mesh_host tight = { NULL, NULL, want.vertex_count - 1, want.triangle_count - 1 };
        counts = run_with(env, sample, &bricks, active, &tight);
        env_expect(env, counts.vertices == want.vertex_count && counts.triangles == want.triangle_count,
                   "%s: counts depend on the room", sample->name);
        mesh_host_free(&tight);
    }
    env_take(env, bricks.range, NULL, range_bytes);
    mesh_host_free(&want);
    iso_close(&iso);
}

/* Edges of strips, bricks and slabs that the samples of all ops leave out. */
static void odd_sizes(struct env *env)
{
    static const size_t shapes[][3] = { { 255, 3, 2 },  { 257, 2, 3 }, { 63, 33, 31 },
                                        { 64, 32, 64 }, { 2, 257, 3 }, { 3, 2, 255 } };
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        const size_t *n = shapes[s], count = n[0] * n[1] * n[2];
        uint8_t *voxels = malloc(count);
        uint64_t seed = s + 1;
        for (size_t i = 0; i < count; i++) voxels[i] = (uint8_t)(synth_random(&seed) % 86);
        struct sample sample = { { voxels, VOXEL_UINT8, n[0], n[1], n[2] }, { 0 }, 40.5f, "" };
        snprintf(sample.name, sizeof sample.name, "%zux%zux%zu noise", n[0], n[1], n[2]);
        sample.device = sample.grid;
        sample.device.voxels = env_memory(env, voxels, count);
        fused_case(env, &sample);
        env_take(env, (void *)sample.device.voxels, NULL, count);
        free(voxels);
    }
}

void op_fused(struct env *env)
{
    const int threads = env->exec.threads;
    each_sample(env, fused_case);
    for (env->exec.threads = 1; env->exec.threads <= 7; env->exec.threads = 2 * env->exec.threads + 1) odd_sizes(env);
    env->exec.threads = 2;
    odd_sizes(env);
    env->exec.threads = threads;
}
