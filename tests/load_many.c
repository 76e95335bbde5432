/* Loads each file that standard input names, a line each, as a program that obeys the user's locale would, and prints a
 * line:
 * exit code, milliseconds, MiB of memory at the most so far, what was said. For test_hostile.py.   Usage: load_many [MIB]
 * MIB: the memory that a volume may take, 256 if not given */
#include "load.h"
#include "timing.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

int main(int argc, char **argv)
{
    char path[8192];
    const struct load_desc desc = { .memory = (uint64_t)(argc > 1 ? atoi(argv[1]) : 256) << 20 };
    setlocale(LC_ALL, "");
    while (fgets(path, sizeof path, stdin)) {
        struct volume volume;
        struct err err = { 0 };
        struct rusage usage;
        path[strcspn(path, "\n")] = 0;
        const double start = timing_ms();
        const int code = load_volume(&volume, path, &desc, &err);
        const long ms = (long)(timing_ms() - start);
        getrusage(RUSAGE_SELF, &usage);
        printf("%d %ld %ld %s\n", code, ms, usage.ru_maxrss >> 10, code ? err.text : volume.note);
        fflush(stdout); /* a crash must not take the lines before it along */
        volume_free(&volume);
    }
    return 0;
}
