/* What the first page of a TIFF file says about distances and values: its tags, and what ImageJ, OME
 * or tifffile describe. */
#ifndef ISO_TIFF_SCALE_H
#define ISO_TIFF_SCALE_H

#include "tiff_file.h"
#include "tiff_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tiff_scale {
    struct tiff_meta meta;
    double pixel[2]; /* its size by the resolution, 0: unknown */
    double pixel_mm; /* of that size's unit; 0: unknown */
};

/* Understands the page that `file` is at. What is assumed or ignored goes to `note`; `name` is the file's. Errors: those of
 * tiff_meta_parse, after which `scale` holds what was understood. */
int tiff_scale_read(struct tiff_scale *scale, struct tiff_file *file, const char *name, char note[256], struct err *err);

/* Sets distances, unit and calibration of a layout whose size is set. Distances: from the description, else from the
 * resolution, unless it is 72 or 96 dpi, as many programs write by default; what nobody says is like x, and that is 1, with
 * a note. */
void tiff_scale_place(const struct tiff_scale *scale, struct layout *layout);

#ifdef __cplusplus
}
#endif
#endif
