/* What the first page of a TIFF file says about distances and values: in its tags, and in the description by ImageJ, OME or
 * tifffile. */
#ifndef ISO_TIFF_SCALE_H
#define ISO_TIFF_SCALE_H

#include "tiff_file.h"
#include "tiff_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tiff_scale {
    struct tiff_meta meta;
    double pixel[2]; /* its size according to the resolution; 0: unknown */
    double pixel_mm; /* the unit of that size in mm; 0: unknown */
};

/* Reads this from the current page of `file`. What is assumed or ignored is added to `note`; `name` is the file's. Errors:
 * those of tiff_meta_parse; `scale` then holds what was understood. */
int tiff_scale_read(struct tiff_scale *scale, struct tiff_file *file, const char *name, char note[256], struct err *err);

/* Sets distances, unit and calibration of a layout whose size is set. Distances come from the description, else from the
 * resolution, unless that is 72 or 96 dpi, the default that many programs write. An unknown distance is the same as that of
 * x, and an unknown x is 1, with a note. */
void tiff_scale_place(const struct tiff_scale *scale, struct layout *layout);

#ifdef __cplusplus
}
#endif
#endif
