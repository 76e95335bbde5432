/* Area and enclosed volume of a mesh. */
#ifndef ISO_MEASURE_H
#define ISO_MEASURE_H

#include "iso.h"
#include "volume.h"

#ifdef __cplusplus
extern "C" {
#endif

struct measure {
    double area;   /* world units, squared */
    double volume; /* of the part above the isovalue, world units, cubed; valid if closed */
    bool closed;   /* false: the volume's border cuts the surface open; a soup that touches the border counts as cut */
};

/* Measures `mesh`, given in voxel coordinates, in the world of `volume`. Error: ERR_FAILED for memory. */
int measure_mesh(struct measure *measure, const struct mesh_host *mesh, const struct volume *volume, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
