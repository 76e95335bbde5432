#include "stats_slabs.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 256 /* chunks that are reduced at once: a core takes a few milliseconds */ };

static const struct reduce_rung *rung_of(const struct iso *iso)
{
    return (const struct reduce_rung *)iso->rung[AUX_REDUCE];
}

/* Bytes of scratch for a chunk. */
static size_t scratch_of(const struct iso *iso)
{
    const struct exec one = { .backend = BACKEND_CPU, .threads = 1 };
    return rung_of(iso)->scratch ? rung_of(iso)->scratch(REDUCE_CHUNK, &one) : 0;
}

/* Values of the sample in slices begin to end - 1. */
static size_t sampled(const struct volume *volume, size_t begin, size_t end)
{
    const size_t slice = volume->grid.nx * volume->grid.ny;
    return sample_count(grid_voxels(&volume->grid), begin * slice, end * slice);
}

struct extent { /* of slices: voxels before the first chunk that begins in them, whole chunks, voxels after these */
    size_t head, chunks, tail;
};

static struct extent extent_of(const struct volume *volume, size_t begin, size_t end)
{
    const size_t slice = volume->grid.nx * volume->grid.ny, n = slice * (end - begin);
    const size_t head = min_size(n, (REDUCE_CHUNK - slice * begin % REDUCE_CHUNK) % REDUCE_CHUNK);
    return (struct extent){ head, (n - head) / REDUCE_CHUNK, (n - head) % REDUCE_CHUNK };
}

size_t stats_slabs_bytes(const struct volume *volume, size_t begin, size_t end)
{
    const struct extent e = extent_of(volume, begin, end);
    return (e.head + e.tail) * voxel_bytes(volume->grid.type) + e.chunks * sizeof(struct summary) +
           sampled(volume, begin, end) * sizeof(float);
}

int stats_slabs_open(struct stats_slabs *s, struct iso *iso, const struct volume *volume, struct plan_share slices,
                     bool keeps, struct err *err)
{
    const size_t begin = slices.begin, end = slices.end;
    *s = (struct stats_slabs){ .volume = volume, .iso = iso, .sum = summary_empty(), .slice = begin };
    s->held = malloc(REDUCE_CHUNK * voxel_bytes(volume->grid.type));
    s->parts = malloc(PIECE * sizeof *s->parts);
    s->scratch = malloc(PIECE * scratch_of(iso) + 1);
    s->sample = malloc(SAMPLE_VALUES * sizeof *s->sample);
    if (keeps) s->kept = malloc(stats_slabs_bytes(volume, begin, end) + 1);
    if (keeps) s->head = extent_of(volume, begin, end).head * voxel_bytes(volume->grid.type);
    if (s->held && s->parts && s->scratch && s->sample && (s->kept || !keeps) &&
        (!keeps || !stats_bend_keep(&s->bend, volume, end - begin, err)))
        return ERR_NONE;
    stats_slabs_close(s);
    return err_set(err, ERR_FAILED, "not enough memory for statistics");
}

void stats_slabs_close(struct stats_slabs *s)
{
    free(s->held);
    free(s->parts);
    free(s->scratch);
    free(s->sample);
    free(s->kept);
    stats_bend_free(&s->bend);
    s->held = NULL, s->parts = NULL, s->scratch = NULL, s->sample = NULL, s->kept = NULL;
}

/* ---- the first time ---------------------------------------------------------------------------------------------- */

static void keep(struct stats_slabs *s, const void *bytes, size_t n)
{
    memcpy(s->kept + s->kept_bytes, bytes, n);
    s->kept_bytes += n;
}

static void take_part(struct stats_slabs *s, const struct summary *part)
{
    if (s->kept) keep(s, part, sizeof *part);
    else s->sum = summary_merge(s->sum, *part);
}

/* Adds `count` chunks, at most PIECE; the last has `last` voxels. */
static int add_chunks(struct stats_slabs *s, const char *voxels, size_t count, size_t last, struct err *err)
{
    const enum voxel_type type = s->volume->grid.type;
    const size_t each = scratch_of(s->iso), bytes = REDUCE_CHUNK * voxel_bytes(type);
    int failed = 0;
#pragma omp parallel for num_threads(s->iso->exec.threads) schedule(static) reduction(| : failed)
    for (size_t c = 0; c < count; c++) {
        struct exec one = { .backend = BACKEND_CPU, .threads = 1 };
        const struct grid chunk = { voxels + c * bytes, type, c + 1 < count ? REDUCE_CHUNK : last, 1, 1 };
        failed |= rung_of(s->iso)->run(&chunk, &s->parts[c], s->scratch + c * each, &one);
    }
    for (size_t c = 0; c < count; c++) take_part(s, &s->parts[c]);
    return failed ? iso_fail(s->iso, failed, "reducing the volume", err) : ERR_NONE;
}

/* Adds the next of n voxels to the chunk that is held, until it is complete. Returns how many it took. */
static size_t hold(struct stats_slabs *s, const char *voxels, size_t n)
{
    const size_t bytes = voxel_bytes(s->volume->grid.type), take = min_size(n, REDUCE_CHUNK - s->held_count);
    memcpy(s->held + s->held_count * bytes, voxels, take * bytes);
    s->held_count += take;
    return take;
}

static int add_voxels(struct stats_slabs *s, const char *voxels, size_t n, struct err *err)
{
    const size_t bytes = voxel_bytes(s->volume->grid.type);
    size_t at = s->held_count ? hold(s, voxels, n) : 0;
    int code = ERR_NONE;
    if (s->held_count == REDUCE_CHUNK) {
        code = add_chunks(s, s->held, 1, REDUCE_CHUNK, err);
        s->held_count = 0;
    }
    while (!code && n - at >= REDUCE_CHUNK) {
        const size_t count = min_size((n - at) / REDUCE_CHUNK, PIECE);
        code = add_chunks(s, voxels + at * bytes, count, REDUCE_CHUNK, err);
        at += count * REDUCE_CHUNK;
    }
    if (!code && at < n) hold(s, voxels + at * bytes, n - at);
    return code;
}

int stats_slabs_summarise(struct stats_slabs *s, const struct grid *block, struct err *err)
{
    const size_t bytes = voxel_bytes(block->type), n = grid_voxels(block), head = min_size(s->head / bytes, n);
    if (head) keep(s, block->voxels, head * bytes);
    s->head -= head * bytes;
    s->sampled += sample_take(s->sample + s->sampled, block, grid_voxels(&s->volume->grid),
                              s->slice * block->nx * block->ny);
    s->slice += block->nz;
    return add_voxels(s, (const char *)block->voxels + head * bytes, n - head, err);
}

const void *stats_slabs_kept(struct stats_slabs *s)
{
    keep(s, s->held, s->held_count * voxel_bytes(s->volume->grid.type));
    s->held_count = 0;
    keep(s, s->sample, s->sampled * sizeof *s->sample);
    return s->kept;
}

int stats_slabs_join(struct stats_slabs *s, size_t begin, size_t end, const char *kept, struct err *err)
{
    const struct extent e = extent_of(s->volume, begin, end);
    const int code = add_voxels(s, kept, e.head, err);
    kept += e.head * voxel_bytes(s->volume->grid.type);
    for (size_t c = 0; c < e.chunks; c++, kept += sizeof(struct summary)) {
        struct summary part;
        memcpy(&part, kept, sizeof part);
        take_part(s, &part);
    }
    memcpy(s->sample + s->sampled, kept + e.tail * voxel_bytes(s->volume->grid.type),
           sampled(s->volume, begin, end) * sizeof *s->sample);
    s->sampled += sampled(s->volume, begin, end);
    return code ? code : add_voxels(s, kept, e.tail, err);
}

void stats_slabs_know(struct stats_slabs *s, const struct summary *sum)
{
    s->sum = *sum;
    stats_begin(&s->stats, &s->sum, s->volume, s->volume->grid.type);
}

int stats_slabs_turn(struct stats_slabs *s, struct err *err)
{
    const int code = s->held_count ? add_chunks(s, s->held, 1, s->held_count, err) : ERR_NONE;
    s->held_count = 0;
    if (code) return code;
    stats_slabs_know(s, &s->sum);
    return stats_split(&s->stats, &s->splits, s->sample, s->sampled, err);
}

/* ---- the second time --------------------------------------------------------------------------------------------- */

int stats_slabs_count(struct stats_slabs *s, const struct grid *block, struct err *err)
{
    if (!s->stats.bins) return ERR_NONE;
    int code = iso_set_volume(s->iso, block, err);
    if (!code) code = stats_count(&s->stats, &s->splits, s->iso, err);
    if (!code) stats_bend_add(&s->bend, s->volume, block);
    return code;
}

int stats_slabs_end(struct stats_slabs *s, struct err *err)
{
    return stats_end(&s->stats, &s->splits, s->iso, s->volume, stats_bend_of(&s->bend), err);
}
