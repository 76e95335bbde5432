/* The mesh on the GPU: a buffer of vertices, one of indices, one that says how many are to be drawn, and the way from the
 * compute backend into them.
 *
 * The ways, best first; which one runs, and why, is a line of text for the panel:
 *    shared   CUDA writes into OpenGL's buffers (mesh_cuda.c)
 *    staged   CUDA writes into buffers of its own, which go through pinned host memory
 *    mapped   the CPU backend writes into OpenGL's mapped memory
 *
 *    mesh_reserve -> mesh_map -> the pipeline writes -> mesh_unmap -> mesh_draw
 *
 * A shared mesh can be drawn while it is still being written, and nobody but the GPU knows how large it is (`command` is
 * where that is written); to say so is left for later:
 *
 *    mesh_map -> the pipeline is told to write -> mesh_queue -> mesh_draw -> mesh_settle */
#ifndef ISO_MESH_H
#define ISO_MESH_H

#include "error.h"
#include "iso.h"

#ifdef __cplusplus
extern "C" {
#endif

enum mesh_way { MESH_MAPPED, MESH_STAGED, MESH_SHARED };

enum { MESH_VERTICES, MESH_INDICES, MESH_COMMAND, MESH_BUFFERS };

struct mesh_cuda;

struct mesh {
    struct exec *exec; /* the backend that writes; borrowed */
    unsigned array;    /* vertex array object */
    unsigned buffer[MESH_BUFFERS];
    uint64_t bytes[MESH_BUFFERS]; /* room in each */
    uint64_t vertices, triangles; /* in the buffers and drawn */
    uint64_t version;             /* another for every content of the vertex buffer of that name */
    struct draw_command *command; /* between map and unmap: in the backend's memory; NULL: not by this way */
    bool queued;                  /* as much is drawn as the command says; vertices and triangles are 0 */
    struct mesh_cuda *cuda;       /* NULL: the CPU writes, or there is no room yet */
    enum mesh_way way;
    char why[256]; /* one line: which way, and why */
};

/* The CUDA device that drives the current OpenGL context, or -1: none does, or there is no CUDA. For iso_open. */
int mesh_device(void);

/* Makes a mesh without room that `exec` will write. no_sharing: never share with CUDA. */
void mesh_open(struct mesh *mesh, struct exec *exec, bool no_sharing);

/* Frees everything and zeroes the struct; an empty one is fine. Before the backend and the context are closed. */
void mesh_close(struct mesh *mesh);

/* Makes room for that many; never shrinks. The mesh is lost when a buffer grows, and kept on error (ERR_FAILED). */
int mesh_reserve(struct mesh *mesh, uint64_t vertices, uint64_t triangles, struct err *err);

/* Gives pointers in the backend's memory to the reserved room, and how much fits. From here the content is undefined and
 * nothing is drawn; on error the mesh stays. */
int mesh_map(struct mesh *mesh, struct mesh_buffers *out, struct err *err);

/* Ends the writing, and says how much is to be drawn. On error the mesh is empty. */
int mesh_unmap(struct mesh *mesh, uint64_t vertices, uint64_t triangles, struct err *err);

/* Ends the writing, of which only the command will say how much there is. Only where there is a command. */
int mesh_queue(struct mesh *mesh, struct err *err);

/* What the command said has become known. */
void mesh_settle(struct mesh *mesh, uint64_t vertices, uint64_t triangles);

/* Copies what is drawn to the backend's memory: room for `vertices` and 3 indices a triangle. Queued in order with the ops.
 * Not while it is mapped or queued. Error: ERR_FAILED. */
int mesh_fetch(struct mesh *mesh, const struct backend_ops *ops, const struct mesh_out *to, struct err *err);

/* The vertices that are drawn are those of another mesh, as long as it has them. */
void mesh_share_vertices(struct mesh *mesh, const struct mesh *with);

/* Draws the triangles with the current program. */
void mesh_draw(const struct mesh *mesh);

#ifdef __cplusplus
}
#endif
#endif
