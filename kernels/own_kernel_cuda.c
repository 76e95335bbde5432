/* NVRTC, and the functions of the driver that load and launch what it compiles. Both libraries are opened at run time
 * (cublas.c). */
#include "own_kernel.h"

#include "cuda_util.cuh"
#include "ladders.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 256 };

static void *symbol(void *library, const char *name, bool *all)
{
    void *const found = library ? dlsym(library, name) : NULL;
    *all = *all && found;
    return found;
}

/* ---- compiling ----------------------------------------------------------------------------------------------------- */

/* The part of nvrtc.h in use, for versions 11.2 to 13. */
struct nvrtc {
    int (*create)(void **program, const char *source, const char *name, int headers, const char *const *header,
                  const char *const *header_name);
    int (*compile)(void *program, int options, const char *const *option);
    int (*log_size)(void *program, size_t *size);
    int (*log)(void *program, char *text);
    int (*image_size)(void *program, size_t *size);
    int (*image)(void *program, char *image);
    int (*destroy)(void **program);
};

/* As in cublas.c: the library must not have a newer major version than the driver. */
static void *open_library(void)
{
    static const struct {
        int major;
        const char *file;
    } libraries[] = {
        { 13, "libnvrtc.so.13" },
        { 12, "libnvrtc.so.12" },
        { 11, "libnvrtc.so.11.2" },
        { 13, "/usr/local/cuda/lib64/libnvrtc.so.13" },
        { 12, "/usr/local/cuda/lib64/libnvrtc.so.12" },
        { 11, "/usr/local/cuda/lib64/libnvrtc.so.11.2" },
    };
    void *library = NULL;
    int driver = 0;
    (void)clear_error(cudaDriverGetVersion(&driver));
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0] && !library; i++)
        if (libraries[i].major <= driver / 1000) library = dlopen(libraries[i].file, RTLD_NOW | RTLD_LOCAL);
    return library;
}

static bool load_nvrtc(struct nvrtc *n)
{
    void *const library = open_library();
    bool all = true;
    *(void **)&n->create = symbol(library, "nvrtcCreateProgram", &all); /* POSIX's form of the cast */
    *(void **)&n->compile = symbol(library, "nvrtcCompileProgram", &all);
    *(void **)&n->log_size = symbol(library, "nvrtcGetProgramLogSize", &all);
    *(void **)&n->log = symbol(library, "nvrtcGetProgramLog", &all);
    *(void **)&n->image_size = symbol(library, "nvrtcGetCUBINSize", &all);
    *(void **)&n->image = symbol(library, "nvrtcGetCUBIN", &all);
    *(void **)&n->destroy = symbol(library, "nvrtcDestroyProgram", &all);
    return all;
}

static void read_log(const struct nvrtc *n, void *program, char *log, size_t size)
{
    size_t length = 0;
    char *text = n->log_size(program, &length) ? NULL : malloc(length + 1);
    if (text && !n->log(program, text)) snprintf(log, size, "%.*s", (int)(length < size ? length : size - 1), text);
    free(text);
}

static const char *write_image(const struct nvrtc *n, void *program, const char *path)
{
    size_t size = 0;
    char *image = n->image_size(program, &size) || !size ? NULL : malloc(size);
    FILE *const file = image && !n->image(program, image) ? fopen(path, "wbx") : NULL;
    bool written = file && fwrite(image, 1, size, file) == size;
    if (file) written = !fclose(file) && written;
    free(image);
    return written ? NULL : "what NVRTC made of it cannot be kept";
}

const char *own_kernel_compile(const struct own_source *source, const char *image, char *log, size_t size)
{
    struct nvrtc n;
    void *program = NULL;
    char arch[32];
    int device = 0, major = 0, minor = 0;
    log[0] = 0;
    if (!load_nvrtc(&n)) return "no libnvrtc.so.11.2, .12 or .13 that this driver runs can be opened";
    if (clear_error(cudaGetDevice(&device)) ||
        clear_error(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device)) ||
        clear_error(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device)))
        return "there is no GPU to compile it for";
    snprintf(arch, sizeof arch, "--gpu-architecture=sm_%d%d", major, minor);
    const char *const options[] = { arch, "--std=c++17", "--fmad=false", "-lineinfo", "-default-device" };
    if (n.create(&program, source->text, source->name, source->headers, source->header, source->header_name))
        return "NVRTC does not start";
    const int failed = n.compile(program, (int)(sizeof options / sizeof options[0]), options);
    read_log(&n, program, log, size);
    const char *const why = failed ? "" : write_image(&n, program, image);
    n.destroy(&program);
    return why;
}

/* ---- launching ------------------------------------------------------------------------------------------------------ */

enum slot { BRICKS, CLASSIFY, COPY, GEMM, GEMV, HISTOGRAM, LOWER_BOUND, SUM, SLOTS };

/* The part of cuda.h in use; its error codes are those of the runtime. */
static struct {
    int (*load)(void **module, const char *path);
    int (*find)(void **kernel, void *module, const char *name);
    int (*launch)(void *kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                  unsigned block_z, unsigned shared, void *stream, void **arguments, void **extra);
    void *kernel[SLOTS]; /* here, because rows of rungs have no place for it */
} driver;

/* A thread per item. */
static int launch(enum slot slot, uint64_t items, void **arguments, const struct exec *x)
{
    const unsigned threads = x->block ? x->block : (unsigned)THREADS;
    const uint64_t blocks = items / threads + (items % threads != 0);
    if (!items) return 0;
    return driver.launch(driver.kernel[slot], blocks > 0x7fffffffu ? 0x7fffffffu : (unsigned)blocks, 1, 1, threads, 1, 1, 0,
                         x->stream, arguments, NULL);
}

static int run_bricks(const struct grid *grid, const struct bricks *bricks, struct exec *x)
{
    struct grid g = *grid;
    struct bricks b = *bricks;
    return launch(BRICKS, (uint64_t)b.nx * b.ny * b.nz, (void *[]){ &g, &b }, x);
}

static int run_classify(const struct grid *grid, float iso, const struct bricks *bricks, const struct mc_tables *tables,
                        const struct strips *out, struct exec *x)
{
    struct grid g = *grid;
    struct strips s = *out;
    (void)bricks;
    return launch(CLASSIFY, s.count, (void *[]){ &g, &iso, &tables, &s }, x);
}

static int run_copy(const uint32_t *from, uint32_t *to, size_t n, struct exec *x)
{
    return launch(COPY, n, (void *[]){ &from, &to, &n }, x);
}

static int run_gemm(const struct gemm_desc *desc, void *scratch, struct exec *x)
{
    struct gemm_desc d = *desc;
    (void)scratch;
    d.k = gemm_depth(desc);
    return launch(GEMM, (uint64_t)d.m * d.n, (void *[]){ &d }, x);
}

static int run_gemv(const struct gemv_desc *desc, void *scratch, struct exec *x)
{
    struct gemv_desc d = *desc;
    (void)scratch;
    return launch(GEMV, gemv_rows(&d), (void *[]){ &d }, x);
}

static int run_histogram(const struct grid *grid, const struct histogram_desc *desc, void *scratch, struct exec *x)
{
    struct grid g = *grid;
    struct histogram_desc d = *desc;
    (void)scratch;
    const cudaError_t error = cudaMemsetAsync(d.counts, 0, d.bins * sizeof *d.counts, x->stream);
    return error != cudaSuccess ? clear_error(error) : launch(HISTOGRAM, grid_voxels(&g), (void *[]){ &g, &d }, x);
}

static int run_lower_bound(const struct lower_bound_desc *desc, void *scratch, struct exec *x)
{
    struct lower_bound_desc d = *desc;
    (void)scratch;
    return launch(LOWER_BOUND, d.count, (void *[]){ &d }, x);
}

static int run_sum(const float *in, float *out, size_t n, void *scratch, struct exec *x)
{
    (void)scratch;
    const cudaError_t error = cudaMemsetAsync(out, 0, sizeof *out, x->stream);
    return error != cudaSuccess ? clear_error(error) : launch(SUM, n, (void *[]){ &in, &out, &n }, x);
}

/* The kernel may add in any order. */
static double sum_roundings(size_t n, const struct exec *x)
{
    (void)x;
    return (double)n;
}

/* ---- the table ------------------------------------------------------------------------------------------------------ */

#define HEAD                                   \
    {                                          \
        "mine", "a kernel of one's own", false \
    }
static const struct bricks_rung bricks = { HEAD, run_bricks };
static const struct classify_rung classify = { HEAD, run_classify, 1 };
static const struct copy_rung copy = { HEAD, run_copy, true };
static const struct gemm_rung gemm = { HEAD, run_gemm, NULL, 0, GEMM_FLOAT_ERROR };
static const struct gemv_rung gemv = { HEAD, run_gemv, NULL };
static const struct histogram_rung histogram = { HEAD, run_histogram, NULL };
static const struct lower_bound_rung lower_bound = { HEAD, run_lower_bound, NULL };
static const struct sum_rung sum = { HEAD, run_sum, sum_roundings, NULL };

static const struct {
    const char *op;
    const struct rung *row;
} rows[SLOTS] = {
    [BRICKS] = { "bricks", &bricks.rung },
    [CLASSIFY] = { "classify", &classify.rung },
    [COPY] = { "copy", &copy.rung },
    [GEMM] = { "gemm", &gemm.rung },
    [GEMV] = { "gemv", &gemv.rung },
    [HISTOGRAM] = { "histogram", &histogram.rung },
    [LOWER_BOUND] = { "lower_bound", &lower_bound.rung },
    [SUM] = { "sum", &sum.rung },
};

static bool load_driver(void)
{
    bool all = true;
    void *const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    *(void **)&driver.load = symbol(library, "cuModuleLoad", &all);
    *(void **)&driver.find = symbol(library, "cuModuleGetFunction", &all);
    *(void **)&driver.launch = symbol(library, "cuLaunchKernel", &all);
    return all;
}

const struct rung *own_kernel_load(const char *image, const char **op, const char **why)
{
    void *module, *kernel;
    char name[64];
    *why = "the driver's library cannot be opened";
    if (!load_driver()) return NULL;
    *why = "the GPU does not take it";
    if (clear_error(cudaFree(NULL)) || driver.load(&module, image)) return NULL; /* the first call makes the context */
    *why = "it defines no kernel that own_kernel.h lists, such as copy_mine";
    for (int slot = 0; slot < SLOTS; slot++) {
        snprintf(name, sizeof name, "%s_mine", rows[slot].op);
        if (driver.find(&kernel, module, name)) continue;
        driver.kernel[slot] = kernel;
        *op = rows[slot].op;
        return rows[slot].row;
    }
    return NULL;
}
