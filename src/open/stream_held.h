/* Meshes of slabs, made while the slabs are counted. Their place in the file is known only when all slabs have been
 * counted. Until then they are held, as far as memory allows, so that their slabs need not be read again. */
#ifndef ISO_STREAM_HELD_H
#define ISO_STREAM_HELD_H

#include "slab_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Memory for the meshes of slabs, one after the other. */
struct stream_room {       /* zero means empty */
    struct mesh_host mesh; /* its counts are its capacity */
    float *normals;        /* 3 per vertex */
    uint64_t left;         /* bytes for more room and for held meshes; 0: nothing is held */
};

/* Makes the room large enough for a mesh. Error: ERR_FAILED. */
int stream_room_reserve(struct stream_room *room, uint64_t vertices, uint64_t triangles, struct err *err);
void stream_room_free(struct stream_room *room);

/* Counts the surface at `value` in the pipeline's block, as iso_count_host does, and makes its mesh in the room. The room
 * grows if room->left allows it; otherwise *made is false, and room->left becomes 0. Error: ERR_FAILED. */
int stream_room_make(struct stream_room *room, struct iso *iso, float value, bool *made, struct err *err);

struct stream_mesh {       /* a held mesh */
    struct slab_mesh made; /* in the world: what the slab owns, and the other vertices of its triangles; normals of
                            * as many as stream_held_add was given */
    void *memory;          /* of the whole mesh; owned */
};

struct stream_held { /* the held meshes of a surface; zero means empty */
    struct stream_mesh *list;
    size_t count, capacity;
    struct plan_share layers; /* all that these layers own is held */
};

/* Holds what the slab owns of a mesh, with the normals of `normals` vertices from its first own vertex on. Slabs come in
 * order. room->left shrinks by the bytes that this takes, or becomes 0 if they do not fit. */
void stream_held_add(struct stream_held *held, struct stream_room *room, const struct slab_mesh *m, uint64_t normals);
void stream_held_free(struct stream_held *held);

#ifdef __cplusplus
}
#endif
#endif
