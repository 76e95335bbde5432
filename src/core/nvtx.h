/* Ranges for NVIDIA's profilers (Nsight Systems, Nsight Compute), which show them above the kernels that they launch.
 *
 * nvtx.c needs only a header of the CUDA toolkit; the profiler supplies the library. Without a profiler a call costs a few
 * nanoseconds. nvtx_none.c takes its place in builds without the toolkit. */
#ifndef ISO_NVTX_H
#define ISO_NVTX_H

#ifdef __cplusplus
extern "C" {
#endif

/* Opens a range of the calling thread. Ranges nest. */
void nvtx_push(const char *name);

/* Closes the range that was opened last. */
void nvtx_pop(void);

#ifdef __cplusplus
}
#endif
#endif
