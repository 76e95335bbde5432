#include "length_unit.h"

#include "text.h"

enum { SPELLINGS = 11 };

/* clang-format off */
static const struct {
    struct length_unit unit;
    const char *spellings[SPELLINGS]; /* the short one first */
} units[] = {
    { { "A", 1, 1e-7 }, { "A", "\xc3\x85", "\xe2\x84\xab", "\xc5", "angstrom", "angstroms", "\xc3\xa5ngstr\xc3\xb6m" } },
    { { "nm", 1, 1e-6 }, { "nm", "nanometer", "nanometers", "nanometre", "nanometres" } },
    { { "um", 1, 1e-3 }, { "um", "\xc2\xb5m", "\xce\xbcm", "\xb5m", "\\u00B5m", "micron", "microns", "micrometer",
                           "micrometers", "micrometre", "micrometres" } },
    { { "mm", 1, 1 }, { "mm", "millimeter", "millimeters", "millimetre", "millimetres" } },
    { { "mm", 10, 10 }, { "cm", "centimeter", "centimeters", "centimetre", "centimetres" } },
    { { "mm", 25.4, 25.4 }, { "in", "inch", "inches", "\"" } },
    { { "m", 1, 1e3 }, { "m", "meter", "meters", "metre", "metres" } },
    { { "km", 1, 1e6 }, { "km", "kilometer", "kilometers", "kilometre", "kilometres" } },
    { { "", 1, 0 }, { "", "pixel", "pixels", "voxel", "reference frame" } },
};
/* clang-format on */

enum { COUNT = sizeof units / sizeof units[0] };

static size_t find(const char *spelling)
{
    size_t i = 0;
    for (; i < COUNT; i++)
        for (size_t k = 0; k < SPELLINGS && units[i].spellings[k]; k++)
            if (text_same(spelling, units[i].spellings[k])) return i;
    return i;
}

const struct length_unit *length_unit_find(const char *spelling)
{
    const size_t i = find(spelling);
    return i < COUNT ? &units[i].unit : NULL;
}

const char *length_unit_short(const char *spelling)
{
    const size_t i = find(spelling);
    return i < COUNT && units[i].unit.mm > 0 ? units[i].spellings[0] : spelling;
}
