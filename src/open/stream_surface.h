/* One of the surfaces that a call of stream_extract makes: what each layer owns, its file, and the record kept of it. All
 * surfaces share the passes over the volume (stream.c). */
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
    struct journal journal;      /* of this process's work, if it keeps one */
    size_t noted, noted_bytes;   /* how many layers, and bytes of pieces, are already in it */
    struct plan_share share;     /* layers that this process still has to do in this pass */
    struct plan_share all;       /* the same, including those done before */
    const struct volume *volume; /* without voxels */
    struct iso *iso;
    struct export_file *e;
    float value; /* stored units */
    size_t layers;
    struct iso_layer *layer; /* [layers] what each owns */
    struct iso_layer before; /* what the first `summed` of them own */
    size_t summed;
    size_t *bounds;                     /* [size of the team + 1] in layers: who counts them, later who writes them */
    struct iso_layer base;              /* what the surfaces before it own, if they are in one file */
    const struct stream_surface *owner; /* the surface whose file it is a part of; NULL: it has its own */
    struct export_slabs out;
    struct export_pieces list;     /* a file for each slab: instead of `out`, except out.pieces */
    struct pieces made;            /* slices of such files that did not exist before, until a list names them */
    struct stream_held held;       /* what was counted, if the same process will write it */
    double transform_ms, write_ms; /* write_ms: without that of `out` */
    bool ended;                    /* nothing is left to do */
};

/* Begins with nothing counted. Error: ERR_FAILED. Call stream_surface_free in any case. */
int stream_surface_open(struct stream_surface *s, const struct stream_desc *desc, struct team *team, struct iso *iso,
                        const struct stream_file *file, struct err *err);
void stream_surface_free(struct stream_surface *s);

/* Opens the record of earlier work; all ranks together. s->ended: the file already had its name when the last process was
 * stopped. code: the error that has occurred before at this rank. */
int stream_surface_begin(struct stream_surface *s, int code, struct err *err);

/* Whether this process counts or writes the slab. */
bool stream_surface_has(const struct stream_surface *s, const struct plan_slab *slab);

/* Sets s->share to what it still has to count. Rank k of the team counts layers bounds[k] to bounds[k + 1] - 1. */
int stream_surface_begin_count(struct stream_surface *s, const size_t *bounds, struct err *err);

/* Counts a slab, whose block the pipeline has. Also makes its mesh and holds it, if the room has bytes left. */
int stream_surface_count(struct stream_surface *s, const struct stream_slabs *slabs, const struct plan_slab *slab,
                         struct stream_room *room, const struct grid *block, struct err *err);
void stream_surface_end_count(struct stream_surface *s);

/* Learns what all ranks have counted: how large the file is, and who writes which layers. Without triangles the surface has
 * ended. */
int stream_surface_share_out(struct stream_surface *s, struct err *err);

/* Sets s->share to what it still has to write. */
int stream_surface_begin_write(struct stream_surface *s, struct err *err);

/* Opens its file, for stream_surface_make. */
int stream_surface_open_file(struct stream_surface *s, struct err *err);

/* Writes what is held, and removes it from s->share. begun, layer: the progress before it, and that of each layer. Errors:
 * those of writing; ERR_FAILED if cancelled. */
int stream_surface_write_held(struct stream_surface *s, double begun, double layer, struct err *err);

/* What the surface owns of a slab. Slabs come in order. */
struct plan_slab stream_surface_slab(struct stream_surface *s, const struct plan_slab *slab);

/* Makes and writes the surface's part of such a slab, whose block the pipeline has. The room must be large enough. */
int stream_surface_make(struct stream_surface *s, const struct stream_slabs *slabs, const struct plan_slab *slab,
                        struct stream_room *room, const struct grid *block, struct err *err);
int stream_surface_end_write(struct stream_surface *s, struct err *err);

/* Gives the file its name, if that is one of the phases; all ranks together. */
int stream_surface_finish(struct stream_surface *s, struct err *err);

/* Closes the file. If `failed`, it is removed, unless it is a common one. With a file for each slab, those that only this
 * process has made are removed, too. */
void stream_surface_close(struct stream_surface *s, bool failed);

#ifdef __cplusplus
}
#endif
#endif
