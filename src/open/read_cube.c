/* CUBE: grids of Gaussian and most other quantum chemistry programs. z varies fastest. If there are several values per
 * point, these vary faster still.
 *
 * A file has two lines of comment; the number of atoms, the origin, and maybe the number of values per point; for each axis
 * its number of points and the step between them; a line per atom. A negative number of atoms means that the number of
 * orbitals follows, and then their numbers; each point has one value per orbital. A negative number of points means
 * angstrom, otherwise lengths are in bohr (gaussian.com/cubegen). */
#include "read.h"
#include "scan.h"
#include "text.h"

#include <string.h>

#define BOHR 0.529177210903 /* angstrom, CODATA 2018 */

struct cube {
    const char *file;
    struct scan scan;
    uint64_t atoms, points[3], values;
    bool orbitals, angstrom;
    double origin[3], step[3][3]; /* [axis][row] */
};

static int refuse(const struct cube *cube, const char *what, const char *expected, struct err *err)
{
    return err_set(err, ERR_INPUT, "%s: its line of %s does not have %s, as a CUBE file has", cube->file, what, expected);
}

/* Parses a whole number and its sign. */
static bool parse_count(struct scan *scan, uint64_t *count, bool *negative)
{
    char word[SCAN_WORD];
    const char *end;
    if (!scan_word(scan, word)) return false;
    *negative = *word == '-';
    return text_uint(word + *negative, &end, count) && !*end;
}

static int parse_grid(struct cube *cube, struct err *err)
{
    static const char *const axis[] = { "x points", "y points", "z points" };
    struct scan *scan = &cube->scan;
    if (!scan_lines(scan, 2)) return err_set(err, ERR_INPUT, "%s: the file ends within its two comment lines", cube->file);
    if (!parse_count(scan, &cube->atoms, &cube->orbitals) || !scan_doubles(scan, cube->origin, 3))
        return refuse(cube, "atoms", "a whole number and three numbers", err);
    cube->values = 1;
    if (!scan_line_ends(scan) && !scan_uints(scan, &cube->values, 1))
        return refuse(cube, "atoms", "a number of values per point at its end", err);
    for (int a = 0; a < 3; a++) {
        bool negative;
        if (!parse_count(scan, &cube->points[a], &negative) || !scan_doubles(scan, cube->step[a], 3))
            return refuse(cube, axis[a], "a whole number and three numbers", err);
        if (a && negative != cube->angstrom)
            return err_set(err, ERR_INPUT,
                           "%s: the numbers of points along its axes have different signs, so their unit is unknown",
                           cube->file);
        cube->angstrom = negative;
    }
    return ERR_NONE;
}

/* Moves to the first value. */
static int skip_atoms(struct cube *cube, struct err *err)
{
    struct scan *scan = &cube->scan;
    if (cube->atoms > LAYOUT_MAX_HEADER || !scan_lines(scan, cube->atoms + 1)) /* the first is the rest of the z points' */
        return err_set(err, ERR_INPUT, "%s: the file ends before the last of its %llu atoms, or they are too many",
                       cube->file, (unsigned long long)cube->atoms);
    if (!cube->orbitals) return ERR_NONE;
    if (!scan_uints(scan, &cube->values, 1)) return refuse(cube, "orbitals", "a number of them", err);
    return scan_skip(scan, cube->values) ? ERR_NONE : refuse(cube, "orbitals", "as many numbers as it says", err);
}

int read_cube(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err)
{
    static const uint8_t order[] = { AXIS_COMPONENT, AXIS_Z, AXIS_Y, AXIS_X, AXIS_FRAME };
    struct cube cube = { .file = source_name(source) };
    (void)desc;
    layout_begin(layout);
    scan_begin(&cube.scan, source, 0);
    int code = parse_grid(&cube, err);
    if (!code) code = skip_atoms(&cube, err);
    if (code) return code;
    const double scale = cube.angstrom ? 1 : BOHR;
    for (int a = 0; a < 3; a++) {
        layout->size[a] = cube.points[a];
        layout->origin[a] = cube.origin[a] * scale;
        for (int row = 0; row < 3; row++) layout->direction[row][a] = cube.step[a][row] * scale;
    }
    layout->size[AXIS_COMPONENT] = cube.values;
    memcpy(layout->order, order, sizeof order);
    layout->type = &stored_types[STORED_FLOAT32];
    layout->encoding = ENCODING_TEXT;
    snprintf(layout->unit, sizeof layout->unit, "A");
    if (!cube.angstrom) text_note(layout->note, "bohr converted to angstrom");
    return layout_add_self(layout, source, scan_at(&cube.scan), err);
}
