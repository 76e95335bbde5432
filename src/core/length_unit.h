/* Units of length, as files spell them. */
#ifndef ISO_LENGTH_UNIT_H
#define ISO_LENGTH_UNIT_H

#ifdef __cplusplus
extern "C" {
#endif

struct length_unit {
    const char *name; /* as in struct volume; "": not a length, such as a pixel */
    double scale;     /* a length in the file * scale is that length in `name` */
    double mm;        /* one unit of the file in mm; 0: unknown */
};

/* Finds a unit by its spelling; NULL: unknown. */
const struct length_unit *length_unit_find(const char *spelling);

/* The short spelling of the same unit, such as "cm" of "centimeters"; of what is not a length: `spelling` itself. */
const char *length_unit_short(const char *spelling);

#ifdef __cplusplus
}
#endif
#endif
