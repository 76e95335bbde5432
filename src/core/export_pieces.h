/* A surface as a file for each slab, and one that lists them: PVTP, which VTK and ParaView read in parallel. Each piece
 * numbers its own vertices; those on the border of two slabs are in both, with the same bits. The pieces lie in a folder
 * beside the list, whose name ends in the number of the job, so that no list ever names pieces of another surface. */
#ifndef ISO_EXPORT_PIECES_H
#define ISO_EXPORT_PIECES_H

#include "export_format.h"
#include "slab_mesh.h"

#include <limits.h>

#ifdef __cplusplus
extern "C" {
#endif

extern const struct export_format export_pvtp; /* no row of export_formats: stream_extract alone writes it */

struct export_pieces {
    char target[PATH_MAX]; /* the list, with links followed */
    uint32_t job;
    bool resumes; /* a later run goes on with the pieces of one that was ended; else a signal takes them along */
};

/* Sets where the pieces of the list `path` lie. Errors: ERR_FAILED; ERR_USAGE where XML cannot hold the name. */
int export_pieces_open(struct export_pieces *pieces, const char *path, uint32_t job, struct err *err);

/* Makes the mesh the piece of its slab, in its own memory, and moves it into the world, as export_slabs_place does. A piece
 * begins with what the slab owns: m->skip is 0 then. */
int export_pieces_place(struct export_file *e, struct slab_mesh *m, const struct grid *block, struct iso *iso,
                        const struct volume *volume, struct err *err);

/* Writes the piece of a slab that owns triangles; *is_new: there was none of that name. Error: ERR_FAILED. */
int export_pieces_add(const struct export_pieces *pieces, const struct export_file *e, const struct slab_mesh *m,
                      bool *is_new, struct err *err);

/* Removes the pieces of n slabs, begin and end of each, and the folder if nothing else is in it. */
void export_pieces_remove(const struct export_pieces *pieces, const uint64_t (*slab)[2], size_t n);

/* Before the list gets its name: what is in the folder stays, whatever ends the program. */
void export_pieces_stay(const struct export_pieces *pieces);

/* Removes all other pieces in the folder: those of a run that ended early, or that cut the volume into other slabs. */
void export_pieces_keep(const struct export_pieces *pieces, const uint64_t (*slab)[2], size_t n);

/* Writes the list of n slabs, begin and end of each, to the open `file`; *bytes: of all pieces. Error: ERR_FAILED, also if
 * a piece is not there. */
int export_pieces_list(const struct export_pieces *pieces, const struct export_file *e, const uint64_t (*slab)[2], size_t n,
                       FILE *file, uint64_t *bytes, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
