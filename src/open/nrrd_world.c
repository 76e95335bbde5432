/* Where the axes of a NRRD file lie. Its header has two ways to say so: vectors in a space (space, space directions, space
 * origin), or lengths along each axis (spacings, axis mins, axis maxs, centers). If both are there, the vectors are
 * used. */
#include "length_unit.h"
#include "nrrd.h"
#include "text.h"

#include <math.h>
#include <string.h>

/* x and y: 1, or -1 if this axis of the space has the opposite direction in WORLD_LPS. */
static const struct space {
    const char *name, *letters;
    int dimension;
    double x, y;
    enum volume_world world;
    bool left_handed;
} spaces[] = {
    { "right-anterior-superior", "RAS", 3, -1, -1, WORLD_LPS, false },
    { "left-anterior-superior", "LAS", 3, 1, -1, WORLD_LPS, false },
    { "left-posterior-superior", "LPS", 3, 1, 1, WORLD_LPS, false },
    { "right-anterior-superior-time", "RAST", 4, -1, -1, WORLD_LPS, false },
    { "left-anterior-superior-time", "LAST", 4, 1, -1, WORLD_LPS, false },
    { "left-posterior-superior-time", "LPST", 4, 1, 1, WORLD_LPS, false },
    { "scanner-xyz", "", 3, 1, 1, WORLD_OTHER, false },
    { "scanner-xyz-time", "", 4, 1, 1, WORLD_OTHER, false },
    { "3D-right-handed", "", 3, 1, 1, WORLD_OTHER, false },
    { "3D-left-handed", "", 3, 1, 1, WORLD_OTHER, true },
    { "3D-right-handed-time", "", 4, 1, 1, WORLD_OTHER, false },
    { "3D-left-handed-time", "", 4, 1, 1, WORLD_OTHER, true },
};

static const struct space no_space = { "", "", 3, 1, 1, WORLD_OTHER, false };

/* NULL: unknown. */
static const struct space *find_space(const char *name)
{
    if (!name) return &no_space;
    for (size_t i = 0; *name && i < sizeof spaces / sizeof spaces[0]; i++)
        if (text_same(name, spaces[i].name) || text_same(name, spaces[i].letters)) return &spaces[i];
    return NULL;
}

/* ---- vectors in a space ---------------------------------------------------------------------------------------------- */

/* Parses "(x, y, z)", with as many numbers as the space has dimensions. Infinities are refused; NaN means "not known". */
static bool parse_vector(const char **text, int dimension, double vector[NRRD_MAX_SPACE])
{
    const char *p = text_skip(*text);
    if (*p++ != '(') return false;
    for (int i = 0; i < dimension; i++) {
        if (!text_double(text_skip(p), &p, &vector[i]) || isinf(vector[i])) return false;
        p = text_skip(p);
        if (*p++ != (i + 1 < dimension ? ',' : ')')) return false;
    }
    *text = text_skip(p);
    return true;
}

static bool parse_none(const char **text)
{
    const char *p = text_skip(*text);
    if (!text_begins(p, "none") || (p[4] && p[4] != ' ' && p[4] != '\t')) return false;
    *text = text_skip(p + 4);
    return true;
}

static int parse_space(struct nrrd *nrrd, struct err *err)
{
    const struct space *space = find_space(nrrd->fields[NRRD_SPACE]);
    const char *given = nrrd->fields[NRRD_SPACE_DIMENSION], *end;
    uint64_t dimension;
    if (!space)
        return err_set(err, ERR_INPUT,
                       "%s: space '%.40s' is unknown; one such as right-anterior-superior (RAS), "
                       "left-posterior-superior (LPS), scanner-xyz or 3D-right-handed was expected",
                       nrrd->file, nrrd->fields[NRRD_SPACE]);
    nrrd->space_dimension = space->dimension;
    if (!given) return ERR_NONE;
    if (!text_uint(given, &end, &dimension) || *end || dimension < 2 || dimension > NRRD_MAX_SPACE)
        return nrrd_refuse(nrrd, NRRD_SPACE_DIMENSION, "2, 3 or 4", err);
    nrrd->space_dimension = (int)dimension;
    return space == &no_space || space->dimension == nrrd->space_dimension
               ? ERR_NONE
               : nrrd_refuse(nrrd, NRRD_SPACE_DIMENSION, "that of its space", err);
}

int nrrd_parse_directions(struct nrrd *nrrd, struct err *err)
{
    const char *p = nrrd->fields[NRRD_SPACE_DIRECTIONS];
    const int code = parse_space(nrrd, err);
    if (code || !p) return code;
    for (int a = 0; a < nrrd->dimension; a++) {
        struct nrrd_axis *axis = &nrrd->axes[a];
        axis->none = parse_none(&p);
        if (!axis->none && !parse_vector(&p, nrrd->space_dimension, axis->vector))
            return nrrd_refuse(nrrd, NRRD_SPACE_DIRECTIONS, "a vector like (1,0,0), or none, for each axis", err);
    }
    return *p ? nrrd_refuse(nrrd, NRRD_SPACE_DIRECTIONS, "as many vectors as the dimension says", err) : ERR_NONE;
}

/* Makes the third axis of an image perpendicular to the other two. */
static void add_upright(double m[3][3])
{
    double length = 0;
    for (int row = 0; row < 3; row++) {
        const int i = (row + 1) % 3, j = (row + 2) % 3;
        m[row][AXIS_Z] = m[i][AXIS_X] * m[j][AXIS_Y] - m[j][AXIS_X] * m[i][AXIS_Y];
        length += m[row][AXIS_Z] * m[row][AXIS_Z];
    }
    for (int row = 0; row < 3; row++) m[row][AXIS_Z] /= length > 0 ? sqrt(length) : 1;
}

static int set_vectors(struct nrrd *nrrd, struct err *err)
{
    struct layout *layout = nrrd->layout;
    int spatial = 0;
    if (nrrd->fields[NRRD_SPACINGS]) text_note(layout->note, "both spacings and space directions; the directions are used");
    if (nrrd->fields[NRRD_AXIS_MINS] || nrrd->fields[NRRD_AXIS_MAXS])
        text_note(layout->note, "axis mins and maxs beside space directions; the directions are used");
    memset(layout->direction, 0, sizeof layout->direction);
    for (int a = 0; a < nrrd->dimension; a++) {
        const struct nrrd_axis *axis = &nrrd->axes[a];
        if (axis->role != NRRD_SPATIAL) continue;
        spatial++;
        for (int row = 0; row < 3; row++) layout->direction[row][axis->axis] = axis->vector[row];
    }
    if (spatial > nrrd->space_dimension)
        return nrrd_refuse(nrrd, NRRD_SPACE_DIMENSION, "enough for three spatial axes", err);
    if (spatial == 2) add_upright(layout->direction);
    return ERR_NONE;
}

static int set_origin(struct nrrd *nrrd, struct err *err)
{
    const char *p = nrrd->fields[NRRD_SPACE_ORIGIN];
    double origin[NRRD_MAX_SPACE] = { 0 };
    if (!p) return ERR_NONE;
    if (!parse_vector(&p, nrrd->space_dimension, origin) || *p)
        return nrrd_refuse(nrrd, NRRD_SPACE_ORIGIN, "a vector like (0,0,0), of as many numbers as the space has dimensions",
                           err);
    memcpy(nrrd->layout->origin, origin, sizeof nrrd->layout->origin);
    return ERR_NONE;
}

/* Converts the axes of the space to those of WORLD_LPS. */
static void set_world(struct nrrd *nrrd)
{
    struct layout *layout = nrrd->layout;
    const struct space *space = find_space(nrrd->fields[NRRD_SPACE]);
    const double sign[3] = { space->x, space->y, 1 };
    if (space->left_handed) text_note(layout->note, "its space is left-handed; shown mirrored, in a right-handed one");
    if (space->world == WORLD_OTHER) return;
    if (!nrrd->fields[NRRD_SPACE_DIRECTIONS]) {
        text_note(layout->note, "a space without space directions; how the axes lie in it is not known");
        return;
    }
    for (int row = 0; row < 2; row++) {
        for (int a = 0; a < 3; a++) layout->direction[row][a] = sign[row] * layout->direction[row][a] + 0.0; /* no -0 */
        layout->origin[row] = sign[row] * layout->origin[row] + 0.0;
    }
    layout->world = WORLD_LPS;
}

/* ---- lengths along each axis ----------------------------------------------------------------------------------------- */

enum center { CENTER_UNKNOWN, CENTER_CELL, CENTER_NODE };

static int parse_centers(struct nrrd *nrrd, enum center to[NRRD_MAX_AXES], struct err *err)
{
    static const char *const names[] = { "???", "cell", "node", "none" };
    const char *p = nrrd->fields[NRRD_CENTERS];
    char word[8];
    memset(to, 0, NRRD_MAX_AXES * sizeof *to);
    for (int a = 0; p && a < nrrd->dimension; a++) {
        size_t i = 0;
        if (!nrrd_word(&p, word, sizeof word)) return nrrd_refuse(nrrd, NRRD_CENTERS, "a word for each axis", err);
        while (i < 4 && !text_same(word, names[i])) i++;
        if (i == 4) return nrrd_refuse(nrrd, NRRD_CENTERS, "of cell, node, none and ???", err);
        to[a] = i == 3 ? CENTER_UNKNOWN : (enum center)i;
    }
    return p && *p ? nrrd_refuse(nrrd, NRRD_CENTERS, "as many words as the dimension says", err) : ERR_NONE;
}

/* The spacing along an axis whose ends are at `min` and `max` (NaN: not known). The ends are those of the first and last
 * voxel (`cell`), or their centres. */
static double choose_spacing(struct nrrd *nrrd, const struct nrrd_axis *axis, double min, double max, bool cell)
{
    const uint64_t steps = axis->size - !cell;
    const double derived = steps ? (max - min) / (double)steps : NAN, given = axis->spacing;
    const bool known = !isnan(given) && given != 0, derivable = !isnan(derived) && derived != 0, empty = derived == 0;
    if (known && (derivable || empty) && !(fabs(derived - given) <= 1e-4 * fabs(given)))
        text_note(nrrd->layout->note, "axis mins and maxs contradict the spacings, which are used");
    if (!known && empty) text_note(nrrd->layout->note, "axis mins and maxs are equal; a spacing of 1 assumed");
    else if (!known && !derivable && nrrd->fields[NRRD_SPACINGS])
        text_note(nrrd->layout->note, "a spacing is 0 or unknown; 1 assumed");
    return known ? given : derivable ? derived : 1;
}

static int set_lengths(struct nrrd *nrrd, struct err *err)
{
    struct layout *layout = nrrd->layout;
    double mins[NRRD_MAX_AXES], maxs[NRRD_MAX_AXES];
    enum center centers[NRRD_MAX_AXES];
    bool assumed = false;
    int code = nrrd_numbers(nrrd, NRRD_AXIS_MINS, mins, err);
    if (!code) code = nrrd_numbers(nrrd, NRRD_AXIS_MAXS, maxs, err);
    if (!code) code = parse_centers(nrrd, centers, err);
    for (int a = 0; a < nrrd->dimension && !code; a++) {
        const struct nrrd_axis *axis = &nrrd->axes[a];
        if (axis->role != NRRD_SPATIAL) continue;
        const bool cell = centers[a] != CENTER_NODE, placed = !isnan(mins[a]) || !isnan(maxs[a]);
        const double spacing = choose_spacing(nrrd, axis, mins[a], maxs[a], cell), half = cell ? spacing / 2 : 0;
        assumed = assumed || (placed && centers[a] == CENTER_UNKNOWN);
        layout->direction[axis->axis][axis->axis] = spacing; /* negative: the axis runs backwards */
        if (!isnan(mins[a])) layout->origin[axis->axis] = mins[a] + half;
        else if (placed) layout->origin[axis->axis] = maxs[a] - half - spacing * (double)(axis->size - 1);
    }
    if (assumed) text_note(layout->note, "axis mins and maxs without centers; taken for the ends of cells");
    return code;
}

/* ---- unit ------------------------------------------------------------------------------------------------------------ */

static bool is_spatial(const struct nrrd *nrrd, int a) { return nrrd->axes[a].role == NRRD_SPATIAL; }

static int set_unit(struct nrrd *nrrd, struct err *err)
{
    const bool space = nrrd->fields[NRRD_SPACE_UNITS] != NULL;
    const enum nrrd_field field = space ? NRRD_SPACE_UNITS : NRRD_UNITS;
    const char *p = nrrd->fields[field];
    char *unit = nrrd->layout->unit, word[32];
    bool same = true;
    for (int i = 0; p && i < (space ? nrrd->space_dimension : nrrd->dimension); i++) {
        if (!nrrd_word(&p, word, sizeof word)) return nrrd_refuse(nrrd, field, "a unit for each axis", err);
        if (!*word || !strcmp(word, "???") || (space ? i > 2 : !is_spatial(nrrd, i))) continue;
        if (!*unit) text_visible(unit, VOLUME_UNIT, length_unit_short(word));
        char other[VOLUME_UNIT];
        same = same && !strcmp(unit, text_visible(other, sizeof other, length_unit_short(word)));
    }
    if (!same) text_note(nrrd->layout->note, "its axes have different units");
    if (!same) *unit = 0;
    else if (!*unit && nrrd->layout->world == WORLD_LPS) memcpy(unit, "mm", 3);
    return ERR_NONE;
}

int nrrd_parse_world(struct nrrd *nrrd, struct err *err)
{
    int code = nrrd->fields[NRRD_SPACE_DIRECTIONS] ? set_vectors(nrrd, err) : set_lengths(nrrd, err);
    if (!code) code = set_origin(nrrd, err);
    if (code) return code;
    set_world(nrrd);
    return set_unit(nrrd, err);
}
