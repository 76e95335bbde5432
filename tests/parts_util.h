/* The connected parts of a mesh by the plainest code. */
#ifndef ISO_PARTS_UTIL_H
#define ISO_PARTS_UTIL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* Returns the smallest vertex of its part for each vertex, from malloc: sweeps until nothing changes. */
static inline uint32_t *label_plainly(const uint32_t *indices, uint64_t vertices, uint64_t triangles)
{
    uint32_t *label = malloc((vertices + 1) * sizeof *label);
    bool changed = true;
    if (!label) abort();
    for (uint64_t v = 0; v < vertices; v++) label[v] = (uint32_t)v;
    while (changed) {
        changed = false;
        for (uint64_t i = 0; i < 3 * triangles; i++) {
            uint32_t *a = &label[indices[i]], *b = &label[indices[i / 3 * 3 + (i + 1) % 3]];
            if (*a == *b) continue;
            *a = *b = *a < *b ? *a : *b;
            changed = true;
        }
    }
    return label;
}

/* Returns how many parts have triangles. */
static inline uint64_t count_parts(const uint32_t *indices, uint64_t vertices, uint64_t triangles)
{
    uint32_t *label = label_plainly(indices, vertices, triangles);
    uint64_t parts = 0;
    for (uint64_t i = 0; i < 3 * triangles; i++) {
        const uint32_t root = label[indices[i]];
        if (root == UINT32_MAX || label[root] == UINT32_MAX) continue;
        label[root] = UINT32_MAX; /* counted */
        parts++;
    }
    free(label);
    return parts;
}

#endif
