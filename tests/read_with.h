/* A volume by one reader, whatever the bytes look like. */
#ifndef ISO_READ_WITH_H
#define ISO_READ_WITH_H

#include "read.h"
#include "voxels.h"

#include <string.h>

typedef int reader_fn(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err);

/* Sets `layout`, which the caller frees whatever happens. */
static inline int read_layout_with(reader_fn *read, struct volume *volume, struct layout *layout, struct source *source,
                                   const struct load_desc *desc, struct err *err)
{
    memset(layout, 0, sizeof *layout);
    memset(volume, 0, sizeof *volume);
    int code = read(layout, source, desc, err);
    if (!code) code = layout_check(layout, source_name(source), err);
    if (!code) code = voxels_read(volume, layout, source, desc, err);
    return code;
}

static inline int read_with(reader_fn *read, struct volume *volume, struct source *source, const struct load_desc *desc,
                            struct err *err)
{
    struct layout layout;
    const int code = read_layout_with(read, volume, &layout, source, desc, err);
    layout_free(&layout);
    return code;
}

#endif
