#include "driver.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The version is the first word with a dot, as in "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  Tue ..." */
bool driver_version(char version[32], const char *path)
{
    char line[256] = "", *from;
    FILE *file = fopen(path, "r");
    version[0] = 0;
    if (!file) return false;
    const bool read = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    if (!read || strncmp(line, "NVRM version:", 13)) return false;
    from = line + strcspn(line, ".");
    while (from > line && isdigit((unsigned char)from[-1])) from--;
    from[strspn(from, "0123456789.")] = 0;
    snprintf(version, 32, "%s", from);
    return version[0] != 0;
}

/* What NVIDIA's release notes ask for on Linux. Within a major version, the driver of its first toolkit runs the native
 * code of all others, but compiles no PTX of newer ones: "CUDA compatibility", minor version compatibility. */
static const struct need {
    int major;
    const char *driver, *native;
} needs[] = {
    { 11, "520.61", "450.80" }, /* 11.8, the oldest toolkit in use */
    { 12, "525.60", NULL },
    { 13, "580.65", NULL },
};

static const struct need *need_of(int toolkit)
{
    const size_t last = sizeof needs / sizeof needs[0] - 1;
    size_t i = 0;
    while (i < last && needs[i].major < toolkit / 1000) i++;
    return &needs[i];
}

/* Whether version a comes before b, by their first two numbers. */
static bool is_before(const char *a, const char *b)
{
    char *end_a, *end_b;
    const long first_a = strtol(a, &end_a, 10), first_b = strtol(b, &end_b, 10);
    if (first_a != first_b) return first_a < first_b;
    return strtol(end_a + (*end_a == '.'), NULL, 10) < strtol(end_b + (*end_b == '.'), NULL, 10);
}

void driver_explain(char *text, size_t size, const char *version, int toolkit)
{
    const struct need *need = need_of(toolkit);
    const bool found = version[0] != 0;
    char asks[128];
    if (!toolkit) {
        snprintf(text, size, "%s%s; built without CUDA, so none is needed", found ? "NVIDIA " : "none found", version);
        return;
    }
    snprintf(asks, sizeof asks, "CUDA %d.%d needs driver %s or newer", toolkit / 1000, toolkit % 1000 / 10, need->driver);
    if (!found) snprintf(text, size, "none found (no " DRIVER_FILE "); %s", asks);
    else if (!is_before(version, need->driver)) snprintf(text, size, "NVIDIA %s; %s", version, asks);
    else if (need->native && !is_before(version, need->native))
        snprintf(text, size, "NVIDIA %s; %s, but runs with this one on GPUs for which it has native code", version, asks);
    else snprintf(text, size, "NVIDIA %s is too old; %s", version, asks);
}
