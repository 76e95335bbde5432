#include "mesh_border.h"

#include <string.h>

/* Hashes an index to 64 bits, so that sums of different sets differ (splitmix64, Steele 2014). */
static uint64_t spread(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Inside the surface, each neighbour of a vertex follows it in one triangle and precedes it in another. The two cancel. */
void mesh_border(const struct mesh_host *mesh, uint64_t *balance)
{
    memset(balance, 0, mesh->vertex_count * sizeof *balance);
    for (uint64_t i = 0; i < 3 * mesh->triangle_count; i++) {
        const uint32_t from = mesh->indices[i], to = mesh_host_next(mesh, i);
        balance[from] += spread(to);
        balance[to] -= spread(from);
    }
}
