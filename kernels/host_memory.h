/* How much host memory this process may still take: what the machine has, what its limits allow, what its cgroups leave. */
#ifndef ISO_HOST_MEMORY_H
#define ISO_HOST_MEMORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes that can still be allocated, a guess: the least of MemAvailable, RLIMIT_AS, RLIMIT_DATA and the cgroups' limits (v1
 * and v2). SIZE_MAX: not known. Any thread may ask; it takes some tens of microseconds. */
size_t host_memory_free(void);

/* Bytes that the process's cgroups leave, SIZE_MAX if none limits it. `list` is /proc/self/cgroup, `root` is
 * /sys/fs/cgroup; tests name others. */
size_t host_memory_in_cgroups(const char *list, const char *root);

#ifdef __cplusplus
}
#endif
#endif
