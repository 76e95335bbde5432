/* NIfTI-1 and NIfTI-2: a binary header, then voxels in the same file (.nii) or in another (.hdr and .img).
 *
 * Follows nifti1.h and nifti2.h of nifti.nimh.nih.gov. The fourth axis becomes frames, the fifth components; the three
 * bytes of a colour become components, too. The position in the world comes from the sform; without it from the qform;
 * without both, only voxel sizes are known. Refused by name: Analyze 7.5, complex numbers, 1-bit and 128-bit values, more
 * axes. Header extensions are ignored. */
#include "read.h"

#include "bytes.h"
#include "text.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#define MAX_AXES 7
#define MAX_OFFSET 9007199254740992.0 /* 2^53: doubles hold every whole number up to it */

/* Where each version has the fields that are read, and how many bytes their numbers have. */
struct places {
    size_t header;           /* bytes of the header, which are also its first field */
    size_t magic;            /* begins with ni or n+, then the version */
    size_t datatype;         /* 2 bytes */
    size_t dim, dim_bytes;   /* number of axes, then the values along each */
    size_t pixdim, real;     /* handedness, then the distances along each axis */
    size_t vox_offset;       /* NIfTI-1: a real number; NIfTI-2: an integer */
    size_t slope;            /* and the intercept */
    size_t xyzt_units, unit; /* in the lowest 3 bits: that of the first three axes */
    size_t qform_code, sform_code, code;
    size_t quatern; /* b, c, d, then the position of the first voxel */
    size_t srow;    /* 3 rows of 4 */
};

/* clang-format off */
static const struct places places_of[] = {
    { .header = 348, .magic = 344, .datatype = 70, .dim = 40, .dim_bytes = 2, .pixdim = 76, .real = 4, .vox_offset = 108,
      .slope = 112, .xyzt_units = 123, .unit = 1, .qform_code = 252, .sform_code = 254, .code = 2, .quatern = 256,
      .srow = 280 },
    { .header = 540, .magic = 4, .datatype = 12, .dim = 16, .dim_bytes = 8, .pixdim = 104, .real = 8, .vox_offset = 168,
      .slope = 176, .xyzt_units = 500, .unit = 4, .qform_code = 344, .sform_code = 348, .code = 4, .quatern = 352,
      .srow = 400 },
};

static const struct {
    int code, stored, components;
    const char *refused; /* NULL: it can be read */
} datatypes[] = {
    { 1, 0, 0, "1-bit" },
    { 2, STORED_UINT8, 1, NULL }, { 4, STORED_INT16, 1, NULL }, { 8, STORED_INT32, 1, NULL },
    { 16, STORED_FLOAT32, 1, NULL },
    { 32, 0, 0, "complex (64 bits)" },
    { 64, STORED_FLOAT64, 1, NULL },
    { 128, STORED_UINT8, 3, NULL }, /* red, green, blue */
    { 256, STORED_INT8, 1, NULL }, { 512, STORED_UINT16, 1, NULL }, { 768, STORED_UINT32, 1, NULL },
    { 1024, STORED_INT64, 1, NULL }, { 1280, STORED_UINT64, 1, NULL },
    { 1536, 0, 0, "128-bit floating-point" },
    { 1792, 0, 0, "complex (128 bits)" },
    { 2048, 0, 0, "complex (256 bits)" },
    { 2304, STORED_UINT8, 4, NULL }, /* with alpha */
};
/* clang-format on */

struct nifti {
    const char *file; /* of the header, for messages */
    uint8_t head[540];
    size_t size; /* bytes of the header that were read */
    const struct places *at;
    bool big, pair;
    uint64_t data_at; /* where voxels begin, in the header's file or the pair's other file */
    struct layout *layout;
};

static int64_t whole(const struct nifti *nifti, size_t at, size_t bytes)
{
    return bytes_int(nifti->head + at, bytes, nifti->big);
}

static double real(const struct nifti *nifti, size_t at, int i)
{
    const size_t bytes = nifti->at->real;
    return bytes_real(nifti->head + at + (size_t)i * bytes, bytes, nifti->big);
}

/* ---- which version ------------------------------------------------------------------------------------------------- */

/* Finds version and byte order from the header's first field, which is its size. */
static bool find_version(struct nifti *nifti)
{
    for (int i = 0; i < 4; i++) {
        nifti->at = &places_of[i / 2];
        nifti->big = i % 2;
        if (nifti->size >= nifti->at->header && whole(nifti, 0, 4) == (int64_t)nifti->at->header) return true;
    }
    return false;
}

static bool has_magic(struct nifti *nifti)
{
    const uint8_t *magic = nifti->head + nifti->at->magic;
    nifti->pair = magic[1] == 'i';
    return magic[0] == 'n' && (magic[1] == '+' || magic[1] == 'i') && magic[2] == '1' + (nifti->at - places_of) &&
           !magic[3];
}

static int identify(struct nifti *nifti, struct source *header, struct err *err)
{
    nifti->file = source_name(header);
    nifti->size = source_read(header, nifti->head, sizeof nifti->head);
    if (!find_version(nifti))
        return err_set(err, ERR_INPUT,
                       "%s: no NIfTI header; expected one that begins with its size, 348 or 540, and is that long",
                       nifti->file);
    if (has_magic(nifti)) return ERR_NONE;
    err_set(err, ERR_INPUT, "%s: an Analyze 7.5 header, which does not say which side is left; expected NIfTI",
            nifti->file);
    err_advise(err, "convert it to NIfTI with the program that wrote it");
    return ERR_INPUT;
}

/* ---- values -------------------------------------------------------------------------------------------------------- */

static int read_type(struct nifti *nifti, struct err *err)
{
    const int code = (int)whole(nifti, nifti->at->datatype, 2);
    for (size_t i = 0; i < sizeof datatypes / sizeof *datatypes; i++) {
        if (datatypes[i].code != code) continue;
        if (datatypes[i].refused)
            return err_set(err, ERR_INPUT, "%s: %s values cannot be read", nifti->file, datatypes[i].refused);
        nifti->layout->type = &stored_types[datatypes[i].stored];
        nifti->layout->size[AXIS_COMPONENT] = (uint64_t)datatypes[i].components;
        return ERR_NONE;
    }
    return err_set(err, ERR_INPUT, "%s: datatype %d is not a NIfTI type", nifti->file, code);
}

/* Reads the axes x, y, z, frame, component. The components of a colour are known already, and vary fastest. */
static int read_sizes(struct nifti *nifti, struct err *err)
{
    static const uint8_t vectors[AXIS_COUNT] = { AXIS_X, AXIS_Y, AXIS_Z, AXIS_FRAME, AXIS_COMPONENT };
    static const uint8_t colours[AXIS_COUNT] = { AXIS_COMPONENT, AXIS_X, AXIS_Y, AXIS_Z, AXIS_FRAME };
    const size_t bytes = nifti->at->dim_bytes;
    const int64_t axes = whole(nifti, nifti->at->dim, bytes);
    const bool colour = nifti->layout->size[AXIS_COMPONENT] > 1;
    const int most = colour ? 4 : 5; /* axes that can be read */
    if (axes < 1 || axes > MAX_AXES)
        return err_set(err, ERR_INPUT, "%s: it has %lld axes; expected 1 to %d", nifti->file, (long long)axes, MAX_AXES);
    for (int i = 0; i < MAX_AXES; i++) {
        int64_t n = i < axes ? whole(nifti, nifti->at->dim + (size_t)(i + 1) * bytes, bytes) : 1;
        if (!n && i > 2) n = 1; /* some writers fill unused axes with 0 */
        if (n < 1)
            return err_set(err, ERR_INPUT, "%s: it has %lld values along axis %d; expected at least 1", nifti->file,
                           (long long)n, i + 1);
        if (i < most) nifti->layout->size[vectors[i]] = (uint64_t)n;
        else if (n > 1)
            return err_set(err, ERR_INPUT, "%s: %lld values along axis %d; %d axes can be read%s", nifti->file,
                           (long long)n, i + 1, most, colour ? " of colours" : "");
    }
    memcpy(nifti->layout->order, colour ? colours : vectors, sizeof vectors);
    return ERR_NONE;
}

/* A slope of 0 means "none". */
static void read_slope(struct nifti *nifti)
{
    const double slope = real(nifti, nifti->at->slope, 0), intercept = real(nifti, nifti->at->slope, 1);
    const bool colour = nifti->layout->order[0] == AXIS_COMPONENT;
    if (slope == 0 || colour) return; /* the standard says that colours have no scaling */
    if (isfinite(slope) && isfinite(intercept)) {
        nifti->layout->slope = slope;
        nifti->layout->intercept = intercept;
    } else text_note(nifti->layout->note, "the scaling of values is not finite, and ignored");
}

static int read_offset(struct nifti *nifti, struct err *err)
{
    const size_t at = nifti->at->vox_offset;
    const size_t least = nifti->pair ? 0 : nifti->at->header + 4; /* 4 bytes say whether there are extensions */
    const double offset = nifti->at == places_of ? real(nifti, at, 0) : (double)whole(nifti, at, 8);
    if (!(offset >= (double)least && offset <= MAX_OFFSET && offset == floor(offset)))
        return err_set(err, ERR_INPUT, "%s: its voxels begin at byte %g; expected a whole number, %zu or more", nifti->file,
                       offset, least);
    nifti->data_at = (uint64_t)offset;
    return ERR_NONE;
}

/* ---- position in the world ----------------------------------------------------------------------------------------- */

/* Whether the rows, whose fourth column is the position, are finite and span a volume. */
static bool spans(const double m[3][4])
{
    double length = 1, sum = 0;
    for (int a = 0; a < 3; a++) length *= sqrt(m[0][a] * m[0][a] + m[1][a] * m[1][a] + m[2][a] * m[2][a]);
    for (int row = 0; row < 3; row++) sum += m[row][0] + m[row][1] + m[row][2] + m[row][3];
    const double det = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                       m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                       m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    return isfinite(sum) && fabs(det) > 1e-9 * length;
}

/* The distance between voxels along an axis. */
static double voxel_size(struct nifti *nifti, int axis)
{
    const double size = fabs(real(nifti, nifti->at->pixdim, axis + 1));
    if (size > 0 && isfinite(size)) return size;
    if (nifti->layout->size[axis] > 1) /* the thickness of a single slice does not matter */
        text_note(nifti->layout->note, "the voxel size along %c is 0 or unknown; 1 assumed", "xyz"[axis]);
    return 1;
}

static void read_sform(struct nifti *nifti, double m[3][4])
{
    for (int i = 0; i < 12; i++) m[i / 4][i % 4] = real(nifti, nifti->at->srow, i);
}

/* The qform has a rotation as a quaternion without its first component, voxel sizes, and the sign of the third axis. */
static void read_qform(struct nifti *nifti, double m[3][4])
{
    double b = real(nifti, nifti->at->quatern, 0), c = real(nifti, nifti->at->quatern, 1);
    double d = real(nifti, nifti->at->quatern, 2);
    const double square = b * b + c * c + d * d;
    double a = 0;
    if (square > 1 + 1e-4) text_note(nifti->layout->note, "the quaternion of its qform is longer than 1, and shortened");
    if (square > 1 - 1e-7) { /* half a turn: the other three must form a unit vector */
        b /= sqrt(square);
        c /= sqrt(square);
        d /= sqrt(square);
    } else a = sqrt(1 - square);
    const double rotation[3][3] = {
        { a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c) },
        { 2 * (b * c + a * d), a * a + c * c - b * b - d * d, 2 * (c * d - a * b) },
        { 2 * (b * d - a * c), 2 * (c * d + a * b), a * a + d * d - b * b - c * c },
    };
    for (int axis = 0; axis < 3; axis++) {
        const bool flipped = axis == 2 && real(nifti, nifti->at->pixdim, 0) < 0;
        const double step = flipped ? -voxel_size(nifti, axis) : voxel_size(nifti, axis);
        for (int row = 0; row < 3; row++) m[row][axis] = step * rotation[row][axis];
        m[axis][3] = real(nifti, nifti->at->quatern, 3 + axis);
    }
}

/* Converts to WORLD_LPS: NIfTI's x and y point right and to the front. */
static void set_world(struct layout *layout, const double m[3][4])
{
    for (int row = 0; row < 3; row++) {
        for (int a = 0; a < 3; a++) layout->direction[row][a] = row < 2 ? 0 - m[row][a] : m[row][a];
        layout->origin[row] = row < 2 ? 0 - m[row][3] : m[row][3];
    }
    layout->world = WORLD_LPS;
    if (!*layout->unit) memcpy(layout->unit, "mm", 3); /* as other programs assume */
}

static void read_world(struct nifti *nifti)
{
    static const char *const units[8] = { "", "m", "mm", "um", "", "", "", "" };
    const struct {
        const char *name;
        size_t code;
        void (*read)(struct nifti *nifti, double m[3][4]);
    } forms[] = { { "sform", nifti->at->sform_code, read_sform }, { "qform", nifti->at->qform_code, read_qform } };
    struct layout *layout = nifti->layout;
    snprintf(layout->unit, sizeof layout->unit, "%s", units[whole(nifti, nifti->at->xyzt_units, nifti->at->unit) & 7]);
    for (int i = 0; i < 2; i++) {
        double m[3][4];
        if (whole(nifti, forms[i].code, nifti->at->code) <= 0) continue;
        forms[i].read(nifti, m);
        if (spans(m)) {
            set_world(layout, m);
            return;
        }
        text_note(layout->note, "the %s does not span a volume, and is ignored", forms[i].name);
    }
    const double spacing[3] = { voxel_size(nifti, 0), voxel_size(nifti, 1), voxel_size(nifti, 2) };
    layout_set_spacing(layout, spacing);
}

/* ---- files of a pair ----------------------------------------------------------------------------------------------- */

/* Writes `name` with another extension of three letters, in upper case if its own is. False: it does not fit. */
static bool replace_extension(char to[4096], const char *name, const char *extension)
{
    const char *dot = strrchr(name, '.');
    const size_t n = dot && !strchr(dot, '/') ? (size_t)(dot - name) : strlen(name);
    const bool capital = name[n] && name[n + 1] >= 'A' && name[n + 1] <= 'Z';
    if (n + 5 > 4096) return false;
    memcpy(to, name, n);
    to[n] = '.';
    for (int i = 0; i < 4; i++) to[n + 1 + (size_t)i] = capital && extension[i] ? (char)(extension[i] - 32) : extension[i];
    return true;
}

/* Adds the image of the header `source`: NAME.img or NAME.img.gz. */
static int add_image(struct nifti *nifti, const struct source *source, const struct load_desc *desc, struct err *err)
{
    char name[4096 + 3];
    if (!replace_extension(name, source_name(source), "img"))
        return err_set(err, ERR_INPUT, "%s: the name of its image is too long", nifti->file);
    const struct layout_file image = { .name = name, .field = "image", .anywhere = desc->anywhere };
    if (!layout_add_file(nifti->layout, source, &image, NULL)) return ERR_NONE;
    const size_t n = strlen(name);
    memcpy(name + n, ".gz", 4);
    if (!layout_add_file(nifti->layout, source, &image, NULL)) {
        nifti->layout->compression = COMPRESSION_DEFLATE;
        return ERR_NONE;
    }
    name[n] = 0;
    return layout_add_file(nifti->layout, source, &image, err);
}

/* `path`: the header that cannot be opened. */
static int refuse_image(const struct source *source, const char *path, struct err *err)
{
    char packed[4096 + 3];
    snprintf(packed, sizeof packed, "%s.gz", path);
    if (!access(packed, R_OK)) {
        err_set(err, ERR_INPUT, "%s: its header, %.200s, is compressed", source_name(source), packed);
        err_advise(err, "uncompress that first: gunzip -k");
    } else {
        err_set(err, ERR_INPUT, "%s: the image needs its header, but %.200s cannot be opened", source_name(source), path);
        err_advise(err, "put NAME.hdr and NAME.img in the same folder");
    }
    return ERR_INPUT;
}

/* Opens the header of the image `source`, which has no header of its own. */
static int identify_image(struct nifti *nifti, const struct source *source, struct err *err)
{
    char path[4096];
    struct source header;
    const bool named = replace_extension(path, source->path, "hdr");
    if (!named || source_open(&header, path, NULL)) return refuse_image(source, named ? path : "NAME.hdr", err);
    int code = identify(nifti, &header, err);
    source_close(&header);
    nifti->file = source_name(source);
    if (!code && !nifti->pair)
        code = err_set(err, ERR_INPUT, "%s: the header beside it holds voxels itself; open the .hdr file", nifti->file);
    return code;
}

int read_nifti(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err)
{
    struct nifti nifti = { .layout = layout };
    layout_begin(layout);
    const bool image = text_ends(source->path, ".img") && identify(&nifti, source, NULL);
    int code = image ? identify_image(&nifti, source, err) : ERR_NONE;
    if (!image)
        code = source_seek(source, 0) ? identify(&nifti, source, err)
                                      : err_set(err, ERR_INPUT, "%s: cannot be read", source_name(source));
    if (!code) code = read_type(&nifti, err);
    if (!code) code = read_sizes(&nifti, err);
    if (!code) code = read_offset(&nifti, err);
    if (code) return code;
    layout->big_endian = nifti.big;
    layout->skip = nifti.data_at; /* no offset: in a compressed file, it may lie beyond the bytes seen here */
    read_slope(&nifti);
    read_world(&nifti);
    return nifti.pair && !image ? add_image(&nifti, source, desc, err) : layout_add_self(layout, source, 0, err);
}
