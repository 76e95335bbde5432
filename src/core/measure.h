/* Area and enclosed volume of a mesh, in world units. */
#ifndef ISO_MEASURE_H
#define ISO_MEASURE_H

#include "iso.h"
#include "volume.h"

#ifdef __cplusplus
extern "C" {
#endif

struct measure {
    double area;
    double volume; /* of the part above the isovalue; only where closed */
    bool closed;   /* false: the border of the volume cuts the surface open; a soup that touches it counts as cut */
};

/* Errors: ERR_FAILED for memory. */
int measure_mesh(struct measure *measure, const struct mesh_host *mesh, const struct volume *volume, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
