#include "voxels.h"
#include "text.h"
#include "kernels/transpose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define PIECE ((size_t)4 << 20)    /* bytes of voxels between two reports of progress */
#define BUFFER ((size_t)256 << 10) /* packed input, and room to convert in */
#define SLAB 64                    /* bytes of a row along x that are put in order at once: a line of the cache */
#define MAX_INFLATION 1032         /* no deflate stream grows more: 258 bytes from 2 bits */

/* ---- types ------------------------------------------------------------------------------------------------------- */

/* From the highest set bit to the lowest: a float holds 24. */
static int significant_bits(uint64_t magnitude)
{
    return magnitude ? 64 - __builtin_clzll(magnitude) - __builtin_ctzll(magnitude) : 0;
}

/* NOLINTBEGIN(bugprone-macro-parentheses): types */
#define CONVERT(name, from_type, is_lost)                     \
    static size_t name(const void *from, float *to, size_t n) \
    {                                                         \
        const from_type *values = from;                       \
        size_t lost = 0;                                      \
        for (size_t i = 0; i < n; i++) {                      \
            const from_type value = values[i];                \
            to[i] = (float)value;                             \
            lost += is_lost;                                  \
        }                                                     \
        return lost;                                          \
    }
/* NOLINTEND(bugprone-macro-parentheses) */

CONVERT(from_int32, int32_t, significant_bits(value < 0 ? 0 - (uint64_t)value : (uint64_t)value) > 24)
CONVERT(from_uint32, uint32_t, significant_bits(value) > 24)
CONVERT(from_int64, int64_t, significant_bits(value < 0 ? 0 - (uint64_t)value : (uint64_t)value) > 24)
CONVERT(from_uint64, uint64_t, significant_bits(value) > 24)
CONVERT(from_float64, double, isinf(to[i]) && !isinf(value))

/* clang-format off */
const struct stored_type stored_types[] = {
    { "uint8", 1, VOXEL_UINT8, NULL, { "uint8_t", "u8", "uchar", "unsigned char", "ubyte" } },
    { "int8", 1, VOXEL_INT8, NULL, { "int8_t", "i8", "s8", "signed char" } }, /* plain "char" has no fixed sign */
    { "uint16", 2, VOXEL_UINT16, NULL, { "uint16_t", "u16", "ushort", "unsigned short", "unsigned short int" } },
    { "int16", 2, VOXEL_INT16, NULL,
      { "int16_t", "i16", "s16", "short", "short int", "signed short", "signed short int" } },
    { "float32", 4, VOXEL_FLOAT32, NULL, { "float", "f32" } },
    { "int32", 4, VOXEL_FLOAT32, from_int32, { "int32_t", "i32", "s32", "int", "signed int" } },
    { "uint32", 4, VOXEL_FLOAT32, from_uint32, { "uint32_t", "u32", "uint", "unsigned int" } },
    { "int64", 8, VOXEL_FLOAT32, from_int64,
      { "int64_t", "i64", "s64", "longlong", "long long", "long long int", "signed long long",
        "signed long long int" } },
    { "uint64", 8, VOXEL_FLOAT32, from_uint64,
      { "uint64_t", "u64", "ulonglong", "unsigned long long", "unsigned long long int" } },
    { "float64", 8, VOXEL_FLOAT32, from_float64, { "double", "f64" } },
    { 0 },
};
/* clang-format on */

const struct stored_type *stored_type_find(const char *name)
{
    for (const struct stored_type *type = stored_types; type->name; type++) {
        if (text_same(name, type->name)) return type;
        for (int i = 0; type->spellings[i]; i++)
            if (text_same(name, type->spellings[i])) return type;
    }
    return NULL;
}

const char *stored_type_list(void) { return "uint8 int8 uint16 int16 float32 int32 uint32 int64 uint64 float64"; }

static void swap_bytes(void *bytes, size_t n, size_t size)
{
    if (size == 2) {
        uint16_t *p = bytes; /* voxels and buffers come from malloc: aligned */
        for (size_t i = 0; i < n; i++) p[i] = __builtin_bswap16(p[i]);
    } else if (size == 4) {
        uint32_t *p = bytes;
        for (size_t i = 0; i < n; i++) p[i] = __builtin_bswap32(p[i]);
    } else if (size == 8) {
        uint64_t *p = bytes;
        for (size_t i = 0; i < n; i++) p[i] = __builtin_bswap64(p[i]);
    }
}

/* ---- the stream of unpacked bytes -------------------------------------------------------------------------------- */

struct stream {
    struct source *source;
    bool gzip;
    bool ended; /* gzip: the last member is complete and its checksum was right */
    z_stream z;
    uint8_t *input;   /* BUFFER bytes, packed */
    uint8_t *scratch; /* BUFFER bytes, to convert and to skip in */
};

static void stream_close(struct stream *stream)
{
    if (stream->gzip) inflateEnd(&stream->z);
    free(stream->input);
}

static int stream_open(struct stream *stream, struct source *source, bool gzip, struct err *err)
{
    *stream = (struct stream){ .source = source };
    stream->input = malloc(2 * BUFFER);
    if (!stream->input) return err_set(err, ERR_FAILED, "%s: no memory for a read buffer", source_name(source));
    stream->scratch = stream->input + BUFFER;
    if (gzip && inflateInit2(&stream->z, 15 + 16) != Z_OK) { /* 16: gzip, nothing else */
        free(stream->input);
        return err_set(err, ERR_FAILED, "%s: no memory to unpack gzip data", source_name(source));
    }
    stream->gzip = gzip;
    return ERR_NONE;
}

static bool refill(struct stream *stream)
{
    z_stream *z = &stream->z;
    /* The rest moves to the front: the two magic bytes of a next member must be seen together. */
    memmove(stream->input, z->next_in ? z->next_in : stream->input, z->avail_in);
    const size_t got = source_read(stream->source, stream->input + z->avail_in, BUFFER - z->avail_in);
    z->next_in = stream->input;
    z->avail_in += (uInt)got;
    return got > 0;
}

/* At the end of a gzip member: another may follow, and the data is the concatenation of both. */
static void next_member(struct stream *stream)
{
    z_stream *z = &stream->z;
    if (z->avail_in < 2) refill(stream);
    if (z->avail_in >= 2 && z->next_in[0] == 0x1f && z->next_in[1] == 0x8b) inflateReset(z);
    else stream->ended = true;
}

/* Reads up to n (at most PIECE) bytes; *got is less only at the end of the data. */
static int stream_read(struct stream *stream, void *to, size_t n, size_t *got, struct err *err)
{
    if (!stream->gzip) {
        *got = source_read(stream->source, to, n);
        return ERR_NONE;
    }
    z_stream *z = &stream->z;
    z->next_out = to;
    z->avail_out = (uInt)n;
    while (z->avail_out && !stream->ended) {
        if (!z->avail_in && !refill(stream)) break;
        const int status = inflate(z, Z_NO_FLUSH);
        if (status == Z_STREAM_END) next_member(stream);
        else if (status != Z_OK && status != Z_BUF_ERROR)
            return err_set(err, status == Z_MEM_ERROR ? ERR_FAILED : ERR_INPUT, "%s: the gzip data is broken (%s)",
                           source_name(stream->source), z->msg ? z->msg : "cannot be unpacked");
    }
    *got = n - z->avail_out;
    return ERR_NONE;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

struct reading {
    struct stream stream;
    const struct voxels_desc *desc;
    uint64_t done, total; /* bytes of unpacked data, the skipped ones included */
    uint64_t lost;        /* values that no float holds */
};

/* Reads exactly n bytes; the error says how many there were. */
static int read_exactly(struct reading *reading, void *to, size_t n, struct err *err)
{
    size_t got;
    const int code = stream_read(&reading->stream, to, n, &got, err);
    if (code) return code;
    reading->done += got;
    if (got < n)
        return err_set(err, ERR_INPUT, "%s: the %sdata ends after %llu of %llu bytes; the file is cut off",
                       source_name(reading->stream.source), reading->stream.gzip ? "unpacked " : "",
                       (unsigned long long)reading->done, (unsigned long long)reading->total);
    const struct progress *progress = &reading->desc->progress;
    if (progress->step && !progress->step(progress->context, (double)reading->done / (double)reading->total))
        return err_set(err, ERR_FAILED, "cancelled");
    return ERR_NONE;
}

/* Skips desc->skip bytes: seeks in raw data, unpacks packed data. */
static int read_skipped(struct reading *reading, struct err *err)
{
    struct source *source = reading->stream.source;
    if (!reading->stream.gzip) {
        reading->done = reading->desc->skip;
        if (source_seek(source, source->at + reading->desc->skip)) return ERR_NONE;
        return err_set(err, ERR_INPUT, "%s: cannot go to byte %llu", source_name(source),
                       (unsigned long long)(source->at + reading->desc->skip));
    }
    for (uint64_t left = reading->desc->skip; left;) {
        const size_t n = left < BUFFER ? (size_t)left : BUFFER;
        const int code = read_exactly(reading, reading->stream.scratch, n, err);
        if (code) return code;
        left -= n;
    }
    return ERR_NONE;
}

static int read_voxels(struct reading *reading, uint8_t *voxels, size_t count, struct err *err)
{
    const struct stored_type *type = reading->desc->type;
    const bool swap = reading->desc->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    const size_t step = voxel_bytes(type->voxel), most = (type->convert ? BUFFER : PIECE) / type->bytes;
    for (size_t i = 0; i < count;) {
        const size_t n = count - i < most ? count - i : most;
        uint8_t *to = voxels + i * step, *raw = type->convert ? reading->stream.scratch : to;
        const int code = read_exactly(reading, raw, n * type->bytes, err);
        if (code) return code;
        if (swap) swap_bytes(raw, n, type->bytes);
        if (type->convert) reading->lost += type->convert(raw, (float *)to, n);
        i += n;
    }
    return ERR_NONE;
}

/* Copies slices x0 .. x0 + n - 1 across x, in `slab` with z fastest, to their voxels: for each y, transposes a matrix of n rows
 * and nz columns. */
static int store_slab(const struct volume *volume, const uint8_t *slab, size_t x0, size_t n, struct exec *x)
{
    const struct grid *g = &volume->grid;
    const unsigned bytes = (unsigned)voxel_bytes(g->type);
    const struct transpose_rung *rung = (const void *)ladder_find(ladder_of("transpose"), BACKEND_CPU, NULL);
    int code = 0;
    for (size_t y = 0; y < g->ny && !code; y++) {
        const struct transpose_desc desc = {
            .from = slab + y * g->nz * bytes,
            .to = (uint8_t *)g->voxels + (y * g->nx + x0) * bytes,
            .rows = n,
            .columns = g->nz,
            .from_pitch = g->ny * g->nz,
            .to_pitch = g->nx * g->ny,
            .bytes = bytes,
        };
        code = rung->run(&desc, x);
    }
    return code;
}

/* Reads voxels with z fastest, then y: as many slices across x at a time as fill a line of the cache. */
static int read_slabs(struct reading *reading, const struct volume *volume, struct err *err)
{
    const struct grid *g = &volume->grid;
    const size_t slice = g->ny * g->nz, bytes = voxel_bytes(g->type), line = SLAB / bytes;
    const size_t most = line < g->nx ? line : g->nx;
    const char *name = source_name(reading->stream.source);
    struct exec x;
    uint8_t *slab = malloc(most * slice * bytes);
    int code = slab && !backend_cpu.open(&x, -1, 0)
                   ? ERR_NONE
                   : err_set(err, ERR_FAILED, "%s: no memory to reorder its axes: %.1f MiB", name,
                             (double)(most * slice * bytes) / 1048576.0);
    const bool opened = !code;
    for (size_t x0 = 0; x0 < g->nx && !code; x0 += most) {
        const size_t n = g->nx - x0 < most ? g->nx - x0 : most;
        code = read_voxels(reading, slab, n * slice, err);
        const int refused = code ? 0 : store_slab(volume, slab, x0, n, &x);
        if (refused) code = err_set(err, ERR_FAILED, "%s: its axes: %s", name, backend_cpu.explain(refused));
    }
    if (opened) backend_cpu.close(&x);
    free(slab);
    return code;
}

/* Checks the end of the data: gzip must end after the last voxel, with the right checksum. Bytes after that are ignored. */
static int check_end(struct reading *reading, struct volume *volume, struct err *err)
{
    struct stream *stream = &reading->stream;
    const struct source *source = stream->source;
    size_t more = 0;
    if (stream->gzip) {
        const int code = stream_read(stream, stream->scratch, 1, &more, err);
        if (code) return code;
        if (more)
            return err_set(err, ERR_INPUT, "%s: the gzip data holds more than the %llu bytes that its header describes",
                           source_name(source), (unsigned long long)reading->total);
        if (!stream->ended)
            return err_set(err, ERR_INPUT, "%s: the gzip data ends before its checksum; the file is cut off",
                           source_name(source));
    }
    const uint64_t rest = source->size - source->at + stream->z.avail_in;
    if (rest) text_note(volume->note, "%llu bytes after the voxels ignored", (unsigned long long)rest);
    return ERR_NONE;
}

/* Checks the size that the header claims against the bytes of the source, before anything is allocated. */
static int check_claim(const struct source *source, const struct voxels_desc *desc, uint64_t *total, struct err *err)
{
    const uint64_t left = source->size - source->at, bytes = volume_bytes(desc->dims, desc->type->bytes);
    const unsigned long long x = desc->dims[0], y = desc->dims[1], z = desc->dims[2];
    if (!bytes || __builtin_add_overflow(bytes, desc->skip, total))
        return err_set(err, ERR_INPUT, "%s: %llu x %llu x %llu %s voxels: an axis is 0, or the size leaves 63 bits",
                       source_name(source), x, y, z, desc->type->name);
    if (!desc->gzip && *total > left)
        return err_set(err, ERR_INPUT,
                       "%s: %llu x %llu x %llu %s voxels need %llu bytes, but %llu are there; the file is cut off or "
                       "its header is wrong",
                       source_name(source), x, y, z, desc->type->name, (unsigned long long)*total,
                       (unsigned long long)left);
    if (desc->gzip && *total / MAX_INFLATION > left)
        return err_set(
            err, ERR_INPUT, "%s: %llu x %llu x %llu %s voxels (%llu bytes) cannot come out of %llu bytes of gzip data",
            source_name(source), x, y, z, desc->type->name, (unsigned long long)*total, (unsigned long long)left);
    return ERR_NONE;
}

static void note_conversion(struct volume *volume, const struct stored_type *type, uint64_t lost)
{
    if (!type->convert) return;
    text_note(volume->note, "%s values converted to float32", type->name);
    if (lost)
        text_note(volume->note, "%llu of them %s", (unsigned long long)lost,
                  type->convert == from_float64 ? "are too large for it and became infinite" : "were rounded to 24 bits");
}

int voxels_read(struct volume *volume, struct source *source, const struct voxels_desc *desc, struct err *err)
{
    memset(volume, 0, sizeof *volume);
    struct reading reading = { .desc = desc };
    int code = check_claim(source, desc, &reading.total, err);
    if (code) return code;
    code = volume_alloc(volume, desc->type->voxel, desc->dims, err);
    if (code) return code;
    code = stream_open(&reading.stream, source, desc->gzip, err);
    if (!code) {
        code = read_skipped(&reading, err);
        if (!code && desc->z_fastest) code = read_slabs(&reading, volume, err);
        else if (!code) code = read_voxels(&reading, (uint8_t *)volume->grid.voxels, grid_voxels(&volume->grid), err);
        if (!code) code = check_end(&reading, volume, err);
        stream_close(&reading.stream);
    }
    if (code) volume_free(volume);
    else note_conversion(volume, desc->type, reading.lost);
    return code;
}
