/* Makes the kept parts of a closed surface in another way: joins caps first, then leaves parts out, as for files. */
#ifndef ISO_CLOSED_UTIL_H
#define ISO_CLOSED_UTIL_H

#include "check.h"
#include "export_edit.h"
#include "caps.h"

#include <string.h>

/* Of triangles in any order, by the places of their corners and the way round: sums of several meshes add up. Normals do
 * not count: caps that are drawn have others than those of files. */
static inline uint64_t hash_places(const struct vertex *vertices, const uint32_t *indices, uint64_t triangles)
{
    uint64_t sum = 0;
    for (uint64_t t = 0; t < triangles; t++) {
        uint64_t corner[3], h = 0xcbf29ce484222325;
        int first = 0;
        for (int c = 0; c < 3; c++) {
            uint32_t bits[3];
            memcpy(bits, &vertices[indices[3 * t + (uint64_t)c]], sizeof bits);
            corner[c] = ((bits[0] * 0x9e3779b97f4a7c15u ^ bits[1]) * 0xbf58476d1ce4e5b9u ^ bits[2]) * 0x94d049bb133111ebu;
            if (corner[c] < corner[first]) first = c;
        }
        for (int c = 0; c < 3; c++) h = (h ^ corner[(first + c) % 3]) * 0x100000001b3;
        sum += h ^ h >> 29;
    }
    return sum;
}

/* Replaces a mesh that `iso` has made of the volume at `value` by what is left of it, closed. False: it failed. */
static inline bool close_and_filter(struct mesh_host *mesh, struct iso *iso, const struct volume *volume, float value,
                                    enum caps_side side, const struct component_filter *filter)
{
    const bool below = side == CAPS_BELOW; /* closed without turning it over, as it is drawn */
    const struct export_edit edit = { .close = !below, .filter = *filter };
    const struct iso_surface surface = { iso, volume, value };
    const struct caps_desc desc = { value, side, iso->topology };
    const size_t n[3] = { volume->grid.nx, volume->grid.ny, volume->grid.nz };
    struct grid grid = volume->grid;
    struct caps caps = { .values = NULL };
    struct mesh_host planes = { NULL, NULL, 0, 0 };
    struct export_edited edited = { 0 };
    struct err err = { 0 };
    grid.margin = grid_margin(&grid);
    int code = below ? caps_read(&caps, &grid, 1, &err) : ERR_NONE;
    if (!code && below) code = caps_make(&caps, &desc, 1, &planes, &err);
    if (!code && below) code = caps_weld(mesh, &planes, n, &err);
    if (!code) code = export_edit_mesh(&edit, mesh, &surface, &edited, &err);
    if (code) printf("%s\n", err.text);
    mesh_host_free(&planes);
    caps_free(&caps);
    return !code;
}

#endif
