/* Helpers for tests of readers whose headers are text: voxels with known values, and headers damaged in every place. */
#ifndef ISO_HEADER_UTIL_H
#define ISO_HEADER_UTIL_H

#include "load_util.h"

/* An odd size, so that no axis can be taken for another. */
enum { NX = 3, NY = 4, NZ = 5, N = NX * NY * NZ };

/* The value of component c of voxel i, which every type holds: 1 byte at most 119, and negative where there are signs. */
static inline double sample(const struct stored_type *type, int i, int c)
{
    const bool is_signed = type->name[0] != 'u';
    return (type->bytes == 1 ? 2 * i : 333 * i + c) * (is_signed && i % 2 ? -1 : 1) + (type->bytes == 1 ? c : 0);
}

static inline void append_value(struct bytes *to, const struct stored_type *type, double value, bool big)
{
    const int64_t whole = (int64_t)value; /* two's complement: its low bytes are every narrower integer */
    const float single = (float)value;
    uint8_t native[8], stored[8];
    if (!strcmp(type->name, "float32")) memcpy(native, &single, 4);
    else if (!strcmp(type->name, "float64")) memcpy(native, &value, 8);
    else memcpy(native, &whole, 8);
    for (size_t b = 0; b < type->bytes; b++) stored[b] = native[big ? type->bytes - 1 - b : b];
    append(to, stored, type->bytes);
}

static inline int read_described(reader_fn *read, struct volume *volume, const struct bytes *file, const char *name,
                                 const struct load_desc *desc, struct err *err)
{
    struct source source;
    source_memory(&source, file->data, file->size, name);
    *err = (struct err){ 0 };
    return read_with(read, volume, &source, desc, err);
}

/* Reads a file that must be fine; prints the error if it is not. */
static inline bool reads(reader_fn *read, struct volume *volume, const struct bytes *file, const struct load_desc *desc)
{
    static const struct load_desc all_from_the_file;
    struct err err;
    const int code = read_described(read, volume, file, "test", desc ? desc : &all_from_the_file, &err);
    if (!CHECK(code == ERR_NONE)) printf("  it says: %s\n", err.text);
    return code == ERR_NONE;
}

/* Drops the file, which must be refused with this in the sentence. */
static inline void is_refused(reader_fn *read, struct bytes *file, const char *must_say)
{
    struct volume volume;
    struct err err;
    if (!refused(read_bytes(read, &volume, file->data, file->size, "test", &err), &volume, &err)) volume_free(&volume);
    if (!CHECK(strstr(err.text, must_say) != NULL)) printf("  it says: %s\n", err.text);
    drop(file);
}

static inline void text_is_refused(reader_fn *read, const char *text, const char *must_say)
{
    struct bytes file = { 0 };
    append(&file, text, strlen(text));
    check_subject(must_say);
    is_refused(read, &file, must_say);
}

/* The file must be refused wherever it is cut off before byte `from`. */
static inline void cuts_are_refused(reader_fn *read, const struct bytes *file, size_t from)
{
    for (size_t n = 0; n < from; n++) {
        struct volume volume;
        struct err err;
        char subject[64];
        snprintf(subject, sizeof subject, "the first %zu of %zu bytes", n, file->size);
        check_subject(subject);
        if (!refused(read_bytes(read, &volume, file->data, n, "test", &err), &volume, &err)) volume_free(&volume);
    }
}

/* The file with each number of its first `size` bytes replaced must be refused or read: never end the program. */
static inline void numbers_are_checked(reader_fn *read, const struct bytes *file, size_t size)
{
    static const char *const words[] = { "-1", "0", "1e99", "2147483648", "9223372036854775808", "nan", "" };
    int replaced = 0;
    for (size_t at = 0; at < size; at++) {
        const char *text = (const char *)file->data;
        const size_t digits = strspn(text + at, "0123456789.");
        if (!digits || (at && strchr("0123456789.", text[at - 1]))) continue;
        for (size_t w = 0; w < sizeof words / sizeof *words; w++, replaced++) {
            struct bytes changed = { 0 };
            struct volume volume;
            struct err err;
            append(&changed, text, at);
            append_text(&changed, "%s", words[w]);
            append(&changed, text + at + digits, file->size - at - digits);
            check_subject(words[w]);
            const int code = read_bytes(read, &volume, changed.data, changed.size, "test", &err);
            CHECK(code == ERR_NONE || (code == err.code && strlen(err.text) > 10 && !volume.grid.voxels));
            CHECK(code == ERR_NONE || code == ERR_INPUT || code == ERR_FAILED);
            volume_free(&volume);
            drop(&changed);
        }
        at += digits - 1;
    }
    CHECK(replaced > 0);
}

#endif
