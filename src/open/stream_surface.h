/* One of the surfaces that a call of stream_extract makes: what each layer owns, its file, and what is kept of it. Passes
 * over the volume are common to all of them (stream.c). */
#ifndef ISO_STREAM_SURFACE_H
#define ISO_STREAM_SURFACE_H

#include "export_pieces.h"
#include "export_slabs.h"
#include "stream.h"
#include "stream_held.h"
#include "stream_slabs.h"

#ifdef __cplusplus
extern "C" {
#endif

struct stream_surface {
    const struct stream_desc *d;
    const struct stream_file *file;
    struct team *team;
    unsigned phases;
    bool holds; /* each process writes what it has counted */
    struct ledger ledger;
    struct journal journal;      /* of what this process is at, if it keeps one */
    size_t noted, noted_bytes;   /* layers, and bytes of pieces, before these are in it */
    struct plan_share share;     /* layers that are left to it, in this pass */
    struct plan_share all;       /* the same, with what was done before */
    const struct volume *volume; /* without voxels */
    struct iso *iso;
    struct export_file *e;
    float value; /* stored units */
    size_t layers;
    struct iso_layer *layer; /* [layers] what each owns */
    struct iso_layer before; /* what the first `summed` of them own */
    size_t summed;
    size_t *bounds;                     /* [size of the team + 1] of layers: who counts them, then who writes them */
    struct iso_layer base;              /* what the surfaces before it own, in a file of several */
    const struct stream_surface *owner; /* whose file it is a part of; NULL: it has its own */
    struct export_slabs out;
    struct export_pieces list;     /* in place of `out`, but for out.pieces: a file for each slab */
    struct pieces made;            /* slices of such files that were not there before, until a list names them */
    struct stream_held held;       /* of what was counted, where the same process will write it */
    double transform_ms, write_ms; /* write_ms: but for that of `out` */
    bool ended;                    /* nothing is left to do */
};

/* Begins with nothing counted. Error: ERR_FAILED; stream_surface_free is to be called then, too. */
int stream_surface_open(struct stream_surface *s, const struct stream_desc *desc, struct team *team, struct iso *iso,
                        const struct stream_file *file, struct err *err);
void stream_surface_free(struct stream_surface *s);

/* Opens what is kept of it; all ranks together. s->ended: the file had its name when the last process was stopped. code:
 * what has gone wrong before, at this rank. */
int stream_surface_begin(struct stream_surface *s, int code, struct err *err);

/* Whether the slab is this process's to count, or to write. */
bool stream_surface_has(const struct stream_surface *s, const struct plan_slab *slab);

/* Sets s->share to what it has still to count. Rank k of the team counts layers bounds[k] to bounds[k + 1] - 1. */
int stream_surface_begin_count(struct stream_surface *s, const size_t *bounds, struct err *err);

/* Counts a slab, whose block the pipeline has; makes its mesh and holds it, where the room has something left. */
int stream_surface_count(struct stream_surface *s, const struct stream_slabs *slabs, const struct plan_slab *slab,
                         struct stream_room *room, const struct grid *block, struct err *err);
void stream_surface_end_count(struct stream_surface *s);

/* Learns what all have counted: how large the file is, and who writes which layers. Without triangles it has ended. */
int stream_surface_share_out(struct stream_surface *s, struct err *err);

/* Sets s->share to what it has still to write. */
int stream_surface_begin_write(struct stream_surface *s, struct err *err);

/* Opens its file, for stream_surface_make. */
int stream_surface_open_file(struct stream_surface *s, struct err *err);

/* Writes what is held, and takes it out of s->share. begun, layer: of the progress, before it and of each layer. Errors:
 * those of writing; ERR_FAILED if cancelled. */
int stream_surface_write_held(struct stream_surface *s, double begun, double layer, struct err *err);

/* What it owns of a slab; slabs come in their order. */
struct plan_slab stream_surface_slab(struct stream_surface *s, const struct plan_slab *slab);

/* Makes and writes its part of such a slab, whose block the pipeline has. The room is large enough. */
int stream_surface_make(struct stream_surface *s, const struct stream_slabs *slabs, const struct plan_slab *slab,
                        struct stream_room *room, const struct grid *block, struct err *err);
int stream_surface_end_write(struct stream_surface *s, struct err *err);

/* Gives the file its name, where that is among the phases; all ranks together. */
int stream_surface_finish(struct stream_surface *s, struct err *err);

/* Closes the file: none is left if `failed`, but for a common one. Of a file for each slab, nor are those that this process
 * has made alone. */
void stream_surface_close(struct stream_surface *s, bool failed);

#ifdef __cplusplus
}
#endif
#endif
