/* Numbers in the headers of binary formats: integers and floats of 1 to 8 bytes, in either byte order, at any address. */
#ifndef ISO_BYTES_H
#define ISO_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

static inline uint64_t bytes_uint(const uint8_t *from, size_t bytes, bool big)
{
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++) value = value << 8 | from[big ? i : bytes - 1 - i];
    return value;
}

static inline int64_t bytes_int(const uint8_t *from, size_t bytes, bool big)
{
    const unsigned unused = (unsigned)(64 - 8 * bytes);
    return (int64_t)(bytes_uint(from, bytes, big) << unused) >> unused;
}

/* From 4 or 8 bytes. */
static inline double bytes_real(const uint8_t *from, size_t bytes, bool big)
{
    const uint64_t whole = bytes_uint(from, bytes, big);
    const uint32_t half = (uint32_t)whole;
    float single;
    double value;
    memcpy(&single, &half, sizeof single);
    memcpy(&value, &whole, sizeof value);
    return bytes == sizeof single ? (double)single : value;
}

#ifdef __cplusplus
}
#endif
#endif
