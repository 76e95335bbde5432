/* Colours of values, on slices and on surfaces. */
#ifndef ISO_COLOUR_MAP_H
#define ISO_COLOUR_MAP_H

#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { COLOUR_MAP_STOPS = 9 };

struct colour_map {
    const char *name, *idea;         /* NULL name closes the table */
    float stop[COLOUR_MAP_STOPS][3]; /* red, green, blue, 0 to 1, at equal steps from the lowest value to the highest */
};

extern const struct colour_map colour_maps[];

/* Returns the row of the map `name`, the first row for NULL. Returns -1 if there is no such map; the sentence (ERR_USAGE)
 * lists them. */
int colour_map_find(const char *name, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
