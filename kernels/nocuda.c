/* The CUDA backend of a build without nvcc: empty tables of rungs, and a backend that reports why it is absent.
 *
 * It replaces backend_cuda.c and every X_cuda.cu. */
#include "device.h"
#include "ladders.h"
#include "launches.h"
#include "own_kernel.h"
#include "parts.h"

#include <stdio.h>
#include <string.h>

#define ROW(op, job, alias) const struct op##_rung op##_cuda[1] = { 0 };
LADDERS(ROW)
#undef ROW

enum { NOT_BUILT = 1 };

int upload_cuda_alloc(void **memory, size_t bytes, enum upload_memory kind)
{
    (void)bytes, (void)kind;
    *memory = NULL;
    return NOT_BUILT;
}

void upload_cuda_free(void *memory, enum upload_memory kind) { (void)memory, (void)kind; }

int upload_cuda_open(struct upload_lanes *lanes)
{
    memset(lanes, 0, sizeof *lanes);
    return NOT_BUILT;
}

void upload_cuda_close(struct upload_lanes *lanes) { (void)lanes; }

int upload_cuda_evict(void *managed, size_t bytes, struct exec *x)
{
    (void)managed, (void)bytes, (void)x;
    return NOT_BUILT;
}

size_t cuda_device_facts(struct device_fact facts[DEVICE_FACTS], int device)
{
    (void)facts, (void)device;
    return 0;
}

int pipeline_cuda_open(struct pipeline_lanes *lanes)
{
    memset(lanes, 0, sizeof *lanes);
    return NOT_BUILT;
}

void pipeline_cuda_close(struct pipeline_lanes *lanes) { (void)lanes; }

void latency_cuda_close(struct latency_desc *desc) { (void)desc; }

const char *own_kernel_compile(const struct own_source *source, const char *image, char *log, size_t size)
{
    (void)source, (void)image;
    if (size) log[0] = 0;
    return "this program was built without CUDA";
}

const struct rung *own_kernel_load(const char *image, const char **op, const char **why)
{
    (void)image, (void)op;
    *why = "this program was built without CUDA";
    return NULL;
}

int cuda_launches_begin(struct exec *x)
{
    (void)x;
    return NOT_BUILT;
}

int cuda_launches_end(struct exec *x, struct launches *out)
{
    (void)x;
    out->count = 0;
    return NOT_BUILT;
}

static bool no_available(char *text, size_t size)
{
    snprintf(text, size, "built without CUDA");
    return false;
}

static int no_open(struct exec *x, int device, int threads)
{
    (void)device, (void)threads;
    memset(x, 0, sizeof *x);
    x->backend = BACKEND_CUDA;
    return NOT_BUILT;
}

static void no_close(struct exec *x) { memset(x, 0, sizeof *x); }

static int no_alloc(void **memory, size_t bytes)
{
    (void)bytes;
    *memory = NULL;
    return NOT_BUILT;
}

static void no_free(void *memory) { (void)memory; }

static size_t no_memory_free(void) { return 0; }

static int no_upload(void *memory, const void *host, size_t bytes, struct exec *x)
{
    (void)memory, (void)host, (void)bytes, (void)x;
    return NOT_BUILT;
}

static int no_fill(void *memory, int byte, size_t bytes, struct exec *x)
{
    (void)memory, (void)byte, (void)bytes, (void)x;
    return NOT_BUILT;
}

static int no_sync(struct exec *x)
{
    (void)x;
    return NOT_BUILT;
}

static int no_mark(struct exec *x, int slot)
{
    (void)x, (void)slot;
    return NOT_BUILT;
}

static int no_elapsed(struct exec *x, int from, int to, double *ms)
{
    (void)x, (void)from, (void)to;
    *ms = 0;
    return NOT_BUILT;
}

static const char *no_explain(int code)
{
    (void)code;
    return "built without CUDA";
}

static int no_count_cells(const struct strips *strips, struct cell_counts *out, struct exec *x)
{
    (void)strips, (void)out, (void)x;
    return NOT_BUILT;
}

static int no_corner_sums(const struct vertex *vertices, const uint32_t *indices, float *sums, size_t n, struct exec *x)
{
    (void)vertices, (void)indices, (void)sums, (void)n, (void)x;
    return NOT_BUILT;
}

static int no_gather_triangles(const uint32_t *indices, const uint32_t *order, uint32_t *out, size_t n, struct exec *x)
{
    (void)indices, (void)order, (void)out, (void)n, (void)x;
    return NOT_BUILT;
}

static int no_shift_indices(const uint32_t *indices, uint32_t by, uint32_t *out, size_t n, struct exec *x)
{
    (void)indices, (void)by, (void)out, (void)n, (void)x;
    return NOT_BUILT;
}

static int no_mark_roots(const uint32_t *labels, uint32_t *flags, size_t n, struct exec *x)
{
    (void)labels, (void)flags, (void)n, (void)x;
    return NOT_BUILT;
}

static int no_measure(const struct parts_desc *desc, struct exec *x)
{
    (void)desc, (void)x;
    return NOT_BUILT;
}

static int no_mark_kept(const struct parts_desc *desc, const uint8_t *keep, uint32_t *flags, struct exec *x)
{
    (void)desc, (void)keep, (void)flags, (void)x;
    return NOT_BUILT;
}

static int no_gather_kept(const uint32_t *indices, const uint32_t *flags, const uint32_t *starts, uint32_t *out, size_t n,
                          struct exec *x)
{
    (void)indices, (void)flags, (void)starts, (void)out, (void)n, (void)x;
    return NOT_BUILT;
}

const struct part_ops parts_cuda = { no_mark_roots, no_measure, no_mark_kept, no_gather_kept };

const int cuda_toolkit = 0;

static int no_device_count(void) { return 0; }

const struct backend_ops backend_cuda = {
    .name = "cuda",
    .available = no_available,
    .device_count = no_device_count,
    .open = no_open,
    .close = no_close,
    .alloc = no_alloc,
    .free = no_free,
    .memory_free = no_memory_free,
    .upload = no_upload,
    .download = no_upload,
    .copy = no_upload,
    .fill = no_fill,
    .sync = no_sync,
    .mark = no_mark,
    .elapsed = no_elapsed,
    .explain = no_explain,
    .count_cells = no_count_cells,
    .corner_sums = no_corner_sums,
    .gather_triangles = no_gather_triangles,
    .shift_indices = no_shift_indices,
    .parts = &parts_cuda,
};
