/* Helpers of the loader tests: files built in memory, a temporary folder, and checks of the three ways to fail.
 *
 * Buffers are read from a copy of their exact size: AddressSanitizer then finds reads past the end. */
#ifndef ISO_LOAD_UTIL_H
#define ISO_LOAD_UTIL_H

#include "check.h"

#include "load.h"
#include "read_with.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* The start of a header for 8 voxels; tests append fields. */
#define HEAD "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 2 2\nencoding: raw\n"

static char folder[64] = "/tmp/iso_test_XXXXXX";

struct bytes {
    uint8_t *data;
    size_t size;
};

static inline void append(struct bytes *to, const void *data, size_t size)
{
    to->data = realloc(to->data, to->size + size + 1);
    if (size) memcpy(to->data + to->size, data, size);
    to->size += size;
}

static inline void append_text(struct bytes *to, const char *format, ...)
{
    char text[8192];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    append(to, text, (size_t)n);
}

static inline void drop(struct bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct bytes){ 0 };
}

static inline void append_gzip(struct bytes *to, const void *data, size_t size)
{
    z_stream z = { 0 };
    deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    const size_t capacity = deflateBound(&z, size) + 64;
    uint8_t *packed = malloc(capacity);
    z.next_in = (uint8_t *)data;
    z.avail_in = (uInt)size;
    z.next_out = packed;
    z.avail_out = (uInt)capacity;
    CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END);
    append(to, packed, capacity - z.avail_out);
    deflateEnd(&z);
    free(packed);
}

static inline const char *in_folder(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static inline void write_file(const char *name, const void *data, size_t size)
{
    FILE *file = fopen(in_folder(name), "wb");
    if (!CHECK(file != NULL)) return;
    CHECK(fwrite(data, 1, size, file) == size);
    fclose(file);
}

static inline void write_text(const char *name, const char *text) { write_file(name, text, strlen(text)); }

/* Reads from a copy of exactly `size` bytes. */
static inline int read_bytes(reader_fn *read, struct volume *volume, const void *data, size_t size, const char *name,
                             struct err *err)
{
    static const struct load_desc desc;
    uint8_t *copy = calloc(size ? size : 1, 1);
    if (size) memcpy(copy, data, size);
    struct source source;
    source_memory(&source, copy, size, name);
    memset(volume, 0xff, sizeof *volume);
    *err = (struct err){ 0 };
    const int code = read_with(read, volume, &source, &desc, err);
    source_close(&source);
    free(copy);
    return code;
}

static inline bool refused(int code, const struct volume *volume, const struct err *err)
{
    static const struct volume empty;
    return CHECK(code == ERR_INPUT && err->code == ERR_INPUT) & CHECK(strlen(err->text) > 10) &
           CHECK(!memcmp(volume, &empty, sizeof empty));
}

static inline void file_is_refused(const char *name, const char *must_say)
{
    struct volume volume;
    struct err err = { 0 };
    check_subject(name);
    if (!refused(load_volume(&volume, in_folder(name), NULL, &err), &volume, &err)) volume_free(&volume);
    if (!CHECK(strstr(err.text, must_say) != NULL)) printf("  it says: %s\n", err.text);
}

static inline void file_loads(const char *name, size_t nx)
{
    struct volume volume;
    struct err err = { 0 };
    check_subject(name);
    if (!CHECK(load_volume(&volume, in_folder(name), NULL, &err) == ERR_NONE)) printf("  it says: %s\n", err.text);
    CHECK(volume.grid.nx == nx);
    volume_free(&volume);
}

static inline bool make_folder(void) { return CHECK(mkdtemp(folder) != NULL); }

static inline void remove_folder(void) { check_remove(folder); }

#endif
