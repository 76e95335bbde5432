#include "cuda_util.cuh"
#include "device.h"

#include <math.h>

struct row {
    const char *name;
    enum cudaDeviceAttr attribute;
    double unit; /* of the attribute, in the unit of the name */
};

/* clang-format off */
static const struct row rows[] = {
    { "multiprocessors", cudaDevAttrMultiProcessorCount, 1 },
    { "clock_mhz", cudaDevAttrClockRate, 1e-3 },
    { "warp_threads", cudaDevAttrWarpSize, 1 },
    { "threads_per_block", cudaDevAttrMaxThreadsPerBlock, 1 },
    { "threads_per_sm", cudaDevAttrMaxThreadsPerMultiProcessor, 1 },
    { "blocks_per_sm", cudaDevAttrMaxBlocksPerMultiprocessor, 1 },
    { "registers_per_block", cudaDevAttrMaxRegistersPerBlock, 1 },
    { "registers_per_sm", cudaDevAttrMaxRegistersPerMultiprocessor, 1 },
    { "shared_bytes_per_block", cudaDevAttrMaxSharedMemoryPerBlock, 1 },
    { "shared_bytes_per_block_optin", cudaDevAttrMaxSharedMemoryPerBlockOptin, 1 },
    { "shared_bytes_per_sm", cudaDevAttrMaxSharedMemoryPerMultiprocessor, 1 },
    { "constant_bytes", cudaDevAttrTotalConstantMemory, 1 },
    { "l2_bytes", cudaDevAttrL2CacheSize, 1 },
    { "memory_clock_mhz", cudaDevAttrMemoryClockRate, 1e-3 },
    { "memory_bus_bits", cudaDevAttrGlobalMemoryBusWidth, 1 },
    { "copy_engines", cudaDevAttrAsyncEngineCount, 1 },
    { "concurrent_kernels", cudaDevAttrConcurrentKernels, 1 },
    { "ecc", cudaDevAttrEccEnabled, 1 },
    { "managed_memory", cudaDevAttrManagedMemory, 1 },
    { "concurrent_managed_access", cudaDevAttrConcurrentManagedAccess, 1 },
    { "pageable_memory_access", cudaDevAttrPageableMemoryAccess, 1 },
};
/* clang-format on */

enum { ROWS = sizeof rows / sizeof rows[0] };

struct list {
    struct device_fact *facts;
    size_t count;
};

static void add(struct list *list, const char *name, double value, int decimals)
{
    if (list->count < DEVICE_FACTS) list->facts[list->count++] = (struct device_fact){ name, value, decimals };
}

static double attribute(enum cudaDeviceAttr which, int device)
{
    int value;
    return clear_error(cudaDeviceGetAttribute(&value, which, device)) ? NAN : value;
}

static void add_version(struct list *list, const char *name, cudaError_t (*version)(int *))
{
    int value;
    if (!clear_error(version(&value)) && value) add(list, name, value / 1000 + value % 1000 / 10 * 0.1, 1);
}

/* Twice per clock: memory has transferred on both edges since GDDR and HBM. */
static void add_memory(struct list *list, int device)
{
    const double khz = attribute(cudaDevAttrMemoryClockRate, device);
    const double bits = attribute(cudaDevAttrGlobalMemoryBusWidth, device);
    size_t unused, total;
    if (!clear_error(cudaMemGetInfo(&unused, &total))) {
        add(list, "memory_bytes", (double)total, 0);
        add(list, "memory_bytes_free", (double)unused, 0);
    }
    add(list, "memory_gb_per_s", 2 * khz * 1e3 * bits / 8 * 1e-9, 0);
}

/* The flat roof that follows from the number of lanes and the highest clock; the ladder fma_peak measures what is
 * reached. */
static void add_peak(struct list *list, int device)
{
    const double major = attribute(cudaDevAttrComputeCapabilityMajor, device);
    const double minor = attribute(cudaDevAttrComputeCapabilityMinor, device);
    const double mhz = 1e-3 * attribute(cudaDevAttrClockRate, device);
    if (isnan(major) || isnan(minor)) return;
    const struct device_peak peak = device_peak_of((int)(10 * major + minor),
                                                   attribute(cudaDevAttrMultiProcessorCount, device), mhz);
    if (isnan(peak.float_tflops)) return;
    add(list, "float_tflops", peak.float_tflops, 1);
    add(list, "double_tflops", peak.double_tflops, 1);
}

size_t cuda_device_facts(struct device_fact facts[DEVICE_FACTS], int device)
{
    struct list list = { facts, 0 };
    int count = 0;
    if (clear_error(cudaGetDeviceCount(&count)) || device >= count || clear_error(cudaSetDevice(device))) return 0;
    add(&list, "compute_capability",
        attribute(cudaDevAttrComputeCapabilityMajor, device) + 0.1 * attribute(cudaDevAttrComputeCapabilityMinor, device),
        1);
    for (int i = 0; i < ROWS; i++) add(&list, rows[i].name, rows[i].unit * attribute(rows[i].attribute, device), 0);
    add_memory(&list, device);
    add_peak(&list, device);
    add_version(&list, "driver_supports_cuda", cudaDriverGetVersion);
    add_version(&list, "runtime_is_cuda", cudaRuntimeGetVersion);
    return list.count;
}
