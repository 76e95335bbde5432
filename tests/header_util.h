/* Helpers for tests of readers whose headers are text: voxels with known values, and what must be read or refused. */
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
    return is_fine(read_described(read, volume, file, "test", desc ? desc : &all_from_the_file, &err), &err);
}

/* Drops the file, which must be refused with this in the sentence. */
static inline void is_refused(reader_fn *read, struct bytes *file, const char *must_say)
{
    must_refuse(read, file, "test", must_say);
    drop(file);
}

static inline void text_is_refused(reader_fn *read, const char *text, const char *must_say)
{
    struct bytes file = { 0 };
    append(&file, text, strlen(text));
    check_subject(must_say);
    is_refused(read, &file, must_say);
}

#endif
