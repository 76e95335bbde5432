#include "machine.h"

#include "driver.h"

#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* Sets `text` to the first match of `format`, which reads at most 99 bytes, in the lines of a file; "" if none. */
static void find_in_file(char text[100], const char *path, const char *format)
{
    char line[256];
    FILE *file = fopen(path, "r");
    text[0] = 0;
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, format, text) == 1) break;
    if (file) fclose(file);
}

/* On the CPU, adds the processor's name as Linux reports it. */
static void name_device(struct machine *m, const struct iso *iso)
{
    char name[100] = "";
    iso->ops->available(m->device, sizeof m->device);
    if (iso->exec.backend == BACKEND_CPU) find_in_file(name, "/proc/cpuinfo", "model name : %99[^\n]");
    if (name[0]) snprintf(m->device, sizeof m->device, "%s", name);
}

static void name_driver(struct machine *m, const struct iso *iso)
{
    char version[32];
    struct utsname system;
    if (iso->exec.backend == BACKEND_CUDA && driver_version(version, DRIVER_FILE))
        snprintf(m->driver, sizeof m->driver, "NVIDIA driver %s", version);
    else if (!uname(&system)) snprintf(m->driver, sizeof m->driver, "%.60s %.60s", system.sysname, system.release);
}

void machine_describe(struct machine *machine, const struct iso *iso)
{
    const time_t now = time(NULL);
    struct tm utc;
    *machine = (struct machine){ .commit = ISO_COMMIT };
    gmtime_r(&now, &utc);
    strftime(machine->date, sizeof machine->date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    name_device(machine, iso);
    name_driver(machine, iso);
}

int machine_cores(int *all)
{
    *all = (int)sysconf(_SC_NPROCESSORS_ONLN);
    return omp_get_num_procs();
}
