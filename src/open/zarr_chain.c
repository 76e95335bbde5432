#include "zarr_chain.h"

#include "crc32c.h"

#include <blosc.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

enum { SUM = 4 }; /* bytes of a checksum */

#define SLACK ((size_t)64 << 10) /* more than any codec adds to incompressible data */

/* Decodes n bytes to at most `room` bytes. *got: how many. False: the data is broken, or has more bytes. */
typedef bool run_fn(struct zarr_decoder *d, const uint8_t *from, size_t n, uint8_t *to, size_t room, size_t *got);

/* Checks the header against the available bytes before blosc relies on it. */
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

/* Decodes one or several streams, in gzip or zlib wrappers. */
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

/* Whether the last 4 bytes are the checksum of the bytes before. */
static bool is_summed(const uint8_t *from, size_t n)
{
    if (n < SUM) return false;
    const uint8_t *p = from + n - SUM;
    return crc32c(from, n - SUM) == ((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24);
}

static const struct {
    const char *name, *broken;
    run_fn *run; /* NULL: a checksum, which is checked in place */
} codecs[] = {
    { "blosc", "its blosc data is broken, or not of the size that the array says", run_blosc },
    { "zstd", "its zstd data is broken, or not of the size that the array says", run_zstd },
    { "gzip", "its gzip data is broken, or not of the size that the array says", run_deflate },
    { "zlib", "its zlib data is broken, or not of the size that the array says", run_deflate },
    { "crc32c", "its checksum is wrong", NULL },
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

/* How many buffers the codecs need that write their output to a buffer. */
static size_t count_buffers(const struct zarr_chain *chain)
{
    size_t count = 0;
    for (int i = 0; i < chain->count; i++) count += codecs[chain->codec[i]].run != NULL;
    return count < 2 ? count : 2;
}

/* Bytes in each buffer: a chunk and its checksums, if there is only one codec that needs a buffer. */
static size_t room_for(const struct zarr_chain *chain, size_t n)
{
    return count_buffers(chain) > 1 ? zarr_chain_most(n) : n + ZARR_CODECS * SUM;
}

size_t zarr_decoder_bytes(const struct zarr_chain *chain, size_t n) { return count_buffers(chain) * room_for(chain, n); }

bool zarr_decoder_open(struct zarr_decoder *d, const struct zarr_chain *chain, size_t n)
{
    const size_t buffers = count_buffers(chain);
    bool fine = true;
    *d = (struct zarr_decoder){ .zstd = ZSTD_createDCtx(), .room = room_for(chain, n) };
    for (size_t i = 0; i < buffers; i++) fine = (d->buffer[i] = malloc(d->room + 1)) && fine;
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
        run_fn *const run = codecs[chain->codec[i]].run;
        uint8_t *to = run ? d->buffer[from == d->buffer[0]] : from;
        size_t got = n - SUM;
        if (!(run ? run(d, from, n, to, i ? d->room : want, &got) : is_summed(from, n))) {
            *why = codecs[chain->codec[i]].broken;
            return NULL;
        }
        from = to, n = got;
    }
    *why = n < want ? "it is too short" : "it is too long";
    return n == want ? from : NULL;
}
