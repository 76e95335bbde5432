/* Draws opaque surfaces by the op `draw` into the buffers that OpenGL would fill (passes.h), where that is faster: on the
 * processor, for machines where OpenGL is software; by CUDA, where it shares the mesh with OpenGL, and then nothing of it
 * visits the host; or, as that op does, by OpenGL's compute shaders (raster_compute.h). What comes after, OpenGL draws over
 * it by depth. */
#ifndef ISO_RASTER_H
#define ISO_RASTER_H

#include "mesh_gl.h"
#include "passes.h"
#include "pause.h"
#include "raster_compute.h"
#include "raster_cuda.h"
#include "raster_way.h"
#include "shader.h"
#include "kernels/draw.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fewer triangles than this are as fast by OpenGL as by anything, and so are not measured; but see shade_in_haste(). */
#define RASTER_LEAST 50000
/* All ways draw so many triangles of the first large surface at most, by software or on a GPU: what takes some hundredths
 * of a second, or some ms. And again those of one that is so many times larger than what was measured. */
#define RASTER_MEASURED 200000
#define RASTER_MEASURED_GPU 2000000
#define RASTER_LARGER 4
#define RASTER_WHY 192

struct raster { /* zero: nothing was drawn so far */
    enum raster_way way;
    struct exec exec; /* of the processor; CUDA draws by the mesh's own, in order with what makes the mesh */
    bool is_open;
    void *memory; /* on the host: depth, what is seen, the rung's scratch */
    size_t bytes;
    uint64_t batch;          /* triangles that take it some hundredths of a second */
    struct raster_cuda cuda; /* that fills an OpenGL buffer with depth and what is seen, */
    unsigned buffer;         /* this one; 0: none */
    size_t buffer_bytes;
    void *scratch; /* the rung's, on the GPU */
    size_t scratch_bytes;
    struct raster_compute compute;
    double by[RASTER_WAYS]; /* ms, measured for RASTER_AUTO: infinite where a way cannot draw; */
    uint64_t measured;      /* with so many triangles; 0: not yet */
    char failure[128];      /* why a way could not be measured */
    double measuring_ms;    /* that this took in the last picture, compiling apart */
    uint64_t newest;        /* version of the newest mesh of all pictures so far */
    bool is_small;          /* what the last picture shows: fewer than RASTER_LEAST triangles */
    enum raster_way drew;   /* the last picture: opengl, compute or raster; auto: there is none */
    bool complete;          /* the last drawing was not told to stop */
    bool on_host;           /* raster_planes() has it */
    double ms;              /* that it took; on a GPU: to queue it */
    char why[RASTER_WHY];   /* who drew, and why: one line */
};

void raster_close(struct raster *raster);

/* Whether compute or raster drew the last picture. */
bool raster_drew(const struct raster *raster);

/* The fastest of the ways that were measured: opengl, compute or raster. */
enum raster_way raster_fastest(const struct raster *raster);

/* Whether opaque surfaces are drawn by who needs to know their size, so that to wait for that of a queued mesh (mesh.h)
 * costs less than to do without. */
bool raster_needs_sizes(const struct raster *raster);

/* Why compute or raster cannot read these meshes where they lie, one clause; NULL: it can, raster by raster_backend(). */
const char *raster_refusal(enum raster_way way, const struct raster_layers *layers);
enum backend raster_backend(const struct raster_layers *layers); /* BACKEND_COUNT: none */

/* Draws these layers, at least one, by compute or raster, which does not refuse them: what is seen and depth, into the
 * framebuffer or, on a GPU, into a buffer that passes_take gets; of two at the same depth the first is seen. pause: as
 * mesh_gl_draw; a GPU does not ask. Errors: ERR_FAILED, no memory, or CUDA failed; ERR_GL, no shader. Then, and if it was
 * told to stop (raster->complete), nothing is drawn. */
int raster_draw(struct raster *raster, enum raster_way way, struct passes *passes, const struct raster_layers *layers,
                const struct pause *pause, struct err *err);

/* Gives the pixels of the last picture, which raster->on_host. */
void raster_planes(const struct raster *raster, const struct passes *passes, const float **depth, const uint32_t **seen);

#ifdef __cplusplus
}
#endif
#endif
