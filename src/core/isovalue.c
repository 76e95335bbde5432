#include "isovalue.h"

#include "text.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *text;
    enum isovalue kind;
} units[] = { { "%", ISOVALUE_PERCENT }, { "sd", ISOVALUE_SD } };

const char *isovalue_unit(const char *text, enum isovalue *kind)
{
    *kind = ISOVALUE_REAL;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        const size_t n = strlen(units[i].text);
        if (strncmp(text, units[i].text, n) != 0) continue;
        *kind = units[i].kind;
        return text + n;
    }
    return text;
}

const char *isovalue_parse(const char *text, double *number, enum isovalue *kind)
{
    const char *end;
    if (!text_double(text, &end, number) || !isfinite(*number)) return NULL;
    *number += 0.0; /* makes 0 of -0, which would be in names of files */
    end = isovalue_unit(end, kind);
    return *kind != ISOVALUE_PERCENT || (*number >= 0 && *number <= 100) ? end : NULL;
}
