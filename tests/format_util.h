/* Helpers of the tests of single formats: voxels of known values, and headers damaged in every place. */
#ifndef ISO_FORMAT_UTIL_H
#define ISO_FORMAT_UTIL_H

#include "load_util.h"

/* Three different odd or even lengths: axes that change places are seen. */
enum { NX = 5, NY = 4, NZ = 3, N = NX * NY * NZ };

/* Value i of a file, which every type holds. Negative values where the type has them. */
static inline double sample(const struct stored_type *type, size_t i)
{
    const double value = (double)(i * 7 % 127);
    return type->name[0] != 'u' && i % 2 ? -value : value;
}

/* Appends values 0 to n - 1. */
static inline void append_samples(struct bytes *to, const struct stored_type *type, size_t n, bool big)
{
    for (size_t i = 0; i < n; i++) append_value(to, type, sample(type, i), big);
}

/* Whether voxel (x, y, z) is value first + x * step[0] + y * step[1] + z * step[2]. */
static inline void has_samples(const struct volume *volume, const struct stored_type *type, size_t first,
                               const size_t step[3])
{
    const struct grid *g = &volume->grid;
    CHECK(g->type == type->voxel);
    CHECK(!type->convert == !strstr(volume->note, "converted to float32"));
    if (!CHECK(g->nx == NX && g->ny == NY && g->nz == NZ)) return;
    for (size_t i = 0; i < N; i++) {
        const size_t at = first + i % NX * step[0] + i / NX % NY * step[1] + i / (NX * NY) * step[2];
        CHECK_NEAR(grid_value(g, i), sample(type, at), 0);
    }
}

static const size_t x_fastest[3] = { 1, NX, NX *NY };

/* The volume of a file in memory, which must load; otherwise an empty one, and the message is shown. */
static inline struct volume must_load(reader_fn *read, const struct bytes *file, const char *name)
{
    struct volume volume;
    struct err err;
    is_fine(read_bytes(read, &volume, file->data, file->size, name, &err), &err);
    return volume;
}

/* Puts numbers that no header should have over every place of a binary header of `size` bytes, in either byte order. */
static inline void damaged_numbers_do_no_harm(reader_fn *read, const struct bytes *file, size_t size, const char *name)
{
    static const struct {
        const char *type;
        double value;
    } numbers[] = {
        { "int16", -1 },         { "int16", 0 },         { "int16", 32767 },  { "int32", -1 },
        { "int32", 0 },          { "int32", INT32_MAX }, { "int64", -1 },     { "int64", 0 },
        { "int64", 0x1p62 },     { "float32", NAN },     { "float32", 1e38 }, { "float32", -1 },
        { "float32", INFINITY }, { "float64", NAN },     { "float64", 1e99 }, { "float64", 2147483648.0 },
    };
    for (size_t at = 0; at < size; at += 2)
        for (size_t i = 0; i < 2 * sizeof numbers / sizeof *numbers; i++) {
            const struct stored_type *type = stored_type_find(numbers[i / 2].type);
            uint8_t *copy = malloc(file->size);
            memcpy(copy, file->data, file->size);
            if (at + type->bytes <= size) store(copy + at, type, numbers[i / 2].value, i % 2);
            is_harmless(read, copy, file->size, name);
            free(copy);
        }
}

#endif
