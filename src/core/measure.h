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
    double area;   /* world units, squared */
    double volume; /* of the part above the isovalue, world units, cubed; negative: a cavity; valid if closed */
    bool closed;   /* false: the volume's border cuts the surface open; a soup that touches the border counts as cut */
    double low[3], high[3]; /* box around it, in the world */
    uint64_t triangles, vertices;
};

/* Sets what parts_desc says of the world and of the steps of sums, for a mesh of that many triangles in the grid of
 * `volume`. */
void measure_prepare(struct parts_desc *desc, const struct volume *volume, uint64_t triangles);

/* Converts a part that was measured by `desc`. */
void measure_part(struct measure *measure, const struct part *part, const struct parts_desc *desc,
                  const struct volume *volume);

/* A mesh that is measured piece by piece: the bits of measure_mesh, in whatever pieces it comes. */
struct measure_sum {
    struct parts_desc desc;
    struct part part;
};

/* Begins with a mesh of so many triangles in the grid of `volume`. */
void measure_begin(struct measure_sum *sum, const struct volume *volume, uint64_t triangles);

/* Adds `count` triangles from number `from` on of `mesh`, whose vertex 0 has number `first` in the whole (of which 32 bits
 * are enough). Error: ERR_FAILED for memory: 4 bytes a vertex. */
int measure_add(struct measure_sum *sum, const struct mesh_host *mesh, size_t from, size_t count, uint64_t first,
                int threads, struct err *err);

/* Adds what another sum, of the same mesh, has of other triangles. */
void measure_join(struct measure_sum *sum, const struct part *more);

/* vertices: of all pieces, each once. */
void measure_end(struct measure *measure, const struct measure_sum *sum, const struct volume *volume, uint64_t vertices);

/* Measures `mesh`, given in voxel coordinates, in the world of `volume`, as if it were one part; on the CPU, by so many
 * threads. A mesh without triangles has area 0, is closed and has no box: NaN. Error: ERR_FAILED for memory. */
int measure_mesh(struct measure *measure, const struct mesh_host *mesh, const struct volume *volume, int threads,
                 struct err *err);

#ifdef __cplusplus
}
#endif
#endif
