/* Compiles stb_image. Its functions are static because the GUI library links a shared copy with other settings. */
#include "image_decode.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The most bytes that one allocation may take. A small file with a false header must not unpack to gigabytes. */
static _Thread_local size_t most_bytes = SIZE_MAX;

/* Zeros, because stb_image uses the tables that a broken JPEG names but does not have. */
static void *take(size_t size) { return size <= most_bytes ? calloc(1, size) : NULL; }
static void *retake(void *old, size_t size) { return size <= most_bytes ? realloc(old, size) : NULL; }

/* STBI_ONLY_* remove the definitions of static functions, but not their declarations. */
#pragma GCC diagnostic ignored "-Wunused-function"

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_NO_STDIO
#define STBI_NO_LINEAR
#define STBI_MAX_DIMENSIONS 65536
#define STBI_MALLOC(size) take(size)
#define STBI_REALLOC(old, size) retake(old, size)
#define STBI_FREE(old) free(old)
#include <stb_image.h>

bool image_describe(const uint8_t *bytes, size_t size, struct image_shape *shape)
{
    int width, height, components;
    const int length = size < INT_MAX ? (int)size : INT_MAX;
    if (!stbi_info_from_memory(bytes, length, &width, &height, &components)) return false;
    *shape = (struct image_shape){ (uint32_t)width, (uint32_t)height, (uint32_t)components,
                                   stbi_is_16_bit_from_memory(bytes, length) ? 2 : 1 };
    return width > 0 && height > 0 && components > 0;
}

/* stb_image accepts a JPEG that is cut off and makes the rest grey. A whole file has an end marker after its last scan.
 * Neither of the two markers occurs within compressed values. */
static bool is_cut_off(const uint8_t *bytes, size_t size)
{
    if (size < 2 || bytes[0] != 0xff || bytes[1] != 0xd8) return false;
    for (size_t i = size - 1; i > 1; i--)
        if (bytes[i - 1] == 0xff && (bytes[i] == 0xd9 || bytes[i] == 0xda))
            return bytes[i] == 0xda; /* end, start of scan */
    return true;
}

/* Whether no quantisation table precedes a JPEG's first scan. stb_image accepts that, and every pixel would be grey. */
static bool lacks_tables(const uint8_t *bytes, size_t size)
{
    const bool is_jpeg = size > 2 && bytes[0] == 0xff && bytes[1] == 0xd8;
    for (size_t i = 2; is_jpeg && i + 4 <= size;) {
        const uint8_t mark = bytes[i + 1];
        if (bytes[i] != 0xff || mark == 0xff) i++;                    /* padding */
        else if (mark == 0xda || mark == 0xdb) return mark == 0xda;   /* a scan, a table */
        else if (mark <= 1 || (mark >= 0xd0 && mark <= 0xd8)) i += 2; /* without a length */
        else i += 2 + (size_t)(bytes[i + 2] << 8 | bytes[i + 3]);
    }
    return is_jpeg;
}

void *image_decode_values(const uint8_t *bytes, size_t size, const struct image_shape *shape, const char **why)
{
    int width = 0, height = 0, unused;
    const int components = (int)shape->components;
    *why = size > INT_MAX              ? "it is larger than 2 GiB"
           : is_cut_off(bytes, size)   ? "it is cut off"
           : lacks_tables(bytes, size) ? "it has no quantisation table"
                                       : NULL;
    if (*why) return NULL;
    /* every value 16 bits wide, an alpha channel, and a buffer that doubles its size */
    most_bytes = ((size_t)shape->width + 16) * ((size_t)shape->height + 16) * 16 + ((size_t)1 << 20);
    void *values = shape->bytes == 2
                       ? (void *)stbi_load_16_from_memory(bytes, (int)size, &width, &height, &unused, components)
                       : (void *)stbi_load_from_memory(bytes, (int)size, &width, &height, &unused, components);
    most_bytes = SIZE_MAX;
    if (values && (uint32_t)width == shape->width && (uint32_t)height == shape->height) return values;
    *why = values ? "its size is not that of its header" : stbi_failure_reason();
    free(values);
    return NULL;
}

unsigned char *image_decode(const unsigned char *bytes, size_t size, int *width, int *height)
{
    if (size > INT_MAX) return NULL;
    return stbi_load_from_memory(bytes, (int)size, width, height, NULL, 4);
}
