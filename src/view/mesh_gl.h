/* The mesh in OpenGL's buffers (a target, see mesh.h): one of vertices, one of indices, one that says how many are to be
 * drawn. CUDA writes into them (mesh_cuda.h) or the CPU does. */
#ifndef ISO_MESH_GL_H
#define ISO_MESH_GL_H

#include "mesh.h"
#include "pause.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Both need the OpenGL context. The second never shares buffers with CUDA. */
extern const struct mesh_target mesh_gl, mesh_gl_staged;

/* Draws the triangles with the current program. pause NULL: all at once. Returns false if it was told to stop. */
bool mesh_gl_draw(const struct mesh *mesh, const struct pause *pause);

struct mesh_commands {        /* buffers of OpenGL's: */
    unsigned indices, buffer; /* in place of the mesh's own; commands for glMultiDrawElementsIndirect, */
    unsigned count;           /* so many */
};

/* The same by commands. */
bool mesh_gl_draw_commands(const struct mesh *mesh, const struct mesh_commands *commands, const struct pause *pause);

struct mesh_names { /* OpenGL's buffers */
    unsigned vertices, indices;
};

/* Whether something is drawn of it now. */
bool mesh_gl_is_drawn(const struct mesh *mesh);

/* Where it lies, for other shaders that read it; takes a mesh that CUDA keeps back to OpenGL. Returns false if nothing is
 * drawn of it now. */
bool mesh_gl_names(const struct mesh *mesh, struct mesh_names *names);

/* From now on, the vertex shader gets the vertices of `turned` as `turned` beside those of `mesh`; NULL: it gets none. */
void mesh_gl_turn(const struct mesh *mesh, const struct mesh *turned);

/* The backend that may read it where it lies, now: CUDA if it shares the buffers, the CPU on software OpenGL.
 * BACKEND_COUNT: none. */
enum backend mesh_gl_reader(const struct mesh *mesh);

/* Gives the vertices and indices in that backend's memory, to read until mesh_gl_end_read, which CUDA does in order with
 * what else is queued by mesh->exec; nothing is drawn meanwhile. Errors: ERR_FAILED; of the second: what was read may not
 * have been the mesh. */
int mesh_gl_begin_read(const struct mesh *mesh, struct mesh_out *out, struct err *err);
int mesh_gl_end_read(const struct mesh *mesh, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
