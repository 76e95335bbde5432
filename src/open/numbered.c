#include "numbered.h"

#include <stdbool.h>
#include <stdio.h>

#define MAX_WIDTH 64 /* wider numbers do not occur in file names */

struct name {
    char *to;
    size_t length, capacity;
};

static bool add(struct name *name, char c)
{
    if (name->length + 1 >= name->capacity) return false;
    name->to[name->length++] = c;
    return true;
}

static bool add_number(struct name *name, int64_t number, bool zeros, int width)
{
    char digits[32];
    const int n = snprintf(digits, sizeof digits, "%llu",
                           number < 0 ? 0 - (unsigned long long)number : (unsigned long long)number);
    const int fill = width - n - (number < 0);
    bool fits = true;
    for (int i = 0; i < fill && !zeros; i++) fits = fits && add(name, ' ');
    if (number < 0) fits = fits && add(name, '-');
    for (int i = 0; i < fill && zeros; i++) fits = fits && add(name, '0');
    for (int i = 0; i < n; i++) fits = fits && add(name, digits[i]);
    return fits;
}

/* Expands the pattern. *places: how many numbers it has. */
static bool expand(struct name *name, const char *pattern, int64_t number, int *places)
{
    bool fits = true;
    *places = 0;
    for (const char *p = pattern; fits && *p; p++) { /* not *p first: after a % at the end, p is past it */
        if (*p != '%' || *++p == '%') {
            fits = add(name, *p);
            continue;
        }
        const bool zeros = *p == '0';
        int width = 0;
        for (; *p >= '0' && *p <= '9' && width <= MAX_WIDTH; p++) width = 10 * width + (*p - '0');
        fits = *p == 'd' && width <= MAX_WIDTH && add_number(name, number, zeros, width);
        ++*places;
    }
    return fits;
}

int numbered_name(char *to, size_t capacity, const char *pattern, int64_t number)
{
    struct name name = { to, 0, capacity };
    int places;
    const bool good = expand(&name, pattern, number, &places) && places == 1;
    to[good ? name.length : 0] = 0;
    return good;
}
