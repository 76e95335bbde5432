/* A picture of a scene in a PNG file, of any size: what OpenGL cannot draw at once is drawn in tiles, and written as it is
 * made. */
#ifndef ISO_PICTURE_H
#define ISO_PICTURE_H

#include "progress.h"
#include "render.h"

#ifdef __cplusplus
extern "C" {
#endif

struct picture {
    struct render *render;
    const struct render_view *view; /* without tile and sample */
    double low[3], high[3];         /* a box that holds all opaque surfaces and their caps, voxel coordinates */
    bool transparent;               /* no background */
    const char *path;               /* the file appears only when it is complete */
    /* Writes over the framebuffer of each tile; NULL: nothing is written. */
    int (*write)(const void *what, unsigned framebuffer, const struct tile *tile, struct err *err);
    const void *what;
};

/* Draws and writes it, asking `progress` after each sample of each tile. Holds a row of tiles in memory. render->resolved
 * is 0 afterwards where there were several tiles. Errors: ERR_GL, ERR_FAILED. */
int picture_save(const struct picture *picture, const struct progress *progress, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
