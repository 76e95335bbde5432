/* The shading modes. */
#ifndef ISO_RENDER_MODE_H
#define ISO_RENDER_MODE_H

#include "error.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct render_mode {
    const char *name, *idea; /* NULL name closes the table */
    const char *shade_file;  /* with the function `shade` */
    bool plain;              /* triangles have one normal each */
    bool by_host;            /* kernels/draw_light.h has the same light */
};

extern const struct render_mode render_modes[];

/* Returns the row of the mode `name`, the first row for NULL. Returns -1 if there is no such mode; the sentence (ERR_USAGE)
 * lists them. */
int render_mode_find(const char *name, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
