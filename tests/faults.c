/* Wraps malloc and files for isoscope_faults, the objects of the program linked with faults.wrap. Libraries call the real
 * malloc: only this program's error handling is under test. */
#include "faults.h"

#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const fault_name[FAULTS] = { "malloc", "gl", "cuda", "disk", "folder", "kill" };
static _Atomic long calls[FAULTS];

/* Which functions of the program made the first calls of each kind: a hash, the same in all processes. */
enum { CALLERS = 1 << 14, DEPTH = 64 };
static uint64_t callers[FAULTS][CALLERS];

static uint64_t hash_of_callers(void)
{
    extern const char __executable_start[], etext[]; /* by the linker */
    const uintptr_t begin = (uintptr_t)__executable_start, size = (uintptr_t)etext - begin;
    void *frame[DEPTH];
    const int n = backtrace(frame, DEPTH);
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a, by words */
    for (int i = 0; i < n; i++) {
        const uintptr_t at = (uintptr_t)frame[i] - begin;
        if (at < size) hash = (hash ^ at) * 0x100000001b3u;
    }
    return hash;
}

long fault_asked(const char *name, char separator, bool *onward)
{
    const size_t length = strlen(name);
    const char *at = getenv("ISO_FAULT");
    for (; at && *at; at = *at ? at + 1 : at) {
        const char *end = at + strcspn(at, " ");
        if (!strncmp(at, name, length) && at[length] == separator) {
            char *rest;
            const long value = strtol(at + length + 1, &rest, 10);
            *onward = *rest == '+';
            return value;
        }
        at = end;
    }
    return 0;
}

bool fault_due(enum fault kind)
{
    bool onward = false;
    const long call = ++calls[kind], wanted = fault_asked(fault_name[kind], ':', &onward);
    if (getenv("ISO_FAULT_CALLERS") && call <= CALLERS) callers[kind][call - 1] = hash_of_callers();
    return wanted && (onward ? call >= wanted : call == wanted);
}

long fault_calls(enum fault kind) { return calls[kind]; }

static bool is_among(uint64_t hash, const uint64_t *of, long count)
{
    for (long i = 0; i < count; i++)
        if (of[i] == hash) return true;
    return false;
}

static void write_callers(FILE *file, enum fault kind)
{
    const long n = calls[kind] < CALLERS ? calls[kind] : CALLERS;
    const uint64_t *hash = callers[kind];
    for (long i = 0; i < n; i++)
        if (!is_among(hash[i], hash, i) || !is_among(hash[i], hash + i + 1, n - i - 1))
            fprintf(file, "%s %ld %" PRIx64 "\n", fault_name[kind], i + 1, hash[i]);
}

static void write_count(FILE *file, enum fault kind) { fprintf(file, "%s %ld\n", fault_name[kind], (long)calls[kind]); }

static void write_each(const char *variable, void (*write)(FILE *file, enum fault kind))
{
    const char *path = getenv(variable);
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    for (int kind = 0; kind < FAULTS; kind++) write(file, (enum fault)kind);
    fclose(file);
}

__attribute__((destructor)) static void write_all(void)
{
    write_each("ISO_FAULT_COUNT", write_count);
    write_each("ISO_FAULT_CALLERS", write_callers);
}

/* ---- memory -------------------------------------------------------------------------------------------------------- */

void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);

/* Fills memory to expose code that expects zeros. */
void *__wrap_malloc(size_t bytes)
{
    void *memory = fault_due(FAULT_MALLOC) ? NULL : malloc(bytes);
    if (memory && bytes < (size_t)1 << 20) memset(memory, 0xa5, bytes);
    return memory;
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    void *memory = fault_due(FAULT_MALLOC) ? NULL : aligned_alloc(alignment, bytes);
    if (memory && bytes < (size_t)1 << 20) memset(memory, 0xa5, bytes);
    return memory;
}

void *__wrap_calloc(size_t count, size_t bytes) { return fault_due(FAULT_MALLOC) ? NULL : calloc(count, bytes); }

void *__wrap_realloc(void *memory, size_t bytes) { return fault_due(FAULT_MALLOC) ? NULL : realloc(memory, bytes); }

/* ---- files ---------------------------------------------------------------------------------------------------------- */

int __wrap_fallocate(int fd, int mode, off_t offset, off_t length);
int __wrap_fsync(int fd);
ssize_t __wrap_pread(int fd, void *to, size_t n, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *from, size_t n, off_t offset);

static void kill_due(void)
{
    bool unused;
    const int signal = (int)fault_asked("signal", '=', &unused);
    if (fault_due(FAULT_KILL)) raise(signal ? signal : SIGKILL);
}

int __wrap_open(const char *path, int flags, mode_t mode);

/* Without files that have no name. */
int __wrap_open(const char *path, int flags, mode_t mode)
{
    bool unused;
    if ((flags & O_TMPFILE) != O_TMPFILE || !fault_asked("named", '=', &unused)) return open(path, flags, mode);
    return errno = EOPNOTSUPP, -1;
}

static bool disk_due(int error)
{
    kill_due();
    const bool due = fault_due(FAULT_DISK);
    if (due) errno = error;
    return due;
}

int __wrap_fallocate(int fd, int mode, off_t offset, off_t length)
{
    return disk_due(ENOSPC) ? -1 : fallocate(fd, mode, offset, length);
}

/* fsync of a folder is a fault of its own, because the file is already in its place then. */
int __wrap_fsync(int fd)
{
    struct stat status;
    if (fstat(fd, &status)) return fsync(fd);
    if (S_ISREG(status.st_mode) && disk_due(EIO)) return -1;
    if (S_ISDIR(status.st_mode) && fault_due(FAULT_FOLDER)) return errno = EIO, -1;
    return fsync(fd);
}

ssize_t __wrap_pread(int fd, void *to, size_t n, off_t offset) { return disk_due(EIO) ? -1 : pread(fd, to, n, offset); }

/* Every third call writes only a part. */
ssize_t __wrap_pwrite(int fd, const void *from, size_t n, off_t offset)
{
    if (disk_due(ENOSPC)) return -1;
    return pwrite(fd, from, fault_calls(FAULT_DISK) % 3 || n < 2 ? n : n / 2, offset);
}

int __wrap_mkdir(const char *path, mode_t mode);
int __wrap_rename(const char *from, const char *to);
int __wrap_rmdir(const char *path);
int __wrap_unlink(const char *path);

int __wrap_mkdir(const char *path, mode_t mode) { return kill_due(), mkdir(path, mode); }

int __wrap_rename(const char *from, const char *to) { return kill_due(), rename(from, to); }

int __wrap_rmdir(const char *path) { return kill_due(), rmdir(path); }

int __wrap_unlink(const char *path) { return kill_due(), unlink(path); }
