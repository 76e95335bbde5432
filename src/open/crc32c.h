/* CRC-32C (Castagnoli), as in Zarr's codec crc32c. */
#ifndef ISO_CRC32C_H
#define ISO_CRC32C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

uint32_t crc32c(const void *bytes, size_t n);

#ifdef __cplusplus
}
#endif
#endif
