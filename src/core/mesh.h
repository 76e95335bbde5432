/* A mesh between the compute backend, which writes it, and the renderer, which draws it. A target owns the memory: OpenGL
 * buffers (mesh_gl.h), or memory of the backend if there is no OpenGL (mesh_memory).
 *
 * The transfer paths, best first; `why` says in one line which one is used:
 *    shared   CUDA writes into the target's buffers
 *    staged   CUDA writes into buffers of its own, which go through pinned host memory
 *    mapped   the CPU backend writes into the target's mapped memory
 *
 *    mesh_reserve -> mesh_map -> the pipeline writes -> mesh_unmap -> drawn by the target
 *
 * A shared mesh can be drawn while CUDA still writes it. Only the GPU knows its size then, and writes it to `command`:
 *
 *    mesh_map -> the pipeline is told to write -> mesh_queue -> drawn -> mesh_resolve */
#ifndef ISO_MESH_H
#define ISO_MESH_H

#include "error.h"
#include "kernels/backend.h"
#include "kernels/grid.h"

#ifdef __cplusplus
extern "C" {
#endif

enum mesh_way { MESH_MAPPED, MESH_STAGED, MESH_SHARED };

enum { MESH_VERTICES, MESH_INDICES, MESH_COMMAND, MESH_BUFFERS };

struct draw_command;
struct mesh_target;

struct mesh_buffers { /* memory of the backend for a mesh, and how many vertices and triangles fit */
    struct mesh_out mesh;
    uint64_t vertices, triangles;
};

struct mesh {
    const struct mesh_target *target;
    struct exec *exec;            /* of the backend that writes; borrowed */
    void *store;                  /* the target's own; NULL: no memory yet */
    uint64_t bytes[MESH_BUFFERS]; /* capacity of each buffer */
    uint64_t vertices, triangles; /* in the buffers and drawn */
    uint64_t version;             /* of the content, unique among all meshes; 0: nothing was ever written */
    struct draw_command *command; /* between map and unmap: in the backend's memory; NULL: not by this path */
    bool mapped;
    bool queued; /* the command says how much is drawn; vertices and triangles are 0 */
    enum mesh_way way;
    char why[256];     /* one line: which path, and why */
    char refusal[200]; /* why CUDA and the target never share this mesh, one clause; "": they may */
};

/* Functions that can fail return an error code, and leave the mesh as it was. */
struct mesh_target {
    const char *mapped, *shared; /* mesh.why by these paths */
    const char *refusal;         /* why the target never shares with CUDA, one clause; NULL: it tries */
    int (*device)(void);         /* CUDA device that it can share with, for iso_open; -1: none */

    /* Replaces the memory by buffers of these sizes for the path `way`; their content is undefined. If sharing fails, the
     * cause is CAUSE_MEMORY (it may work later, or with less) or CAUSE_BACKEND (it will not). */
    int (*grow)(struct mesh *mesh, const uint64_t bytes[MESH_BUFFERS], enum mesh_way way, struct err *err);

    /* Gives pointers that the backend writes through until unmap, which brings the first `bytes` of each buffer to the
     * target. */
    int (*map)(struct mesh *mesh, void *memory[MESH_BUFFERS], struct err *err);
    int (*unmap)(struct mesh *mesh, const uint64_t bytes[MESH_BUFFERS], struct err *err);

    int (*fetch)(struct mesh *mesh, const struct mesh_out *to, struct err *err); /* as mesh_fetch; the mesh is not empty */
    void (*share_vertices)(struct mesh *mesh, const struct mesh *with);
    void (*close)(struct mesh *mesh); /* frees `store`; NULL is fine */
};

/* Buffers of the backend's own memory: the CPU's or the GPU's. */
extern const struct mesh_target mesh_memory;

/* Where a mesh of mesh_memory lies, in the backend's memory. */
struct mesh_out mesh_memory_of(const struct mesh *mesh);

/* Makes a mesh without memory, which `exec` will write. */
void mesh_open(struct mesh *mesh, const struct mesh_target *target, struct exec *exec);

/* Frees everything and zeroes the struct; a zero one is fine. Before the backend and the target's context are closed. */
void mesh_close(struct mesh *mesh);

/* Makes room for that many; never shrinks. When a buffer grows the content is lost; on error (ERR_FAILED) it stays. */
int mesh_reserve(struct mesh *mesh, uint64_t vertices, uint64_t triangles, struct err *err);

/* Gives pointers in the backend's memory to the reserved room, and how much fits. From here the content is undefined and
 * nothing is drawn; on error the mesh stays. */
int mesh_map(struct mesh *mesh, struct mesh_buffers *out, struct err *err);

/* Ends the writing, and says how much is to be drawn. On error the mesh is empty. Does nothing where it is not mapped. */
int mesh_unmap(struct mesh *mesh, uint64_t vertices, uint64_t triangles, struct err *err);

/* Ends the writing of a mesh whose size only the command will say. Only where there is a command. */
int mesh_queue(struct mesh *mesh, struct err *err);

/* Says how much is to be drawn of a mesh that was queued. */
void mesh_resolve(struct mesh *mesh, uint64_t vertices, uint64_t triangles);

/* Nothing is drawn any more; the memory stays. */
void mesh_clear(struct mesh *mesh);

/* Copies what is drawn to the backend's memory: room for `vertices` and 3 indices a triangle. Queued in order with the ops.
 * Not while it is mapped or queued. Error: ERR_FAILED. */
int mesh_fetch(struct mesh *mesh, const struct mesh_out *to, struct err *err);

/* The vertices that are drawn are those of another mesh, as long as it has them. */
void mesh_share_vertices(struct mesh *mesh, const struct mesh *with);

/* Bytes of vertices and indices that it has room for. */
uint64_t mesh_bytes(const struct mesh *mesh);

#ifdef __cplusplus
}
#endif
#endif
