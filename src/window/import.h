/* Import: what the user says about a RAW file whose name does not say it. panel_files.cpp draws the box. */
#ifndef ISO_IMPORT_H
#define ISO_IMPORT_H

#include "raw_guess.h"
#include "stored_type.h"
#include "request.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { IMPORT_GUESSES = 6 };

struct import {
    bool shown;
    bool changed, opens, cancels; /* input in the box; handled before the next frame, as this one shows the texture */
    bool enters;                  /* Enter was pressed: opens the file once the answers are checked */
    char path[4096];
    uint64_t bytes; /* of the file */
    int type;       /* row of stored_types */
    bool big_endian, z_fastest;
    uint64_t dims[3], offset;
    double spacing[3];
    struct raw_shape guess[IMPORT_GUESSES]; /* shapes for this type and offset */
    size_t guesses;
    char why[512];          /* why it cannot be opened like this; "": it can */
    uint64_t left;          /* bytes of the file after the voxels */
    unsigned texture;       /* OpenGL's, of the middle slice; 0: none */
    uint64_t slice_dims[2]; /* of the texture */
};

/* Opens the box for a RAW file, with the likeliest guess. */
void import_begin(struct import *import, const char *path, uint64_t bytes);

/* After every change: guesses again, checks the answers and draws the slice. */
void import_update(struct import *import);

/* The answers, for the loader. Its strings live as long as `import`. */
struct load_desc import_desc(const struct import *import);

/* Closes the box. Its texture stays until the next one, or until import_close. */
void import_end(struct import *import);
void import_close(struct import *import);

#ifdef __cplusplus
}
#endif
#endif
