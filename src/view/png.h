/* Writes a PNG file row by row, so that pictures may be larger than the memory. */
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

/* Begins a picture of width x height pixels with 8 bits per channel, RGB (3 channels) or RGBA (4). `path` must outlive
 * it. Errors: ERR_FAILED. */
int png_open(struct png *png, const char *path, int channels, int width, int height, struct err *err);

/* Adds the next rows, top row first. Returns false after an error, which png_close reports. */
bool png_rows(struct png *png, const unsigned char *pixels, int rows);

/* Finishes the file and gives it its name. Errors: ERR_FAILED; the old file, if any, stays. */
int png_close(struct png *png, struct err *err);

/* Ends it without a file. */
void png_abandon(struct png *png);

#ifdef __cplusplus
}
#endif
#endif
