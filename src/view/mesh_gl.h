/* The mesh in OpenGL's buffers (a target, see mesh.h): one of vertices, one of indices, one that says how many are to be
 * drawn. CUDA writes into them (mesh_cuda.h) or the CPU does. */
#ifndef ISO_MESH_GL_H
#define ISO_MESH_GL_H

#include "mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Both need the OpenGL context. The second never shares buffers with CUDA. */
extern const struct mesh_target mesh_gl, mesh_gl_staged;

/* Draws the triangles with the current program. */
void mesh_gl_draw(const struct mesh *mesh);

#ifdef __cplusplus
}
#endif
#endif
