/* Host memory, as Linux reports it in /proc and /sys; contract in host_memory.h. */
#include "host_memory.h"

#include "backend.h"
#include "grid.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* Get the number after `key` in a file of lines "key number". With key "", the whole file is a number. Return false if
 * there is none ("max"). */
static bool read_number(const char *path, const char *key, unsigned long long *number)
{
    char line[256];
    const size_t length = strlen(key);
    bool found = false;
    FILE *file = fopen(path, "r");
    while (file && !found && fgets(line, sizeof line, file))
        found = !strncmp(line, key, length) && sscanf(line + length, " %llu", number) == 1;
    if (file) fclose(file);
    return found;
}

/* MemAvailable includes the page cache that the kernel can drop; sysconf(_SC_AVPHYS_PAGES) does not. */
static size_t in_machine(void)
{
    unsigned long long kib;
    return read_number("/proc/meminfo", "MemAvailable:", &kib) ? (size_t)kib * 1024 : SIZE_MAX;
}

/* Return how many bytes a limit leaves beyond the use that /proc/self/status reports. */
static size_t in_limit(int resource, const char *key)
{
    struct rlimit limit;
    unsigned long long kib;
    if (getrlimit(resource, &limit) || limit.rlim_cur == RLIM_INFINITY) return SIZE_MAX;
    if (!read_number("/proc/self/status", key, &kib)) kib = 0;
    return limit.rlim_cur > kib * 1024 ? (size_t)(limit.rlim_cur - kib * 1024) : 0;
}

/* ---- cgroups ------------------------------------------------------------------------------------------------------- */

struct names { /* of a version's files */
    const char *limit[2], *used, *stat;
};

static const struct names version1 = { { "memory.limit_in_bytes" }, "memory.usage_in_bytes", "total_inactive_file " };
static const struct names version2 = { { "memory.max", "memory.high" }, "memory.current", "inactive_file " };

static bool read_in(const char *folder, const char *name, const char *key, unsigned long long *number)
{
    char path[PATH_MAX];
    return snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path && read_number(path, key, number);
}

/* Return the bytes that one cgroup leaves, or `most` if that is less. A cgroup counts idle file pages as used, although
 * the kernel would drop them. memory.stat tells how many there are, but it is slow to read, so it is read last, and
 * only if it matters. */
static size_t in_cgroup(const char *folder, const struct names *names, size_t most)
{
    unsigned long long used, limit = SIZE_MAX, file, idle = 0;
    for (int i = 0; i < 2 && names->limit[i]; i++)
        if (read_in(folder, names->limit[i], "", &file) && file < limit) limit = file;
    /* Version 1 has no "max": it says 2^63 - 4096. */
    if (limit > SIZE_MAX / 4 || !read_in(folder, names->used, "", &used)) return most;
    if (limit > used && limit - used >= most) return most;
    if (read_in(folder, "memory.stat", names->stat, &idle)) used -= idle < used ? idle : used;
    return min_size(most, limit > used ? (size_t)(limit - used) : 0);
}

/* Return the least that the cgroup and all cgroups above it leave, up to `root`, or `most` if that is less. In a
 * container the path may be that of the host, and only `root` exists. */
static size_t in_branch(const char *root, const char *path, const struct names *names, size_t most)
{
    char folder[PATH_MAX];
    const size_t stem = strlen(root);
    if (snprintf(folder, sizeof folder, "%s%s", root, path) >= (int)sizeof folder) return most;
    for (char *end = folder + strlen(folder); end; end = strrchr(folder + stem, '/')) {
        *end = '\0';
        most = in_cgroup(folder, names, most);
    }
    return most;
}

size_t host_memory_in_cgroups(const char *list, const char *root, size_t most)
{
    char line[PATH_MAX], folder[PATH_MAX];
    FILE *file = fopen(list, "r");
    while (file && fgets(line, sizeof line, file)) { /* "0::/a/b", or "4:memory:/a/b" with version 1 */
        char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path) continue;
        *path++ = '\0';
        path[strcspn(path, "\n")] = '\0';
        if (!controllers[1]) most = in_branch(root, path, &version2, most);
        else if (strstr(controllers, "memory") && snprintf(folder, sizeof folder, "%s/memory", root) < (int)sizeof folder)
            most = in_branch(folder, path, &version1, most);
    }
    if (file) fclose(file);
    return most;
}

size_t host_memory_free(void)
{
    const size_t limits = min_size(in_limit(RLIMIT_AS, "VmSize:"), in_limit(RLIMIT_DATA, "VmData:"));
    return host_memory_in_cgroups("/proc/self/cgroup", "/sys/fs/cgroup", min_size(in_machine(), limits));
}

#define HUGE_PAGE ((size_t)2 << 20)

void *host_memory_alloc(size_t bytes)
{
    if (bytes > SIZE_MAX - HUGE_PAGE) return NULL;
    if (bytes < HUGE_PAGE) return aligned_alloc(256, scratch_round(bytes));
    void *memory = aligned_alloc(HUGE_PAGE, (bytes + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1));
    /* This is only advice: the kernel may keep small pages. What lies after the last whole huge page stays in small
     * pages, so no unused memory is touched. */
    if (memory) madvise(memory, bytes, MADV_HUGEPAGE);
    return memory;
}
