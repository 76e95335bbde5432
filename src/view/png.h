/* A PNG file that is written row by row: pictures may be larger than the memory. */
#ifndef ISO_PNG_H
#define ISO_PNG_H

#include "replace.h"

#ifdef __cplusplus
extern "C" {
#endif

struct png {
    struct replace replace;
    struct png_zip *zip; /* compresses; NULL: not open */
    int error;           /* errno of what failed first; 0: all so far was written */
};

/* Begins a picture of width x height pixels of 8 bits, RGB (3 channels) or RGBA (4). `path` must outlive it. Errors:
 * ERR_FAILED. */
int png_open(struct png *png, const char *path, int channels, int width, int height, struct err *err);

/* Adds the next rows, top row first. Errors show in png_close; false: there was one. */
bool png_rows(struct png *png, const unsigned char *pixels, int rows);

/* Gives the file its name. Errors: ERR_FAILED, and what was there is left. */
int png_close(struct png *png, struct err *err);

/* Ends it without that. */
void png_abandon(struct png *png);

#ifdef __cplusplus
}
#endif
#endif
