/* One fuzzed input of the readers, for libFuzzer (.ci/fuzz) and for test_fuzz, which needs no clang. */
#ifndef ISO_FUZZ_LOAD_H
#define ISO_FUZZ_LOAD_H

#include <stddef.h>
#include <stdint.h>

enum { FUZZ_NRRD, FUZZ_RAW, FUZZ_READERS, FUZZ_Z_FASTEST = 0x80 };

/* Input: a byte that names the reader, with FUZZ_Z_FASTEST or without; the file's name up to a newline; the file.
 * Ends the process where the reader breaks its promises; returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* How many inputs so far were volumes. */
extern long fuzz_accepted;

#endif
