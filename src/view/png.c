/* PNG, second edition (W3C 2003): a signature, and chunks of length, kind, bytes and checksum. */
#include "png.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    OUT_BYTES = 1 << 18, /* of a chunk of compressed rows */
    LEVEL = 3,           /* with higher levels, rendered images hardly shrink */
    FROM_THE_LEFT = 1    /* the filter of all rows: takes half the time of trying all five, and is smaller for renderings */
};

struct png_zip {
    z_stream stream;
    size_t row, channels;
    unsigned char *line; /* filter number and a filtered row */
    unsigned char out[OUT_BYTES];
};

static void put_32(unsigned char to[4], uint32_t value)
{
    for (int i = 0; i < 4; i++) to[i] = (unsigned char)(value >> (24 - 8 * i));
}

static void write_bytes(struct png *png, const void *bytes, size_t count)
{
    if (!png->error && fwrite(bytes, 1, count, png->replace.file) != count) png->error = errno;
}

static void write_chunk(struct png *png, const char kind[4], const unsigned char *bytes, size_t count)
{
    unsigned char head[8], tail[4];
    put_32(head, (uint32_t)count);
    memcpy(head + 4, kind, 4);
    put_32(tail, (uint32_t)crc32(crc32(0, (const Bytef *)kind, 4), bytes, (uInt)count));
    write_bytes(png, head, sizeof head);
    write_bytes(png, bytes, count);
    write_bytes(png, tail, sizeof tail);
}

static void write_head(struct png *png, int channels, int width, int height)
{
    static const unsigned char signature[8] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };
    unsigned char head[13] = { 0 };
    put_32(head, (uint32_t)width);
    put_32(head + 4, (uint32_t)height);
    head[8] = 8;                     /* bits */
    head[9] = channels == 4 ? 6 : 2; /* colour, with or without opacity */
    write_bytes(png, signature, sizeof signature);
    write_chunk(png, "IHDR", head, sizeof head);
}

static void close_zip(struct png *png)
{
    if (!png->zip) return;
    deflateEnd(&png->zip->stream);
    free(png->zip->line);
    free(png->zip);
    png->zip = NULL;
}

static bool open_zip(struct png *png, int channels, int width)
{
    struct png_zip *zip = png->zip = malloc(sizeof *zip);
    if (!zip) return false;
    zip->stream = (z_stream){ .zalloc = Z_NULL };
    zip->channels = (size_t)channels;
    zip->row = (size_t)channels * (size_t)width;
    zip->line = malloc(zip->row + 1);
    if (zip->line && deflateInit(&zip->stream, LEVEL) == Z_OK) return true;
    close_zip(png);
    return false;
}

int png_open(struct png *png, const char *path, int channels, int width, int height, struct err *err)
{
    *png = (struct png){ .zip = NULL };
    if (!open_zip(png, channels, width))
        return err_set(err, ERR_FAILED, "not enough memory for an image of %d x %d", width, height);
    const int code = replace_open(&png->replace, path, err);
    if (code) close_zip(png);
    else write_head(png, channels, width, height);
    return code;
}

/* Compresses the input of the stream; finish: also everything still in it. */
static void pump(struct png *png, bool finish)
{
    z_stream *const stream = &png->zip->stream;
    int code = Z_OK;
    do {
        stream->next_out = png->zip->out;
        stream->avail_out = OUT_BYTES;
        code = deflate(stream, finish ? Z_FINISH : Z_NO_FLUSH);
        const size_t bytes = OUT_BYTES - stream->avail_out;
        if (bytes) write_chunk(png, "IDAT", png->zip->out, bytes);
    } while (!stream->avail_out && !png->error && code == Z_OK);
    /* Z_BUF_ERROR: the chunk before was full and took all there was, which is an error only if the end is to come. */
    const bool fine = finish ? code == Z_STREAM_END : code == Z_OK || code == Z_BUF_ERROR;
    if (!fine && !png->error) png->error = EIO;
}

bool png_rows(struct png *png, const unsigned char *pixels, int rows)
{
    struct png_zip *const zip = png->zip;
    const size_t step = zip->channels;
    for (int y = 0; y < rows && !png->error; y++, pixels += zip->row) {
        zip->line[0] = FROM_THE_LEFT;
        memcpy(zip->line + 1, pixels, step);
        for (size_t i = step; i < zip->row; i++) zip->line[1 + i] = (unsigned char)(pixels[i] - pixels[i - step]);
        zip->stream.next_in = zip->line;
        zip->stream.avail_in = (uInt)(zip->row + 1);
        pump(png, false);
    }
    return !png->error;
}

int png_close(struct png *png, struct err *err)
{
    pump(png, true);
    write_chunk(png, "IEND", (const unsigned char *)"", 0);
    close_zip(png);
    errno = png->error;
    return replace_close(&png->replace, !png->error, err);
}

void png_abandon(struct png *png)
{
    close_zip(png);
    replace_abandon(&png->replace, NULL);
}
