/* Draws opaque surfaces by the op `draw`, where that is faster, into the buffers that OpenGL would fill (passes.h).
 * There are three ways: on the CPU, for machines with software OpenGL; by CUDA, if it shares the mesh with OpenGL, so
 * that no data passes through the host; and by OpenGL's compute shaders, which work like the op (raster_compute.h).
 * OpenGL draws everything else over the result, with depth test. */
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

/* OpenGL draws fewer triangles than this as fast as anything, so such surfaces are not measured; but see
 * shade_in_haste(). */
#define RASTER_LEAST 50000
/* All ways are measured with at most this many triangles of the first large surface, with software OpenGL or on a GPU.
 * That takes some hundredths of a second, or some ms. They are measured again if RASTER_LARGER times as many can be
 * measured. */
#define RASTER_MEASURED 200000
#define RASTER_MEASURED_GPU 2000000
#define RASTER_LARGER 4
#define RASTER_WHY 192

struct raster { /* zero: nothing drawn yet */
    enum raster_way way;
    struct exec exec; /* of the CPU; CUDA uses the mesh's own, in order with what makes the mesh */
    bool is_open;
    void *memory; /* on the host: depth, what is seen, the rung's scratch */
    size_t bytes;
    uint64_t batch; /* triangles that take the CPU some hundredths of a second */
    /* Two OpenGL buffers for depth and what is seen: CUDA has the next one while OpenGL reads the last. */
    unsigned buffer[2];         /* 0: none */
    struct raster_cuda cuda[2]; /* their registrations with CUDA */
    size_t buffer_bytes;        /* of each */
    int next;                   /* the one that CUDA draws into */
    void *scratch;              /* the rung's, on the GPU */
    size_t scratch_bytes;
    struct raster_compute compute;
    double by[RASTER_WAYS]; /* ms, measured for RASTER_AUTO; infinite: cannot draw */
    uint64_t measured;      /* number of triangles measured; 0: none yet */
    char failure[128];      /* why a way could not be measured */
    double measuring_ms;    /* spent on that in the last picture, without compiling */
    uint64_t newest;        /* version of the newest mesh of all pictures so far */
    bool is_small;          /* the last picture showed fewer than RASTER_LEAST triangles */
    enum raster_way drew;   /* who drew the last picture: opengl, compute or raster; auto: there is none */
    bool complete;          /* the last drawing was not told to stop */
    bool on_host;           /* raster_planes() has the last picture */
    double ms;              /* time for the last drawing; on a GPU: to queue it */
    char why[RASTER_WHY];   /* who drew, and why: one line */
};

void raster_close(struct raster *raster);

/* Whether compute or raster drew the last picture. */
bool raster_drew(const struct raster *raster);

/* The fastest of the measured ways: opengl, compute or raster. */
enum raster_way raster_fastest(const struct raster *raster);

/* Whether opaque surfaces are drawn in a way that needs their sizes. Waiting for the size of a queued mesh (mesh.h)
 * then costs less than another way of drawing. auto also needs them to see whether the first surface is large enough to be
 * measured. */
bool raster_needs_sizes(const struct raster *raster);

/* Returns why compute or raster cannot read these meshes in place, as one clause; NULL: it can. raster reads them by
 * raster_backend(). */
const char *raster_refusal(enum raster_way way, const struct raster_layers *layers);
enum backend raster_backend(const struct raster_layers *layers); /* BACKEND_COUNT: none */

/* Draws these layers, at least one, by compute or raster, which must not refuse them. What is seen and depth go to the
 * framebuffer or, on a GPU, to a buffer for passes_take. At equal depth the first layer is seen. pause: as
 * mesh_gl_draw; not used on a GPU. Errors: ERR_FAILED, no memory, or CUDA failed; ERR_GL, no shader. After an error, or
 * if it was told to stop (raster->complete), nothing is drawn. */
int raster_draw(struct raster *raster, enum raster_way way, struct passes *passes, const struct raster_layers *layers,
                const struct pause *pause, struct err *err);

/* If CUDA drew the last picture, gives CUDA the buffer for the next one. What `exec` queues after this call waits until
 * OpenGL has finished its earlier commands. So call it only when there is nothing else to do: otherwise the next surface
 * would wait, too. It saves a switch of the GPU to OpenGL and back, between the next surface and its picture: 0.31 ms on
 * an H200. */
void raster_prepare(struct raster *raster, const struct exec *exec);

/* Gives the pixels of the last picture, if raster->on_host. */
void raster_planes(const struct raster *raster, const struct passes *passes, const float **depth, const uint32_t **seen);

#ifdef __cplusplus
}
#endif
#endif
