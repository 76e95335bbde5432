/* extract of volumes or surfaces that do not fit into memory: slab by slab (stream.h). */
#ifndef ISO_EXTRACT_SLABS_H
#define ISO_EXTRACT_SLABS_H

#include "export_format.h"
#include "options.h"
#include "store.h"
#include "stream.h"

/* What asks for the whole volume or surface in memory, as the beginning of a sentence (slabs_open); NULL:
 * nothing does. */
const char *extract_slabs_against(const struct options *options, const struct export_format *format);

/* Makes and writes n surfaces; shows progress on the terminal. As stream_extract. */
int extract_slabs_write(struct stream_file *files, size_t n, struct store *store, struct iso *iso,
                        const struct options *options, struct err *err);

#endif
