/* A surface as one file per slab, and a file that lists them: PVTP, which VTK and ParaView read in parallel. Each piece
 * numbers its own vertices; those on the border of two slabs are in both pieces, with the same bits. The pieces lie in a
 * folder beside the list. The folder's name ends in the job's number, so a list never names pieces of another surface. */
#ifndef ISO_EXPORT_PIECES_H
#define ISO_EXPORT_PIECES_H

#include "export_format.h"
#include "slab_mesh.h"

#include <limits.h>

#ifdef __cplusplus
extern "C" {
#endif

extern const struct export_format export_pvtp; /* not in export_formats: only stream_extract writes it */

struct export_pieces {
    char target[PATH_MAX]; /* the list, with links followed */
    uint32_t job;
    bool resumes; /* a later run can continue an interrupted one; else a signal removes the pieces */
};

/* Sets where the pieces of the list `path` lie. Errors: ERR_FAILED; ERR_USAGE if XML cannot hold the name. */
int export_pieces_open(struct export_pieces *pieces, const char *path, uint32_t job, struct err *err);

/* Turns the mesh into its slab's piece, in place, and moves it into the world as export_slabs_place does. A piece begins
 * with what the slab owns, so m->skip becomes 0. */
int export_pieces_place(struct export_file *e, struct slab_mesh *m, const struct grid *block, struct iso *iso,
                        const struct volume *volume, struct err *err);

/* Writes the piece of a slab that owns triangles. *is_new: no file had its name before. Error: ERR_FAILED. */
int export_pieces_add(const struct export_pieces *pieces, const struct export_file *e, const struct slab_mesh *m,
                      bool *is_new, struct err *err);

/* Removes the pieces of n slabs, begin and end of each, and the folder if nothing else is in it. */
void export_pieces_remove(const struct export_pieces *pieces, const uint64_t (*slab)[2], size_t n);

/* From now on a signal does not remove the folder's content. Call it before the list gets its name. */
void export_pieces_stay(const struct export_pieces *pieces);

/* Removes all pieces in the folder but those of n slabs, begin and end of each. The others are from a run that ended early
 * or that cut the volume into other slabs. */
void export_pieces_keep(const struct export_pieces *pieces, const uint64_t (*slab)[2], size_t n);

/* Writes the list of n slabs, begin and end of each, to the open `file`; *bytes: of all pieces. Error: ERR_FAILED, also if
 * a piece is missing. */
int export_pieces_list(const struct export_pieces *pieces, const struct export_file *e, const uint64_t (*slab)[2], size_t n,
                       FILE *file, uint64_t *bytes, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
