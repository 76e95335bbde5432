#include "raster.h"
#include "gl.h"
#include "timing.h"
#include "trace.h"

#include <GL/glew.h>

#include <stdlib.h>
#include <string.h>

enum {
    /* Triangles that the CPU draws between two calls of the pause: at first, at least and at most. With smaller
     * batches, going through all pixels would take longer than drawing. */
    FIRST_BATCH = 1 << 19,
    LEAST_BATCH = 1 << 16,
    BATCH = 1 << 21,
    GPU_BATCH = 1 << 24, /* triangles at once on a GPU, which limits the rung's scratch memory */
};

static void drop_buffers(struct raster *raster)
{
    for (int i = 0; i < 2; i++) {
        raster_cuda_close(&raster->cuda[i]);
        if (raster->buffer[i]) glDeleteBuffers(1, &raster->buffer[i]);
        raster->buffer[i] = 0;
    }
    raster->buffer_bytes = 0;
}

static void drop_scratch(struct raster *raster)
{
    if (raster->scratch) backend_cuda.free(raster->scratch);
    raster->scratch = NULL;
    raster->scratch_bytes = 0;
}

void raster_close(struct raster *raster)
{
    if (raster->is_open) backend_cpu.close(&raster->exec);
    free(raster->memory);
    drop_buffers(raster);
    drop_scratch(raster);
    raster_compute_close(&raster->compute);
    *raster = (struct raster){ .way = raster->way };
}

bool raster_drew(const struct raster *raster) { return raster->drew == RASTER_COMPUTE || raster->drew == RASTER_ALWAYS; }

enum raster_way raster_fastest(const struct raster *raster)
{
    static const enum raster_way other[] = { RASTER_COMPUTE, RASTER_ALWAYS };
    enum raster_way best = RASTER_OPENGL;
    for (int i = 0; i < 2 && raster->measured; i++)
        if (raster->by[other[i]] < raster->by[best]) best = other[i];
    return best;
}

bool raster_needs_sizes(const struct raster *raster)
{
    if (raster->way != RASTER_AUTO) return raster->way != RASTER_OPENGL;
    return raster->measured ? raster_fastest(raster) != RASTER_OPENGL : !raster->is_small;
}

/* ---- what all share ------------------------------------------------------------------------------------------------- */

/* The host learns the size of a queued mesh only when CUDA has made it. OpenGL draws such a mesh without knowing. For
 * raster someone has to wait for it before, see raster_needs_sizes(). */
static const char *op_refusal(const struct raster_layers *layers)
{
    const struct mesh *const first = layers->layer[0].mesh;
    for (int i = 0; i < layers->count; i++) {
        const struct mesh *mesh = layers->layer[i].mesh;
        const enum backend reader = mesh_gl_reader(mesh);
        if (mesh->queued) return "only the GPU knows the new mesh's size";
        if (reader == BACKEND_COUNT) return "the mesh is neither in host memory nor shared with CUDA";
        if (reader != mesh_gl_reader(first)) return "surfaces lie in different memories";
        if (reader == BACKEND_CUDA && mesh->exec != first->exec) return "surfaces are of different queues";
    }
    return NULL;
}

const char *raster_refusal(enum raster_way way, const struct raster_layers *layers)
{
    const char *refusal = NULL;
    if (way != RASTER_COMPUTE) return op_refusal(layers);
    for (int i = 0; i < layers->count && !refusal; i++) refusal = raster_compute_refusal(layers->layer[i].mesh);
    return refusal;
}

enum backend raster_backend(const struct raster_layers *layers)
{
    return layers->count && !op_refusal(layers) ? mesh_gl_reader(layers->layer[0].mesh) : BACKEND_COUNT;
}

static const struct draw_rung *rung_of(const struct exec *x)
{
    return (const struct draw_rung *)ladder_find(ladder_of("draw"), x->backend, NULL);
}

static struct draw_desc desc_of(const struct passes *passes, const struct raster_layer *layer)
{
    struct draw_desc d = { .vertex_count = layer->mesh->vertices,
                           .width = (uint32_t)passes->width,
                           .height = (uint32_t)passes->height,
                           .surface = layer->surface,
                           .clockwise = layer->clockwise,
                           .flipped = layer->flipped };
    memcpy(d.clip_from_voxel, layer->clip_from_voxel, sizeof d.clip_from_voxel);
    memcpy(d.view_normal, layer->view_normal, sizeof d.view_normal);
    return d;
}

/* Bytes of the depth, and as many of what is seen. */
static size_t plane_of(const struct passes *passes)
{
    return scratch_round((size_t)passes->width * (size_t)passes->height * 4);
}

/* ---- on the processor ------------------------------------------------------------------------------------------------ */

/* Makes room for depth, what is seen and the scratch memory of any of these layers. */
static int reserve(struct raster *raster, const struct passes *passes, const struct raster_layers *layers, struct err *err)
{
    size_t bytes = 0;
    for (int i = 0; i < layers->count; i++) {
        const struct draw_desc d = desc_of(passes, &layers->layer[i]);
        const size_t scratch = rung_of(&raster->exec)->scratch(&d, &raster->exec);
        if (scratch > bytes) bytes = scratch;
    }
    bytes += 2 * plane_of(passes);
    if (bytes <= raster->bytes) return ERR_NONE;
    free(raster->memory);
    raster->bytes = 0;
    raster->memory = malloc(bytes);
    if (!raster->memory) return err_set(err, ERR_FAILED, "not enough memory for raster");
    raster->bytes = bytes;
    return ERR_NONE;
}

static int draw_batch(struct raster *raster, const struct passes *passes, struct draw_desc *d, struct err *err)
{
    const size_t plane = plane_of(passes);
    char *const memory = raster->memory;
    d->depth = (float *)memory, d->seen = (uint32_t *)(memory + plane);
    if (!rung_of(&raster->exec)->run(d, memory + 2 * plane, &raster->exec)) return ERR_NONE;
    return err_set(err, ERR_FAILED, "raster failed");
}

/* Half as long again as other pieces of a drawing (pause.h), because each goes through all pixels. */
static uint64_t next_batch(uint64_t batch, double ms)
{
    const uint64_t next = pause_next(batch, ms / 1.5);
    return next < LEAST_BATCH ? LEAST_BATCH : next > BATCH ? BATCH : next;
}

/* The mesh belongs to OpenGL again whenever others may draw. over: something is drawn already. */
static int draw_layer(struct raster *raster, const struct passes *passes, const struct raster_layer *layer, bool over,
                      const struct pause *pause, struct err *err)
{
    struct draw_desc d = desc_of(passes, layer);
    if (!raster->batch) raster->batch = FIRST_BATCH;
    for (uint64_t at = 0; at < layer->triangles; at += d.triangle_count) {
        const uint64_t batch = pause ? raster->batch : BATCH, left = layer->triangles - at;
        struct mesh_out mesh;
        raster->complete = !at || !pause || pause->go_on(pause->context);
        if (!raster->complete) return ERR_NONE;
        const double start = timing_ms();
        if (mesh_gl_begin_read(layer->mesh, &mesh, err)) return ERR_FAILED;
        d.vertices = mesh.vertices, d.indices = mesh.indices + 3 * at, d.over = over || at;
        d.triangle_count = left < batch ? left : batch;
        const int code = draw_batch(raster, passes, &d, err);
        if (mesh_gl_end_read(layer->mesh, code ? NULL : err) || code) return ERR_FAILED;
        if (d.triangle_count == raster->batch) raster->batch = next_batch(batch, timing_ms() - start);
    }
    return ERR_NONE;
}

static void upload(const struct passes *passes, const char *planes)
{
    const int width = passes->width, height = passes->height;
    glTextureSubImage2D(passes->depth, 0, 0, 0, width, height, GL_DEPTH_COMPONENT, GL_FLOAT, planes);
    glTextureSubImage2D(passes->seen, 0, 0, 0, width, height, GL_RED_INTEGER, GL_UNSIGNED_INT, planes + plane_of(passes));
}

static int draw_on_host(struct raster *raster, const struct passes *passes, const struct raster_layers *layers,
                        const struct pause *pause, struct err *err)
{
    if (!raster->is_open && backend_cpu.open(&raster->exec, -1, 0))
        return err_set(err, ERR_FAILED, "not enough memory for raster");
    raster->is_open = true;
    int code = reserve(raster, passes, layers, err);
    for (int i = 0; i < layers->count && raster->complete && !code; i++)
        code = draw_layer(raster, passes, &layers->layer[i], i > 0, pause, err);
    if (raster->complete && !code) upload(passes, raster->memory);
    return code;
}

/* ---- by CUDA --------------------------------------------------------------------------------------------------------- */

static int fail_cuda(int code, struct err *err)
{
    return err_set(err, ERR_FAILED, "raster: %s", backend_cuda.explain(code));
}

static int make_buffers(struct raster *raster, size_t bytes, struct err *err)
{
    int code = ERR_NONE;
    if (bytes <= raster->buffer_bytes) return ERR_NONE;
    drop_buffers(raster);
    for (int i = 0; i < 2 && !code; i++) {
        raster->buffer[i] = gl_make_buffer(bytes, "raster", err);
        if (!raster->buffer[i]) code = ERR_FAILED;
        else if ((code = raster_cuda_open(&raster->cuda[i], raster->buffer[i]))) code = fail_cuda(code, err);
    }
    if (code) drop_buffers(raster);
    else raster->buffer_bytes = bytes;
    return code;
}

static int make_scratch(struct raster *raster, size_t bytes, struct err *err)
{
    if (bytes <= raster->scratch_bytes) return ERR_NONE;
    drop_scratch(raster);
    const int code = backend_cuda.alloc(&raster->scratch, bytes);
    if (code) return fail_cuda(code, err);
    raster->scratch_bytes = bytes;
    return ERR_NONE;
}

/* Makes room for the largest of these layers. */
static int make_room(struct raster *raster, const struct passes *passes, const struct raster_layers *layers,
                     struct err *err)
{
    const struct exec *x = layers->layer[0].mesh->exec;
    struct draw_desc d = desc_of(passes, &layers->layer[0]);
    for (int i = 0; i < layers->count; i++)
        if (layers->layer[i].triangles > d.triangle_count) d.triangle_count = layers->layer[i].triangles;
    if (d.triangle_count > GPU_BATCH) d.triangle_count = GPU_BATCH;
    if (make_buffers(raster, 2 * plane_of(passes), err)) return ERR_FAILED;
    return make_scratch(raster, rung_of(x)->scratch(&d, x), err);
}

/* over: something is drawn in these planes already. */
static int queue_layer(const struct raster *raster, const struct passes *passes, const struct raster_layer *layer,
                       bool over, char *planes, struct err *err)
{
    struct exec *x = layer->mesh->exec;
    struct draw_desc d = desc_of(passes, layer);
    struct mesh_out mesh;
    int code = 0;
    if (mesh_gl_begin_read(layer->mesh, &mesh, err)) return ERR_FAILED;
    d.vertices = mesh.vertices, d.depth = (float *)planes, d.seen = (uint32_t *)(planes + plane_of(passes));
    for (uint64_t at = 0; at < layer->triangles && !code; at += GPU_BATCH) {
        d.indices = mesh.indices + 3 * at, d.over = over || at;
        d.triangle_count = layer->triangles - at < GPU_BATCH ? layer->triangles - at : GPU_BATCH;
        code = rung_of(x)->run(&d, raster->scratch, x);
    }
    if (code) fail_cuda(code, err);
    return mesh_gl_end_read(layer->mesh, code ? NULL : err) || code ? ERR_FAILED : ERR_NONE;
}

static int draw_on_gpu(struct raster *raster, struct passes *passes, const struct raster_layers *layers, struct err *err)
{
    const struct exec *x = layers->layer[0].mesh->exec;
    if (make_room(raster, passes, layers, err)) return ERR_FAILED;
    const int drawn = raster->next;
    int code = raster_cuda_map(&raster->cuda[drawn], x);
    if (code) return fail_cuda(code, err);
    for (int i = 0; i < layers->count && !code; i++)
        code = queue_layer(raster, passes, &layers->layer[i], i > 0, raster->cuda[drawn].memory, err);
    const int failed = raster_cuda_unmap(&raster->cuda[drawn], x);
    if (failed && !code) code = fail_cuda(failed, err);
    raster->next = !drawn;
    const struct passes_pixels pixels = { .buffer = raster->buffer[drawn],
                                          .step = 1,
                                          .seen = (unsigned)(plane_of(passes) / 4) };
    return code ? code : passes_take(passes, &pixels, err);
}

/* If this fails, the next drawing tries again, and tells. */
void raster_prepare(struct raster *raster, const struct exec *exec)
{
    if (raster->drew == RASTER_ALWAYS && !raster->on_host && exec->backend == BACKEND_CUDA)
        (void)raster_cuda_map(&raster->cuda[raster->next], exec);
}

/* ---- by OpenGL's compute shaders ------------------------------------------------------------------------------------- */

static int draw_by_compute(struct raster *raster, struct passes *passes, const struct raster_layers *layers,
                           struct err *err)
{
    int code = ERR_NONE;
    for (int i = 0; i < layers->count && !code; i++)
        code = raster_compute_draw(&raster->compute, passes, &layers->layer[i], i > 0, err);
    const struct passes_pixels pixels = { .buffer = raster->compute.key, .step = 2, .depth = 1 };
    return code ? code : passes_take(passes, &pixels, err);
}

/* ---- all ------------------------------------------------------------------------------------------------------------- */

int raster_draw(struct raster *raster, enum raster_way way, struct passes *passes, const struct raster_layers *layers,
                const struct pause *pause, struct err *err)
{
    const double start = timing_ms();
    const bool by_cuda = raster_backend(layers) == BACKEND_CUDA;
    int code;
    trace_push("raster", NULL);
    raster->on_host = way != RASTER_COMPUTE && !by_cuda;
    raster->complete = true;
    if (way == RASTER_COMPUTE) code = draw_by_compute(raster, passes, layers, err);
    else if (by_cuda) code = draw_on_gpu(raster, passes, layers, err);
    else code = draw_on_host(raster, passes, layers, pause, err);
    trace_pop();
    raster->ms = timing_ms() - start;
    return code;
}

void raster_planes(const struct raster *raster, const struct passes *passes, const float **depth, const uint32_t **seen)
{
    const char *const memory = raster->memory;
    *depth = (const float *)(const void *)memory, *seen = (const uint32_t *)(const void *)(memory + plane_of(passes));
}
