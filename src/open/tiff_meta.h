/* What the ImageDescription of a TIFF file says about its pages, if it is ImageJ's lines or OME's XML. tiff_shape.h handles
 * a third kind. */
#ifndef ISO_TIFF_META_H
#define ISO_TIFF_META_H

#include "layout.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TIFF_MAX_DESCRIPTION ((size_t)16 << 20) /* bytes; OME has a line per page */

enum tiff_kind { TIFF_PLAIN, TIFF_IMAGEJ, TIFF_OME, TIFF_SHAPED };

struct tiff_meta {
    enum tiff_kind kind;
    uint64_t size[AXIS_COUNT]; /* of z, components and frames; the others are 0 */
    uint8_t order[3];          /* these three axes, fastest varying first */
    double spacing[3];         /* 0: not known */
    char unit[VOLUME_UNIT];    /* of `spacing`, and of the resolution in an ImageJ file; "": not known */
    double unit_scale;         /* from the file's unit to `unit` */
    double slope, intercept;
};

/* Parses the text of the first page; NULL: there is none. What is assumed or ignored is added to `note`; `name` is the
 * file's. Error: ERR_INPUT if pages lie in other files or in no order, or if the XML is not valid. */
int tiff_meta_parse(struct tiff_meta *meta, const char *description, const char *name, char note[256], struct err *err);

#ifdef __cplusplus
}
#endif
#endif
