/* Surfaces of volumes that do not fit into memory. They go slab by slab (plan.h) from a store to a file, in passes:
 *
 *    count   Every slab is read and counted: what does each layer of bricks own? That decides where everything will be in
 *            the file. The slab's mesh is also made, and held as long as there is memory for it.
 *    write   What is held is written. The rest is cut into new slabs, according to the memory that their meshes take; those
 *            that own something are read again, made and written.
 *
 *    finish  One process writes what is not a record, and the blocks that several processes have a part of. Then it gives
 *            the file its name.
 *
 * The file has the same bytes as one made from the whole volume at once, however many processes (team.h) make it. Each
 * process counts one share of the layers and writes another: a contiguous part of each of the file's sections. The
 * processes tell each other what each layer owns, and hand over what lies in blocks that they share. */
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
    uint64_t memory; /* bytes that the process may take, including a few MiB for itself */
    size_t layers;   /* of bricks, the most that a slab owns; 0: as many as are worth it */
    struct progress progress;
    struct team *team; /* NULL: alone */
    bool joined; /* the surfaces are parts of one file, which all `files` name; only alone, and at most STREAM_JOINED */
    bool keeps;  /* keep a ledger beside the file of what was done, to resume there */
    bool holds; /* if all phases run: hold meshes of counted slabs, as far as memory allows, so as not to read them again */
    struct stream_times *times; /* the times are added to it; NULL: not wanted */
    unsigned phases;            /* to run; 0: all. Others have run, or will. Only rank 0 may run just `finish` */
};

struct stream_file {
    double value; /* real units */
    const char *path;
    struct export_file *file;
    double transform_ms; /* set: time of gemm */
};

/* Writes the surface at each of n values to its file, in its format, which must be `fixed`. Sets the rest of `file` as
 * export_add and export_write do, with two differences: only the counts of its part's mesh are known, and some times are
 * shared by several files. A surface without triangles writes nothing: file->count is 0. A pass reads the volume once for
 * as many files as memory has buffers for, at most 16. `iso` has no volume afterwards. file->edit must be empty. Errors:
 * ERR_INPUT; ERR_USAGE for a name, or if the file was begun with other options; ERR_FAILED, also if desc->memory is too
 * small, or for "cancelled". After an error only complete files are left, and each `file` is empty. If `finish` does not
 * run, file->count is 0, and the counts are those of this process: of what it counted or wrote. */
int stream_extract(const struct stream_desc *desc, struct iso *iso, struct stream_file *files, size_t n, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
