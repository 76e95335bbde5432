/* Memory of the host: how much more this process can get, given the machine, its limits and its cgroups; and how to get
 * large blocks. */
#ifndef ISO_HOST_MEMORY_H
#define ISO_HOST_MEMORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Return an estimate of the bytes that can still be allocated: the minimum of MemAvailable, RLIMIT_AS, RLIMIT_DATA and
 * the cgroups' limits (v1 and v2); SIZE_MAX if unknown. Safe on any thread; takes some tens of microseconds. */
size_t host_memory_free(void);

/* Return the bytes that the process's cgroups leave, or `most` if that is less. `list` is /proc/self/cgroup and `root`
 * /sys/fs/cgroup, except in tests. */
size_t host_memory_in_cgroups(const char *list, const char *root, size_t most);

/* Return memory for free(), at a multiple of 256 as CUDA's is, or NULL. Blocks of 2 MiB or more begin at a multiple of
 * 2 MiB, and come in huge pages where the kernel has them: with small pages, touching 1 GiB for the first time takes
 * longer than reading that much from a file in memory. */
void *host_memory_alloc(size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
