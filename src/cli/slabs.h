/* What commands share that go slab by slab (stream.h, stream_info.h, stream_verify.h) where a volume or its surface does
 * not fit into memory. */
#ifndef ISO_SLABS_H
#define ISO_SLABS_H

#include "options.h"
#include "store.h"

/* Opens the store of options->setup.file, and a pipeline, of the CPU unless CUDA is asked for (of several processes on a
 * host each has the next GPU), in place of a volume that memory is too small for: `err` says
 * so, and is extended by what is against slabs, the beginning of a sentence (NULL: nothing). Nothing is left open then.
 * why: a line on the backend. */
int slabs_open(struct store *store, struct iso *iso, const struct options *options, const char *against, char *why,
               size_t why_size, struct err *err);

/* Lets a volume that exceeds the memory be read past the page cache: for who reads it once, as a rule. Who reads it twice
 * may find it in there. */
void slabs_read_once(struct store *store, const struct options *options);

/* Bytes that may be used: as for a volume in memory. */
uint64_t slabs_memory(const struct options *options);

/* The same for slabs that `iso` computes: of a GPU at most three quarters of what is free there, shared with the others
 * that use it. */
uint64_t slabs_memory_by(const struct options *options, const struct iso *iso);

/* Whether --memory holds for what `iso` computes beside its volume, too: whoever gives a number means all of it. */
bool slabs_limits(const struct iso *iso, const struct options *options);

/* Counts the surface at `value` of the volume that `iso` has. */
int slabs_count(struct iso_layer *mesh, struct iso *iso, const struct volume *volume, double value, struct err *err);

/* Returns whether the volume that `iso` has, or borrows, and so many bytes more, for `what` ("its surface"), exceed
 * --memory: then `err` says so, with CAUSE_VOLUME. */
bool slabs_exceeds(const struct iso *iso, const struct volume *volume, const struct options *options, const char *what,
                   uint64_t bytes, struct err *err);

/* The same for the smoothed copy that --smooth asks for; false without it. */
bool slabs_smooth_exceeds(const struct iso *iso, const struct volume *volume, const struct options *options,
                          struct err *err);

#endif
