/* Import: what a person says about a RAW file whose name does not. The box is drawn by panel_files.cpp. */
#ifndef ISO_IMPORT_H
#define ISO_IMPORT_H

#include "raw_guess.h"
#include "stored_type.h"
#include "request.h"
#include "view_options.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { IMPORT_GUESSES = 6 };

struct import {
    bool shown;
    bool changed, opens, cancels; /* what the box was told; done before the next frame, since this one shows the picture */
    bool enters;                  /* Enter was pressed, and opens the file once it is known whether it can be opened so */
    char path[4096];
    uint64_t bytes; /* of the file */
    int type;       /* row of stored_types */
    bool big_endian, z_fastest;
    uint64_t dims[3], offset;
    double spacing[3];
    struct raw_shape guess[IMPORT_GUESSES]; /* for this type and offset */
    size_t guesses;
    char why[512];          /* it cannot be opened so; "": it can */
    unsigned texture;       /* of OpenGL: the slice in the middle; 0: none */
    uint64_t slice_dims[2]; /* of that picture */
};

/* Opens the box for a RAW file, with the likeliest guess. */
void import_begin(struct import *import, const char *path, uint64_t bytes);

/* Guesses again, checks the answers and draws the slice: after every change. */
void import_update(struct import *import);

/* What to say to the loader; strings live as long as `import`. */
struct load_desc import_desc(const struct import *import);

/* Closes the box. Its picture stays until the next one, or import_close. */
void import_end(struct import *import);
void import_close(struct import *import);

#ifdef __cplusplus
}
#endif
#endif
