/* Between CUDA and OpenGL: the two ways to transfer a mesh that CUDA makes. Implemented by mesh_cuda.c, or by
 * mesh_nocuda.c in a build without CUDA. Only mesh_cuda.c and raster_cuda.c know both APIs. Unless stated otherwise,
 * functions return 0 or a CUDA error code. */
#ifndef ISO_MESH_CUDA_H
#define ISO_MESH_CUDA_H

#include "mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mesh_cuda;

int mesh_cuda_device(void); /* CUDA device of the current OpenGL context; -1: none */

/* Takes OpenGL's buffers, whose names it borrows. shared: registers them with CUDA. Otherwise makes device buffers of
 * the same sizes, and two pinned host buffers for the copy. On error *cuda is NULL. */
int mesh_cuda_open(struct mesh_cuda **cuda, const struct exec *exec, bool shared, const unsigned buffer[MESH_BUFFERS],
                   const uint64_t bytes[MESH_BUFFERS]);
void mesh_cuda_close(struct mesh_cuda *cuda); /* before OpenGL's buffers are deleted; NULL is fine */

/* Gives device pointers to write through until unmap, which transfers the first `bytes` of each buffer to OpenGL. */
int mesh_cuda_map(struct mesh_cuda *cuda, void *memory[MESH_BUFFERS]);
/* The same, to read the first two buffers. */
int mesh_cuda_map_to_read(struct mesh_cuda *cuda, void *memory[MESH_BUFFERS]);
int mesh_cuda_unmap(struct mesh_cuda *cuda, const uint64_t bytes[MESH_BUFFERS]);

/* Lets CUDA keep the shared buffers of a mesh between those calls, because handing them to OpenGL and back takes 0.33
 * ms on an H200. */
void mesh_cuda_keep(struct mesh_cuda *cuda);

/* Hands the buffers of all meshes to OpenGL. Call it before OpenGL uses any, because a mesh may be drawn with the
 * vertices of another. Buffers that are being written or read follow when that ends. CUDA keeps nothing until it is
 * told to again. */
void mesh_cuda_let_go(void);

const char *mesh_cuda_explain(int code);
bool mesh_cuda_is_memory(int code); /* too little memory */

#ifdef __cplusplus
}
#endif
#endif
