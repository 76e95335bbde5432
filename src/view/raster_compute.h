/* Draws triangles by OpenGL's compute shaders, in the same way as the op `draw` on CUDA (kernels/draw.h). Many GPUs
 * have more units for computing than for rasterising. And the GPU need not switch from OpenGL to CUDA and back, which
 * can take longer than the picture (raster_cuda.h). Pixels are covered by the op's rules. OpenGL's compiler may round
 * floats differently, so depths and normals can differ in the last bit. */
#ifndef ISO_RASTER_COMPUTE_H
#define ISO_RASTER_COMPUTE_H

#include "passes.h"
#include "raster_layer.h"
#include "shader.h"

#ifdef __cplusplus
extern "C" {
#endif

struct raster_compute { /* zero: nothing drawn yet */
    struct shader small, listed, keys;
    unsigned key;  /* buffer: what is seen and depth of each pixel, 32 bits each; before that, the nearest triangle */
    unsigned more; /* buffer: the nearest triangle of a layer after the first */
    unsigned list; /* buffer: triangles that are large or cut. 0: none */
    size_t key_bytes, more_bytes, list_bytes;
};

/* Returns why it cannot draw a mesh, as one clause; NULL: it can. */
const char *raster_compute_refusal(const struct mesh *mesh);

/* Draws a layer into compute->key, over what is there already (`over`) or over nothing. At equal depth the first is
 * seen. Returns when it is queued. Error: ERR_FAILED, no memory; ERR_GL, no shader. */
int raster_compute_draw(struct raster_compute *compute, const struct passes *passes, const struct raster_layer *layer,
                        bool over, struct err *err);
void raster_compute_close(struct raster_compute *compute);
bool raster_compute_reload(struct raster_compute *compute, struct err *err); /* as shader_reload */

#ifdef __cplusplus
}
#endif
#endif
