#include "pack.h"

#include "file_io.h"
#include "load.h"
#include "ome_space.h"
#include "pack_array.h"
#include "pack_json.h"
#include "pack_mean.h"
#include "replace.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <ftw.h>
#include <limits.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OWN ((uint64_t)48 << 20) /* for the program, its threads' stacks, and libraries */

enum { COARSEST = 64 /* the last level has at most so many voxels along an axis */ };

struct pack {
    const struct pack_desc *d;
    const struct volume *volume; /* of the input; with voxels only if it is in memory */
    int threads;
    const char *path;
    char target[PATH_MAX]; /* the same without slashes at its end */
    char place[PATH_MAX];  /* path of the folder until it gets its name */
    int folder;            /* descriptor of that; -1: not made yet */
    double done, all;      /* voxels, for the progress */
    struct pack_result *result;
};

struct level { /* that is being written */
    int number;
    const struct store *before; /* the previous level, or the input; NULL: the input is in memory */
    bool real;                  /* convert stored values to real ones */
    struct pack_array array;
    size_t rows;        /* of a band */
    char *band, *input; /* rows of a band; their source rows, if these differ */
};

/* ---- what bands are made of -------------------------------------------------------------------------------------- */

/* The part of the source that these rows are made from. */
static struct store_rows input_rows(const struct level *l, const struct store_rows *rows)
{
    if (!l->number) return *rows;
    const struct grid *g = &l->before->volume.grid;
    return (struct store_rows){ 2 * rows->slice, min_size(2 * rows->slices, g->nz - 2 * rows->slice), 2 * rows->row,
                                min_size(2 * rows->rows, g->ny - 2 * rows->row) };
}

/* Copies rows of a volume in memory. */
static void copy_rows(const struct volume *v, const struct store_rows *rows, char *to)
{
    const struct grid *g = &v->grid;
    const size_t row = g->nx * voxel_bytes(g->type);
    for (size_t k = 0; k < rows->slices; k++)
        memcpy(to + k * rows->rows * row, (const char *)g->voxels + ((rows->slice + k) * g->ny + rows->row) * row,
               rows->rows * row);
}

/* Converts a band to real values. What does not fit a float becomes infinity. */
static void make_real(const struct pack *p, const struct level *l, const struct store_rows *rows)
{
    const struct volume *v = p->volume;
    const struct grid input = { l->input, v->grid.type, v->grid.nx, rows->rows, rows->slices };
    float *to = (float *)(void *)l->band;
    const size_t n = grid_voxels(&input);
#pragma omp parallel for num_threads(p->threads)
    for (size_t i = 0; i < n; i++) to[i] = (float)volume_real(v, (double)grid_value(&input, i));
}

static int fill_band(const struct pack *p, const struct level *l, const struct store_rows *rows, struct err *err)
{
    const struct store_rows in = input_rows(l, rows);
    char *to = l->input ? l->input : l->band;
    int code = ERR_NONE;
    if (l->before) code = store_read_rows(l->before, &in, to, p->threads, err);
    else copy_rows(p->volume, &in, to);
    if (code) return code;
    if (l->real) make_real(p, l, rows);
    if (l->number && l->before) {
        const struct grid input = { l->input, l->array.type, l->before->volume.grid.nx, in.rows, in.slices };
        pack_mean(l->band, &input, p->threads);
    }
    return ERR_NONE;
}

/* ---- a level ----------------------------------------------------------------------------------------------------- */

/* Bytes of a band of so many rows and of its source. */
static uint64_t band_bytes(const struct pack *p, const struct level *l, size_t rows)
{
    const struct pack_array *a = &l->array;
    const uint64_t voxels = (uint64_t)a->size[0] * rows * a->chunk[2], bytes = voxel_bytes(a->type);
    /* The previous level may have one odd voxel more along each axis, but not two. */
    if (l->number) return voxels * bytes + (uint64_t)(2 * a->size[0]) * 2 * rows * 2 * a->chunk[2] * bytes;
    return voxels * (bytes + (l->real ? voxel_bytes(p->volume->grid.type) : 0));
}

/* Memory for decoding the chunks of the previous level. */
static uint64_t reading_bytes(const struct pack *p, const struct level *l)
{
    const uint64_t chunk = (uint64_t)PACK_CHUNK * PACK_CHUNK * PACK_CHUNK * voxel_bytes(l->array.type);
    return l->number ? (uint64_t)p->threads * 4 * chunk : 0;
}

/* Memory for writing the level, besides its bands. */
static uint64_t fixed_bytes(const struct pack *p, const struct level *l)
{
    return OWN + pack_array_bytes(&l->array, p->threads) + reading_bytes(p, l);
}

/* The smallest number of rows in a band. */
static size_t least_rows(const struct level *l)
{
    const bool in_order = !l->number && l->before && !store_seeks(l->before); /* all rows of a slice are decoded together */
    return in_order ? l->array.size[1] : l->array.chunk[1];
}

/* Chooses as many rows of a layer of chunks as memory holds, and allocates the band. */
static int choose_rows(const struct pack *p, struct level *l, struct err *err)
{
    const size_t least = least_rows(l);
    char needed[32];
    for (l->rows = l->array.size[1]; l->rows > least && fixed_bytes(p, l) + band_bytes(p, l, l->rows) > p->d->memory;)
        l->rows = (l->rows - 1) / least * least;
    if (l->rows < least) l->rows = least;
    const uint64_t all = band_bytes(p, l, l->rows);
    const uint64_t band = (uint64_t)l->array.size[0] * l->rows * l->array.chunk[2] * voxel_bytes(l->array.type);
    l->band = malloc((size_t)band);
    l->input = all > band ? malloc((size_t)(all - band)) : NULL;
    if (l->band && (l->input || all == band)) return ERR_NONE;
    return err_set(err, ERR_FAILED, "%s: not enough memory for bands of it (%s)", p->volume->name,
                   text_bytes(needed, (double)all));
}

static int tell(struct pack *p, double voxels, struct err *err)
{
    p->done += voxels;
    if (progress_tell(&p->d->progress, p->done / p->all)) return ERR_NONE;
    return err_set(err, ERR_FAILED, "%s: cancelled; nothing was written", p->path);
}

/* Writes the level layer by layer, each band by band. */
static int write_bands(struct pack *p, struct level *l, struct err *err)
{
    struct pack_array *a = &l->array;
    const size_t depth = a->chunk[2], layers = (a->size[2] - 1) / depth + 1;
    int code = ERR_NONE;
    for (size_t layer = 0; layer < layers && !code; layer++) {
        for (size_t row = 0; row < a->size[1] && !code; row += l->rows) {
            const struct store_rows rows = { layer * depth, min_size(depth, a->size[2] - layer * depth), row,
                                             min_size(l->rows, a->size[1] - row) };
            code = fill_band(p, l, &rows, err);
            if (!code) code = pack_array_add(a, layer, row, rows.rows, l->band, err);
            if (!code) code = tell(p, (double)a->size[0] * (double)rows.rows * (double)rows.slices, err);
        }
        if (!code && ((layer + 1) % a->shard[2] == 0 || layer + 1 == layers)) code = pack_array_end(a, layer, err);
    }
    return code;
}

static int write_level(struct pack *p, struct level *l, struct err *err)
{
    char name[16];
    snprintf(name, sizeof name, "%d", l->number);
    const int made = mkdirat(p->folder, name, 0777);
    const int folder = made ? -1 : openat(p->folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return err_set(err, ERR_FAILED, "%s: cannot make a folder in it: %s", p->path, strerror(errno));
    int code = choose_rows(p, l, err);
    if (!code) code = pack_array_open(&l->array, folder, p->threads, err);
    if (!code) code = write_bands(p, l, err);
    p->result->bytes += l->array.bytes;
    p->result->files += l->array.files;
    pack_array_close(&l->array);
    free(l->band);
    free(l->input);
    close(folder);
    return code;
}

/* ---- all levels -------------------------------------------------------------------------------------------------- */

static bool halve(size_t size[3])
{
    const bool more = size[0] > COARSEST || size[1] > COARSEST || size[2] > COARSEST;
    for (int a = 0; a < 3 && more; a++) size[a] = (size[a] + 1) / 2;
    return more;
}

static bool is_real(const struct volume *v) { return v->slope != 1 || v->intercept != 0; }

static struct level plan_level(const struct pack *p, int number, const struct store *before, const size_t size[3])
{
    struct level l = { .number = number, .before = before, .real = is_real(p->volume) && !number };
    pack_array_plan(&l.array, p->path, p->result->type, size);
    return l;
}

/* Checks the memory for all levels before anything is written. */
static int check_memory(const struct pack *p, struct err *err)
{
    size_t size[3] = { p->volume->grid.nx, p->volume->grid.ny, p->volume->grid.nz };
    char needed[32], given[32], memory[32];
    uint64_t most = 0;
    int number = 0;
    do {
        const struct level l = plan_level(p, number, number ? NULL : p->d->store, size);
        const uint64_t need = fixed_bytes(p, &l) + band_bytes(p, &l, least_rows(&l));
        most = need > most ? need : most;
        number++;
    } while (halve(size));
    if (!p->d->store || most <= p->d->memory) return ERR_NONE;
    err_set(err, ERR_FAILED, "%s: even band by band this takes %s of memory, but only %s is allowed", p->volume->name,
            text_bytes(needed, (double)most), text_bytes(given, (double)p->d->memory));
    err_advise(err, "give --memory %s or more", text_memory(memory, most));
    return ERR_FAILED;
}

static int write_levels(struct pack *p, struct err *err)
{
    const struct volume *v = p->volume;
    size_t size[3] = { v->grid.nx, v->grid.ny, v->grid.nz };
    struct store store = { .component = 0 };
    int code = ERR_NONE, number = 0;
    do {
        struct level l = plan_level(p, number, number ? &store : p->d->store, size);
        code = write_level(p, &l, err);
        if (number) store_close(&store);
        if (!code) { /* the next level is made from it */
            char path[PATH_MAX + 16];
            bool is;
            snprintf(path, sizeof path, "%s/%d", p->place, number++);
            code = load_store(&store, path, &(struct load_desc){ .frame = 0 }, &is, err);
        }
    } while (!code && halve(size));
    if (!code) store_close(&store);
    p->result->levels = number;
    return code ? code : pack_json_image(p->folder, p->path, v, number, err);
}

/* ---- the folder -------------------------------------------------------------------------------------------------- */

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *at)
{
    (void)status, (void)kind, (void)at;
    return remove(path);
}

static int refuse_existing(const char *path, struct err *err)
{
    err_set(err, ERR_USAGE, "%s already exists", path);
    err_advise(err, "choose another name, or delete it first");
    return ERR_USAGE;
}

/* Sets `target` to the path without slashes at its end, which must be free. A link that leads nowhere is in the way, too. */
static int find_target(char target[PATH_MAX], const char *path, struct err *err)
{
    struct stat any;
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/') n--;
    errno = ENAMETOOLONG;
    if (snprintf(target, PATH_MAX, "%.*s", (int)n, path) >= PATH_MAX) return file_refuse(path, "written", err);
    return lstat(target, &any) ? replace_check(target, err) : refuse_existing(path, err);
}

int pack_check(const char *path, struct err *err)
{
    char target[PATH_MAX];
    return find_target(target, path, err);
}

/* Where ids of processes return soon, as in a container, the folder of a killed one may have the name. */
static bool make_place(struct pack *p)
{
    for (int attempt = 0; replace_name(p->place, p->target, attempt); attempt++) {
        if (!mkdir(p->place, 0777)) return true;
        if (errno != EEXIST) return false;
    }
    return false;
}

static int open_place(struct pack *p, struct err *err)
{
    const int code = find_target(p->target, p->path, err);
    if (code) return code;
    const bool made = make_place(p);
    p->folder = made ? open(p->place, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (p->folder >= 0) return ERR_NONE;
    err_set(err, ERR_FAILED, "%s: cannot make a folder beside it: %s", p->path, strerror(errno));
    if (made) (void)rmdir(p->place);
    return ERR_FAILED;
}

static int give_name(const struct pack *p, struct err *err)
{
    if (!renameat2(AT_FDCWD, p->place, AT_FDCWD, p->target, RENAME_NOREPLACE)) return ERR_NONE;
    if (errno == EINVAL && access(p->path, F_OK) && !rename(p->place, p->target))
        return ERR_NONE; /* not every file system */
    return errno == EEXIST ? refuse_existing(p->path, err) : file_refuse(p->path, "named so", err);
}

/* Gives the folder its name, or removes it. */
static int close_place(struct pack *p, int code, struct err *err)
{
    if (!code && !file_sync(p->folder)) /* the files in it are on the disk already */
        code = file_refuse(p->path, "written", err);
    close(p->folder);
    if (!code) code = give_name(p, err);
    if (code) nftw(p->place, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return code ? code : replace_sync_folder(p->target, p->path, err);
}

/* The most by which float32 may round real values of whole stored ones, as a share of the distance between two of them. */
static double rounded_share(const struct volume *v)
{
    static const double most[VOXEL_TYPE_COUNT] = {
        [VOXEL_UINT8] = UINT8_MAX, [VOXEL_INT8] = -INT8_MIN, [VOXEL_UINT16] = UINT16_MAX, [VOXEL_INT16] = -INT16_MIN
    };
    const double value = fabs(v->slope) * most[v->grid.type] + fabs(v->intercept);
    return v->grid.type == VOXEL_FLOAT32 ? 0 : value * (FLT_EPSILON / 2) / fabs(v->slope);
}

/* Notes what OME-Zarr 0.5 cannot express. */
static void note_losses(const struct pack *p)
{
    enum { PERCENT = 1 }; /* even an intercept of 0 costs 16 bits 0.4 */
    const char *seen = ome_space_seen(p->volume);
    const double percent = 100 * rounded_share(p->volume);
    if (is_real(p->volume)) text_note(p->result->note, "real values, as float32");
    if (is_real(p->volume) && percent >= PERCENT)
        text_note(p->result->note, "float32 rounds them by up to %.2g %% of the distance between two stored values",
                  percent);
    if (seen)
        text_note(p->result->note,
                  "other programs will see it %s, and so elsewhere: OME-Zarr 0.5 has no directions of axes, which isoscope "
                  "keeps in an attribute of its own",
                  seen);
}

static double count_voxels(const struct volume *v)
{
    size_t size[3] = { v->grid.nx, v->grid.ny, v->grid.nz };
    double all = 0;
    do all += (double)size[0] * (double)size[1] * (double)size[2];
    while (halve(size));
    return all;
}

int pack_write(const struct pack_desc *desc, const char *path, struct pack_result *result, struct err *err)
{
    struct pack p = { .d = desc, .path = path, .folder = -1, .result = result };
    p.volume = desc->store ? &desc->store->volume : desc->volume;
    p.threads = desc->threads ? desc->threads : omp_get_max_threads();
    p.all = count_voxels(p.volume);
    *result = (struct pack_result){ .levels = 0 };
    result->type = is_real(p.volume) ? VOXEL_FLOAT32 : p.volume->grid.type;
    int code = check_memory(&p, err);
    if (!code) code = open_place(&p, err);
    if (code) return code;
    note_losses(&p);
    code = write_levels(&p, err);
    return close_place(&p, code, err);
}
