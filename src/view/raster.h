/* Draws opaque surfaces on the processor, by the op `draw`, into the buffers that OpenGL would fill (passes.h): for machines
 * where OpenGL is software, and slower. What comes after, OpenGL draws over it by depth. */
#ifndef ISO_RASTER_H
#define ISO_RASTER_H

#include "mesh_gl.h"
#include "passes.h"
#include "pause.h"
#include "kernels/draw.h"

#ifdef __cplusplus
extern "C" {
#endif

enum raster_way { RASTER_AUTO, RASTER_OPENGL, RASTER_ALWAYS, RASTER_WAYS }; /* auto: what was measured to be faster */

extern const char *const raster_way_name[RASTER_WAYS];

/* Fewer triangles than this are as fast by OpenGL as by anything, and so are not measured. */
#define RASTER_LEAST 50000
#define RASTER_MEASURED 200000 /* triangles of the first large surface that both ways draw */

struct raster { /* zero: nothing was drawn so far */
    enum raster_way way;
    struct exec exec;
    bool is_open;
    void *memory; /* depth, what is seen, the rung's scratch */
    size_t bytes;
    double opengl_ms, raster_ms; /* measured for RASTER_AUTO; 0: not yet */
    double measuring_ms;         /* that this took in the last picture */
    bool drew;                   /* the last picture; OpenGL did otherwise */
    double ms;                   /* that it took */
    char why[160];               /* who drew, and why: one line */
};

struct raster_layer {
    const struct mesh *mesh; /* mesh_gl_is_readable() */
    uint64_t triangles;      /* the first so many of it */
    float clip_from_voxel[16], view_normal[9];
    uint32_t surface; /* 1 to 63 */
    bool clockwise, flipped;
};

/* Returns the row of raster_way_name, RASTER_AUTO for NULL; -1 if there is no such way, and the sentence (ERR_USAGE) lists
 * them. */
int raster_way_find(const char *name, struct err *err);

void raster_close(struct raster *raster);

/* Fills what is seen and depth with these layers; of two at the same depth the first is seen. pause: as mesh_gl_draw. Returns false
 * if it was told to stop, or sets *failed if there is no memory: then nothing has changed. */
bool raster_draw(struct raster *raster, const struct passes *passes, const struct raster_layer *layer, int count,
                 const struct pause *pause, bool *failed);

#ifdef __cplusplus
}
#endif
#endif
