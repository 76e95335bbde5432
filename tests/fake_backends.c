#include "fake_backends.h"

#define backend_cpu real_cpu
#define backends real_backends
/* NOLINTNEXTLINE(bugprone-suspicious-include): its code under other names */
#include "kernels/backend_cpu.c"
#undef backends
#undef backend_cpu

/* The GPU's ladders are the CPU's. */
#define banks_cuda banks_cpu
#define branch_cuda branch_cpu
#define bricks_cuda bricks_cpu
#define classify_cuda classify_cpu
#define compact_cuda compact_cpu
#define components_cuda components_cpu
#define copy_cuda copy_cpu
#define draw_cuda draw_cpu
#define find_equal_cuda find_equal_cpu
#define fma_peak_cuda fma_peak_cpu
#define fused_cuda fused_cpu
#define gaussian_cuda gaussian_cpu
#define gemm_cuda gemm_cpu
#define gemv_cuda gemv_cpu
#define generate_cuda generate_cpu
#define histogram_cuda histogram_cpu
#define latency_cuda latency_cpu
#define lower_bound_cuda lower_bound_cpu
#define marching_squares_cuda marching_squares_cpu
#define pipeline_cuda pipeline_cpu
#define reduce_cuda reduce_cpu
#define scan_cuda scan_cpu
#define sort_cuda sort_cpu
#define sum_cuda sum_cpu
#define transpose_cuda transpose_cpu
#define triad_cuda triad_cpu
#define upload_cuda upload_cpu
/* NOLINTNEXTLINE(bugprone-suspicious-include): its code under other names */
#include "kernels/rung.c"

enum { LOST = 5000 }; /* a code that no errno has */

struct fake_backends fake_backends;

enum { HEAD = 64 }; /* bytes in front of the GPU's memory, which free() of the CPU would not accept */

static int fake_alloc(void **memory, size_t bytes)
{
    *memory = NULL;
    if (fake_backends.fail_alloc && bytes && !__atomic_sub_fetch(&fake_backends.fail_alloc, 1, __ATOMIC_RELAXED))
        return ENOMEM;
    const int code = real_cpu.alloc(memory, bytes);
    if (*memory) {
        memset(*memory, 0xa5, bytes); /* exposes code that expects zeros */
        __atomic_add_fetch(&fake_backends.blocks, 1, __ATOMIC_RELAXED);
    }
    return code;
}

static void fake_free(void *memory)
{
    if (memory) __atomic_sub_fetch(&fake_backends.blocks, 1, __ATOMIC_RELAXED);
    free(memory);
}

static size_t fake_memory_free(void) { return fake_backends.free_bytes ? fake_backends.free_bytes : (size_t)1 << 30; }

static int fake_open(struct exec *x, int device, int threads)
{
    const int code = real_cpu.open(x, device, threads);
    if (!code) __atomic_add_fetch(&fake_backends.execs, 1, __ATOMIC_RELAXED);
    return code;
}

static void fake_close(struct exec *x)
{
    __atomic_sub_fetch(&fake_backends.execs, 1, __ATOMIC_RELAXED);
    real_cpu.close(x);
}

/* ---- calls of an open backend ---------------------------------------------------------------------------------------- */

static bool is_lost(const struct exec *x) { return x->backend == BACKEND_CUDA && fake_backends.lost; }

static int fake_copy(void *to, const void *from, size_t bytes, struct exec *x)
{
    return is_lost(x) ? LOST : real_cpu.copy(to, from, bytes, x);
}

static int fake_fill(void *memory, int byte, size_t bytes, struct exec *x)
{
    return is_lost(x) ? LOST : real_cpu.fill(memory, byte, bytes, x);
}

static int fake_sync(struct exec *x) { return is_lost(x) ? LOST : real_cpu.sync(x); }
static int fake_mark(struct exec *x, int slot) { return is_lost(x) ? LOST : real_cpu.mark(x, slot); }

static int fake_elapsed(struct exec *x, int from, int to, double *ms)
{
    return is_lost(x) ? LOST : real_cpu.elapsed(x, from, to, ms);
}

static const char *fake_explain(int code) { return code == LOST ? "the GPU is lost" : real_cpu.explain(code); }

/* ---- the GPU ------------------------------------------------------------------------------------------------------- */

static bool gpu_available(char *text, size_t size)
{
    snprintf(text, size, "a pretended GPU");
    return !fake_backends.lost;
}

static int gpu_open(struct exec *x, int device, int threads)
{
    if (fake_backends.lost) return LOST;
    const int code = fake_open(x, device, threads);
    x->backend = BACKEND_CUDA;
    return code;
}

static int gpu_alloc(void **memory, size_t bytes)
{
    *memory = NULL;
    if (fake_backends.lost) return LOST;
    const int code = fake_alloc(memory, bytes ? bytes + HEAD : 0);
    if (*memory) *memory = (char *)*memory + HEAD;
    return code;
}

static void gpu_free(void *memory) { fake_free(memory ? (char *)memory - HEAD : NULL); }

int upload_cuda_alloc(void **memory, size_t bytes, enum upload_memory kind)
{
    (void)kind;
    return gpu_alloc(memory, bytes);
}

void upload_cuda_free(void *memory, enum upload_memory kind)
{
    (void)kind;
    gpu_free(memory);
}

int upload_cuda_open(struct upload_lanes *lanes)
{
    memset(lanes, 0, sizeof *lanes);
    return fake_backends.lost ? LOST : 0;
}

void upload_cuda_close(struct upload_lanes *lanes) { (void)lanes; }

int upload_cuda_evict(void *managed, size_t bytes, struct exec *x)
{
    (void)managed, (void)bytes, (void)x;
    return 0;
}

/* ---- the tables ------------------------------------------------------------------------------------------------------ */

static int fake_device_count(void) { return 1; }

#define SHARED                                                                                                        \
    .device_count = fake_device_count, .close = fake_close, .memory_free = fake_memory_free, .upload = fake_copy,     \
    .download = fake_copy, .copy = fake_copy, .fill = fake_fill, .sync = fake_sync, .mark = fake_mark,                \
    .elapsed = fake_elapsed, .explain = fake_explain, .count_cells = count_cells_cpu, .corner_sums = corner_sums_cpu, \
    .gather_triangles = gather_triangles_cpu, .shift_indices = shift_indices_cpu, .parts = &parts_cpu

const struct backend_ops backend_cpu = {
    .name = "cpu", .available = cpu_available, .open = fake_open, .alloc = fake_alloc, .free = fake_free, SHARED
};

const struct backend_ops backend_cuda = {
    .name = "cuda", .available = gpu_available, .open = gpu_open, .alloc = gpu_alloc, .free = gpu_free, SHARED
};

const struct backend_ops *const backends[BACKEND_COUNT] = { &backend_cpu, &backend_cuda };
