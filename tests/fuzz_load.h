/* One fuzzed input of the readers, for libFuzzer (.ci/fuzz) and for test_fuzz, which needs no clang. */
#ifndef ISO_FUZZ_LOAD_H
#define ISO_FUZZ_LOAD_H

#include <stddef.h>
#include <stdint.h>

enum { FUZZ_NRRD, FUZZ_RAW, FUZZ_VTI, FUZZ_VTK, FUZZ_CUBE, FUZZ_DX, FUZZ_TIFF, FUZZ_READERS, FUZZ_Z_FASTEST = 0x80 };

/* Input: a byte that selects the reader and FUZZ_Z_FASTEST; the file's name up to a newline; the file.
 * Aborts if the reader breaks a promise; returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Number of inputs that were volumes. */
extern long fuzz_accepted;

#endif
