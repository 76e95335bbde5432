/* Images: a framebuffer to a PNG file. */
#ifndef ISO_IMAGE_H
#define ISO_IMAGE_H

#include "error.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reads the rectangle at (x, y), of width x height pixels, from a framebuffer (0: the window's back buffer), and writes it to
 * the PNG file `path`, which appears only when it is complete (replace.h). Errors: ERR_FAILED. */
int image_save(unsigned framebuffer, int x, int y, int width, int height, const char *path, struct err *err);

/* RGB, 3 bytes per pixel, top row first -> PNG bytes. The caller frees the result. NULL: no memory. */
unsigned char *image_encode(const unsigned char *pixels, int width, int height, size_t *size);

#ifdef __cplusplus
}
#endif
#endif
