/* Decodes the bytes of a PNG or JPEG file to pixels. */
#ifndef ISO_IMAGE_DECODE_H
#define ISO_IMAGE_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct image_shape {
    uint32_t width, height;
    uint32_t components; /* 1 grey, 2 grey and alpha, 3 RGB, 4 RGB and alpha */
    uint32_t bytes;      /* per component: 1 or 2 */
};

/* Reads the shape from the first bytes of a file. False: not such an image, or `size` is too small to tell. */
bool image_describe(const uint8_t *bytes, size_t size, struct image_shape *shape);

/* Decodes a whole file whose shape is `shape`. Rows run from top to bottom, the components of a pixel are adjacent, and
 * integers have this machine's byte order. The caller frees the result. NULL: *why says what is wrong. No allocation is
 * larger than a few times the image. */
void *image_decode_values(const uint8_t *bytes, size_t size, const struct image_shape *shape, const char **why);

/* PNG or JPEG bytes -> RGBA, 4 bytes per pixel, top row first. The caller frees the result. NULL: not such an image, or no
 * memory. */
unsigned char *image_decode(const unsigned char *bytes, size_t size, int *width, int *height);

#ifdef __cplusplus
}
#endif
#endif
