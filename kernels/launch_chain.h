/* Kernels that follow each other, handed to the driver by one call, as a CUDA graph.
 *
 * A kernel takes the GPU less than the host needs to launch the next one, if it is as short as cull of fused. A graph has
 * all launches in it. What changes from call to call (arguments, sizes, the kernels themselves) is set in the graph that
 * is there, some 0.5 us per kernel. There is one graph for each number of kernels, and it is never made again: meshes,
 * volumes and rungs may alternate. */
#ifndef ISO_LAUNCH_CHAIN_H
#define ISO_LAUNCH_CHAIN_H

#include "backend.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CHAIN_LINKS = 5, CHAIN_BYTES = 512 }; /* at most */

struct chain_link {
    const void *kernel; /* takes one argument, the chain's */
    unsigned blocks, threads;
};

/* Launches `links` kernels, each after the one before. If the GPU can, a kernel begins when all blocks of the one before
 * have let it (cudaTriggerProgrammaticLaunchCompletion), and waits by itself for its end. argument: `bytes` of them, at
 * most CHAIN_BYTES, copied; gaps between its members should not change either. The first call with so many links makes the
 * graph, which `x` owns until the backend closes; where there can be none, and while a stream is recorded, kernels are
 * launched one by one. Returns the backend's code. */
int launch_chain_run(const struct chain_link *link, unsigned links, void *argument, size_t bytes, struct exec *x);

void launch_chain_close(struct exec *x);

#ifdef __cplusplus
}
#endif
#endif
