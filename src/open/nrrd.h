/* Shared by the parts of the NRRD reader. read_nrrd.c sorts the header's lines into fields. nrrd_axes.c finds out what the
 * axes are, nrrd_world.c where they lie, nrrd_data.c where the values are. */
#ifndef ISO_NRRD_H
#define ISO_NRRD_H

#include "layout.h"
#include "request.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { NRRD_MAX_AXES = 5, NRRD_MAX_SPACE = 4 };

/* The fields that are read; others are ignored. */
enum nrrd_field {
    NRRD_TYPE,
    NRRD_DIMENSION,
    NRRD_SIZES,
    NRRD_ENCODING,
    NRRD_ENDIAN,
    NRRD_DATA_FILE,
    NRRD_BYTE_SKIP,
    NRRD_LINE_SKIP,
    NRRD_KINDS,
    NRRD_SPACINGS,
    NRRD_AXIS_MINS,
    NRRD_AXIS_MAXS,
    NRRD_CENTERS,
    NRRD_UNITS,
    NRRD_SPACE,
    NRRD_SPACE_DIMENSION,
    NRRD_SPACE_UNITS,
    NRRD_SPACE_DIRECTIONS,
    NRRD_SPACE_ORIGIN,
    NRRD_FIELD_COUNT
};

enum nrrd_role { NRRD_UNKNOWN, NRRD_SPATIAL, NRRD_COMPONENT, NRRD_FRAME };

struct nrrd_axis {
    uint64_t size;
    enum nrrd_role role;
    int axis;                      /* spatial: AXIS_X, AXIS_Y or AXIS_Z */
    double spacing;                /* NaN: not given */
    bool none;                     /* its space direction is "none" */
    double vector[NRRD_MAX_SPACE]; /* its space direction */
};

struct nrrd {
    const char *file;                     /* for messages */
    char *text, *end;                     /* the header, cut into lines; owned. end: its end */
    const char *fields[NRRD_FIELD_COUNT]; /* values, in `text`; NULL: absent */
    char *names;                          /* the lines after "data file: LIST", not yet cut; NULL: none */
    uint64_t data_at;                     /* where attached data begins */
    struct layout *layout;
    int dimension, space_dimension;
    struct nrrd_axis axes[NRRD_MAX_AXES]; /* fastest varying first */
};

/* Reports "FILE: 'FIELD: VALUE' is not EXPECTED". Returns ERR_INPUT. */
int nrrd_refuse(const struct nrrd *nrrd, enum nrrd_field f, const char *expected, struct err *err);

/* Cuts white space off the end of a line, and makes every NUL in it visible, so that it cannot hide the rest. */
void nrrd_clean_line(char *line, char *end);

/* Copies the next word of *text, cut to `capacity` bytes with the closing 0, and moves past it and the blanks after it. A
 * word in quotes may contain blanks. False: there is none. */
bool nrrd_word(const char **text, char *word, size_t capacity);

/* Reads a number for each axis; NaN: unknown. If the field is absent, all are NaN. Error: ERR_INPUT. */
int nrrd_numbers(const struct nrrd *nrrd, enum nrrd_field f, double to[NRRD_MAX_AXES], struct err *err);

/* Reads sizes, kinds and directions, and decides which axes are spatial, components or frames. z_fastest: the first spatial
 * axis is z. Errors: ERR_INPUT, ERR_USAGE. */
int nrrd_parse_axes(struct nrrd *nrrd, bool z_fastest, struct err *err);

/* Sets `none` and `vector` of every axis from the space directions, and sets nrrd->space_dimension. Error: ERR_INPUT. */
int nrrd_parse_directions(struct nrrd *nrrd, struct err *err);

/* Sets directions, origin, unit and world, once the axes are known. Error: ERR_INPUT. */
int nrrd_parse_world(struct nrrd *nrrd, struct err *err);

/* Adds the parts that hold the values, beginning after the bytes to skip. Errors: ERR_INPUT, ERR_FAILED. */
int nrrd_add_data(struct nrrd *nrrd, const struct source *header, bool anywhere, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
