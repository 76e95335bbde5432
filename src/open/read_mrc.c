/* MRC2014 and CCP4 maps: a header of 1024 bytes, an extended header that is ignored, voxels.
 *
 * Follows www.ccpem.ac.uk/mrc_format/mrc2014.php. The axes of the file are those of the cell, in any order. The cell need
 * not be orthogonal. It is placed in the world as in Protein Data Bank files: its first axis along x, its second in the
 * plane of x and y. Stacks of volumes become frames. Complex, packed and colour values are refused by name. */
#include "read.h"

#include "bytes.h"
#include "text.h"

#include <math.h>
#include <string.h>

#define HEADER 1024
#define PI 3.14159265358979323846

/* Byte positions in the header, of numbers of 4 bytes: three of them if there is one per axis. */
enum place {
    SIZE = 0,      /* columns, rows, sections */
    MODE = 12,     /* type of the values */
    START = 16,    /* position of the first column, row, section in the cell */
    SAMPLING = 28, /* voxels of the whole cell along its axes */
    CELL = 40,     /* lengths of the cell's axes, in angstrom */
    ANGLES = 52,   /* between them, in degrees */
    AXES = 64,     /* which axis of the cell (1, 2, 3) columns, rows, sections run along */
    RANGE = 76,    /* smallest and largest value */
    SPACE_GROUP = 88,
    EXTENDED = 92, /* bytes of the extended header */
    IMOD_STAMP = 152,
    IMOD_FLAGS = 156,
    ORIGIN = 196, /* in angstrom, for the cell's axes */
    MAP = 208,
    MACHINE = 212 /* byte order */
};

#define IMOD 1146047817  /* "IMOD", little-endian */
#define VOLUME_STACK 401 /* space groups of stacks begin here */

/* clang-format off */
static const struct { int mode, stored; const char *refused; } modes[] = {
    { 0, STORED_INT8, NULL }, { 1, STORED_INT16, NULL }, { 2, STORED_FLOAT32, NULL },
    { 3, 0, "complex (16-bit integers)" }, { 4, 0, "complex (32-bit floats)" },
    { 6, STORED_UINT16, NULL }, { 12, STORED_FLOAT16, NULL },
    { 16, 0, "packed colours" }, { 101, 0, "packed 4-bit" },
};
/* clang-format on */

struct mrc {
    const char *file; /* for messages */
    uint8_t head[HEADER];
    bool big;
    int axis[3]; /* of the cell, along which columns, rows, sections run */
    struct layout *layout;
};

static int64_t whole(const struct mrc *mrc, enum place place, int i)
{
    return bytes_int(mrc->head + place + 4 * (size_t)i, 4, mrc->big);
}

static double real(const struct mrc *mrc, enum place place, int i)
{
    return bytes_real(mrc->head + place + 4 * (size_t)i, 4, mrc->big);
}

/* ---- byte order ---------------------------------------------------------------------------------------------------- */

/* Whether the header makes sense in the byte order set in `mrc`. */
static bool is_plausible(const struct mrc *mrc)
{
    bool plausible = whole(mrc, MODE, 0) >= 0 && whole(mrc, MODE, 0) <= 101;
    for (int i = 0; i < 3; i++)
        plausible = plausible && whole(mrc, SIZE, i) > 0 && whole(mrc, AXES, i) >= 0 && whole(mrc, AXES, i) <= 3;
    return plausible;
}

/* Takes the byte order from the machine stamp. Many programs write a wrong one; then takes the order that makes sense. */
static int find_order(struct mrc *mrc, struct err *err)
{
    const uint8_t *stamp = mrc->head + MACHINE;
    const bool little = stamp[0] == 0x44 && (stamp[1] == 0x44 || stamp[1] == 0x41);
    mrc->big = stamp[0] == 0x11 && stamp[1] == 0x11;
    if (is_plausible(mrc)) {
        if (!little && !mrc->big) text_note(mrc->layout->note, "no valid machine stamp; little-endian by its sizes");
        return ERR_NONE;
    }
    mrc->big = !mrc->big;
    if (!is_plausible(mrc))
        return err_set(err, ERR_INPUT, "%s: its sizes, mode and axes are not those of an MRC file in any byte order",
                       mrc->file);
    text_note(mrc->layout->note, "no valid machine stamp; %s-endian by its sizes", mrc->big ? "big" : "little");
    return ERR_NONE;
}

/* ---- values -------------------------------------------------------------------------------------------------------- */

/* Decides whether bytes are unsigned. The standard says signed. IMOD used to write them unsigned, and has had a flag since
 * then. ITK writes them unsigned, and only the range in the header tells. Returns the reason; NULL: they are signed. */
static const char *find_unsigned_bytes(const struct mrc *mrc)
{
    const double least = real(mrc, RANGE, 0), most = real(mrc, RANGE, 1);
    if (whole(mrc, IMOD_STAMP, 0) == IMOD)
        return whole(mrc, IMOD_FLAGS, 0) & 1 ? NULL : "bytes without a sign, as IMOD writes them";
    return least >= 0 && most > INT8_MAX && most <= UINT8_MAX ? "bytes without a sign, by the maximum in the header" : NULL;
}

static int read_type(struct mrc *mrc, struct err *err)
{
    const int mode = (int)whole(mrc, MODE, 0);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        if (modes[i].mode != mode) continue;
        if (modes[i].refused)
            return err_set(err, ERR_INPUT, "%s: mode %d, %s, cannot be read", mrc->file, mode, modes[i].refused);
        const char *no_sign = mode == 0 ? find_unsigned_bytes(mrc) : NULL;
        mrc->layout->type = &stored_types[no_sign ? STORED_UINT8 : modes[i].stored];
        if (no_sign) text_note(mrc->layout->note, "%s", no_sign);
        return ERR_NONE;
    }
    return err_set(err, ERR_INPUT, "%s: mode %d is not an MRC mode", mrc->file, mode);
}

static int read_axes(struct mrc *mrc, struct err *err)
{
    int seen = 0;
    for (int i = 0; i < 3; i++) {
        mrc->axis[i] = (int)whole(mrc, AXES, i) - 1;
        if (mrc->axis[i] >= 0) seen |= 1 << mrc->axis[i];
    }
    if (!seen) /* old files do not say */
        for (int i = 0; i < 3; i++) mrc->axis[i] = i;
    else if (seen != 7)
        return err_set(err, ERR_INPUT, "%s: its axes are %d, %d, %d; expected 1, 2 and 3 in any order", mrc->file,
                       mrc->axis[0] + 1, mrc->axis[1] + 1, mrc->axis[2] + 1);
    for (int i = 0; i < 3; i++) {
        mrc->layout->size[mrc->axis[i]] = (uint64_t)whole(mrc, SIZE, i);
        mrc->layout->order[i] = (uint8_t)mrc->axis[i];
    }
    return ERR_NONE;
}

/* In a stack of volumes, the sampling of the slowest axis is the depth of each. */
static int split_stack(struct mrc *mrc, struct err *err)
{
    const int slowest = mrc->axis[2];
    const int64_t sections = whole(mrc, SIZE, 2), depth = whole(mrc, SAMPLING, slowest);
    if (whole(mrc, SPACE_GROUP, 0) < VOLUME_STACK) return ERR_NONE;
    if (depth < 1 || sections % depth)
        return err_set(err, ERR_INPUT, "%s: a stack of %lld sections cannot be divided into volumes of %lld", mrc->file,
                       (long long)sections, (long long)depth);
    mrc->layout->size[slowest] = (uint64_t)depth;
    mrc->layout->size[AXIS_FRAME] = (uint64_t)(sections / depth);
    return ERR_NONE;
}

/* ---- position in the world ----------------------------------------------------------------------------------------- */

/* Exactly 0 at 90 degrees. */
static double cosine(double degrees) { return degrees == 90 ? 0 : cos(degrees * (PI / 180)); }

/* Sets the edges of the cell, one per column. False: they span no volume. */
static bool find_cell(const struct mrc *mrc, double edge[3][3])
{
    double length[3], angle[3];
    for (int a = 0; a < 3; a++) {
        length[a] = real(mrc, CELL, a);
        angle[a] = real(mrc, ANGLES, a);
        if (!(length[a] > 0 && isfinite(length[a]) && angle[a] >= 0 && angle[a] < 180)) return false;
        if (angle[a] == 0) angle[a] = 90; /* old files do not say */
    }
    const double ca = cosine(angle[0]), cb = cosine(angle[1]), cg = cosine(angle[2]), sg = sqrt(1 - cg * cg);
    const double y = (ca - cb * cg) / sg, square = 1 - cb * cb - y * y;
    const double unit[3][3] = { { 1, cg, cb }, { 0, sg, y }, { 0, 0, sqrt(square > 0 ? square : 0) } };
    for (int row = 0; row < 3; row++)
        for (int a = 0; a < 3; a++) edge[row][a] = length[a] * unit[row][a];
    return square > 1e-9;
}

/* Programs give an origin or a start. If they give both, these mostly mean the same place; if not, the origin is used. */
static void place(struct layout *layout, const double origin[3], const double start[3])
{
    bool apart = false;
    for (int row = 0; row < 3; row++) {
        double step = 0;
        for (int a = 0; a < 3; a++) step = fmax(step, fabs(layout->direction[row][a]));
        apart = apart || !(fabs(layout->origin[row] - origin[row]) <= step);
    }
    if (apart && (start[0] != 0 || start[1] != 0 || start[2] != 0))
        text_note(layout->note, "its origin and the start of its first voxel lie apart; the origin is used");
    memcpy(layout->origin, origin, sizeof layout->origin);
}

/* A file without a cell, such as pictures, has voxels of size 1 without a unit. */
static void read_world(struct mrc *mrc)
{
    double edge[3][3], start[3], origin[3];
    bool sampled = true, placed = false;
    struct layout *layout = mrc->layout;
    for (int i = 0; i < 3; i++) {
        start[mrc->axis[i]] = (double)whole(mrc, START, i);
        sampled = sampled && whole(mrc, SAMPLING, i) > 0;
        origin[i] = real(mrc, ORIGIN, i);
        placed = placed || origin[i] != 0;
    }
    if (!sampled || !find_cell(mrc, edge)) {
        text_note(layout->note, "no cell with three edges; voxels of 1 assumed");
        return;
    }
    for (int row = 0; row < 3; row++) {
        for (int a = 0; a < 3; a++) {
            layout->direction[row][a] = edge[row][a] / (double)whole(mrc, SAMPLING, a);
            layout->origin[row] += layout->direction[row][a] * start[a];
        }
    }
    if (placed && isfinite(origin[0] + origin[1] + origin[2])) place(layout, origin, start);
    memcpy(layout->unit, "A", 2);
}

int read_mrc(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err)
{
    struct mrc mrc = { .file = source_name(source), .layout = layout };
    (void)desc;
    layout_begin(layout);
    const size_t got = source_read(source, mrc.head, HEADER);
    if (got < HEADER)
        return err_set(err, ERR_INPUT, "%s: the file has %zu %s; an MRC header alone has %d", mrc.file, got,
                       text_word(got, "byte", "bytes"), HEADER);
    int code = find_order(&mrc, err);
    if (!code) code = read_type(&mrc, err);
    if (!code) code = read_axes(&mrc, err);
    if (!code) code = split_stack(&mrc, err);
    if (code) return code;
    const int64_t extended = whole(&mrc, EXTENDED, 0);
    if (extended < 0)
        return err_set(err, ERR_INPUT, "%s: its extended header has %lld bytes; expected 0 or more", mrc.file,
                       (long long)extended);
    layout->big_endian = mrc.big;
    layout->skip = HEADER + (uint64_t)extended; /* no offset: in a compressed file, it may lie beyond the bytes seen here */
    layout->density = true;
    read_world(&mrc);
    return layout_add_self(layout, source, 0, err);
}
