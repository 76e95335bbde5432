/* Whether what live shows is in order, and what its slices should show: for tests of live without a window. */
#ifndef ISO_SHOWN_UTIL_H
#define ISO_SHOWN_UTIL_H

#include "fake_backends.h"
#include "live_util.h"
#include "live.h"

#include <math.h>
#include <string.h>

/* Whether the triangles come from back to front, seen along `along`. */
static inline bool is_ordered(const struct mesh *mesh, const float along[3])
{
    const struct mesh_out at = mesh_memory_of(mesh);
    double last = INFINITY;
    for (uint64_t t = 0; t < mesh->triangles; t++) {
        double depth = 0;
        for (uint64_t c = 0; c < 3; c++) {
            const struct vertex *v = &at.vertices[at.indices[3 * t + c]];
            depth += (double)(along[0] * v->x + along[1] * v->y + along[2] * v->z);
        }
        if (!(depth <= last + 1e-3)) return false;
        last = depth;
    }
    return true;
}

/* Asks for the contours that the wish wants in the file; false: for none. */
static inline bool want_contours(const struct live_wish *wish, int file, struct contour contour[SLICE_AXES])
{
    bool any = false;
    for (int a = 0; a < SLICE_AXES; a++) {
        const bool wanted = wish->slice_on[a] && wish->slice[a] < file_dims[file][a];
        contour[a] = (struct contour){ .wanted = wanted, .index = wish->slice[a] };
        any = any || wanted;
    }
    return any;
}

/* Whether the contours of surface `i` are those of the smoothed volume that live has, at its value. */
static inline bool contours_are_right(struct live *live, const struct live_wish *wish, int i, int file)
{
    struct contour contour[SLICE_AXES];
    struct err err;
    bool right = true;
    if (!want_contours(wish, file, contour)) return true;
    if (fake_backends.lost && live->iso.exec.backend == BACKEND_CUDA) return true; /* which nobody has noticed so far */
    if (slice_contours(&live->iso, &live->grid, volume_iso(&live->volume, wish->value[i]), contour, &err)) return false;
    for (int a = 0; a < SLICE_AXES; a++) {
        const struct contour *made = &live->contours[i].contour[a];
        const size_t bytes = (size_t)contour[a].count * sizeof *made->segments;
        if (!contour[a].wanted) continue;
        right = right && made->index == contour[a].index && made->count == contour[a].count &&
                (!bytes || !memcmp(made->segments, contour[a].segments, bytes));
    }
    slice_free(contour);
    return right;
}

#endif
