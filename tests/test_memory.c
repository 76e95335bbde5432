/* host_memory_free() never exceeds the limits of the process and its cgroups; host_memory_alloc() aligns. */
#include "load_util.h"

#include "kernels/host_memory.h"

#include <sys/resource.h>
#include <sys/stat.h>

#define MIB ((size_t)1 << 20)

static size_t in_cgroups_up_to(size_t most, const char *list)
{
    char root[512];
    write_text("list", list);
    snprintf(root, sizeof root, "%s/cgroup", folder);
    return host_memory_in_cgroups(in_folder("list"), root, most);
}

static size_t in_cgroups(const char *list) { return in_cgroups_up_to(SIZE_MAX, list); }

/* A tree of cgroup folders as the kernel shows it. */
static void cgroups_limit(void)
{
    static const char *const folders[] = { "cgroup", "cgroup/a", "cgroup/a/b", "cgroup/memory", "cgroup/memory/job" };
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) CHECK(!mkdir(in_folder(folders[i]), 0777));
    check_subject("no limits");
    CHECK(in_cgroups("") == SIZE_MAX);
    CHECK(in_cgroups("0::/a/b\n") == SIZE_MAX);
    CHECK(host_memory_in_cgroups(in_folder("absent"), folder, SIZE_MAX) == SIZE_MAX);

    check_subject("version 2");
    write_text("cgroup/a/b/memory.current", "3000\n");
    write_text("cgroup/a/b/memory.max", "max\n");
    CHECK(in_cgroups("0::/a/b\n") == SIZE_MAX);
    write_text("cgroup/a/b/memory.max", "10000\n");
    CHECK(in_cgroups("0::/a/b\n") == 7000);
    write_text("cgroup/a/b/memory.high", "8000\n");
    CHECK(in_cgroups("0::/a/b\n") == 5000);
    write_text("cgroup/a/b/memory.stat", "anon 9\ninactive_file 1000\nactive_file 5\n");
    CHECK(in_cgroups("0::/a/b\n") == 6000);
    for (size_t most = 4000; most <= 7000; most += 500) /* less, as much and more than is left */
        CHECK(in_cgroups_up_to(most, "0::/a/b\n") == (most < 6000 ? most : 6000));
    write_text("cgroup/a/memory.current", "100\n");
    write_text("cgroup/a/memory.max", "600\n");
    CHECK(in_cgroups("0::/a/b\n") == 500); /* the limit of the parent is lower */
    CHECK(in_cgroups("0::/a\n") == 500);
    write_text("cgroup/a/memory.max", "99\n");
    CHECK(in_cgroups("0::/a/b\n") == 0);
    CHECK(in_cgroups("0::/\n") == SIZE_MAX);

    check_subject("version 1");
    write_text("cgroup/memory/memory.usage_in_bytes", "500\n");
    write_text("cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    write_text("cgroup/memory/job/memory.usage_in_bytes", "500\n");
    write_text("cgroup/memory/job/memory.limit_in_bytes", "4500\n");
    write_text("cgroup/memory/job/memory.stat", "inactive_file 1\ntotal_inactive_file 200\n");
    CHECK(in_cgroups("9:name=systemd:/\n4:memory:/job\n0::/\n") == 4200);
    CHECK(in_cgroups("4:cpu,memory:/job\n") == 4200);
    CHECK(in_cgroups("4:cpu:/job\n") == SIZE_MAX);
    write_text("cgroup/memory/memory.limit_in_bytes", "1500\n");
    CHECK(in_cgroups("4:memory:/host/path/that/is/not/here\n") == 1000); /* in a container */

    check_subject("not a list");
    CHECK(in_cgroups("0\n:\n::\n0:\n\n") == in_cgroups("0::\n"));
}

static unsigned long long used_kib(const char *key)
{
    char line[256];
    unsigned long long kib = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && !kib && fgets(line, sizeof line, file))
        if (!strncmp(line, key, strlen(key))) sscanf(line + strlen(key), "%llu", &kib);
    if (file) fclose(file);
    return kib;
}

static void limits_limit(void)
{
    static const struct {
        const char *name, *key;
        int resource;
    } limits[] = { { "RLIMIT_AS", "VmSize:", RLIMIT_AS }, { "RLIMIT_DATA", "VmData:", RLIMIT_DATA } };
    const bool sanitized = used_kib("VmSize:") >> 30; /* sanitizers map terabytes and need memory to read a file */
    for (int i = 0; i < 2; i++) {
        struct rlimit before, small;
        check_subject(limits[i].name);
        CHECK(!getrlimit(limits[i].resource, &before));
        small = (struct rlimit){ used_kib(limits[i].key) * 1024 + 64 * MIB, before.rlim_max };
        CHECK(!setrlimit(limits[i].resource, &small));
        const size_t left = host_memory_free(); /* stdio may have allocated a buffer */
        CHECK(left > 32 * MIB && left <= 65 * MIB);
        small.rlim_cur = 4096;
        CHECK(!setrlimit(limits[i].resource, &small));
        if (!sanitized) CHECK(host_memory_free() == 0);
        CHECK(!setrlimit(limits[i].resource, &before));
    }
    check_subject("no limit");
    CHECK(host_memory_free() > 65 * MIB);
}

/* Volumes are refused before malloc grants memory that does not exist. */
static void volumes_ask(void)
{
    const uint64_t dims[3] = { 1024, 1024, 128 };
    struct rlimit before, small;
    struct volume v;
    struct err err = { 0 };
    check_subject("volume_alloc");
    CHECK(!getrlimit(RLIMIT_DATA, &before));
    small = (struct rlimit){ used_kib("VmData:") * 1024 + 64 * MIB, before.rlim_max };
    CHECK(!setrlimit(RLIMIT_DATA, &small));
    CHECK(volume_alloc(&v, VOXEL_UINT8, dims, &err) == ERR_FAILED && strstr(err.text, "128.0 MiB"));
    CHECK(!setrlimit(RLIMIT_DATA, &before));
}

/* What rungs take their scratch from, in small pages and in huge ones. */
static void memory_is_aligned(void)
{
    static const size_t sizes[] = { 1, 100, 256, 1000, 4097, MIB, 2 * MIB - 1, 2 * MIB, 5 * MIB + 3 };
    void *held[2][sizeof sizes / sizeof *sizes];
    check_subject("alignment");
    for (int turn = 0; turn < 2; turn++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            held[turn][i] = host_memory_alloc(sizes[i]);
            CHECK(held[turn][i] && (uintptr_t)held[turn][i] % 256 == 0);
        }
    for (int turn = 0; turn < 2; turn++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) free(held[turn][i]);
    CHECK(!host_memory_alloc(SIZE_MAX));
}

int main(void)
{
    if (!make_folder()) return 1;
    cgroups_limit();
    limits_limit();
    volumes_ask();
    memory_is_aligned();
    remove_folder();
    return check_summary("test_memory");
}
