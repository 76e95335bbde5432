/* Brings the volume into backend memory: the CPU borrows it, CUDA gets a copy by the chosen upload rung.
 *
 * Rungs that need pinned or managed memory get two buffers, each with a chunk per lane. Threads fill one with the next
 * piece of the volume while the other is being transferred. Registering the volume's own pages would save that copy. But
 * pinning takes as long, page by page in one thread, and pays off only for a volume that is uploaded twice. Rungs that take
 * pageable memory read the volume directly. The loader has already put voxels into the machine's byte order. */
#include "iso.h"

#include "progress.h"
#include "kernels/upload.h"

#include <omp.h>
#include <string.h>

enum {
    PIECE = UPLOAD_LANES * UPLOAD_CHUNK, /* between two reports of progress: 0.6 ms at 55 GB/s */
    FILLERS = 8
}; /* the most threads that copy; one moves about 10 GB/s */

struct upload {
    struct iso *iso;
    const struct upload_rung *rung;
    const char *from;
    size_t bytes;
    void *buffer[2]; /* NULL: the rung reads the volume directly */
    struct upload_lanes lanes;
};

static size_t piece_bytes(const struct upload *u, size_t at)
{
    return u->bytes - at < PIECE ? u->bytes - at : (size_t)PIECE;
}

static int open_upload(struct upload *u)
{
    int code = upload_cuda_open(&u->lanes);
    if (u->rung->memory == UPLOAD_PAGEABLE) return code;
    for (int i = 0; i < 2 && !code; i++) code = upload_cuda_alloc(&u->buffer[i], piece_bytes(u, 0), u->rung->memory);
    return code;
}

static void close_upload(struct upload *u)
{
    u->iso->ops->sync(&u->iso->exec); /* after an error a copy may still be reading these buffers */
    upload_cuda_close(&u->lanes);
    for (int i = 0; i < 2; i++) upload_cuda_free(u->buffer[i], u->rung->memory);
}

/* Copies the piece that begins at `at` to where the rung can read it, and returns that place. */
static const void *fill(const struct upload *u, size_t at)
{
    const size_t bytes = piece_bytes(u, at), part = scratch_round((bytes + FILLERS - 1) / FILLERS);
    char *to = u->buffer[at / PIECE % 2];
    if (!to) return u->from + at;
#pragma omp parallel for num_threads(omp_get_num_procs() < FILLERS ? omp_get_num_procs() : FILLERS) schedule(static)
    for (int i = 0; i < FILLERS; i++) {
        const size_t begin = (size_t)i * part;
        if (begin < bytes) memcpy(to + begin, u->from + at + begin, bytes - begin < part ? bytes - begin : part);
    }
    return to;
}

/* Uploads piece by piece; *stopped: `progress` cancelled. Returns the backend's code. */
static int run_upload(struct upload *u, char *to, const struct progress *progress, bool *stopped)
{
    struct iso *iso = u->iso;
    const void *from = fill(u, 0);
    int code = 0;
    for (size_t at = 0; at < u->bytes && !code && !*stopped; at += PIECE) {
        const struct upload_desc desc = { from, to + at, piece_bytes(u, at), 1, &u->lanes, NULL };
        code = u->rung->run(&desc, &iso->exec);
        if (u->bytes - at > PIECE) from = fill(u, at + PIECE);
        if (!code) code = iso->ops->sync(&iso->exec);
        const double done = (double)(at + desc.bytes) / (double)u->bytes;
        *stopped = progress && progress->step && !progress->step(progress->context, done);
    }
    return code;
}

/* Uploads `host` into `to`, which holds all of it. */
static int copy_to(struct iso *iso, const struct grid *host, const struct buffer *to, const struct progress *progress,
                   struct err *err)
{
    static const char doing[] = "uploading the volume";
    struct upload u = {
        iso, (const struct upload_rung *)iso->rung[AUX_UPLOAD], host->voxels, to->bytes, { NULL, NULL }, { .begin = NULL }
    };
    bool stopped = false;
    int code = open_upload(&u);
    iso_aux_begin(iso, AUX_UPLOAD, &u.rung->rung, 0, err);
    if (!code) code = run_upload(&u, to->memory, progress, &stopped);
    code = iso_aux_end(iso, AUX_UPLOAD, code, 2 * (uint64_t)to->bytes, doing, err);
    close_upload(&u);
    return stopped && !code ? err_set(err, ERR_FAILED, "uploading was cancelled") : code;
}

/* Uploads next to the present volume; if both do not fit, frees the working buffers and then the smoothed copy first. */
static int upload(struct iso *iso, const struct grid *host, struct buffer *copy, const struct progress *progress,
                  struct err *err)
{
    const uint64_t bytes = grid_bytes(host);
    if (bytes > iso->ops->memory_free()) iso_drop_working(iso);
    if (bytes > iso->ops->memory_free()) iso_unsmooth(iso);
    if (buffer_reserve(copy, iso->ops, &iso->exec, bytes, "the volume", err)) return ERR_FAILED;
    const int code = copy_to(iso, host, copy, progress, err);
    if (code) buffer_release(copy, iso->ops);
    return code;
}

static void install(struct iso *iso, const struct grid *grid, bool owned)
{
    if (iso->owned) iso->ops->free((void *)iso->original.voxels);
    iso->original = *grid;
    iso->owned = owned;
    iso->longest = 0;
    iso_unsmooth(iso);
}

int iso_upload(struct iso *iso, const struct grid *host, const struct progress *progress, struct err *err)
{
    struct grid grid = *host;
    struct buffer copy = { NULL, 0 };
    const bool owned = iso->exec.backend != BACKEND_CPU;
    const int code = owned ? upload(iso, host, &copy, progress, err) : ERR_NONE;
    if (code) return code;
    if (owned) grid.voxels = copy.memory;
    install(iso, &grid, owned);
    return ERR_NONE;
}

int iso_set_volume(struct iso *iso, const struct grid *host, struct err *err) { return iso_upload(iso, host, NULL, err); }

/* ---- from one pipeline to another --------------------------------------------------------------------------------- */

void iso_give_volume(struct iso *iso, struct iso_volume *volume)
{
    *volume = (struct iso_volume){ iso->original, iso->exec.backend, iso->exec.device, iso->stage[AUX_UPLOAD] };
    iso->original.voxels = NULL;
    iso->owned = false;
    iso_unsmooth(iso);
}

void iso_leave_volume(struct iso *iso)
{
    const bool owned = iso->owned;
    struct iso_volume volume;
    iso_give_volume(iso, &volume);
    if (owned) iso_drop_volume(&volume);
}

bool iso_take_volume(struct iso *iso, struct iso_volume *volume)
{
    struct stage_stats *stats = &iso->stage[AUX_UPLOAD];
    if (!volume->grid.voxels || volume->backend != iso->exec.backend || volume->device != iso->exec.device) return false;
    install(iso, &volume->grid, true);
    *stats = (struct stage_stats){ volume->upload.ms, volume->upload.bytes, stats->runs + 1 };
    *volume = (struct iso_volume){ .device = 0 };
    return true;
}

void iso_drop_volume(struct iso_volume *volume)
{
    if (volume->grid.voxels) backends[volume->backend]->free((void *)volume->grid.voxels);
    *volume = (struct iso_volume){ .device = 0 };
}
