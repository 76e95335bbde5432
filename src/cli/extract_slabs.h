/* extract slab by slab (stream.h), for large volumes. */
#ifndef ISO_EXTRACT_SLABS_H
#define ISO_EXTRACT_SLABS_H

#include "export_format.h"
#include "options.h"
#include "store.h"
#include "stream.h"

/* What was asked for that needs the whole volume or surface in memory, in the form that slabs_open() takes; NULL:
 * nothing. */
const char *extract_slabs_against(const struct options *options, const struct export_format *format);

/* Whether slabs are the better way even if the volume fits into memory: the disk reads while the CPU computes, and little
 * memory has to be found and cleared. Reads the file's header. */
bool extract_slabs_suit(const struct options *options, const struct export_format *format);

/* Makes and writes n surfaces, like stream_extract(); shows progress on the terminal. */
int extract_slabs_write(struct stream_file *files, size_t n, struct store *store, struct iso *iso,
                        const struct options *options, struct err *err);

#endif
