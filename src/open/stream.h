/* Surfaces of volumes that do not fit into memory: slab by slab (plan.h), from a store to a file, in passes.
 *
 *    count   every slab is read and counted: what each layer of bricks owns, from which follows where everything will
 *            stand. Its mesh is made, too, and held as long as there is memory for it
 *    write   what is held is written; of the rest, slabs are cut anew, by what their meshes take, and those that own
 *            something are read again, made and written
 *
 *    finish  one process writes what is no record, and the blocks that several have a part of, and gives the file its name
 *
 * The file has the same bytes as one that is made of the whole volume at once, however many processes (team.h) make it:
 * each counts a share of the layers and writes another, a run of each of the file's sections. They learn from each other
 * what each layer owns, and hand over what lies in blocks that they share. */
#ifndef ISO_STREAM_H
#define ISO_STREAM_H

#include "export.h"
#include "store.h"
#include "stream_times.h"
#include "team.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { STREAM_JOINED = 16 };

enum { STREAM_COUNT = 1, STREAM_WRITE = 2, STREAM_FINISH = 4, STREAM_ALL = 7 };

struct stream_desc {
    const struct store *store;
    uint64_t memory; /* bytes that the process may take, with a few MiB for itself */
    size_t layers;   /* of bricks, that a slab owns at most; 0: as many as are worth it */
    struct progress progress;
    struct team *team; /* NULL: alone */
    bool joined; /* the surfaces are parts of one file, and all of `files` name it; alone, and at most STREAM_JOINED */
    bool keeps;  /* what was done, in a ledger beside the file, to go on there */
    bool holds;  /* where all phases run: meshes of counted slabs, as far as the memory allows, which are not read again */
    struct stream_times *times; /* are added to; NULL: nobody asks */
    unsigned phases;            /* that run; 0: all. Others have run, or will; `finish` alone is by rank 0 */
};

struct stream_file {
    double value; /* real units */
    const char *path;
    struct export_file *file;
    double transform_ms; /* set: of gemm */
};

/* Writes the surface at each of n values to its file, in its format, which has to be `fixed`; sets the rest of `file` as
 * export_add and export_write do, but for its part's mesh, of which only the counts are known, and the times, which several
 * have in common. A surface without triangles writes nothing: file->count is 0. A pass reads the volume once for as many
 * files as the memory has buffers for, 16 at most. `iso` has no volume afterwards. file->edit must be empty. Errors:
 * ERR_INPUT; ERR_USAGE, of a name or what was begun with other options; ERR_FAILED, also if desc->memory is too little, or
 * "cancelled"; then no file is left but those that were complete, and each `file` is empty. Where `finish` does not run,
 * file->count is 0, and it has the counts of this process: of what it counted, or wrote. */
int stream_extract(const struct stream_desc *desc, struct iso *iso, struct stream_file *files, size_t n, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
