/* A mesh in OpenGL's buffers (a target, see mesh.h): one for vertices, one for indices, and one for the draw command.
 * CUDA writes into them (mesh_cuda.h), or the CPU does. */
#ifndef ISO_MESH_GL_H
#define ISO_MESH_GL_H

#include "mesh.h"
#include "pause.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Both need the OpenGL context. mesh_gl_staged never shares buffers with CUDA. */
extern const struct mesh_target mesh_gl, mesh_gl_staged;

/* Draws the triangles with the current program. pause NULL: all at once. Returns false if it was told to stop. */
bool mesh_gl_draw(const struct mesh *mesh, const struct pause *pause);

struct mesh_commands {        /* OpenGL buffers and their use: */
    unsigned indices, buffer; /* replace the mesh's own; commands for glMultiDrawElementsIndirect */
    unsigned count;           /* number of commands */
};

/* The same with these commands. */
bool mesh_gl_draw_commands(const struct mesh *mesh, const struct mesh_commands *commands, const struct pause *pause);

struct mesh_names { /* OpenGL's buffers */
    unsigned vertices, indices;
};

/* Whether the mesh can be drawn now. */
bool mesh_gl_is_drawn(const struct mesh *mesh);

/* Gives the buffers of the mesh, for other shaders to read. If CUDA keeps the mesh, hands it back to OpenGL. Returns
 * false if the mesh cannot be drawn now. */
bool mesh_gl_names(const struct mesh *mesh, struct mesh_names *names);

/* From now on, the vertex shader also gets the vertices of `turned`, as its input `turned`; NULL: it gets none. */
void mesh_gl_turn(const struct mesh *mesh, const struct mesh *turned);

/* The backend that can read the mesh in place now: CUDA if it shares the buffers, the CPU on software OpenGL.
 * BACKEND_COUNT: none. */
enum backend mesh_gl_reader(const struct mesh *mesh);

/* Gives the vertices and indices in that backend's memory, to read until mesh_gl_end_read. On CUDA, both calls are in
 * order with other work queued by mesh->exec. Nothing may be drawn meanwhile. Errors: ERR_FAILED; from mesh_gl_end_read
 * it means that what was read may not have been the mesh. */
int mesh_gl_begin_read(const struct mesh *mesh, struct mesh_out *out, struct err *err);
int mesh_gl_end_read(const struct mesh *mesh, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
