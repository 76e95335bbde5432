/* Kernels that follow each other, handed to the driver in one call, as a CUDA graph.
 *
 * A kernel as short as cull of `fused` runs for less time than the host needs to launch the next one, so the GPU would
 * wait for the host. A graph holds all launches. What changes from call to call (arguments, sizes, even the kernels) is
 * updated in the existing graph, which takes some 0.5 us per kernel. There is one graph for each number of kernels, and
 * it is made only once: meshes, volumes and rungs may alternate. */
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

/* Launches `links` kernels, each after the one before. Where the GPU can, a kernel starts as soon as all blocks of the
 * one before have allowed it (cudaTriggerProgrammaticLaunchCompletion); it then has to wait by itself until that one
 * has finished. argument: `bytes` bytes, at most CHAIN_BYTES, which are copied; padding between its members should not
 * change either. The first call with this many links makes the graph, which `x` owns until the backend closes. Where
 * graphs are impossible, and while a stream is being recorded, kernels are launched one by one. Returns the backend's
 * code. */
int launch_chain_run(const struct chain_link *link, unsigned links, void *argument, size_t bytes, struct exec *x);

void launch_chain_close(struct exec *x);

#ifdef __cplusplus
}
#endif
#endif
