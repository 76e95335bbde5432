/* A grey picture as a texture, for the panel. */
#ifndef ISO_PREVIEW_H
#define ISO_PREVIEW_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes or replaces *texture (0: none yet): width * height bytes, rows from the top. */
void preview_set(unsigned *texture, const uint8_t *grey, int width, int height);
void preview_free(unsigned *texture);

#ifdef __cplusplus
}
#endif
#endif
