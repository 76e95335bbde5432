/* What tifffile (Python) writes into the ImageDescription of a TIFF file: the array's shape, and perhaps the names of its
 * axes, as JSON: {"shape": [2, 7, 33, 20], "axes": "TZYX"}. */
#ifndef ISO_TIFF_SHAPE_H
#define ISO_TIFF_SHAPE_H

#include "tiff_file.h"
#include "tiff_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sets kind, sizes and order of `meta` if the text is of that kind, fits the current page of `file`, and describes more
 * than one page. What is assumed is added to `note`. */
void tiff_shape_parse(struct tiff_meta *meta, const struct tiff_file *file, const char *description, char note[256]);

#ifdef __cplusplus
}
#endif
#endif
