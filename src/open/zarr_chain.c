#include "zarr_chain.h"

#include "crc32c.h"

#include <blosc.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#define SLACK ((size_t)64 << 10) /* more than any codec adds to what it cannot compress */

/* Decodes n bytes to at most `room` bytes; *got: how many. False: they are broken, or more. */
typedef bool run_fn(struct zarr_decoder *d, const uint8_t *from, size_t n, uint8_t *to, size_t room, size_t *got);

/* The header is checked against the bytes that there are before blosc believes it. */
static bool run_blosc(struct zarr_decoder *d, const uint8_t *from, size_t n, uint8_t *to, size_t room, size_t *got)
{
    (void)d;
    if (n < BLOSC_MIN_HEADER_LENGTH || blosc_cbuffer_validate(from, n, got) < 0 || *got > room) return false;
    const int made = blosc_decompress_ctx(from, to, room, 1);
    return made >= 0 && (size_t)made == *got;
}

static bool run_zstd(struct zarr_decoder *d, const uint8_t *from, size_t n, uint8_t *to, size_t room, size_t *got)
{
    *got = ZSTD_decompressDCtx(d->zstd, to, room, from, n);
    return !ZSTD_isError(*got);
}

/* One stream or several, in gzip's wrapper or zlib's. */
static bool run_deflate(struct zarr_decoder *d, const uint8_t *from, size_t n, uint8_t *to, size_t room, size_t *got)
{
    z_stream z = { .next_in = (uint8_t *)from, .next_out = to };
    int status = Z_OK;
    (void)d;
    if (n > UINT32_MAX || room > UINT32_MAX || inflateInit2(&z, 15 + 32) != Z_OK) return false;
    z.avail_in = (uInt)n, z.avail_out = (uInt)room;
    do {
        if (status == Z_STREAM_END) inflateReset(&z);
        status = inflate(&z, Z_FINISH);
    } while (status == Z_STREAM_END && z.avail_in);
    *got = room - z.avail_out;
    inflateEnd(&z);
    return status == Z_STREAM_END;
}

static bool run_crc32c(struct zarr_decoder *d, const uint8_t *from, size_t n, uint8_t *to, size_t room, size_t *got)
{
    (void)d;
    if (n < 4 || n - 4 > room) return false;
    *got = n - 4;
    const uint8_t *p = from + *got;
    const uint32_t stored = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    if (crc32c(from, *got) != stored) return false;
    memcpy(to, from, *got);
    return true;
}

static const struct {
    const char *name, *broken;
    run_fn *run;
} codecs[] = {
    { "blosc", "its blosc data is broken, or not of the size that the array says", run_blosc },
    { "zstd", "its zstd data is broken, or not of the size that the array says", run_zstd },
    { "gzip", "its gzip data is broken, or not of the size that the array says", run_deflate },
    { "zlib", "its zlib data is broken, or not of the size that the array says", run_deflate },
    { "crc32c", "its checksum is wrong", run_crc32c },
};

bool zarr_chain_add(struct zarr_chain *chain, const char *name)
{
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0] && chain->count < ZARR_CODECS; i++)
        if (!strcmp(codecs[i].name, name)) {
            chain->codec[chain->count++] = (uint8_t)i;
            return true;
        }
    return false;
}

size_t zarr_chain_most(size_t n) { return 2 * n + SLACK; }

size_t zarr_decoder_bytes(const struct zarr_chain *chain, size_t n)
{
    const size_t buffers = chain->count > 1 ? 2 : (size_t)chain->count;
    return buffers * (buffers > 1 ? zarr_chain_most(n) : n);
}

bool zarr_decoder_open(struct zarr_decoder *d, const struct zarr_chain *chain, size_t n)
{
    const size_t buffers = chain->count > 1 ? 2 : (size_t)chain->count;
    bool fine = true;
    *d = (struct zarr_decoder){ .zstd = ZSTD_createDCtx(), .room = buffers > 1 ? zarr_chain_most(n) : n };
    for (size_t i = 0; i < buffers; i++) fine = (d->buffer[i] = malloc(d->room)) && fine;
    return fine && d->zstd;
}

void zarr_decoder_close(struct zarr_decoder *d)
{
    ZSTD_freeDCtx(d->zstd);
    for (int i = 0; i < 2; i++) free(d->buffer[i]);
    *d = (struct zarr_decoder){ .zstd = NULL };
}

uint8_t *zarr_decode(struct zarr_decoder *d, const struct zarr_chain *chain, uint8_t *from, size_t n, size_t want,
                     const char **why)
{
    for (int i = chain->count - 1; i >= 0; i--) {
        uint8_t *to = d->buffer[i & 1];
        size_t got;
        if (!codecs[chain->codec[i]].run(d, from, n, to, i ? d->room : want, &got)) {
            *why = codecs[chain->codec[i]].broken;
            return NULL;
        }
        from = to, n = got;
    }
    *why = n < want ? "it is too short" : "it is too long";
    return n == want ? from : NULL;
}
