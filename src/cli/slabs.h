/* Shared by commands that work slab by slab (stream.h, stream_info.h, stream_verify.h) if a volume or its surface does
 * not fit into memory. */
#ifndef ISO_SLABS_H
#define ISO_SLABS_H

#include "export_edit.h"
#include "options.h"
#include "store.h"

/* Opens the store of options->setup.file and a pipeline, if memory is too small for the volume. On entry, `err` says
 * so, unless the command asked for slabs.
 * The pipeline uses the CPU unless CUDA is asked for; several processes on a host take one GPU each in turn.
 * against: what rules out slabs, the beginning of a sentence such as "--smooth is"; NULL: nothing. If slabs are not
 * possible, the reason is added to `err` and nothing is left open.
 * why: receives a line on the backend. */
int slabs_open(struct store *store, struct iso *iso, const struct options *options, const char *against, char *why,
               size_t why_size, struct err *err);

/* Makes the store bypass the page cache if the volume exceeds the memory, or as long as the disk is fast: finding memory
 * for pages can take longer than reading them. For commands that usually read the volume once; a second reading would
 * profit from the cache, most with a slow disk. */
void slabs_read_once(struct store *store, const struct options *options);

/* Bytes that this process may use: the same limit as for a volume in memory. */
uint64_t slabs_memory(const struct options *options);

/* The same for slabs that `iso` computes. On a GPU it is at most three quarters of the memory that is free there,
 * divided among the processes that use it. */
uint64_t slabs_memory_by(const struct options *options, const struct iso *iso);

/* Whether --memory also limits what `iso` computes in addition to its volume. A user who gives a number means it as the
 * total. */
bool slabs_limits(const struct iso *iso, const struct options *options);

/* Counts the vertices and triangles of a surface after the edit, and the bytes that the edit needs beside it. */
int slabs_room(struct iso_layer *mesh, uint64_t *beside, const struct export_edit *edit, const struct iso_surface *of,
               struct err *err);

/* Returns whether the volume that `iso` owns or borrows, plus `bytes` bytes for `what` ("its surface"), exceeds
 * --memory. If so, `err` says so, with CAUSE_VOLUME. */
bool slabs_exceeds(const struct iso *iso, const struct volume *volume, const struct options *options, const char *what,
                   uint64_t bytes, struct err *err);

/* The same for the smoothed copy that --smooth needs; false without that option. */
bool slabs_smooth_exceeds(const struct iso *iso, const struct volume *volume, const struct options *options,
                          struct err *err);

#endif
