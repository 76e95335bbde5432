/* Files inside the program, which thus runs from anywhere: shaders and images; and the kernels' sources (lesson.h). */
#ifndef ISO_RESOURCE_H
#define ISO_RESOURCE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct resource {
    const char *name; /* path in the source tree; NULL closes the table */
    const unsigned char *begin, *end;
};

extern const struct resource resources[];

/* Finds the resource `name`; NULL: there is none. */
const struct resource *resource_find(const char *name);

#ifdef __cplusplus
}
#endif
#endif
