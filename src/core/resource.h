/* Files embedded in the program, so that it runs from anywhere: shaders, images, and the kernels' sources (lesson.h). */
#ifndef ISO_RESOURCE_H
#define ISO_RESOURCE_H

#ifdef __cplusplus
extern "C" {
#endif

struct resource {
    const char *name; /* path in the source tree; NULL ends the table */
    const unsigned char *begin, *end;
};

extern const struct resource resources[];

/* Finds the resource `name`; NULL: there is none. */
const struct resource *resource_find(const char *name);

#ifdef __cplusplus
}
#endif
#endif
