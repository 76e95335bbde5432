/* Helpers of the loader tests: files built in memory, a temporary folder, and checks of the three ways to fail.
 *
 * Buffers are read from a copy of their exact size: AddressSanitizer then finds reads past the end. */
#ifndef ISO_LOAD_UTIL_H
#define ISO_LOAD_UTIL_H

#include "check.h"

#include "load.h"
#include "read_with.h"

#include <math.h>
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

/* A whole number of up to 11 bits as binary16. */
static inline uint16_t half_bits(double value)
{
    int exponent;
    const double fraction = frexp(fabs(value), &exponent);
    const unsigned bits = value == 0 ? 0 : (unsigned)(exponent + 14) << 10 | ((unsigned)(fraction * 2048) & 1023);
    return (uint16_t)(bits | (value < 0 ? 0x8000u : 0u));
}

/* Writes `value` as `type`; floats of 16 bits only as half_bits() can. */
static inline void store(uint8_t *to, const struct stored_type *type, double value, bool big)
{
    const int64_t whole = (int64_t)value; /* two's complement: the low bytes are every narrower integer */
    const float single = (float)value;
    const uint16_t half = half_bits(value);
    const void *from = &whole;
    if (type->name[0] == 'f')
        from = type->bytes == 2 ? (const void *)&half : type->bytes == 4 ? (const void *)&single : &value;
    const bool native_is_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    uint8_t native[8];
    memcpy(native, (const uint8_t *)from + (native_is_big && from == &whole ? 8 - type->bytes : 0), type->bytes);
    for (size_t b = 0; b < type->bytes; b++) to[b] = native[big != native_is_big ? type->bytes - 1 - b : b];
}

static inline void append_value(struct bytes *to, const struct stored_type *type, double value, bool big)
{
    uint8_t bytes[8];
    store(bytes, type, value, big);
    append(to, bytes, type->bytes);
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

/* Whether it went well; shows the message if not. */
static inline bool is_fine(int code, const struct err *err)
{
    if (CHECK(code == ERR_NONE)) return true;
    printf("  it says: %s\n", err->text);
    return false;
}

static inline void is_said(const char *text, const char *must_say)
{
    if (!CHECK(strstr(text, must_say) != NULL)) printf("  it says: %s\n", text);
}

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

static inline void must_refuse(reader_fn *read, const struct bytes *file, const char *name, const char *must_say)
{
    struct volume volume;
    struct err err;
    if (!refused(read_bytes(read, &volume, file->data, file->size, name, &err), &volume, &err)) volume_free(&volume);
    is_said(err.text, must_say);
}

/* The file must be refused wherever it is cut off before byte `end`. */
static inline void cuts_are_refused(reader_fn *read, const struct bytes *file, size_t end, const char *name)
{
    struct volume volume;
    struct err err;
    for (size_t n = 0; n < end; n++)
        if (!refused(read_bytes(read, &volume, file->data, n, name, &err), &volume, &err)) {
            printf("  the first %zu of %zu bytes\n", n, file->size);
            volume_free(&volume);
        }
}

/* Reads a damaged file: it is a volume or refused, nothing in between. */
static inline void is_harmless(reader_fn *read, const void *data, size_t size, const char *name)
{
    struct volume volume;
    struct err err;
    if (read_bytes(read, &volume, data, size, name, &err)) refused(err.code, &volume, &err);
    else {
        CHECK(volume.grid.voxels && isfinite(volume_handedness(&volume)) && volume_handedness(&volume) != 0);
        CHECK(isfinite(volume.slope) && isfinite(volume.intercept) && volume.slope != 0);
    }
    volume_free(&volume);
}

/* Replaces every number of a text header of `size` bytes. */
static inline void damaged_words_do_no_harm(reader_fn *read, const struct bytes *file, size_t size, const char *name)
{
    static const char *const words[] = { "-1", "0", "1e99", "2147483648", "9223372036854775808", "nan", "" };
    int replaced = 0;
    for (size_t at = 0; at < size;) {
        const size_t length = strspn((const char *)file->data + at, "0123456789.-+");
        for (size_t i = 0; length && i < sizeof words / sizeof *words; i++, replaced++) {
            struct bytes changed = { 0 };
            append(&changed, file->data, at);
            append_text(&changed, "%s", words[i]);
            append(&changed, file->data + at + length, file->size - at - length);
            is_harmless(read, changed.data, changed.size, name);
            drop(&changed);
        }
        at += length ? length : 1;
    }
    CHECK(replaced > 0);
}

static inline void file_is_refused(const char *name, const char *must_say)
{
    struct volume volume;
    struct err err = { 0 };
    check_subject(name);
    if (!refused(load_volume(&volume, in_folder(name), NULL, &err), &volume, &err)) volume_free(&volume);
    is_said(err.text, must_say);
}

static inline void file_loads(const char *name, size_t nx)
{
    struct volume volume;
    struct err err = { 0 };
    check_subject(name);
    is_fine(load_volume(&volume, in_folder(name), NULL, &err), &err);
    CHECK(volume.grid.nx == nx);
    volume_free(&volume);
}

static inline bool make_folder(void) { return CHECK(mkdtemp(folder) != NULL); }

static inline void remove_folder(void) { check_remove(folder); }

#endif
