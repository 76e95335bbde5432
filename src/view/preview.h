/* A grey picture as a texture, for the panel. */
#ifndef ISO_PREVIEW_H
#define ISO_PREVIEW_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes or replaces *texture (0: none yet): width * height bytes, rows from the top. */
void preview_set(unsigned *texture, const uint8_t *grey, int width, int height);
void preview_free(unsigned *texture);

/* Converts n values to grey levels: 0 for the smallest to 255 for the largest, and 0 for values that are not finite. */
void preview_grey(uint8_t *grey, const float *values, size_t n);

#ifdef __cplusplus
}
#endif
#endif
