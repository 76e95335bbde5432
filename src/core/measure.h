/* Area, enclosed volume and box of a mesh or of its parts. */
#ifndef ISO_MEASURE_H
#define ISO_MEASURE_H

#include "iso.h"
#include "volume.h"
#include "kernels/parts.h"

#ifdef __cplusplus
extern "C" {
#endif

struct measure {
    double area;            /* world units, squared */
    double volume;          /* above the isovalue, world units, cubed; negative: a cavity; valid if closed */
    bool closed;            /* false: the volume's border cuts the surface open, or a soup touches it */
    double low[3], high[3]; /* box around it, in the world */
    uint64_t triangles, vertices;
};

/* Sets the members of parts_desc for the world and for the steps of the sums, for a mesh of so many triangles in the grid
 * of `volume`. */
void measure_prepare(struct parts_desc *desc, const struct volume *volume, uint64_t triangles);

/* Converts a part that was measured by `desc`. */
void measure_part(struct measure *measure, const struct part *part, const struct parts_desc *desc,
                  const struct volume *volume);

/* A mesh that is measured piece by piece. However it is cut, the result has the bits of measure_mesh. */
struct measure_sum {
    struct parts_desc desc;
    struct part part;
};

/* Begins with a mesh of so many triangles in the grid of `volume`. */
void measure_begin(struct measure_sum *sum, const struct volume *volume, uint64_t triangles);

/* Adds `count` triangles of `mesh`, from number `from` on. `first`: the number of the mesh's vertex 0 in the whole (its
 * lower 32 bits are enough). Error: ERR_FAILED for memory, of which it takes 4 bytes per vertex. */
int measure_add(struct measure_sum *sum, const struct mesh_host *mesh, size_t from, size_t count, uint64_t first,
                int threads, struct err *err);

/* Adds another sum of the same mesh, over other triangles. */
void measure_join(struct measure_sum *sum, const struct part *more);

/* vertices: total number, each counted once. */
void measure_end(struct measure *measure, const struct measure_sum *sum, const struct volume *volume, uint64_t vertices);

/* Measures `mesh`, given in voxel coordinates, in the world of `volume`, as one part, on the CPU. A mesh without triangles
 * has area 0, is closed, and its box is NaN. Error: ERR_FAILED for memory. */
int measure_mesh(struct measure *measure, const struct mesh_host *mesh, const struct volume *volume, int threads,
                 struct err *err);

#ifdef __cplusplus
}
#endif
#endif
