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

/* Whether to go on with a long drawing: asked every few hundredths of a second, with all so far drawn. It may draw elsewhere, if
 * it leaves OpenGL's state as it was. */
struct mesh_gl_pause {
    bool (*go_on)(void *context);
    void *context;
};

/* Draws the triangles with the current program. pause NULL: all at once. Returns false if it was told to stop. */
bool mesh_gl_draw(const struct mesh *mesh, const struct mesh_gl_pause *pause);

#ifdef __cplusplus
}
#endif
#endif
