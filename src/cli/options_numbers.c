#include "options_numbers.h"

#include "text.h"

#include <math.h>
#include <string.h>

bool parse_number(const char *text, double *value)
{
    const char *end;
    return text_double(text, &end, value) && !*end && isfinite(*value);
}

bool parse_whole(const char *text, uint64_t least, uint64_t most, uint64_t *value)
{
    const char *end;
    return text_uint(text, &end, value) && !*end && *value >= least && *value <= most;
}

bool parse_wholes(const char *text, int n, uint64_t *value)
{
    const char *at = text, *end;
    for (int i = 0; i < n; i++) {
        if (!text_uint(at, &end, &value[i]) || value[i] == 0) return false;
        if (i == n - 1) return !*end;
        if (!*end || !strchr("xX,", *end)) return false;
        at = end + 1;
    }
    return false;
}

bool parse_number_or_percent(const char *text, double *n, bool *percent)
{
    const char *end;
    if (!text_double(text, &end, n) || !isfinite(*n)) return false;
    *percent = !strcmp(end, "%");
    return *percent ? *n >= 0 && *n <= 100 : !*end;
}
