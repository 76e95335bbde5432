#include "import.h"

#include "load.h"
#include "layout.h"
#include "preview.h"

#include <stdlib.h>
#include <string.h>

#define MOST_SIDE 4096 /* of the slice shown, pixels */

struct load_desc import_desc(const struct import *import)
{
    return (struct load_desc){
        .dims = { import->dims[0], import->dims[1], import->dims[2] },
        .type = stored_types[import->type].name,
        .endian = import->big_endian ? "big" : "little",
        .offset = import->offset,
        .offset_given = true,
        .z_fastest = import->z_fastest,
        .spacing = { import->spacing[0], import->spacing[1], import->spacing[2] },
    };
}

/* Begins with the commonest type for which a shape can be guessed. */
void import_begin(struct import *import, const char *path, uint64_t bytes)
{
    static const int commonest[] = { STORED_UINT8, STORED_UINT16, STORED_FLOAT32 };
    preview_free(&import->texture);
    *import = (struct import){ .shown = true, .bytes = bytes, .dims = { 64, 64, 64 }, .spacing = { 1, 1, 1 } };
    snprintf(import->path, sizeof import->path, "%s", path);
    for (size_t i = 0; i < sizeof commonest / sizeof commonest[0]; i++) {
        struct raw_shape shape;
        const size_t size = stored_types[commonest[i]].bytes;
        if (bytes % size || !raw_guess(bytes / size, &shape, 1)) continue;
        import->type = commonest[i];
        memcpy(import->dims, shape.dims, sizeof shape.dims);
        break;
    }
    import_update(import);
}

/* Reads the middle slice along the file's slowest axis. False: the file does not hold all of it. */
static bool read_slice(struct import *import, struct source *source)
{
    const struct stored_type *type = &stored_types[import->type];
    const uint64_t *dims = import->dims, width = import->z_fastest ? dims[2] : dims[0], height = dims[1];
    const uint64_t slices = import->z_fastest ? dims[0] : dims[2];
    if (!width || !height || width > MOST_SIDE || height > MOST_SIDE) return false;
    const size_t n = (size_t)(width * height);
    uint8_t *raw = malloc(n * type->bytes), *grey = malloc(n);
    float *values = malloc(n * sizeof *values);
    const uint64_t at = import->offset + slices / 2 * n * type->bytes;
    const bool fine = raw && grey && values && source_seek(source, at) &&
                      source_read(source, raw, n * type->bytes) == n * type->bytes;
    if (fine) {
        if (import->big_endian) stored_type_swap(raw, n, type->bytes);
        stored_type_to_float(type, raw, values, n, false);
        preview_grey(grey, values, n);
        preview_set(&import->texture, grey, (int)width, (int)height);
        import->slice_dims[0] = width, import->slice_dims[1] = height;
    }
    free(raw);
    free(grey);
    free(values);
    return fine;
}

void import_update(struct import *import)
{
    import->changed = false;
    const size_t size = stored_types[import->type].bytes;
    const uint64_t payload = import->bytes > import->offset ? import->bytes - import->offset : 0;
    const struct load_desc desc = import_desc(import);
    struct layout layout = { 0 };
    struct source source;
    struct err err = { 0 };
    import->guesses = payload % size ? 0 : raw_guess(payload / size, import->guess, IMPORT_GUESSES);
    import->why[0] = 0;
    import->left = payload -
                   size * import->dims[0] * import->dims[1] * import->dims[2]; /* meaningless if it does not fit */
    int code = source_open(&source, import->path, &err);
    if (!code) {
        code = load_layout(&layout, &source, &desc, &err);
        if (!read_slice(import, &source)) preview_free(&import->texture);
        layout_free(&layout);
        source_close(&source);
    }
    if (code) snprintf(import->why, sizeof import->why, "%.511s", err.text); /* no option hints: the box has fields */
}

void import_end(struct import *import)
{
    import->shown = import->opens = import->enters = import->cancels = import->changed = false;
}

void import_close(struct import *import)
{
    import_end(import);
    preview_free(&import->texture);
}
