/* Saves a picture of a scene, of any size, in a PNG file. If OpenGL cannot draw it at once, it is drawn in tiles and
 * written row by row. */
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
    /* Draws over the framebuffer of each tile, for example labels; NULL: nothing is drawn. */
    int (*write)(const void *what, unsigned framebuffer, const struct tile *tile, struct err *err);
    const void *what;
};

/* Returns the largest side of a picture that OpenGL draws at once, pixels. */
int picture_most_pixels(void);

/* Draws and writes it; calls `progress` after each sample of each tile. Keeps a row of tiles in memory. If there were
 * several tiles, render->resolved is 0 afterwards. Errors: ERR_GL, ERR_FAILED. */
int picture_save(const struct picture *picture, const struct progress *progress, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
