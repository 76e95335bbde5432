#include "measure.h"

#include <math.h>
#include <stdlib.h>

static void to_world(const struct volume *v, const struct vertex *p, double q[3])
{
    for (int r = 0; r < 3; r++) q[r] = v->direction[r][0] * p->x + v->direction[r][1] * p->y + v->direction[r][2] * p->z;
}

/* Whether the edge lies in the surface of the grid's box: only there can an edge belong to one triangle instead of two. */
static bool on_border(const struct grid *g, const struct vertex *a, const struct vertex *b)
{
    const float last[3] = { (float)(g->nx - 1), (float)(g->ny - 1), (float)(g->nz - 1) };
    return (a->x == b->x && (a->x == 0 || a->x == last[0])) || (a->y == b->y && (a->y == 0 || a->y == last[1])) ||
           (a->z == b->z && (a->z == 0 || a->z == last[2]));
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Each edge on the border must occur twice; inner edges do, by construction of the case table. */
static bool all_paired(uint64_t *edge, size_t n)
{
    if (n % 2) return false;
    if (n) qsort(edge, n, sizeof *edge, compare);
    for (size_t i = 0; i < n; i += 2)
        if (edge[i] != edge[i + 1] || (i + 2 < n && edge[i + 1] == edge[i + 2])) return false;
    return true;
}

static bool append(uint64_t **list, size_t *n, size_t *capacity, uint64_t value)
{
    if (*n == *capacity) {
        const size_t more = *capacity ? 2 * *capacity : 1024;
        uint64_t *grown = realloc(*list, more * sizeof **list);
        if (!grown) return false;
        *list = grown, *capacity = more;
    }
    (*list)[(*n)++] = value;
    return true;
}

int measure_mesh(struct measure *measure, const struct mesh_host *mesh, const struct volume *volume, struct err *err)
{
    uint64_t *border = NULL;
    size_t n = 0, capacity = 0;
    double area = 0, six_volumes = 0;
    for (uint64_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *index = mesh->indices + 3 * t;
        const struct vertex *corner[3];
        double p[3][3];
        for (int i = 0; i < 3; i++) {
            corner[i] = &mesh->vertices[index[i]];
            to_world(volume, corner[i], p[i]);
        }
        double u[3], w[3];
        for (int r = 0; r < 3; r++) u[r] = p[1][r] - p[0][r], w[r] = p[2][r] - p[0][r];
        const double c[3] = { u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0] };
        area += 0.5 * sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
        six_volumes += p[0][0] * c[0] + p[0][1] * c[1] + p[0][2] * c[2];
        for (int i = 0; i < 3; i++) {
            const uint64_t a = index[i], b = index[(i + 1) % 3];
            if (on_border(&volume->grid, corner[i], corner[(i + 1) % 3]) &&
                !append(&border, &n, &capacity, a < b ? a << 32 | b : b << 32 | a)) {
                free(border);
                return err_set(err, ERR_FAILED, "no memory to find out whether the surface is closed");
            }
        }
    }
    measure->area = area;
    measure->volume = volume_handedness(volume) < 0 ? -six_volumes / 6 : six_volumes / 6;
    measure->closed = all_paired(border, n);
    free(border);
    return ERR_NONE;
}
