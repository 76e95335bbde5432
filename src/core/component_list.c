#include "component_list.h"

#include "kernels/components.h"

#include <math.h>
#include <stdlib.h>

static const char finding[] = "finding the parts of the surface", filtering[] = "leaving out parts of the surface";

void component_list_free(struct component_list *c)
{
    struct buffer *const buffers[] = { &c->labels, &c->parts, &c->kept, &c->mesh };
    free(c->list);
    for (size_t i = 0; c->ops && i < sizeof buffers / sizeof buffers[0]; i++) buffer_release(buffers[i], c->ops);
    *c = (struct component_list){ .list = NULL };
}

uint64_t component_list_bytes(const struct component_list *c)
{
    return c->labels.bytes + c->parts.bytes + c->kept.bytes + c->mesh.bytes;
}

/* ---- finding ----------------------------------------------------------------------------------------------------- */

static int reserve(struct buffer *buffer, struct iso *iso, uint64_t bytes, struct err *err)
{
    return buffer_reserve(buffer, iso->ops, &iso->exec, bytes, "the parts of the surface", err);
}

/* Bytes of n 32-bit numbers, rounded up. */
static size_t words(uint64_t n) { return scratch_round(n * sizeof(uint32_t)); }

static int label(struct component_list *c, struct iso *iso, uint32_t *labels, struct err *err)
{
    const struct components_rung *rung = (const struct components_rung *)iso->rung[AUX_COMPONENTS];
    const struct components_desc desc = { c->vertices, c->triangles, c->desc.indices, labels };
    const size_t scratch = rung->scratch ? rung->scratch(&desc, &iso->exec) : 0;
    if (iso_aux_begin(iso, AUX_COMPONENTS, &rung->rung, scratch, err)) return ERR_FAILED;
    const int code = rung->run(&desc, iso->scratch.memory, &iso->exec);
    return iso_aux_end(iso, AUX_COMPONENTS, code, words(c->vertices) + words(3 * c->triangles), finding, err);
}

/* Sets `starts` to the exclusive prefix sums of `flags`, and *total to their sum. It is not timed as an auxiliary op,
 * because scan's time is that of counting a surface. */
static int sum_flags(struct iso *iso, const uint32_t *flags, uint32_t *starts, uint64_t *total, size_t n, struct err *err)
{
    const struct scan_rung *rung = (const struct scan_rung *)iso->rung[STAGE_SCAN];
    if (reserve(&iso->scratch, iso, rung->scratch ? rung->scratch(n, &iso->exec) : 0, err)) return ERR_FAILED;
    const int code = rung->run(flags, starts, total, n, iso->scratch.memory, &iso->exec);
    return code ? iso_fail(iso, code, finding, err) : ERR_NONE;
}

/* Labels the vertices and numbers the roots. Sets c->desc.count. */
static int number(struct component_list *c, struct iso *iso, struct err *err)
{
    const size_t size = words(c->vertices);
    uint64_t count = 0;
    if (reserve(&c->labels, iso, 2 * size + sizeof count, err) || reserve(&c->kept, iso, size, err)) return ERR_FAILED;
    uint32_t *labels = c->labels.memory, *numbers = labels + size / sizeof *labels, *flags = c->kept.memory;
    uint64_t *total = (uint64_t *)(numbers + size / sizeof *numbers);
    if (label(c, iso, labels, err)) return ERR_FAILED;
    int code = iso->ops->parts->mark_roots(labels, flags, c->vertices, &iso->exec);
    if (code) return iso_fail(iso, code, finding, err);
    if (sum_flags(iso, flags, numbers, total, c->vertices, err)) return ERR_FAILED;
    code = iso->ops->download(&count, total, sizeof count, &iso->exec);
    if (!code) code = iso->ops->sync(&iso->exec);
    c->desc.labels = labels, c->desc.numbers = numbers;
    c->desc.count = (size_t)count;
    return code ? iso_fail(iso, code, finding, err) : ERR_NONE;
}

/* Measures the parts. `parts`: host memory for all of them. */
static int measure(struct component_list *c, struct iso *iso, const struct volume *volume, struct part *parts,
                   struct err *err)
{
    const size_t bytes = c->desc.count * sizeof *parts;
    measure_prepare(&c->desc, volume, c->triangles);
    if (reserve(&c->parts, iso, bytes, err)) return ERR_FAILED;
    c->desc.parts = c->parts.memory;
    int code = iso->ops->parts->measure(&c->desc, &iso->exec);
    if (!code) code = iso->ops->download(parts, c->desc.parts, bytes, &iso->exec);
    if (!code) code = iso->ops->sync(&iso->exec);
    return code ? iso_fail(iso, code, finding, err) : ERR_NONE;
}

/* The largest area first; equal areas are ordered by position. Part numbers would not do: they depend on the order of the
 * mesh, which varies with fused on CUDA. */
static int compare(const void *a, const void *b)
{
    const struct component *p = a, *q = b;
    const struct measure *m = &p->measure, *n = &q->measure;
    if (m->area != n->area) return m->area < n->area ? 1 : -1;
    for (int i = 0; i < 3; i++)
        if (m->low[i] != n->low[i]) return m->low[i] < n->low[i] ? -1 : 1;
    return p->number < q->number ? -1 : p->number > q->number;
}

/* Leaves out vertices that no triangle uses. */
static void list(struct component_list *c, const struct part *parts, const struct volume *volume)
{
    c->count = 0;
    for (size_t i = 0; i < c->desc.count; i++) {
        struct component *to = &c->list[c->count];
        if (!parts[i].triangles) continue;
        measure_part(&to->measure, &parts[i], &c->desc, volume);
        to->number = (uint32_t)i;
        to->size = 0;
        for (int a = 0; a < 3; a++) to->size = fmax(to->size, to->measure.high[a] - to->measure.low[a]);
        c->count++;
    }
    qsort(c->list, c->count, sizeof *c->list, compare);
}

static int measure_and_list(struct component_list *c, struct iso *iso, const struct volume *volume, struct err *err)
{
    struct part *parts = calloc(c->desc.count, sizeof *parts);
    c->list = malloc(c->desc.count * sizeof *c->list);
    int code = ERR_NONE;
    if (!parts || !c->list)
        code = err_set(err, ERR_FAILED, "not enough memory to list %.1f million parts", (double)c->desc.count * 1e-6);
    if (!code) code = measure(c, iso, volume, parts, err);
    if (!code) list(c, parts, volume);
    free(parts);
    return code;
}

int component_list_find(struct component_list *c, struct iso *iso, const struct volume *volume, const struct mesh_out *mesh,
                        uint64_t vertices, uint64_t triangles, struct err *err)
{
    free(c->list);
    c->list = NULL, c->count = 0;
    c->vertices = vertices, c->triangles = triangles;
    c->ops = iso->ops;
    c->desc = (struct parts_desc){
        .vertices = mesh->vertices, .indices = mesh->indices, .vertex_count = vertices, .triangles = triangles
    };
    if (!triangles) return ERR_NONE;
    if (component_list_is_soup(vertices, triangles))
        return err_set(err, ERR_USAGE,
                       "each triangle of the surface has vertices of its own, so it has no parts: take another "
                       "rung than generate=soup");
    int code = number(c, iso, err);
    if (!code) code = measure_and_list(c, iso, volume, err);
    if (!code) return ERR_NONE;
    free(c->list);
    c->list = NULL, c->count = 0;
    return code;
}

int component_list_find_host(struct component_list *c, struct iso *iso, const struct volume *volume,
                             const struct mesh_host *mesh, struct err *err)
{
    struct mesh_out out = { mesh->vertices, mesh->indices };
    if (iso->exec.backend != BACKEND_CPU && mesh->triangle_count) {
        const size_t vertex_bytes = scratch_round(mesh->vertex_count * sizeof *mesh->vertices);
        if (reserve(&c->mesh, iso, vertex_bytes + 3 * mesh->triangle_count * sizeof *out.indices, err)) return ERR_FAILED;
        c->ops = iso->ops;
        out.vertices = c->mesh.memory, out.indices = (uint32_t *)((char *)c->mesh.memory + vertex_bytes);
        int code = iso->ops->upload(out.vertices, mesh->vertices, mesh->vertex_count * sizeof *mesh->vertices, &iso->exec);
        if (!code)
            code = iso->ops->upload(out.indices, mesh->indices, 3 * mesh->triangle_count * sizeof *out.indices, &iso->exec);
        if (code) return iso_fail(iso, code, finding, err);
    }
    return component_list_find(c, iso, volume, &out, mesh->vertex_count, mesh->triangle_count, err);
}

/* ---- filtering --------------------------------------------------------------------------------------------------- */

bool component_filter_leaves_none(const struct component_filter *filter, const struct volume *volume)
{
    const double last[3] = { (double)volume->grid.nx - 1, (double)volume->grid.ny - 1, (double)volume->grid.nz - 1 };
    double size = 0;
    for (int a = 0; a < 3; a++) {
        double side = 0;
        for (int i = 0; i < 3; i++) side += fabs(volume->direction[a][i]) * last[i];
        size = fmax(size, side);
    }
    return !filter->percent && filter->min_size > size;
}

static double least_size(const struct component_list *c, const struct component_filter *f)
{
    double longest = 0;
    for (uint64_t i = 0; i < c->count && f->percent; i++) longest = fmax(longest, c->list[i].size);
    return f->percent ? f->min_size / 100 * longest : f->min_size;
}

static void add(struct measure *to, const struct measure *m)
{
    to->triangles += m->triangles;
    to->vertices += m->vertices;
    to->area += m->area;
    to->volume += m->volume;
    to->closed = to->closed && m->closed;
    for (int a = 0; a < 3; a++) to->low[a] = fmin(to->low[a], m->low[a]), to->high[a] = fmax(to->high[a], m->high[a]);
}

/* Goes through the parts that the filter keeps and sums them up. Sets keep[number] to 1 for each (keep NULL: does not). */
static void choose(const struct component_list *c, const struct component_filter *f, uint8_t *keep, uint64_t *parts,
                   struct measure *sum)
{
    const double least = least_size(c, f);
    *sum = (struct measure){ .closed = true, .low = { NAN, NAN, NAN }, .high = { NAN, NAN, NAN } };
    *parts = 0;
    for (uint64_t i = 0; i < c->count && (!f->keep || *parts < f->keep); i++) {
        if (c->list[i].size < least) continue;
        ++*parts;
        add(sum, &c->list[i].measure);
        if (keep) keep[c->list[i].number] = 1;
    }
}

void component_list_sum(const struct component_list *c, const struct component_filter *filter, uint64_t *parts,
                        struct measure *sum)
{
    choose(c, filter, NULL, parts, sum);
}

/* The flags of the triangles, which follow the flags of the parts. */
static uint32_t *flags_of(const struct component_list *c)
{
    return (uint32_t *)((uint8_t *)c->kept.memory + scratch_round(c->desc.count));
}

/* keep: in host memory, by part number. */
static int gather(struct component_list *c, struct iso *iso, const uint8_t *keep, uint32_t *indices, struct err *err)
{
    const size_t n = c->triangles, size = words(n), keep_bytes = scratch_round(c->desc.count);
    if (reserve(&c->kept, iso, keep_bytes + 2 * size + sizeof(uint64_t), err)) return ERR_FAILED;
    uint8_t *there = c->kept.memory;
    uint32_t *flags = flags_of(c), *starts = flags + size / sizeof *flags;
    uint64_t *total = (uint64_t *)(starts + size / sizeof *starts);
    int code = iso->ops->upload(there, keep, c->desc.count, &iso->exec);
    if (!code) code = iso->ops->parts->mark_kept(&c->desc, there, flags, &iso->exec);
    if (code) return iso_fail(iso, code, filtering, err);
    if (sum_flags(iso, flags, starts, total, n, err)) return ERR_FAILED;
    code = iso->ops->parts->gather_kept(c->desc.indices, flags, starts, indices, n, &iso->exec);
    if (!code) code = iso->ops->sync(&iso->exec);
    return code ? iso_fail(iso, code, filtering, err) : ERR_NONE;
}

int component_list_filter(struct component_list *c, struct iso *iso, const struct component_filter *filter,
                          uint32_t *indices, struct err *err)
{
    uint64_t parts;
    struct measure sum;
    if (!c->count) return ERR_NONE;
    uint8_t *keep = calloc(c->desc.count, 1);
    if (!keep)
        return err_set(err, ERR_FAILED, "not enough memory to choose among %.1f million parts", (double)c->count * 1e-6);
    choose(c, filter, keep, &parts, &sum);
    const int code = gather(c, iso, keep, indices, err);
    free(keep);
    return code;
}

int component_list_kept(const struct component_list *c, struct iso *iso, uint64_t from, uint32_t *kept, struct err *err)
{
    int code = iso->ops->download(kept, flags_of(c) + from, (c->triangles - from) * sizeof *kept, &iso->exec);
    if (!code) code = iso->ops->sync(&iso->exec);
    return code ? iso_fail(iso, code, filtering, err) : ERR_NONE;
}

/* ---- a mesh in host memory --------------------------------------------------------------------------------------- */

static int drop_unused(struct mesh_host *mesh, struct err *err)
{
    uint32_t *number = malloc((mesh->vertex_count + 1) * sizeof *number);
    if (!number)
        return err_set(err, ERR_FAILED, "not enough memory to renumber %.1f million vertices",
                       (double)mesh->vertex_count * 1e-6);
    mesh_host_drop_unused(mesh, number);
    free(number);
    return ERR_NONE;
}

/* Fetches the remaining triangles into new indices, so that an error leaves the old ones unchanged. */
static int filter_to(uint32_t *indices, uint64_t triangles, struct component_list *c, struct iso *iso,
                     const struct component_filter *filter, struct err *err)
{
    struct buffer there = { NULL, 0 };
    const size_t bytes = 3 * triangles * sizeof *indices;
    if (iso->exec.backend == BACKEND_CPU) return component_list_filter(c, iso, filter, indices, err);
    int code = reserve(&there, iso, bytes, err);
    if (!code) code = component_list_filter(c, iso, filter, there.memory, err);
    const int found = code ? 0 : iso->ops->download(indices, there.memory, bytes, &iso->exec);
    if (found) code = iso_fail(iso, found, filtering, err);
    buffer_release(&there, iso->ops);
    return code;
}

int component_list_filter_host(struct mesh_host *mesh, struct iso *iso, const struct volume *volume,
                               const struct component_filter *filter, struct err *err)
{
    struct component_list c = { .list = NULL };
    struct measure sum;
    uint64_t parts;
    int code = component_list_find_host(&c, iso, volume, mesh, err);
    component_list_sum(&c, filter, &parts, &sum);
    const uint64_t triangles = sum.triangles;
    uint32_t *indices = code || !triangles ? NULL : malloc(3 * triangles * sizeof *indices);
    if (!code && triangles && !indices)
        code = err_set(err, ERR_FAILED, "not enough memory for %.1f million triangles", (double)triangles * 1e-6);
    if (!code && triangles) code = filter_to(indices, triangles, &c, iso, filter, err);
    component_list_free(&c);
    if (code) {
        free(indices);
        return code;
    }
    free(mesh->indices);
    mesh->indices = indices;
    mesh->triangle_count = triangles;
    return drop_unused(mesh, err);
}

/* Labels, numbers, flags and the remaining triangles. The parts are assumed to be as small as the surface around a single
 * voxel. */
uint64_t component_list_filter_bytes(uint64_t vertices, uint64_t triangles)
{
    enum { LEAST = 6 }; /* vertices */
    const uint64_t part = 2 * sizeof(struct part) + sizeof(struct component) + 1;
    return 4 * words(vertices) + 2 * words(triangles) + words(3 * triangles) + vertices / LEAST * part;
}
