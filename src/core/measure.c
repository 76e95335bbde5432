#include "measure.h"

#include <math.h>
#include <stdlib.h>

/* The smallest power of two that is at least `value`, which is positive. */
static double power_above(double value)
{
    int exponent;
    return frexp(value, &exponent) == 0.5 ? value : ldexp(1, exponent);
}

/* Chooses the steps so that no sum can exceed 2^62 steps. Each triangle lies within a cell. Its area is at most half the
 * square of the longest path through the cell. Its projection on a voxel's side is at most half of that side, and the
 * heights of its corners are at most nz each. */
void measure_prepare(struct parts_desc *desc, const struct volume *volume, uint64_t triangles)
{
    const struct grid *g = &volume->grid;
    const double way = volume_spacing(volume, 0) + volume_spacing(volume, 1) + volume_spacing(volume, 2);
    const double count = (double)(triangles ? triangles : 1);
    desc->area_step = power_above(0.5 * count * way * way) * 0x1p-62;
    desc->volume_step = power_above(3 * count * (double)g->nz) * 0x1p-62;
    desc->last[0] = (float)(g->nx - 1), desc->last[1] = (float)(g->ny - 1), desc->last[2] = (float)(g->nz - 1);
    for (int r = 0; r < 3; r++)
        for (int a = 0; a < 3; a++) desc->direction[r][a] = volume->direction[r][a];
}

void measure_part(struct measure *measure, const struct part *part, const struct parts_desc *desc,
                  const struct volume *volume)
{
    measure->triangles = part->triangles;
    measure->vertices = part->vertices;
    measure->area = (double)part->area * desc->area_step;
    measure->volume = (double)part->volume * desc->volume_step / 6 * fabs(volume_handedness(volume));
    measure->closed = !part->open;
    for (int a = 0; a < 3; a++) {
        measure->low[a] = part->triangles ? part_value(part->low[a]) + volume->origin[a] : NAN;
        measure->high[a] = part->triangles ? part_value(part->high[a]) + volume->origin[a] : NAN;
    }
}

void measure_begin(struct measure_sum *sum, const struct volume *volume, uint64_t triangles)
{
    *sum = (struct measure_sum){ .part = part_empty() };
    measure_prepare(&sum->desc, volume, triangles);
}

void measure_join(struct measure_sum *sum, const struct part *more)
{
    struct part *to = &sum->part;
    to->triangles += more->triangles;
    to->area += more->area, to->volume += more->volume, to->open += more->open;
    for (int a = 0; a < 3; a++) {
        if (more->low[a] < to->low[a]) to->low[a] = more->low[a];
        if (more->high[a] > to->high[a]) to->high[a] = more->high[a];
    }
}

int measure_add(struct measure_sum *sum, const struct mesh_host *mesh, size_t from, size_t count, uint64_t first,
                int threads, struct err *err)
{
    const uint32_t number = 0; /* all vertices belong to one part */
    uint32_t *labels = calloc(mesh->vertex_count + 1, sizeof *labels);
    struct exec x = { .backend = BACKEND_CPU, .threads = threads };
    struct parts_desc desc = sum->desc;
    struct part part = part_empty();
    desc.vertices = mesh->vertices,
    desc.indices = from ? mesh->indices + 3 * from : mesh->indices; /* NULL: an empty mesh */
    desc.labels = labels, desc.numbers = &number;
    desc.vertex_count = mesh->vertex_count, desc.triangles = count, desc.first = (uint32_t)first;
    desc.count = 1, desc.parts = &part;
    if (!labels)
        return err_set(err, ERR_FAILED, "not enough memory to measure a mesh of %.1f million vertices",
                       (double)mesh->vertex_count * 1e-6);
    parts_cpu.measure(&desc, &x);
    measure_join(sum, &part);
    free(labels);
    return ERR_NONE;
}

void measure_end(struct measure *measure, const struct measure_sum *sum, const struct volume *volume, uint64_t vertices)
{
    struct part part = sum->part;
    part.vertices = vertices;
    measure_part(measure, &part, &sum->desc, volume);
}

int measure_mesh(struct measure *measure, const struct mesh_host *mesh, const struct volume *volume, int threads,
                 struct err *err)
{
    struct measure_sum sum;
    measure_begin(&sum, volume, mesh->triangle_count);
    const int code = measure_add(&sum, mesh, 0, mesh->triangle_count, 0, threads, err);
    if (!code) measure_end(measure, &sum, volume, mesh->vertex_count);
    return code;
}
