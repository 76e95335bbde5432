#include "unpack.h"

#include <bzlib.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define INPUT ((size_t)256 << 10)
#define MAX_INFLATION 1032 /* the most by which a deflate stream grows: 258 bytes from 2 bits */

/* A row per compression. `run` uncompresses to `to`, moves unpack->from, and sets unpack->ended after the last byte of a
 * stream. If `magic` follows a stream, another stream begins, and the data is the concatenation of both. */
struct method {
    const char *name, *magic;
    int (*open)(struct unpack *unpack, struct err *err);
    int (*run)(struct unpack *unpack, uint8_t *to, size_t n, size_t *got, struct err *err);
    void (*close)(struct unpack *unpack);
    uint64_t inflation; /* 0: unlimited */
};

static int broken(const struct unpack *unpack, bool memory, const char *method, const char *why, struct err *err)
{
    return err_set(err, memory ? ERR_FAILED : ERR_INPUT, "%s: the %sdata is broken (%s)", source_name(unpack->source),
                   method, why ? why : "cannot be unpacked");
}

static int no_memory(const struct unpack *unpack, struct err *err)
{
    return err_set(err, ERR_FAILED, "%s: not enough memory to unpack its data", source_name(unpack->source));
}

/* ---- gzip and zlib ------------------------------------------------------------------------------------------------- */

static int deflate_open(struct unpack *unpack, struct err *err)
{
    z_stream *z = calloc(1, sizeof *z);
    if (!z || inflateInit2(z, 15 + 32) != Z_OK) { /* 32: accepts both wrappers */
        free(z);
        return no_memory(unpack, err);
    }
    unpack->state = z;
    return ERR_NONE;
}

static int deflate_run(struct unpack *unpack, uint8_t *to, size_t n, size_t *got, struct err *err)
{
    z_stream *z = unpack->state;
    z->next_in = unpack->input + unpack->from;
    z->avail_in = (uInt)(unpack->to - unpack->from);
    z->next_out = to;
    z->avail_out = n < UINT32_MAX ? (uInt)n : UINT32_MAX;
    const uInt asked = z->avail_out;
    const int status = inflate(z, Z_NO_FLUSH);
    unpack->from = unpack->to - z->avail_in;
    *got = asked - z->avail_out;
    unpack->ended = status == Z_STREAM_END;
    if (unpack->ended) inflateReset(z);
    else if (status != Z_OK && status != Z_BUF_ERROR)
        return broken(unpack, status == Z_MEM_ERROR, "gzip ", status == Z_NEED_DICT ? "it needs a dictionary" : z->msg,
                      err);
    return ERR_NONE;
}

static void deflate_close(struct unpack *unpack) { inflateEnd(unpack->state); }

/* ---- bzip2 --------------------------------------------------------------------------------------------------------- */

static int bzip2_open(struct unpack *unpack, struct err *err)
{
    bz_stream *b = calloc(1, sizeof *b);
    if (!b || BZ2_bzDecompressInit(b, 0, 0) != BZ_OK) {
        free(b);
        return no_memory(unpack, err);
    }
    unpack->state = b;
    return ERR_NONE;
}

static int bzip2_run(struct unpack *unpack, uint8_t *to, size_t n, size_t *got, struct err *err)
{
    bz_stream *b = unpack->state;
    b->next_in = (char *)unpack->input + unpack->from;
    b->avail_in = (unsigned)(unpack->to - unpack->from);
    b->next_out = (char *)to;
    b->avail_out = n < UINT32_MAX ? (unsigned)n : UINT32_MAX;
    const unsigned asked = b->avail_out;
    const int status = BZ2_bzDecompress(b);
    unpack->from = unpack->to - b->avail_in;
    *got = asked - b->avail_out;
    unpack->ended = status == BZ_STREAM_END;
    if (unpack->ended) { /* another stream may follow, and bzlib has no reset */
        BZ2_bzDecompressEnd(b);
        memset(b, 0, sizeof *b);
        if (BZ2_bzDecompressInit(b, 0, 0) != BZ_OK) return no_memory(unpack, err);
    } else if (status != BZ_OK)
        return broken(unpack, status == BZ_MEM_ERROR, "bzip2 ",
                      status == BZ_DATA_ERROR_MAGIC ? "it does not begin as bzip2 does" : "wrong bytes or a wrong checksum",
                      err);
    return ERR_NONE;
}

static void bzip2_close(struct unpack *unpack) { BZ2_bzDecompressEnd(unpack->state); }

/* ---- all ----------------------------------------------------------------------------------------------------------- */

static const struct method methods[] = {
    [COMPRESSION_NONE] = { "" },
    [COMPRESSION_DEFLATE] = { "gzip ", "\x1f\x8b", deflate_open, deflate_run, deflate_close, MAX_INFLATION },
    [COMPRESSION_BZIP2] = { "bzip2 ", "BZh", bzip2_open, bzip2_run, bzip2_close, 0 },
};

const char *unpack_name(enum compression compression) { return methods[compression].name; }

uint64_t unpack_most(enum compression compression, uint64_t bytes)
{
    if (compression == COMPRESSION_NONE) return bytes;
    const uint64_t inflation = methods[compression].inflation;
    return inflation && bytes <= UINT64_MAX / inflation ? bytes * inflation : UINT64_MAX;
}

int unpack_open(struct unpack *unpack, struct source *source, uint64_t bytes, enum compression compression, struct err *err)
{
    *unpack = (struct unpack){ .source = source, .left = bytes, .compression = compression };
    if (compression == COMPRESSION_NONE) return ERR_NONE;
    unpack->input = malloc(INPUT);
    const int code = unpack->input ? methods[compression].open(unpack, err) : no_memory(unpack, err);
    if (code) {
        free(unpack->input);
        *unpack = (struct unpack){ 0 };
    }
    return code;
}

void unpack_close(struct unpack *unpack)
{
    if (unpack->state) methods[unpack->compression].close(unpack);
    free(unpack->state);
    free(unpack->input);
    *unpack = (struct unpack){ 0 };
}

static size_t read_packed(struct unpack *unpack, void *to, size_t n)
{
    const size_t got = source_read(unpack->source, to, unpack->left < n ? (size_t)unpack->left : n);
    unpack->left -= got;
    return got;
}

static bool refill(struct unpack *unpack)
{
    /* Moves the rest to the front, so that the magic of another stream can be seen in one piece. */
    memmove(unpack->input, unpack->input + unpack->from, unpack->to - unpack->from);
    unpack->to -= unpack->from;
    unpack->from = 0;
    const size_t got = read_packed(unpack, unpack->input + unpack->to, INPUT - unpack->to);
    unpack->to += got;
    return got > 0;
}

/* Whether another stream follows the one that has just ended. */
static bool next_stream(struct unpack *unpack)
{
    const char *magic = methods[unpack->compression].magic;
    const size_t n = strlen(magic);
    if (unpack->to - unpack->from < n) refill(unpack);
    return unpack->to - unpack->from >= n && !memcmp(unpack->input + unpack->from, magic, n);
}

int unpack_read(struct unpack *unpack, void *to, size_t n, size_t *got, struct err *err)
{
    *got = 0;
    if (unpack->compression == COMPRESSION_NONE) {
        *got = read_packed(unpack, to, n);
        unpack->ended = !unpack->left;
        return ERR_NONE;
    }
    while (*got < n && !unpack->ended) {
        if (unpack->from == unpack->to && !refill(unpack)) break;
        size_t more;
        const int code = methods[unpack->compression].run(unpack, (uint8_t *)to + *got, n - *got, &more, err);
        if (code) return code;
        *got += more;
        if (unpack->ended && next_stream(unpack)) unpack->ended = false;
    }
    return ERR_NONE;
}

uint64_t unpack_rest(const struct unpack *unpack) { return unpack->left + (unpack->to - unpack->from); }
