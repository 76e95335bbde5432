/* Meshes of slabs that were made while they were counted. Where they stand in the file is known when all have been counted;
 * until then they are held, as far as the memory allows, and their slabs are not read again. */
#ifndef ISO_STREAM_HELD_H
#define ISO_STREAM_HELD_H

#include "slab_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Memory for the mesh of one slab after the other. */
struct stream_room {       /* zero is an empty one */
    struct mesh_host mesh; /* its counts are how many it takes */
    float *normals;        /* 3 per vertex */
    uint64_t left;         /* bytes that more room and what is held may take; 0: nothing is held */
};

/* Makes room for a mesh, if it has less. Error: ERR_FAILED. */
int stream_room_reserve(struct stream_room *room, uint64_t vertices, uint64_t triangles, struct err *err);
void stream_room_free(struct stream_room *room);

/* Counts the surface at `value` in the block that the pipeline has, as iso_count_host does, and makes its mesh in the room,
 * which grows where room->left allows that. *made: false where it does not; then room->left is 0. Error: ERR_FAILED. */
int stream_room_make(struct stream_room *room, struct iso *iso, float value, bool *made, struct err *err);

struct stream_mesh {       /* that is held */
    struct slab_mesh made; /* in the world: what the slab owns, and the vertices that its triangles have besides; normals
                            * of as many as stream_held_add got */
    void *memory;          /* all of it, owned */
};

struct stream_held { /* of a surface; zero is an empty one */
    struct stream_mesh *list;
    size_t count, capacity;
    struct plan_share layers; /* of which it holds all that they own */
};

/* Holds what the slab owns of a mesh, with the normals of `normals` vertices from there on; slabs come in their order.
 * room->left gets less by its bytes, or 0 if they do not fit. */
void stream_held_add(struct stream_held *held, struct stream_room *room, const struct slab_mesh *m, uint64_t normals);
void stream_held_free(struct stream_held *held);

#ifdef __cplusplus
}
#endif
#endif
