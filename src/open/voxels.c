#include "voxels.h"

#include "decode.h"
#include "direct.h"
#include "text.h"
#include "zarr.h"
#include "kernels/transpose.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define PIECE ((size_t)4 << 20)    /* bytes of voxels between two reports of progress */
#define BUFFER ((size_t)256 << 10) /* of values that are converted or chosen from at once */
#define SLAB 64                    /* bytes along x that are reordered at once: a cache line */

typedef unsigned long long ull; /* for printf */

struct reading {
    struct decoder decoder;
    const struct layout *layout;
    const struct load_desc *desc;
    int spatial[3];              /* which axes are x, y, z, in the order of the file */
    uint64_t stride[AXIS_COUNT]; /* distance in the file, in values, of neighbours along each axis */
    uint64_t run;                /* consecutive voxels, without values of other frames or components in between */
    size_t interleave; /* distance in values of two voxels in a run: the number of components if these vary fastest */
    bool swap, convert;
    bool direct;              /* all threads read, */
    uint64_t step;            /* every step-th voxel along each axis */
    uint64_t all, most;       /* bytes of the volume with all its voxels; bytes that it may have */
    uint64_t at;              /* voxels read, in the order of the file */
    uint64_t lost;            /* values that do not fit a float */
    uint64_t chunks, missing; /* of a Zarr array: all, and those that are missing */
    uint8_t *scratch;         /* BUFFER bytes; owned */
};

/* ---- voxels in the order of the file ------------------------------------------------------------------------------- */

static bool is_spatial(int axis) { return axis == AXIS_X || axis == AXIS_Y || axis == AXIS_Z; }

static void plan(struct reading *r)
{
    const struct layout *layout = r->layout;
    uint64_t stride = 1;
    bool contiguous = true;
    r->interleave = 1;
    r->run = 1;
    for (int i = 0, s = 0; i < AXIS_COUNT; i++) {
        const int axis = layout->order[i];
        const uint64_t n = layout->size[axis];
        r->stride[axis] = stride;
        if (is_spatial(axis)) r->spatial[s++] = axis;
        if (axis == AXIS_COMPONENT && stride == 1) r->interleave = (size_t)n;
        else if (!is_spatial(axis) && n > 1) contiguous = false;
        else if (contiguous) r->run *= n;
        stride *= n;
    }
}

/* Position in the file, in values, of the first voxel of a run. If components are interleaved, of the voxel's first
 * component. */
static uint64_t run_position(const struct reading *r)
{
    uint64_t position = r->stride[AXIS_FRAME] * r->desc->frame, index = r->at;
    if (r->interleave == 1) position += r->stride[AXIS_COMPONENT] * r->desc->component;
    for (int s = 0; s < 3; s++) {
        const uint64_t n = r->layout->size[r->spatial[s]];
        position += index % n * r->stride[r->spatial[s]];
        index /= n;
    }
    return position;
}

/* Collects the values of the chosen component at the front. */
static void choose_component(const struct reading *r, uint8_t *values, size_t n)
{
    const size_t bytes = r->layout->type->bytes;
    stored_type_thin(values, values + r->desc->component * bytes, n, r->interleave, bytes);
}

/* Reads n voxels within a run. */
static int read_piece(struct reading *r, uint8_t *to, size_t n, struct err *err)
{
    const struct stored_type *type = r->layout->type;
    uint8_t *raw = r->convert || r->interleave > 1 ? r->scratch : to;
    const int code = decode_read(&r->decoder, raw, n * r->interleave * type->bytes, err);
    if (code) return code;
    if (r->interleave > 1) choose_component(r, raw, n);
    if (r->swap) stored_type_swap(raw, n, type->bytes);
    if (r->convert) r->lost += stored_type_to_float(type, raw, (float *)to, n, r->layout->slope < 0);
    else if (raw != to) memcpy(to, raw, n * type->bytes);
    r->at += n;
    const struct progress *progress = &r->desc->progress;
    const uint64_t total = r->layout->size[0] * r->layout->size[1] * r->layout->size[2];
    if (progress->step && !progress->step(progress->context, (double)r->at / (double)total))
        return err_set(err, ERR_FAILED, "cancelled");
    return ERR_NONE;
}

/* Reads the next n voxels in the order of the file. */
static int read_next(struct reading *r, uint8_t *to, size_t n, struct err *err)
{
    const size_t bytes = r->layout->type->bytes, step = r->convert ? sizeof(float) : bytes;
    const bool buffered = r->convert || r->interleave > 1;
    assert(r->interleave); /* plan() sets it */
    const size_t most = (buffered ? BUFFER : PIECE) / (bytes * r->interleave);
    while (n) {
        const uint64_t left = r->run - r->at % r->run;
        size_t piece = n < left ? n : (size_t)left;
        if (piece > most) piece = most;
        int code = decode_seek(&r->decoder, run_position(r) * bytes, err);
        if (!code) code = read_piece(r, to, piece, err);
        if (code) return code;
        to += piece * step;
        n -= piece;
    }
    return ERR_NONE;
}

/* ---- axes in other orders ------------------------------------------------------------------------------------------ */

static size_t stride_in(const struct grid *g, int axis)
{
    return axis == AXIS_X ? 1 : axis == AXIS_Y ? g->nx : g->nx * g->ny;
}

/* For files in which x varies fastest, then z: puts each row in its place. */
static int read_rows(struct reading *r, const struct grid *g, struct err *err)
{
    const size_t bytes = voxel_bytes(g->type);
    int code = ERR_NONE;
    for (size_t y = 0; y < g->ny && !code; y++)
        for (size_t z = 0; z < g->nz && !code; z++)
            code = read_next(r, (uint8_t *)g->voxels + (z * g->ny + y) * g->nx * bytes, g->nx, err);
    return code;
}

struct slab {         /* some positions along x, with the whole fastest axis and, if x is slowest, the whole middle axis */
    uint8_t *values;  /* for each step along the other axis, a matrix to transpose */
    size_t from, n;   /* positions along x */
    size_t at, steps; /* along the other axis; if x is in the middle: one step of the slowest */
    size_t columns;   /* along the fastest axis */
};

/* Transposes the values into their places. Returns 0, or the backend's code. */
static int store_slab(const struct reading *r, const struct grid *g, const struct slab *slab, struct exec *x)
{
    const struct transpose_rung *rung = (const void *)ladder_find(ladder_of("transpose"), BACKEND_CPU, NULL);
    const int fastest = r->spatial[0], other = r->spatial[1] == AXIS_X ? r->spatial[2] : r->spatial[1];
    const size_t bytes = voxel_bytes(g->type);
    int code = 0;
    for (size_t i = 0; i < slab->steps && !code; i++) {
        const struct transpose_desc desc = {
            .from = slab->values + i * slab->columns * bytes,
            .to = (uint8_t *)g->voxels + ((slab->at + i) * stride_in(g, other) + slab->from) * bytes,
            .rows = slab->n,
            .columns = slab->columns,
            .from_pitch = slab->steps * slab->columns,
            .to_pitch = stride_in(g, fastest),
            .bytes = (unsigned)bytes,
        };
        code = rung->run(&desc, x);
    }
    return code;
}

static int read_slab(struct reading *r, const struct grid *g, const struct slab *slab, struct exec *x, struct err *err)
{
    const int code = read_next(r, slab->values, slab->n * slab->steps * slab->columns, err);
    const int refused = code ? 0 : store_slab(r, g, slab, x);
    if (!refused) return code;
    return err_set(err, ERR_FAILED, "%s: its axes: %s", source_name(r->decoder.header), backend_cpu.explain(refused));
}

/* For files in which x does not vary fastest: reads as many positions along x at a time as fill a cache line. */
static int read_slabs(struct reading *r, const struct grid *g, struct err *err)
{
    const bool middle = r->spatial[1] == AXIS_X;
    const size_t bytes = voxel_bytes(g->type), rounds = middle ? (size_t)r->layout->size[r->spatial[2]] : 1;
    const size_t line = middle ? g->nx : SLAB / bytes, most = line < g->nx ? line : g->nx;
    struct slab slab = { .steps = middle ? 1 : (size_t)r->layout->size[r->spatial[1]],
                         .columns = (size_t)r->layout->size[r->spatial[0]] };
    const size_t need = most * slab.steps * slab.columns * bytes;
    struct exec x;
    slab.values = need <= r->decoder.memory ? malloc(need) : NULL;
    if (!slab.values || backend_cpu.open(&x, -1, 0)) {
        char needed[32];
        free(slab.values);
        return err_set(err, ERR_FAILED, "%s: not enough memory to reorder its axes: %s needed",
                       source_name(r->decoder.header), text_bytes(needed, (double)need));
    }
    int code = ERR_NONE;
    for (; slab.at < rounds && !code; slab.at++)
        for (slab.from = 0; slab.from < g->nx && !code; slab.from += most) {
            slab.n = g->nx - slab.from < most ? g->nx - slab.from : most;
            code = read_slab(r, g, &slab, &x, err);
        }
    backend_cpu.close(&x);
    free(slab.values);
    return code;
}

static bool is_ordered(const struct reading *r)
{
    return !r->layout->zarr && r->spatial[0] == AXIS_X && r->spatial[1] == AXIS_Y;
}

bool voxels_are_ordered(const struct layout *layout)
{
    const struct load_desc any = { .frame = 0 };
    struct reading r = { .layout = layout, .desc = &any };
    plan(&r);
    return is_ordered(&r);
}

bool voxels_are_direct(const struct layout *layout)
{
    const struct load_desc any = { .frame = 0 };
    struct reading r = { .layout = layout, .desc = &any };
    plan(&r);
    return is_ordered(&r) && layout->encoding == ENCODING_BINARY && !layout->compression && layout->part_count == 1 &&
           r.interleave == 1 && r.run == layout->size[AXIS_X] * layout->size[AXIS_Y] * layout->size[AXIS_Z];
}

/* How to read the voxels that r describes. */
static struct direct direct_of(const struct reading *r)
{
    const struct stored_type *type = r->layout->type;
    return (struct direct){
        .offset = r->layout->parts[0].offset + r->layout->skip + run_position(r) * type->bytes,
        .type = type,
        .swap = r->swap,
        .convert = r->convert,
        .negate = r->layout->slope < 0,
        .threads = r->desc->threads,
    };
}

/* Reads every r->step-th voxel directly. */
static int read_direct(struct reading *r, const struct grid *g, struct err *err)
{
    struct source part;
    int code = layout_open_part(r->layout, 0, r->decoder.header, &part, err);
    if (code) return code;
    struct direct direct = direct_of(r);
    direct.source = &part, direct.to = (void *)g->voxels, direct.values = grid_voxels(g);
    direct.lost = &r->lost, direct.progress = &r->desc->progress;
    const uint64_t *size = r->layout->size;
    const struct direct_box thin = { .dims = { size[0], size[1], size[2] },
                                     .step = r->step,
                                     .size = { g->nx, g->ny, g->nz } };
    code = r->step > 1 ? direct_read_box(&direct, &thin, err) : direct_read(&direct, err);
    if (!r->layout->trailer) r->decoder.rest = r->layout->parts[0].bytes - r->layout->skip - layout_bytes(r->layout);
    layout_close_part(r->layout, 0, &part);
    return code;
}

/* Reads every r->step-th voxel, row by row. The last row is always read, to detect a file that was cut off. */
static int read_thin(struct reading *r, const struct grid *g, struct err *err)
{
    const size_t nx = (size_t)r->layout->size[AXIS_X], ny = (size_t)r->layout->size[AXIS_Y],
                 nz = (size_t)r->layout->size[AXIS_Z];
    const size_t bytes = voxel_bytes(g->type), step = (size_t)r->step;
    uint8_t *row = malloc(nx * bytes), *to = (void *)g->voxels;
    int code = row ? ERR_NONE : err_set(err, ERR_FAILED, "%s: not enough memory for a row", source_name(r->decoder.header));
    for (size_t i = 0; i < ny * nz && !code; i++) {
        const bool kept = i % ny % step == 0 && i / ny % step == 0;
        r->at = (uint64_t)i * nx;
        if (kept || i + 1 == ny * nz) code = read_next(r, row, nx, err);
        if (!kept || code) continue;
        stored_type_thin(to, row, g->nx, step, bytes);
        to += g->nx * bytes;
    }
    free(row);
    return code;
}

/* Chunks are put in their places, whatever the order of the axes. */
static int read_zarr_chunks(struct reading *r, const struct grid *g, struct err *err)
{
    struct zarr_box box = {
        .size = { g->nx, g->ny, g->nz },
        .component = r->desc->component,
        .frame = r->desc->frame,
        .to = (void *)g->voxels,
        .threads = r->desc->threads,
        .memory = r->decoder.memory,
        .progress = &r->desc->progress,
    };
    const int code = zarr_read(r->layout->zarr, &box, err);
    r->lost = box.lost;
    r->chunks = box.chunks, r->missing = box.missing;
    return code;
}

static int read_all(struct reading *r, const struct grid *g, struct err *err)
{
    if (r->layout->zarr) return read_zarr_chunks(r, g, err);
    if (r->direct) return read_direct(r, g, err);
    if (r->step > 1) return read_thin(r, g, err);
    if (r->spatial[0] != AXIS_X) return read_slabs(r, g, err);
    if (!is_ordered(r)) return read_rows(r, g, err);
    return read_next(r, (uint8_t *)g->voxels, grid_voxels(g), err);
}

/* ---- the volume ---------------------------------------------------------------------------------------------------- */

/* Interleaved components have to fit the buffer that read_next chooses one from. */
static int check_interleave(const struct reading *r, const char *name, struct err *err)
{
    const size_t most = BUFFER / r->layout->type->bytes;
    if (r->layout->zarr || r->interleave <= most) return ERR_NONE;
    return err_set(err, ERR_INPUT, "%s: %zu components; at most %zu can be read", name, r->interleave, most);
}

static int check_choice(const struct layout *layout, const struct load_desc *desc, const char *name, struct err *err)
{
    static const char *const what[] = { "component", "frame" };
    const uint64_t asked[] = { desc->component, desc->frame };
    if (desc->level && !layout->zarr) /* whose reader has chosen it */
        return err_set(err, ERR_USAGE, "%s: --level %llu: the file has only one level", name, (ull)desc->level);
    for (int i = 0; i < 2; i++) {
        const ull n = layout->size[AXIS_COMPONENT + i];
        if (asked[i] < n) continue;
        if (n == 1) return err_set(err, ERR_USAGE, "%s: --%s %llu: the file has only one", name, what[i], (ull)asked[i]);
        return err_set(err, ERR_USAGE, "%s: --%s %llu: the file has 0 to %llu", name, what[i], (ull)asked[i], n - 1);
    }
    return ERR_NONE;
}

uint64_t voxels_memory(const struct load_desc *desc)
{
    const uint64_t unused = backend_cpu.memory_free();
    return desc->memory ? desc->memory : unused - unused / 4;
}

static const char *ordinal_ending(uint64_t n)
{
    const uint64_t digit = n % 100 / 10 == 1 ? 0 : n % 10;
    return digit == 1 ? "st" : digit == 2 ? "nd" : digit == 3 ? "rd" : "th";
}

static void note_step(struct volume *volume, const struct reading *r)
{
    char all[32], may[32];
    text_note(volume->note, "every %llu%s voxel only", (ull)r->step, ordinal_ending(r->step));
    if (r->all > r->most)
        text_note(volume->note, "all would need %s of memory, and %s may be used", text_bytes(all, (double)r->all),
                  text_bytes(may, (double)r->most));
}

static void describe(struct volume *volume, const struct reading *r, uint64_t rest)
{
    const struct layout *layout = r->layout;
    const struct stored_type *type = layout->type;
    memcpy(volume->direction, layout->direction, sizeof volume->direction);
    memcpy(volume->origin, layout->origin, sizeof volume->origin);
    for (int i = 0; i < 9; i++) volume->direction[i / 3][i % 3] *= (double)r->step;
    volume->slope = layout->slope < 0 ? -layout->slope : layout->slope;
    volume->intercept = layout->intercept;
    memcpy(volume->unit, layout->unit, sizeof volume->unit);
    volume->world = layout->world;
    volume->density = layout->density;
    volume->frames = layout->size[AXIS_FRAME];
    volume->components = layout->size[AXIS_COMPONENT];
    volume->step = r->step;
    for (int a = 0; a < 3; a++) {
        volume->all[a] = layout->all[a] ? layout->all[a] : layout->size[a]; /* x, y and z come first */
        volume->every[a] = layout->every[a] * (double)r->step;
        volume->first[a] = layout->first[a];
    }
    volume->finer = r->step > 1 || layout->finer;
    if (r->step > 1) note_step(volume, r);
    if (volume->frames > 1 && !r->desc->every_frame)
        text_note(volume->note, "frame %llu of %llu, counted from 0", (ull)r->desc->frame, (ull)volume->frames);
    if (volume->components > 1)
        text_note(volume->note, "component %llu of %llu, counted from 0", (ull)r->desc->component, (ull)volume->components);
    if (rest) text_note(volume->note, "%llu %s after the voxels ignored", (ull)rest, text_word(rest, "byte", "bytes"));
    if (type->convert) text_note(volume->note, "%s values converted to float32", type->name);
    if (r->lost) text_note(volume->note, "%llu of them %s", (ull)r->lost, type->loss);
    volume->missing = r->missing;
    if (r->missing)
        text_note(volume->note, "%llu of %llu chunks %s as the fill value", (ull)r->missing, (ull)r->chunks,
                  text_word(r->missing, "is not there and counts", "are not there and count"));
    if (*layout->note) text_note(volume->note, "%s", layout->note);
}

/* Checks that the volume, which needs `need` bytes, fits, and sets *left to what reading may take. */
static int check_memory(const struct layout *layout, const struct load_desc *desc, const char *name, uint64_t need,
                        uint64_t *left, struct err *err)
{
    const uint64_t most = voxels_memory(desc);
    char needed[32], may[32], least[32], more[64] = "free some, or allow more with --memory";
    *left = most - need;
    if (need <= most) return ERR_NONE;
    err_set(err, ERR_FAILED, "%s: %llu x %llu x %llu voxels need %s of memory, but only %s %s", name, (ull)layout->size[0],
            (ull)layout->size[1], (ull)layout->size[2], text_bytes(needed, (double)need), text_bytes(may, (double)most),
            desc->memory ? "is allowed" : "may be used, 75 % of what is free");
    const char *const coarser = !layout->zarr ? ""
                                : desc->level_given
                                    ? ", or choose a coarser --level"
                                    : ", or make a copy that has coarser levels: isoscope pack FILE -o COPY.zarr";
    if (desc->memory) snprintf(more, sizeof more, "give --memory %s or more", text_memory(least, need));
    err_advise(err, "%s%s", more, coarser);
    return err_blame(err, ERR_FAILED, CAUSE_VOLUME);
}

/* Bytes of slices in the file. For a disk, every n-th row of a slice means reading most of the slice. */
static uint64_t slices_bytes(const struct layout *layout, uint64_t slices)
{
    return layout->size[0] * layout->size[1] * slices * layout->type->bytes;
}

/* Sets `dims`, and the step with which voxels are read. */
static void choose_step(struct reading *r, enum voxel_type type, uint64_t dims[3])
{
    const uint64_t *size = r->layout->size, bytes = voxel_bytes(type);
    r->all = volume_bytes(size, bytes), r->most = voxels_memory(r->desc);
    const bool ordered = is_ordered(r);
    r->step = ordered && r->desc->step > 1 ? r->desc->step : 1;
    const bool thins = ordered && r->desc->thins && r->all > r->most;
    const uint64_t reads = r->direct && r->desc->thin_read ? r->desc->thin_read : UINT64_MAX;
    for (;; r->step++) {
        for (int a = 0; a < 3; a++) dims[a] = (size[a] + r->step - 1) / r->step;
        const bool fits = volume_bytes(dims, bytes) <= r->most / 2 && slices_bytes(r->layout, dims[2]) <= reads;
        if (!thins || fits || dims[0] * dims[1] * dims[2] == 1) return;
    }
}

/* Plans how to read what `desc` chooses. */
static struct reading reading_of(const struct layout *layout, const struct load_desc *desc)
{
    struct reading r = { .layout = layout, .desc = desc, .step = 1 };
    plan(&r);
    r.convert = layout->type->convert || layout->slope < 0;
    r.swap = !layout->zarr && !decode_native(layout) && layout->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    return r;
}

int voxels_describe(struct volume *volume, struct direct *direct, const struct layout *layout, const struct source *header,
                    const struct load_desc *desc, struct err *err)
{
    const struct reading r = reading_of(layout, desc);
    const char *name = source_name(header);
    memset(volume, 0, sizeof *volume);
    int code = check_choice(layout, desc, name, err);
    if (!code && !layout->zarr) code = decode_check(layout, name, err);
    if (!code) code = check_interleave(&r, name, err);
    if (code) return code;
    volume->grid = (struct grid){ NULL, r.convert ? VOXEL_FLOAT32 : layout->type->voxel, layout->size[AXIS_X],
                                  layout->size[AXIS_Y], layout->size[AXIS_Z] };
    describe(volume, &r, voxels_are_direct(layout) ? layout->parts[0].bytes - layout->skip - layout_bytes(layout) : 0);
    if (!layout->zarr) *direct = direct_of(&r);
    return ERR_NONE;
}

int voxels_read(struct volume *volume, const struct layout *layout, struct source *header, const struct load_desc *desc,
                struct err *err)
{
    const char *name = source_name(header);
    struct reading r = reading_of(layout, desc);
    memset(volume, 0, sizeof *volume);
    const enum voxel_type type = r.convert ? VOXEL_FLOAT32 : layout->type->voxel;
    uint64_t memory = 0, dims[3];
    r.direct = voxels_are_direct(layout) && (layout->parts[0].path || header->file);
    choose_step(&r, type, dims);
    int code = check_choice(layout, desc, name, err);
    if (!code && !layout->zarr) code = decode_check(layout, name, err);
    if (!code) code = check_interleave(&r, name, err);
    if (!code) code = check_memory(layout, desc, name, volume_bytes(dims, voxel_bytes(type)), &memory, err);
    if (!code) code = volume_alloc(volume, type, dims, err);
    if (code) return code;
    if (layout->zarr) r.decoder = (struct decoder){ .header = header, .memory = memory };
    else decode_open(&r.decoder, layout, header, memory);
    r.scratch = malloc(BUFFER);
    code = r.scratch ? read_all(&r, &volume->grid, err)
                     : err_set(err, ERR_FAILED, "%s: not enough memory for a read buffer", name);
    decode_close(&r.decoder);
    free(r.scratch);
    if (code) volume_free(volume);
    else describe(volume, &r, r.decoder.rest);
    return code;
}

/* ---- slice by slice ------------------------------------------------------------------------------------------------ */

struct voxels_slices {
    struct reading reading;
    struct load_desc desc;
    struct source *header;
    uint64_t memory;
};

int voxels_slices_open(struct voxels_slices **slices, const struct layout *layout, struct source *header,
                       const struct load_desc *desc, uint64_t memory, struct err *err)
{
    struct voxels_slices *s = calloc(1, sizeof *s);
    uint8_t *scratch = malloc(BUFFER);
    if (!s || !scratch) {
        free(s), free(scratch);
        return err_set(err, ERR_FAILED, "%s: not enough memory for a read buffer", source_name(header));
    }
    s->desc = *desc, s->desc.progress = (struct progress){ NULL, NULL };
    s->header = header, s->memory = memory;
    s->reading = reading_of(layout, &s->desc);
    s->reading.scratch = scratch;
    decode_open(&s->reading.decoder, layout, header, memory);
    *slices = s;
    return ERR_NONE;
}

int voxels_slices_read(struct voxels_slices *slices, size_t from, size_t n, void *to, struct err *err)
{
    struct reading *r = &slices->reading;
    const size_t slice = (size_t)(r->layout->size[AXIS_X] * r->layout->size[AXIS_Y]);
    r->at = (uint64_t)from * slice;
    if (r->decoder.at > run_position(r) * r->layout->type->bytes) {
        decode_close(&r->decoder);
        decode_open(&r->decoder, r->layout, slices->header, slices->memory);
    }
    return read_next(r, to, n * slice, err);
}

void voxels_slices_close(struct voxels_slices *slices)
{
    if (!slices) return;
    decode_close(&slices->reading.decoder);
    free(slices->reading.scratch);
    free(slices);
}
