#include "length_unit.h"

#include "text.h"

/* clang-format off */
static const struct {
    struct length_unit unit;
    const char *spellings[9];
} units[] = {
    { { "A", 1, 1e-7 }, { "A", "\xc3\x85", "\xe2\x84\xab", "\xc5", "angstrom", "angstroms", "\xc3\xa5ngstr\xc3\xb6m" } },
    { { "nm", 1, 1e-6 }, { "nm", "nanometer", "nanometers", "nanometre" } },
    { { "um", 1, 1e-3 }, { "um", "\xc2\xb5m", "\xce\xbcm", "\xb5m", "\\u00B5m", "micron", "microns", "micrometer", "micrometre" } },
    { { "mm", 1, 1 }, { "mm", "millimeter", "millimeters", "millimetre" } },
    { { "mm", 10, 10 }, { "cm", "centimeter", "centimeters", "centimetre" } },
    { { "mm", 25.4, 25.4 }, { "in", "inch", "inches", "\"" } },
    { { "m", 1, 1e3 }, { "m", "meter", "meters", "metre" } },
    { { "km", 1, 1e6 }, { "km", "kilometer", "kilometers", "kilometre" } },
    { { "", 1, 0 }, { "", "pixel", "pixels", "voxel", "reference frame" } },
};
/* clang-format on */

const struct length_unit *length_unit_find(const char *spelling)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        for (size_t k = 0; k < 9 && units[i].spellings[k]; k++)
            if (text_same(spelling, units[i].spellings[k])) return &units[i].unit;
    return NULL;
}
