/* A mesh between the compute backend, which writes it, and the renderer, which draws it. A target owns the memory: OpenGL
 * buffers (mesh_gl.h), or memory of the backend if there is no OpenGL (mesh_memory).
 *
 * The transfer paths, best first; `why` says in one line which one is used:
 *    shared   CUDA writes into the target's buffers
 *    staged   CUDA writes into its own buffers, which are copied through pinned host memory
 *    mapped   the CPU backend writes into the target's mapped memory
 *
 *    mesh_reserve -> mesh_map -> the pipeline writes -> mesh_unmap -> drawn by the target
 *
 * A shared mesh can be drawn while CUDA is still writing it. Then only the GPU knows its size, and writes it to `command`:
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

struct mesh_buffers { /* backend memory for a mesh, and how many vertices and triangles fit */
    struct mesh_out mesh;
    uint64_t vertices, triangles;
};

struct mesh {
    const struct mesh_target *target;
    struct exec *exec;            /* of the backend that writes; borrowed */
    void *store;                  /* the target's own; NULL: no memory yet */
    uint64_t bytes[MESH_BUFFERS]; /* capacity of each buffer */
    uint64_t vertices, triangles; /* in the buffers and drawn */
    uint64_t version;             /* of the content, unique among all meshes; 0: never written */
    struct draw_command *command; /* between map and unmap, in backend memory; NULL: this path has none */
    bool mapped;
    bool queued; /* `command` says how much is drawn; vertices and triangles are 0 */
    enum mesh_way way;
    char why[256];     /* one line: which path, and why */
    char refusal[200]; /* why CUDA and the target never share this mesh, one clause; "": they may */
};

/* Functions that can fail return an error code; on error the mesh is unchanged. */
struct mesh_target {
    const char *mapped, *shared; /* mesh.why by these paths */
    const char *refusal;         /* why the target never shares with CUDA, one clause; NULL: it tries */
    int (*device)(void);         /* CUDA device that it can share with, for iso_open; -1: none */

    /* Replaces the memory by buffers of these sizes for the path `way`; their content is undefined. If sharing fails, the
     * cause is CAUSE_MEMORY (it may work later, or with less) or CAUSE_BACKEND (it will not). */
    int (*grow)(struct mesh *mesh, const uint64_t bytes[MESH_BUFFERS], enum mesh_way way, struct err *err);

    /* Gives pointers for the backend to write to. unmap ends that and hands the first `bytes` of each buffer to the
     * target. */
    int (*map)(struct mesh *mesh, void *memory[MESH_BUFFERS], struct err *err);
    int (*unmap)(struct mesh *mesh, const uint64_t bytes[MESH_BUFFERS], struct err *err);

    int (*fetch)(struct mesh *mesh, const struct mesh_out *to, struct err *err); /* see mesh_fetch; the mesh is not empty */
    void (*share_vertices)(struct mesh *mesh, const struct mesh *with);
    void (*close)(struct mesh *mesh); /* frees `store`, which may be NULL */
};

/* Buffers of the backend's own memory: the CPU's or the GPU's. */
extern const struct mesh_target mesh_memory;

/* Where a mesh of mesh_memory lies, in the backend's memory. */
struct mesh_out mesh_memory_of(const struct mesh *mesh);

/* Makes a mesh without memory, to be written by `exec`. */
void mesh_open(struct mesh *mesh, const struct mesh_target *target, struct exec *exec);

/* Frees everything and zeroes the struct, which may be zero already. Call it before the backend and the target's context
 * are closed. */
void mesh_close(struct mesh *mesh);

/* Makes room for that many; never shrinks. If a buffer grows, the content is lost. On error (ERR_FAILED) the content
 * stays. */
int mesh_reserve(struct mesh *mesh, uint64_t vertices, uint64_t triangles, struct err *err);

/* Gives pointers to the reserved backend memory, and how much fits. From then on the content is undefined and nothing is
 * drawn. On error the mesh is unchanged. */
int mesh_map(struct mesh *mesh, struct mesh_buffers *out, struct err *err);

/* Ends the writing and sets how much is drawn. On error the mesh is empty. Does nothing if the mesh is not mapped. */
int mesh_unmap(struct mesh *mesh, uint64_t vertices, uint64_t triangles, struct err *err);

/* Ends the writing of a mesh whose size will be in `command`. Requires mesh->command. */
int mesh_queue(struct mesh *mesh, struct err *err);

/* Sets how much is drawn of a mesh that was queued. */
void mesh_resolve(struct mesh *mesh, uint64_t vertices, uint64_t triangles);

/* Makes the mesh empty; the memory stays. */
void mesh_clear(struct mesh *mesh);

/* Copies what is drawn to backend memory with room for `vertices` and 3 indices per triangle. The copy is queued in order
 * with the ops. Not allowed while the mesh is mapped or queued. Error: ERR_FAILED. */
int mesh_fetch(struct mesh *mesh, const struct mesh_out *to, struct err *err);

/* Draws the mesh with the vertices of another mesh, as long as that has them. */
void mesh_share_vertices(struct mesh *mesh, const struct mesh *with);

/* Bytes of all vertices and indices that fit. */
uint64_t mesh_bytes(const struct mesh *mesh);

#ifdef __cplusplus
}
#endif
#endif
