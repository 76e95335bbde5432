/* extract of volumes or surfaces that do not fit into memory: slab by slab (stream.h). */
#ifndef ISO_EXTRACT_SLABS_H
#define ISO_EXTRACT_SLABS_H

#include "export_format.h"
#include "options.h"
#include "store.h"
#include "stream.h"

/* What asks for the whole volume or surface in memory, as the beginning of a sentence; NULL: nothing does. */
const char *extract_slabs_against(const struct options *options, const struct export_format *format);

/* Opens the store of options->setup.file, and a pipeline, in place of a volume that memory is too small for: `err` says so,
 * and is extended by what is against slabs. Nothing is left open then. `why` says which backend was chosen
 * (setup_open_iso). */
int extract_slabs_open(struct store *store, struct iso *iso, const struct options *options,
                       const struct export_format *format, char *why, size_t why_size, struct err *err);

/* Makes and writes n surfaces; shows progress on the terminal. As stream_extract. */
int extract_slabs_write(struct stream_file *files, size_t n, struct store *store, struct iso *iso,
                        const struct options *options, struct err *err);

#endif
