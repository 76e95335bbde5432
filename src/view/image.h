/* Images: writes a framebuffer to a PNG file. */
#ifndef ISO_IMAGE_H
#define ISO_IMAGE_H

#include "error.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reads the rectangle at (x, y), of width x height pixels, from a framebuffer (0: the window's back buffer), and writes it
 * to the PNG file `path`, which appears only when it is complete (replace.h). Errors: ERR_FAILED. */
int image_save(unsigned framebuffer, int x, int y, int width, int height, const char *path, struct err *err);

/* Reads such a rectangle only. Returns RGB pixels, 3 bytes each, top row first, which the caller frees. Error: NULL. */
unsigned char *image_read(unsigned framebuffer, int x, int y, int width, int height, struct err *err);

/* Makes an RGBA picture from the same RGB picture on black and on white. Where the two differ, the background shows
 * through. */
void image_cut_out(const unsigned char *on_black, const unsigned char *on_white, size_t pixels, unsigned char *out);

#ifdef __cplusplus
}
#endif
#endif
