#include "verify.h"

#include "text.h"

#include <inttypes.h>
#include <stdio.h>

/* Closing each border loop with a disc gives closed surfaces, each with the Euler characteristic 2 - 2 handles. */
static int64_t handles(uint64_t components, int64_t euler, uint64_t border_loops)
{
    return (int64_t)components - (euler + (int64_t)border_loops) / 2;
}

void verify_compare(struct verify_row row[VERIFY_ROWS], const struct mesh_topology *m, const struct grid_topology *g)
{
    const struct verify_row rows[VERIFY_ROWS] = {
        { "vertices on grid edges", (int64_t)(m->vertices - m->inner_vertices), (int64_t)(g->crossed_edges + g->corners) },
        { "components", (int64_t)m->components, (int64_t)g->components },
        { "handles", handles(m->components, m->euler, m->border_loops), handles(g->components, g->euler, g->border_loops) },
        { "border loops", (int64_t)m->border_loops, (int64_t)g->border_loops },
        { "Euler characteristic", m->euler, g->euler },
    };
    for (int i = 0; i < VERIFY_ROWS; i++) row[i] = rows[i];
}

bool verify_sound(const struct mesh_topology *m, bool may_be_flat, char *text, size_t size)
{
    for (int f = 0; f < MESH_FAULTS; f++) {
        if (!m->fault[f] || (f == FAULT_ZERO_AREA && may_be_flat)) continue;
        snprintf(text, size, "%" PRIu64 " %s", m->fault[f], mesh_fault_text[f]);
        return false;
    }
    return true;
}

bool verify_judge(const struct mesh_topology *m, const struct grid_topology *g, bool may_be_flat, char *text, size_t size)
{
    struct verify_row row[VERIFY_ROWS];
    if (!verify_sound(m, may_be_flat, text, size)) return false;
    if (m->border_edges && !g->border_loops) {
        snprintf(text, size, "%" PRIu64 " open %s, but the voxels' surface is closed", m->border_edges,
                 text_word(m->border_edges, "edge", "edges"));
        return false;
    }
    verify_compare(row, m, g);
    for (int i = 0; i < VERIFY_ROWS; i++) {
        if (row[i].mesh == row[i].grid) continue;
        snprintf(text, size, "%s: %" PRId64 " in the mesh, but %" PRId64 " by the voxels", row[i].name, row[i].mesh,
                 row[i].grid);
        return false;
    }
    return true;
}
