/* Pictures: from a framebuffer to a PNG file, and from the bytes of a PNG to pixels. */
#ifndef ISO_IMAGE_H
#define ISO_IMAGE_H

#include "error.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reads a rectangle of a framebuffer (0: the window's back buffer) and writes it as a PNG, to a temporary file beside
 * `path` that is renamed when it is whole. Errors: ERR_FAILED. */
int image_save(unsigned framebuffer, int x, int y, int width, int height, const char *path, struct err *err);

/* PNG bytes -> RGBA, 4 bytes per pixel, first row on top; from malloc. NULL if they are no picture. */
unsigned char *image_decode(const unsigned char *bytes, size_t size, int *width, int *height);

/* RGB, 3 bytes per pixel, first row on top -> PNG bytes; from malloc. NULL: no memory. */
unsigned char *image_encode(const unsigned char *pixels, int width, int height, size_t *size);

#ifdef __cplusplus
}
#endif
#endif
