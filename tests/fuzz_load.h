/* One fuzzed input of a reader, for libFuzzer (.ci/fuzz) and for test_fuzz, which needs no clang. */
#ifndef ISO_FUZZ_LOAD_H
#define ISO_FUZZ_LOAD_H

#include "read_with.h"

/* Name NULL closes the table. An input is a file of the name `file`; NULL: its first line is the name, and the file follows.
 * With `folder` it is the files of a folder, "=== NAME" before each, as make_seeds.py writes them. Then `file` is opened
 * there, and finds its other files; NULL: the folder is. */
struct fuzz_reader {
    const char *name; /* also the folder of its seeds in make_seeds.py */
    reader_fn *read;
    const char *file;
    bool ordered; /* knows z_fastest: reads each input in both orders */
    bool folder;
};

extern const struct fuzz_reader fuzz_readers[];

/* The reader of the next inputs. For libFuzzer, the environment variable FUZZ_READER names it. */
extern const struct fuzz_reader *fuzz_reader;

/* How often a reader gets each input. */
static inline int fuzz_turns(const struct fuzz_reader *reader) { return reader->ordered ? 2 : 1; }

/* How often an input was a volume, read by its first frame and component. */
extern long fuzz_accepted;

/* Reads the input, and aborts if the reader breaks a promise; returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
