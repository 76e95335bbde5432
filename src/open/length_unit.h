/* Units of length, as files spell them. */
#ifndef ISO_LENGTH_UNIT_H
#define ISO_LENGTH_UNIT_H

#ifdef __cplusplus
extern "C" {
#endif

struct length_unit {
    const char *name; /* as in struct volume; "": no length, such as a pixel */
    double scale;     /* lengths in the file * scale: lengths in `name` */
    double mm;        /* of one unit of the file; 0: unknown */
};

/* Finds a unit by its spelling; NULL: unknown. */
const struct length_unit *length_unit_find(const char *spelling);

#ifdef __cplusplus
}
#endif
#endif
