/* Joins caps to the surface. A vertex that both have is found by its position, which has the same bits in both. The voxels
 * on the edges of the box, which two or three planes have, are found in the same way. */
#include "caps.h"

#include "component_list.h"

#include "kernels/edge_vertex.h"

#include <stdlib.h>
#include <string.h>

struct weld {
    struct mesh_host *mesh; /* with room for all; grows */
    float last[3];          /* last voxel along each axis */
    uint32_t *slot;         /* hash table by position: 1 + a vertex of the mesh; 0: free */
    uint64_t mask;          /* slots - 1 */
    uint32_t *number;       /* number in the mesh of each vertex of the caps */
};

/* Sets out[a] to -1 or 1 on the lower or upper plane of axis a, else to 0. Returns on how many planes the vertex lies. */
static unsigned planes_of(const struct weld *w, const struct vertex *v, float out[3])
{
    const float p[3] = { v->x, v->y, v->z };
    unsigned planes = 0;
    for (int a = 0; a < 3; a++) {
        out[a] = p[a] == w->last[a] ? 1.0f : p[a] == 0 ? -1.0f : 0.0f;
        planes += out[a] != 0;
    }
    return planes;
}

static uint64_t hash(const struct vertex *v)
{
    uint32_t bits[3];
    memcpy(bits, v, sizeof bits);
    uint64_t z = bits[0] * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 29 ^ bits[1]) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 29 ^ bits[2]) * 0x94d049bb133111ebu;
    return z ^ z >> 32;
}

/* Returns the slot of the position. It is free if the mesh has no vertex there. */
static uint32_t *find(const struct weld *w, const struct vertex *v)
{
    uint64_t at = hash(v) & w->mask;
    while (w->slot[at] && memcmp(&w->mesh->vertices[w->slot[at] - 1], v, 3 * sizeof v->x) != 0) at = (at + 1) & w->mask;
    return &w->slot[at];
}

/* At the edges of the box, the normal is halfway between those of the planes. */
static uint32_t add(struct weld *w, struct vertex v)
{
    float out[3];
    const unsigned planes = planes_of(w, &v, out);
    const float length = sqrtf((float)planes);
    v.normal = normal_pack(out[0] / length, out[1] / length, out[2] / length) | CAPS_MARK;
    w->mesh->vertices[w->mesh->vertex_count] = v;
    return (uint32_t)w->mesh->vertex_count++;
}

/* Gives each vertex of the caps its number in the mesh. */
static int number_vertices(struct weld *w, const struct mesh_host *caps, struct err *err)
{
    const uint64_t own = w->mesh->vertex_count;
    float out[3];
    for (uint64_t i = 0; i < own; i++)
        if (planes_of(w, &w->mesh->vertices[i], out)) *find(w, &w->mesh->vertices[i]) = (uint32_t)i + 1;
    for (uint64_t i = 0; i < caps->vertex_count; i++) {
        const struct vertex *v = &caps->vertices[i];
        const bool voxel = caps_is_voxel(v);
        uint32_t *slot = !voxel || planes_of(w, v, out) > 1 ? find(w, v) : NULL;
        if (!voxel && !*slot)
            return err_set(err, ERR_FAILED, "the surface does not end where its caps begin, at %g %g %g", (double)v->x,
                           (double)v->y, (double)v->z);
        w->number[i] = slot && *slot ? *slot - 1 : add(w, *v);
        if (slot) *slot = w->number[i] + 1;
    }
    return ERR_NONE;
}

static uint64_t slots_for(uint64_t count)
{
    uint64_t slots = 64;
    while (slots < 2 * count) slots *= 2;
    return slots;
}

static uint64_t count_slots(const struct weld *w, const struct mesh_host *caps)
{
    uint64_t count = caps->vertex_count;
    float out[3];
    for (uint64_t i = 0; i < w->mesh->vertex_count; i++) count += planes_of(w, &w->mesh->vertices[i], out) > 0;
    return slots_for(count);
}

/* Copies the mesh to `all`, with room for the caps. */
static int copy_mesh(struct mesh_host *all, const struct mesh_host *mesh, const struct mesh_host *caps, struct err *err)
{
    const uint64_t vertices = mesh->vertex_count + caps->vertex_count,
                   triangles = mesh->triangle_count + caps->triangle_count;
    if (mesh_host_check("the closed surface has", vertices, triangles, "leave it open", err) ||
        mesh_host_alloc(all, vertices, triangles, err))
        return ERR_FAILED;
    all->vertex_count = mesh->vertex_count, all->triangle_count = mesh->triangle_count;
    if (!mesh->vertex_count) return ERR_NONE;
    memcpy(all->vertices, mesh->vertices, mesh->vertex_count * sizeof *mesh->vertices);
    memcpy(all->indices, mesh->indices, mesh->triangle_count * 3 * sizeof *mesh->indices);
    return ERR_NONE;
}

int caps_append(struct mesh_host *mesh, const struct mesh_host *caps, const size_t n[3], struct err *err)
{
    const uint64_t vertices = mesh->vertex_count;
    struct weld w = { .mesh = mesh, .last = { (float)(n[0] - 1), (float)(n[1] - 1), (float)(n[2] - 1) } };
    if (!caps->triangle_count) return ERR_NONE;
    const uint64_t slots = count_slots(&w, caps);
    w.mask = slots - 1;
    w.slot = calloc(slots, sizeof *w.slot);
    w.number = malloc(caps->vertex_count * sizeof *w.number);
    int code = w.slot && w.number ? ERR_NONE
                                  : err_set(err, ERR_FAILED, "not enough memory to join the caps to the surface");
    if (!code) code = number_vertices(&w, caps, err);
    for (uint64_t i = 0; i < 3 * caps->triangle_count && !code; i++)
        mesh->indices[3 * mesh->triangle_count + i] = w.number[caps->indices[i]];
    if (code) mesh->vertex_count = vertices;
    else mesh->triangle_count += caps->triangle_count;
    free(w.slot);
    free(w.number);
    return code;
}

int caps_weld(struct mesh_host *mesh, const struct mesh_host *caps, const size_t n[3], struct err *err)
{
    struct mesh_host all;
    if (!caps->triangle_count) return ERR_NONE;
    if (copy_mesh(&all, mesh, caps, err)) return ERR_FAILED;
    const int code = caps_append(&all, caps, n, err);
    for (uint64_t i = 3 * mesh->triangle_count; i < 3 * all.triangle_count && !code; i++)
        all.vertices[all.indices[i]].normal |= CAPS_MARK;
    mesh_host_free(code ? &all : mesh);
    if (!code) *mesh = all;
    return code;
}

/* Turns a closed surface over. What welding has added already points out of the volume. */
static void turn_over(struct mesh_host *mesh)
{
    for (uint64_t i = 0; i < mesh->vertex_count; i++) {
        struct vertex *v = &mesh->vertices[i];
        double n[3];
        if (v->normal & CAPS_MARK && caps_is_voxel(v)) continue;
        normal_unpack(v->normal, n);
        v->normal = normal_pack((float)-n[0], (float)-n[1], (float)-n[2]) | (v->normal & CAPS_MARK);
    }
    for (uint64_t t = 0; t < mesh->triangle_count; t++) {
        uint32_t *corner = mesh->indices + 3 * t;
        const uint32_t second = corner[1];
        corner[1] = corner[2], corner[2] = second;
    }
}

static struct caps_desc describe(const struct iso_surface *of, enum caps_side side)
{
    return (struct caps_desc){ of->value, side, of->iso->topology };
}

/* Reads the border of the voxels that the surface was made from. */
static int read_border(struct caps *caps, const struct iso_surface *of, struct err *err)
{
    struct grid grid;
    void *copy;
    int code = iso_voxels_host(of->iso, &of->volume->grid, &grid, &copy, err);
    if (!code) code = caps_read(caps, &grid, of->iso->exec.threads, err);
    free(copy);
    return code;
}

int caps_close(struct mesh_host *mesh, const struct iso_surface *of, enum caps_side side, struct err *err)
{
    const struct grid *grid = &of->volume->grid;
    const struct caps_desc desc = describe(of, side);
    const size_t n[3] = { grid->nx, grid->ny, grid->nz };
    struct caps caps = { .values = NULL };
    struct mesh_host planes = { NULL, NULL, 0, 0 };
    if (of->iso->exact)
        return err_set(err, ERR_USAGE,
                       "caps cannot be joined to a surface with exact positions: leave out --close or --exact-positions");
    if (component_list_is_soup(mesh->vertex_count, mesh->triangle_count))
        return err_set(err, ERR_USAGE,
                       "caps cannot be joined to a surface whose triangles have vertices of their own: take another rung "
                       "than generate=soup");
    int code = read_border(&caps, of, err);
    if (!code) code = caps_make(&caps, &desc, of->iso->exec.threads, &planes, err);
    if (!code) code = caps_weld(mesh, &planes, n, err);
    if (!code && side == CAPS_BELOW) turn_over(mesh);
    mesh_host_free(&planes);
    caps_free(&caps);
    return code;
}

/* The table holds at most twice as many vertices as the caps have, because the surface meets the border only where caps
 * do. */
static uint64_t weld_bytes(struct iso_layer open, uint64_t vertices, uint64_t triangles)
{
    const uint64_t mesh = (open.vertices + vertices) * sizeof(struct vertex) +
                          (open.triangles + triangles) * 3 * sizeof(uint32_t);
    return mesh + vertices * sizeof(uint32_t) + slots_for(2 * vertices) * sizeof(uint32_t);
}

int caps_close_room(struct iso_layer *mesh, uint64_t *bytes, const struct iso_surface *of, enum caps_side side,
                    struct err *err)
{
    const struct caps_desc desc = describe(of, side);
    struct caps caps = { .values = NULL };
    uint64_t vertices = 0, triangles = 0;
    int code = read_border(&caps, of, err);
    if (!code) code = caps_count(&caps, &desc, of->iso->exec.threads, &vertices, &triangles, err);
    *bytes = caps_bytes(&caps) + (vertices ? weld_bytes(*mesh, vertices, triangles) : 0);
    mesh->vertices += vertices, mesh->triangles += triangles;
    caps_free(&caps);
    return code;
}
