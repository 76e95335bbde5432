/* The CUDA backend of a build without nvcc: empty rung tables, and a backend that reports why it is absent.
 *
 * Replaces backend_cuda.c and every X_cuda.cu. A new op needs one line in the list of tables. */
#include "bricks.h"
#include "classify.h"
#include "compact.h"
#include "copy.h"
#include "find_equal.h"
#include "fused.h"
#include "gaussian.h"
#include "gemm.h"
#include "gemv.h"
#include "generate.h"
#include "histogram.h"
#include "order.h"
#include "fma_peak.h"
#include "reduce.h"
#include "scan.h"
#include "sum.h"
#include "lower_bound.h"
#include "sort.h"
#include "marching_squares.h"
#include "tally.h"
#include "transpose.h"
#include "upload.h"

#include <stdio.h>
#include <string.h>

const struct bricks_rung bricks_cuda[1] = { 0 };
const struct classify_rung classify_cuda[1] = { 0 };
const struct scan_rung scan_cuda[1] = { 0 };
const struct compact_rung compact_cuda[1] = { 0 };
const struct generate_rung generate_cuda[1] = { 0 };
const struct fused_rung fused_cuda[1] = { 0 };
const struct tally_rung tally_cuda[1] = { 0 };
const struct reduce_rung reduce_cuda[1] = { 0 };
const struct histogram_rung histogram_cuda[1] = { 0 };
const struct copy_rung copy_cuda[1] = { 0 };
const struct upload_rung upload_cuda[1] = { 0 };
const struct transpose_rung transpose_cuda[1] = { 0 };
const struct sum_rung sum_cuda[1] = { 0 };
const struct fma_peak_rung fma_peak_cuda[1] = { 0 };
const struct gemm_rung gemm_cuda[1] = { 0 };
const struct gemv_rung gemv_cuda[1] = { 0 };
const struct gaussian_rung gaussian_cuda[1] = { 0 };
const struct sort_rung sort_cuda[1] = { 0 };
const struct order_rung order_cuda[1] = { 0 };
const struct lower_bound_rung lower_bound_cuda[1] = { 0 };
const struct find_equal_rung find_equal_cuda[1] = { 0 };
const struct marching_squares_rung marching_squares_cuda[1] = { 0 };

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

const struct backend_ops backend_cuda = {
    .name = "cuda",
    .available = no_available,
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
};
