/* Number types as files store them. */
#ifndef ISO_STORED_TYPE_H
#define ISO_STORED_TYPE_H

#include "kernels/grid.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The first VOXEL_TYPE_COUNT rows are those of enum voxel_type; the others become float32. */
struct stored_type {
    const char *name; /* NULL ends the table */
    size_t bytes;
    enum voxel_type voxel; /* in memory */
    /* Converts n values to float32; `from` is aligned for the type. Returns how many lost more than the rounding of
     * float64: integers with over 24 significant bits, float64 beyond the largest float. NULL: values are read as they
     * are. */
    size_t (*convert)(const void *from, float *to, size_t n);
    const char *loss;          /* what happened to those values, for a note */
    const char *spellings[10]; /* other names, in lower case */
};

enum {
    STORED_UINT8 = VOXEL_UINT8,
    STORED_INT8 = VOXEL_INT8,
    STORED_UINT16 = VOXEL_UINT16,
    STORED_INT16 = VOXEL_INT16,
    STORED_FLOAT32 = VOXEL_FLOAT32,
    STORED_INT32 = VOXEL_TYPE_COUNT,
    STORED_UINT32,
    STORED_INT64,
    STORED_UINT64,
    STORED_FLOAT64,
    STORED_FLOAT16
};

extern const struct stored_type stored_types[];

/* Finds a type by name or spelling; case does not matter. NULL: there is none. */
const struct stored_type *stored_type_find(const char *name);

/* Returns "uint8 int8 ... float64", for messages. */
const char *stored_type_list(void);

/* Converts n values of any type to float32; `negate`: reverses their signs. Returns how many lost more than rounding. */
size_t stored_type_to_float(const struct stored_type *type, const void *from, float *to, size_t n, bool negate);

/* Reverses the bytes of each of n values of `size` bytes. `values` is aligned for them. */
void stored_type_swap(void *values, size_t n, size_t size);

/* Copies every step-th value of `size` bytes, n in all. Neither side has to be aligned, and `to` may be `from`. */
void stored_type_thin(void *to, const void *from, size_t n, size_t step, size_t size);

#ifdef __cplusplus
}
#endif
#endif
