/* The axes of a NRRD file. Up to three are spatial: x, y and z in the order of the file. Others hold components (vectors,
 * colours, matrices) or frames (time, lists of volumes). Their kinds say which, or else their directions. In files without
 * either, the spatial axes come first. */
#include "nrrd.h"
#include "text.h"

#include <math.h>

/* size: required by the kind; 0: any. */
static const struct kind {
    const char *name;
    enum nrrd_role role;
    uint64_t size;
    const char *note;
} kinds[] = {
    { "domain", NRRD_SPATIAL },
    { "space", NRRD_SPATIAL },
    { "time", NRRD_FRAME },
    { "list", NRRD_FRAME },
    { "point", NRRD_COMPONENT },
    { "vector", NRRD_COMPONENT },
    { "covariant-vector", NRRD_COMPONENT },
    { "normal", NRRD_COMPONENT },
    { "stub", NRRD_COMPONENT, 1 },
    { "scalar", NRRD_COMPONENT, 1 },
    { "complex", NRRD_COMPONENT, 2, "complex values: component 0 is the real part" },
    { "2-vector", NRRD_COMPONENT, 2 },
    { "3-color", NRRD_COMPONENT, 3 },
    { "RGB-color", NRRD_COMPONENT, 3 },
    { "HSV-color", NRRD_COMPONENT, 3 },
    { "XYZ-color", NRRD_COMPONENT, 3 },
    { "4-color", NRRD_COMPONENT, 4 },
    { "RGBA-color", NRRD_COMPONENT, 4 },
    { "3-vector", NRRD_COMPONENT, 3 },
    { "3-gradient", NRRD_COMPONENT, 3 },
    { "3-normal", NRRD_COMPONENT, 3 },
    { "4-vector", NRRD_COMPONENT, 4 },
    { "quaternion", NRRD_COMPONENT, 4 },
    { "2D-symmetric-matrix", NRRD_COMPONENT, 3, "matrices: a component is an entry" },
    { "2D-masked-symmetric-matrix", NRRD_COMPONENT, 4, "matrices: component 0 is the mask, the others entries" },
    { "2D-matrix", NRRD_COMPONENT, 4, "matrices: a component is an entry" },
    { "2D-masked-matrix", NRRD_COMPONENT, 5, "matrices: component 0 is the mask, the others entries" },
    { "3D-symmetric-matrix", NRRD_COMPONENT, 6, "matrices: a component is an entry" },
    { "3D-masked-symmetric-matrix", NRRD_COMPONENT, 7, "matrices: component 0 is the mask, the others entries" },
    { "3D-matrix", NRRD_COMPONENT, 9, "matrices: a component is an entry" },
    { "3D-masked-matrix", NRRD_COMPONENT, 10, "matrices: component 0 is the mask, the others entries" },
    { "???", NRRD_UNKNOWN },
    { "none", NRRD_UNKNOWN },
};

/* ---- what the header says ------------------------------------------------------------------------------------------ */

static int parse_sizes(struct nrrd *nrrd, struct err *err)
{
    uint64_t dimension;
    const char *p;
    if (!text_uint(nrrd->fields[NRRD_DIMENSION], &p, &dimension) || *p)
        return nrrd_refuse(nrrd, NRRD_DIMENSION, "a number", err);
    if (dimension < 2 || dimension > NRRD_MAX_AXES)
        return nrrd_refuse(nrrd, NRRD_DIMENSION, "2 to 5; volumes have three axes, and may have components and frames",
                           err);
    nrrd->dimension = (int)dimension;
    p = nrrd->fields[NRRD_SIZES];
    for (int a = 0; a < nrrd->dimension; a++) {
        uint64_t *size = &nrrd->axes[a].size;
        if (!text_uint(p, &p, size) || (*p && *p != ' ' && *p != '\t') || !*size || *size > LAYOUT_MAX_AXIS)
            return nrrd_refuse(nrrd, NRRD_SIZES, "a whole number from 1 to 2147483647 for each axis", err);
        p = text_skip(p);
    }
    return *p ? nrrd_refuse(nrrd, NRRD_SIZES, "as many numbers as the dimension says", err) : ERR_NONE;
}

static const struct kind *find_kind(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (text_same(name, kinds[i].name)) return &kinds[i];
    return NULL;
}

static int parse_kinds(struct nrrd *nrrd, struct err *err)
{
    const char *p = nrrd->fields[NRRD_KINDS];
    char word[32];
    for (int a = 0; p && a < nrrd->dimension; a++) {
        if (!nrrd_word(&p, word, sizeof word)) return nrrd_refuse(nrrd, NRRD_KINDS, "a kind for each axis", err);
        const struct kind *kind = find_kind(word);
        const uint64_t size = nrrd->axes[a].size;
        if (!kind) {
            text_note(nrrd->layout->note, "axis %d has the unknown kind '%.31s'", a + 1, word);
            continue;
        }
        if (kind->size && kind->size != size)
            return err_set(err, ERR_INPUT, "%s: axis %d is of kind %s, which has %llu %s, but its size is %llu", nrrd->file,
                           a + 1, kind->name, (unsigned long long)kind->size, text_word(kind->size, "value", "values"),
                           (unsigned long long)size);
        nrrd->axes[a].role = kind->role;
        if (kind->note) text_note(nrrd->layout->note, "%s", kind->note);
    }
    return p && *p ? nrrd_refuse(nrrd, NRRD_KINDS, "as many kinds as the dimension says", err) : ERR_NONE;
}

static int parse_spacings(struct nrrd *nrrd, struct err *err)
{
    double spacings[NRRD_MAX_AXES];
    const int code = nrrd_numbers(nrrd, NRRD_SPACINGS, spacings, err);
    for (int a = 0; a < nrrd->dimension; a++) nrrd->axes[a].spacing = spacings[a];
    return code;
}

/* ---- what the axes are --------------------------------------------------------------------------------------------- */

/* Whether the axis runs along time alone, in a four-dimensional space. */
static bool is_time(const struct nrrd *nrrd, const struct nrrd_axis *axis)
{
    const double *v = axis->vector;
    return nrrd->space_dimension == 4 && !axis->none && v[0] == 0 && v[1] == 0 && v[2] == 0 && v[3] != 0;
}

/* Whether an axis of unknown kind is marked as not spatial, and nothing marks it as spatial. Before there were kinds, files
 * marked it by a spacing of NaN. */
static bool is_apart(const struct nrrd *nrrd, const struct nrrd_axis *axis)
{
    if (nrrd->fields[NRRD_SPACE_DIRECTIONS]) return axis->none;
    return axis->role == NRRD_UNKNOWN && nrrd->dimension > 3 && nrrd->fields[NRRD_SPACINGS] && isnan(axis->spacing);
}

/* Decides what an axis is that is not spatial and has no kind that says so. */
static void choose_role(struct nrrd *nrrd, int a)
{
    bool frames = false;
    for (int b = 0; b < nrrd->dimension; b++)
        frames = frames || (nrrd->axes[b].role == NRRD_FRAME && nrrd->axes[b].size > 1);
    const bool component = !a || frames;
    nrrd->axes[a].role = component ? NRRD_COMPONENT : NRRD_FRAME;
    if (nrrd->axes[a].size > 1)
        text_note(nrrd->layout->note, "axis %d taken for %s", a + 1, component ? "components" : "frames");
}

static void choose_roles(struct nrrd *nrrd)
{
    int spatial = 0;
    for (int a = 0; a < nrrd->dimension; a++) {
        struct nrrd_axis *axis = &nrrd->axes[a];
        if (axis->role >= NRRD_COMPONENT) continue;
        if (is_time(nrrd, axis)) axis->role = NRRD_FRAME;
        else if (is_apart(nrrd, axis)) choose_role(nrrd, a);
        else spatial += axis->role == NRRD_SPATIAL;
    }
    for (int a = 0; a < nrrd->dimension; a++)
        if (nrrd->axes[a].role == NRRD_UNKNOWN && spatial < 3) {
            nrrd->axes[a].role = NRRD_SPATIAL;
            spatial++;
        }
    for (int a = 0, kept = 0; a < nrrd->dimension; a++) {
        const enum nrrd_role role = nrrd->axes[a].role;
        if (role == NRRD_SPATIAL && kept < 3) kept++;
        else if (role < NRRD_COMPONENT) choose_role(nrrd, a);
    }
}

/* Sets the order and sizes of axes. Axes of the same role are merged into one if they are adjacent. */
static int order_axes(struct nrrd *nrrd, bool z_fastest, struct err *err)
{
    struct layout *layout = nrrd->layout;
    bool placed[AXIS_COUNT] = { false };
    int spatial = 0, n = 0;
    layout->size[AXIS_X] = layout->size[AXIS_Y] = layout->size[AXIS_Z] = 1;
    for (int a = 0; a < nrrd->dimension; a++) {
        struct nrrd_axis *axis = &nrrd->axes[a];
        int to = axis->role == NRRD_COMPONENT ? AXIS_COMPONENT : AXIS_FRAME;
        if (axis->role == NRRD_SPATIAL) to = axis->axis = z_fastest ? AXIS_Z - spatial++ : AXIS_X + spatial++;
        else if (axis->size == 1) continue;
        if (placed[to] && layout->order[n - 1] != to)
            return err_set(err, ERR_INPUT, "%s: two axes of %s with other axes between them cannot be read", nrrd->file,
                           to == AXIS_FRAME ? "frames" : "components");
        if (!placed[to]) layout->order[n++] = (uint8_t)to;
        placed[to] = true;
        layout->size[to] *= axis->size;
        if (layout->size[to] > LAYOUT_MAX_AXIS)
            return nrrd_refuse(nrrd, NRRD_SIZES, "possible: its frames or components exceed 2147483647", err);
    }
    for (int to = 0; to < AXIS_COUNT; to++)
        if (!placed[to]) layout->order[n++] = (uint8_t)to;
    return spatial ? ERR_NONE : err_set(err, ERR_INPUT, "%s: none of its axes is spatial", nrrd->file);
}

int nrrd_parse_axes(struct nrrd *nrrd, bool z_fastest, struct err *err)
{
    int code = parse_sizes(nrrd, err);
    if (!code) code = parse_kinds(nrrd, err);
    if (!code) code = parse_spacings(nrrd, err);
    if (!code) code = nrrd_parse_directions(nrrd, err);
    if (code) return code;
    if (z_fastest && nrrd->fields[NRRD_SPACE_DIRECTIONS])
        return err_set(err, ERR_USAGE,
                       "%s: its space directions define the axes; --order is for files without them (RAW, "
                       "and NRRD without space directions)",
                       nrrd->file);
    choose_roles(nrrd);
    return order_axes(nrrd, z_fastest, err);
}
