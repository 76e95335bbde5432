/* Compiles stb_image_write. Its functions are static because the GUI library links a shared copy with other settings. */
#include "image.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Replaces stb's own deflate, which is slower and compresses less. Above level 3 rendered images hardly shrink. */
static unsigned char *deflate_rows(unsigned char *rows, int size, int *packed_size, int quality)
{
    (void)quality;
    uLongf packed = compressBound((uLong)size);
    if (packed > INT_MAX) return NULL;
    unsigned char *out = malloc(packed);
    if (out && compress2(out, &packed, rows, (uLong)size, 3) != Z_OK) {
        free(out);
        return NULL;
    }
    *packed_size = (int)packed;
    return out;
}

/* What STBI_WRITE_NO_STDIO leaves out is still declared. */
#pragma GCC diagnostic ignored "-Wunused-function"

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#define STBI_WRITE_NO_STDIO
#define STBIW_ZLIB_COMPRESS deflate_rows
#include <stb_image_write.h>

struct sink {
    unsigned char *bytes;
    size_t size;
};

static void keep(void *context, void *data, int size)
{
    struct sink *sink = context;
    sink->bytes = malloc((size_t)size);
    if (sink->bytes) memcpy(sink->bytes, data, (size_t)size);
    sink->size = (size_t)size;
}

unsigned char *image_encode(const unsigned char *pixels, int channels, int width, int height, size_t *size)
{
    struct sink sink = { NULL, 0 };
    stbi_write_force_png_filter =
        1; /* differences to the left: half the time of trying all five, and smaller for renderings */
    if (!stbi_write_png_to_func(keep, &sink, width, height, channels, pixels, width * channels)) return NULL;
    *size = sink.size;
    return sink.bytes;
}
