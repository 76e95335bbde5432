#include "doctor_machine.h"

#include "child.h"
#include "machine.h"
#include "text.h"
#include "kernels/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE = 128 };

/* ---- one fact ------------------------------------------------------------------------------------------------------ */

static void put_text(struct report *r, const char *group, const char *name, const char *value)
{
    char whole[2 * LINE], shown[4 * LINE];
    snprintf(whole, sizeof whole, "%s_%s", group, name);
    if (r->json) report_text(r, whole, value);
    else printf("  %-28s %s\n", name, text_visible(shown, sizeof shown, value));
}

static void put_number(struct report *r, const char *group, const char *name, double value, int decimals)
{
    char whole[2 * LINE];
    snprintf(whole, sizeof whole, "%s_%s", group, name);
    if (r->json) report_measured(r, whole, value);
    else printf("  %-28s %.*f\n", name, decimals, value);
}

static void put_title(const struct report *r, const char *title)
{
    if (!r->json) printf("\n%s\n", title);
}

/* ---- the processor, as Linux tells ----------------------------------------------------------------------------------- */

/* The text after the colon of the first line that begins with `key`, from malloc; NULL if there is none. */
static char *find_line(const char *path, const char *key)
{
    FILE *file = fopen(path, "r");
    char *line = NULL, *found = NULL;
    size_t size = 0;
    while (file && !found && getline(&line, &size, file) > 0) {
        char *colon = strchr(line, ':');
        if (!colon || !text_begins(line, key)) continue;
        colon += 1 + strspn(colon + 1, " \t");
        colon[strcspn(colon, "\n")] = 0;
        found = strdup(colon);
    }
    if (file) fclose(file);
    free(line);
    return found;
}

static void put_line(struct report *r, const char *path, const char *key, const char *name)
{
    char *value = find_line(path, key);
    if (value && *value) put_text(r, "cpu", name, value);
    free(value);
}

/* The first word of a small file; false if there is none. */
static bool read_word(char word[LINE], const char *folder, int index, const char *file)
{
    char path[LINE];
    snprintf(path, sizeof path, "%s/index%d/%s", folder, index, file);
    FILE *in = fopen(path, "r");
    const bool found = in && fscanf(in, "%127s", word) == 1;
    if (in) fclose(in);
    return found;
}

static void put_caches(struct report *r)
{
    static const char folder[] = "/sys/devices/system/cpu/cpu0/cache";
    char level[LINE], type[LINE], size[LINE], name[LINE];
    for (int i = 0; i < 8; i++) {
        if (!read_word(level, folder, i, "level") || !read_word(type, folder, i, "type") ||
            !read_word(size, folder, i, "size"))
            continue;
        const char *suffix = !strcmp(type, "Data") ? "_data" : !strcmp(type, "Instruction") ? "_instructions" : "";
        snprintf(name, sizeof name, "cache_l%.8s%s", level, suffix);
        put_text(r, "cpu", name, size);
    }
}

/* Prints the vector instruction sets of the processor. */
static void put_vector_sets(struct report *r)
{
    static const char *const sets[] = { "sse4_2",       "avx",         "avx2",     "fma",         "f16c",
                                        "avx512f",      "avx512bw",    "avx512vl", "avx512_vbmi", "avx512vbmi",
                                        "avx512_vbmi2", "avx512_vnni", "amx_tile", "asimd",       "sve" };
    char found[2 * LINE] = "", *flags = find_line("/proc/cpuinfo", "flags"), *rest = NULL;
    if (!flags) flags = find_line("/proc/cpuinfo", "Features"); /* aarch64 */
    for (char *word = flags ? strtok_r(flags, " ", &rest) : NULL; word; word = strtok_r(NULL, " ", &rest))
        for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++)
            if (!strcmp(word, sets[i]))
                snprintf(found + strlen(found), sizeof found - strlen(found), "%s%s", *found ? " " : "", word);
    if (*found) put_text(r, "cpu", "vector_sets", found);
    free(flags);
}

/* Open MPI binds each process of a small job to one core; it then has only one thread. */
static void put_allowed(struct report *r)
{
    char text[LINE];
    int all;
    const int allowed = machine_cores(&all);
    snprintf(text, sizeof text, "%d of %d%s", allowed, all,
             allowed < all ? ": this process is bound to these; mpirun --bind-to none allows all" : "");
    put_text(r, "cpu", "cores_allowed", text);
}

static void put_processor(struct report *r)
{
    put_title(r, "processor");
    put_allowed(r);
    put_line(r, "/proc/cpuinfo", "model name", "model");
    put_line(r, "/proc/cpuinfo", "cpu cores", "cores_per_socket");
    put_line(r, "/proc/cpuinfo", "siblings", "threads_per_socket");
    put_caches(r);
    put_vector_sets(r);
    put_line(r, "/proc/meminfo", "MemTotal", "memory");
    put_line(r, "/proc/meminfo", "MemAvailable", "memory_available");
}

/* ---- what starts several processes ------------------------------------------------------------------------------- */

static void put_launcher(struct report *r)
{
    char path[PATH_MAX];
    if (!child_find(path, "mpirun")) return;
    put_title(r, "MPI");
    put_text(r, "mpi", "launcher", path);
    if (!geteuid()) put_text(r, "mpi", "root", "Open MPI refuses to run as root without --allow-run-as-root");
}

/* ---- the GPU --------------------------------------------------------------------------------------------------------- */

static void put_gpu(struct report *r)
{
    struct device_fact facts[DEVICE_FACTS];
    const size_t count = cuda_device_facts(facts, 0);
    if (count) put_title(r, "GPU");
    for (size_t i = 0; i < count; i++) put_number(r, "cuda", facts[i].name, facts[i].value, facts[i].decimals);
}

void doctor_machine(struct report *report)
{
    put_processor(report);
    put_launcher(report);
    put_gpu(report);
}
