/* What commands share that go slab by slab (stream.h, stream_info.h) where a volume or its surface does not fit into memory. */
#ifndef ISO_SLABS_H
#define ISO_SLABS_H

#include "options.h"
#include "store.h"

/* Opens the store of options->setup.file, and a pipeline of the CPU, in place of a volume that memory is too small for: `err` says
 * so, and is extended by what is against slabs, the beginning of a sentence (NULL: nothing). Nothing is left open then. why: a line
 * on the backend. */
int slabs_open(struct store *store, struct iso *iso, const struct options *options, const char *against, char *why,
               size_t why_size, struct err *err);

/* Bytes that may be used: as for a volume in memory. */
uint64_t slabs_memory(const struct options *options);

/* Whether the surface at `value` would exceed what --memory leaves beside the volume, which `iso` has, and *meshes bytes of others, to
 * which it is added (NULL: there are none): then `err` says so, with CAUSE_VOLUME. Needs a run of counting. */
int slabs_exceeds(bool *exceeds, struct iso *iso, const struct volume *volume, const struct options *options, double value,
                  uint64_t *meshes, struct err *err);

#endif
