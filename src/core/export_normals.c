/* Vertex normals in full precision. Those of a mesh on the GPU have 10 bits per component, which turns them by up to 0.1
 * degrees. A normal is minus the gradient that kernels/edge_vertex.h describes, interpolated linearly along a grid edge and
 * trilinearly inside a cell. In an edited mesh it is the mean normal of the triangles, weighted by area. */
#include "caps.h"
#include "export_format.h"
#include "kernels/edge_vertex.h"
#include "kernels/host_memory.h"

#include <math.h>
#include <stdlib.h>

/* ---- one normal -------------------------------------------------------------------------------------------------- */

/* Unpacks signed 10-bit components; the result has any scale. */
static void unpack(uint32_t packed, double n[3])
{
    for (int a = 0; a < 3; a++) n[a] = (double)((int32_t)(packed << (22 - 10 * a)) >> 22);
}

/* Converts n from voxel coordinates to the world. False: it has no direction. */
static bool turn(const struct export_file *e, const double n[3], float world[3])
{
    double turned[3], square = 0;
    for (int r = 0; r < 3; r++) {
        turned[r] = e->normal[r][0] * n[0] + e->normal[r][1] * n[1] + e->normal[r][2] * n[2];
        square += turned[r] * turned[r];
    }
    if (!(square > 0 && isfinite(square))) return false;
    for (int r = 0; r < 3; r++) world[r] = (float)(turned[r] / sqrt(square));
    return true;
}

/* Uses n, or else the packed normal. If neither has a direction, uses any, because a file may hold only unit normals. */
static void set_normal(const struct export_file *e, const double n[3], uint32_t packed, float world[3])
{
    double instead[3];
    if (turn(e, n, world)) return;
    unpack(packed, instead);
    if (!turn(e, instead, world)) world[0] = world[1] = 0, world[2] = 1;
}

/* Keeps squares of very large and very small numbers in the range of double. */
static void scale_down(double n[3])
{
    double big = 0;
    for (int a = 0; a < 3; a++) big = fabs(n[a]) > big ? fabs(n[a]) : big;
    if (big > 0)
        for (int a = 0; a < 3; a++) n[a] /= big;
}

/* ---- from the voxels --------------------------------------------------------------------------------------------- */

/* Subtracts the differences along all axes at a voxel, times `weight`. */
static void fall(const struct grid *g, const size_t at[3], double weight, double n[3])
{
    const size_t size[3] = { g->nx, g->ny, g->nz }, step[3] = { 1, g->nx, g->nx * g->ny };
    const size_t voxel = at[0] + at[1] * step[1] + at[2] * step[2];
    for (int a = 0; a < 3; a++) n[a] -= weight * (double)grid_difference(g, voxel, at[a], size[a], step[a]);
}

/* Sets n to minus the gradient at a point in voxel coordinates, interpolated between the voxels around it (two on an
 * edge). */
static void fall_at(const struct grid *g, const struct vertex *v, double n[3])
{
    const double place[3] = { (double)v->x, (double)v->y, (double)v->z };
    const size_t last[3] = { g->nx - 1, g->ny - 1, g->nz - 1 };
    size_t low[3];
    double part[3];
    int between = 0; /* a bit per axis along which it lies between two voxels */
    for (int a = 0; a < 3; a++) {
        const double point = place[a] - (double)g->first[a];
        low[a] = point > 0 ? min_size((size_t)point, last[a]) : 0;
        part[a] = low[a] < last[a] && point > (double)low[a] ? point - (double)low[a] : 0;
        between += (part[a] > 0) << a;
        n[a] = 0;
    }
    for (int corner = 0; corner < 8; corner++) {
        double weight = 1;
        size_t at[3];
        if (corner & ~between) continue; /* weight 0 */
        for (int a = 0; a < 3; a++) {
            const int up = corner >> a & 1;
            at[a] = low[a] + (size_t)up;
            weight *= up ? part[a] : 1 - part[a];
        }
        fall(g, at, weight, n);
    }
}

/* A corner of a cap keeps its normal. A vertex where caps meet the surface has the surface's. */
static bool is_of_cap(const struct vertex *v) { return v->normal & CAPS_MARK && caps_is_voxel(v); }

void export_normals_from(const struct export_file *e, const struct export_part *p, const struct grid *g, uint64_t begin,
                         uint64_t end)
{
#pragma omp parallel for num_threads(e->threads) schedule(static)
    for (uint64_t i = begin; i < end; i++) {
        const struct vertex *v = &p->mesh.vertices[i];
        double n[3];
        if (is_of_cap(v)) unpack(v->normal, n);
        else fall_at(g, v, n);
        for (int a = 0; a < 3 && p->turned && !is_of_cap(v); a++) n[a] = -n[a];
        scale_down(n);
        set_normal(e, n, v->normal, &p->normals[3 * i]);
    }
}

/* ---- from the triangles ------------------------------------------------------------------------------------------ */

/* Adds the triangle's normal, whose length is twice its area, to its three vertices. */
static void add_triangle(double (*sum)[3], const struct vertex *vertices, const uint32_t corner[3])
{
    const struct vertex a = vertices[corner[0]], b = vertices[corner[1]], c = vertices[corner[2]];
    const double u[3] = { (double)b.x - (double)a.x, (double)b.y - (double)a.y, (double)b.z - (double)a.z };
    const double w[3] = { (double)c.x - (double)a.x, (double)c.y - (double)a.y, (double)c.z - (double)a.z };
    for (int k = 0; k < 3; k++) {
        const int p = (k + 1) % 3, q = (k + 2) % 3;
        const double n = u[p] * w[q] - u[q] * w[p];
        for (int v = 0; v < 3; v++) sum[corner[v]][k] += n;
    }
}

static int from_triangles(const struct export_file *e, struct export_part *p, struct err *err)
{
    const struct mesh_host *m = &p->mesh;
    const uint64_t bytes = m->vertex_count * 3 * sizeof(double);
    double(*sum)[3] = bytes <= backend_cpu.memory_free() ? calloc(m->vertex_count, sizeof *sum) : NULL;
    if (!sum) return err_set(err, ERR_FAILED, "not enough memory for the normals (%.1f MiB)", (double)bytes / 1048576);
    for (uint64_t t = 0; t < m->triangle_count; t++) add_triangle(sum, m->vertices, &m->indices[3 * t]);
    for (uint64_t i = 0; i < m->vertex_count; i++) set_normal(e, sum[i], m->vertices[i].normal, &p->normals[3 * i]);
    free(sum);
    return ERR_NONE;
}

int export_normals(const struct export_file *e, struct export_part *p, struct iso *iso, const struct volume *volume,
                   struct err *err)
{
    const uint64_t bytes = p->mesh.vertex_count * 3 * sizeof(float);
    struct grid grid;
    void *copy;
    p->normals = bytes <= backend_cpu.memory_free() ? host_memory_alloc(bytes) : NULL;
    if (!p->normals)
        return err_set(err, ERR_FAILED, "not enough memory for the normals (%.1f MiB)", (double)bytes / 1048576);
    if (export_edit_moves(&e->edit)) return from_triangles(e, p, err);
    const int code = iso_voxels_host(iso, &volume->grid, &grid, &copy, err);
    if (!code) export_normals_from(e, p, &grid, 0, p->mesh.vertex_count);
    free(copy);
    return code;
}
