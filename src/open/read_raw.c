/* RAW: voxels and nothing else. Shape and type come from the caller, from the file's name, as in
 * bonsai_256x256x256_uint8.raw or stent_128x128x256_int16_be.raw, or from a small text file beside it. They must match the
 * file's size to the byte.
 *
 * Nothing is guessed silently: if they do not match, the error says what would. */
#include "raw_guess.h"
#include "read.h"
#include "raw_sidecar.h"
#include "text.h"

#include <string.h>

struct raw {
    uint64_t dims[3];               /* 0: unknown */
    const struct stored_type *type; /* NULL: unknown */
    const char *endian;             /* NULL: unknown */
    uint64_t offset;                /* bytes before the first voxel */
    uint64_t payload;               /* bytes after the offset */
    double spacing[3];              /* 0: unknown */
    int slowest;                    /* axis along which a truncated file has fewer voxels */
};

typedef unsigned long long ull; /* for printf */

/* ---- the file's name --------------------------------------------------------------------------------------------- */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_x(char c) { return c == 'x' || c == 'X'; }

/* Parses three numbers joined by x, but not four, at `p`, where a run of digits begins. Returns what follows, or NULL. */
static const char *parse_dims(const char *p, uint64_t dims[3])
{
    for (int a = 0; a < 3; a++) {
        if (a && !is_x(*p++)) return NULL;
        if (!text_uint(p, &p, &dims[a])) return NULL;
    }
    return is_x(p[0]) && is_digit(p[1]) ? NULL : p;
}

/* Finds XxYxZ in the name and replaces it by blanks, so that the rest can be read as words. Returns how many there are. */
static int find_dims(char *name, uint64_t dims[3])
{
    int found = 0;
    for (char *p = name; *p;) {
        if (!is_digit(*p)) {
            p++;
            continue;
        }
        const bool tail = p > name + 1 && is_x(p[-1]) && is_digit(p[-2]); /* of a chain longer than three */
        uint64_t three[3];
        const char *end = tail ? NULL : parse_dims(p, three);
        if (end) {
            found++;
            memcpy(dims, three, sizeof three);
            memset(p, ' ', (size_t)(end - p));
        }
        while (end ? p < end : is_digit(*p)) p++;
    }
    return found;
}

static const char *find_endian(const char *word)
{
    if (text_same(word, "le") || text_same(word, "little") || text_same(word, "littleendian")) return "little";
    if (text_same(word, "be") || text_same(word, "big") || text_same(word, "bigendian")) return "big";
    return NULL;
}

/* Finds the type of "int16", or of "int16be", with the byte order at the end. */
static const struct stored_type *find_type(char *word, const char **endian)
{
    const struct stored_type *type = stored_type_find(word);
    const size_t n = strlen(word);
    if (type || n < 4) return type;
    const char *order = find_endian(word + n - 2);
    if (!order) return NULL;
    word[n - 2] = 0;
    type = stored_type_find(word);
    if (type) *endian = order;
    return type;
}

/* Finds type and byte order among the words of the name. A byte order counts only directly after the type, because "big"
 * and "le" are also plain words. False: there are two types. */
static bool find_words(char *name, const struct stored_type **type, const char **endian)
{
    bool after_type = false;
    char *rest = NULL;
    for (char *word = strtok_r(name, " ._-+,()[]", &rest); word; word = strtok_r(NULL, " ._-+,()[]", &rest)) {
        const char *order = after_type ? find_endian(word) : NULL;
        const struct stored_type *found = order ? NULL : find_type(word, &order);
        if (found && *type && found != *type) return false;
        if (found) *type = found;
        if (order) *endian = order;
        after_type = found != NULL;
    }
    return true;
}

/* Takes what the caller has not given from the file's name. */
static int apply_name(struct raw *raw, const char *file, struct err *err)
{
    char name[4096];
    snprintf(name, sizeof name, "%s", file);
    uint64_t dims[3];
    const int found = find_dims(name, dims);
    const struct stored_type *type = NULL;
    const char *endian = NULL;
    const bool one_type = find_words(name, &type, &endian);
    if (!raw->dims[0] && found > 1) {
        err_set(err, ERR_INPUT, "%s: its name has two sets of dimensions", file);
        err_advise(err, "choose with --dims XxYxZ");
        return ERR_INPUT;
    }
    if (!raw->type && !one_type) {
        err_set(err, ERR_INPUT, "%s: its name has two value types", file);
        err_advise(err, "choose with --type");
        return ERR_INPUT;
    }
    if (!raw->dims[0] && found) memcpy(raw->dims, dims, sizeof dims);
    if (!raw->type) raw->type = type;
    if (!raw->endian) raw->endian = endian;
    return ERR_NONE;
}

/* ---- what would fit ---------------------------------------------------------------------------------------------- */

/* Options are mentioned only as advice, which the window leaves out: it has fields for them. */

/* Writes "--dims 32x32x32 --type uint8, or ... would fit", or nothing if no likely shape fits. */
static void suggest_shapes(char *text, size_t capacity, uint64_t bytes, const struct stored_type *known)
{
    static const int likely[] = { VOXEL_UINT8, VOXEL_UINT16, VOXEL_FLOAT32 };
    size_t length = 0;
    text[0] = 0;
    for (int i = 0; i < 3; i++) {
        const struct stored_type *type = known ? known : &stored_types[likely[i]];
        struct raw_shape shape;
        if (bytes % type->bytes || !raw_guess(bytes / type->bytes, &shape, 1)) continue;
        const uint64_t *dims = shape.dims;
        length += (size_t)snprintf(text + length, capacity - length, "%s--dims %llux%llux%llu --type %s",
                                   length ? ", or " : "", (ull)dims[0], (ull)dims[1], (ull)dims[2], type->name);
        if (known) break;
    }
    if (length) snprintf(text + length, capacity - length, " would fit");
}

static int refuse_without_dims(const struct raw *raw, const char *file, struct err *err)
{
    char hint[256];
    suggest_shapes(hint, sizeof hint, raw->payload, raw->type);
    err_set(err, ERR_INPUT, "%s: %llu %s and no dimensions in its name", file, (ull)raw->payload,
            text_word(raw->payload, "byte", "bytes"));
    err_advise(err, "%s", *hint ? hint : "give --dims XxYxZ and --type");
    return ERR_INPUT;
}

/* Suggests another type, or fewer slices, for a file with too few bytes. */
static void suggest_smaller(const struct raw *raw, struct err *err)
{
    const uint64_t *dims = raw->dims;
    for (int t = 0; t < VOXEL_TYPE_COUNT; t++)
        if (volume_bytes(dims, stored_types[t].bytes) == raw->payload) {
            err_advise(err, "--type %s would fit", stored_types[t].name);
            return;
        }
    uint64_t fit[3] = { dims[0], dims[1], dims[2] };
    fit[raw->slowest] = 1;
    const uint64_t slice = volume_bytes(fit, raw->type->bytes);
    fit[raw->slowest] = slice ? raw->payload / slice : 0;
    if (slice && raw->payload && raw->payload % slice == 0)
        err_advise(err, "--dims %llux%llux%llu would fit", (ull)fit[0], (ull)fit[1], (ull)fit[2]);
    else err_advise(err, "the file is cut off, or its dimensions or type are wrong");
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Deduces the type from the size if only one common type fits. */
static int deduce_type(struct raw *raw, const char *file, struct err *err)
{
    const uint64_t n = volume_bytes(raw->dims, 1);
    const uint64_t bytes = n && raw->payload % n == 0 ? raw->payload / n : 0;
    if (bytes == 1 || bytes == 4) {
        raw->type = &stored_types[bytes == 1 ? VOXEL_UINT8 : VOXEL_FLOAT32];
        return ERR_NONE;
    }
    const char *const what = bytes == 2   ? "2 bytes a voxel, which several types have"
                             : bytes == 8 ? "8 bytes a voxel, which several types have"
                                          : "which fits no type";
    err_set(err, ERR_INPUT, "%s: %llu %s for %llu x %llu x %llu voxels, %s", file, (ull)raw->payload,
            text_word(raw->payload, "byte", "bytes"), (ull)raw->dims[0], (ull)raw->dims[1], (ull)raw->dims[2], what);
    err_advise(err, "%s",
               bytes == 2   ? "give --type uint16 or --type int16"
               : bytes == 8 ? "give --type float64, int64 or uint64"
                            : "give --dims and --type, or --offset if there is a header");
    return ERR_INPUT;
}

/* Takes what the caller specifies. It overrides the file's name. */
static int apply_desc(struct raw *raw, const struct load_desc *desc, struct err *err)
{
    const int given = !!desc->dims[0] + !!desc->dims[1] + !!desc->dims[2];
    if (given && given < 3) return err_set(err, ERR_USAGE, "dimensions: expected three, each 1 or more");
    if (given) memcpy(raw->dims, desc->dims, sizeof raw->dims);
    if (desc->type) {
        raw->type = stored_type_find(desc->type);
        if (!raw->type) return err_set(err, ERR_USAGE, "type '%.40s' is not one of %s", desc->type, stored_type_list());
    }
    if (desc->endian) {
        raw->endian = find_endian(desc->endian);
        if (!raw->endian) return err_set(err, ERR_USAGE, "byte order '%.40s' is not little or big", desc->endian);
    }
    return ERR_NONE;
}

/* Takes what the caller has not given from a file beside it. */
static int apply_sidecar(struct raw *raw, const struct source *source, const struct load_desc *desc, char note[256],
                         struct err *err)
{
    struct raw_sidecar sidecar;
    raw->offset = desc->offset;
    if (raw->dims[0] && raw->type) return ERR_NONE;
    const int code = raw_sidecar_read(&sidecar, source, err);
    if (code || !*sidecar.name) return code;
    if (!raw->dims[0]) memcpy(raw->dims, sidecar.dims, sizeof raw->dims);
    if (!raw->type) raw->type = sidecar.type;
    if (!raw->endian) raw->endian = sidecar.endian;
    if (!desc->offset_given) raw->offset = sidecar.skip;
    memcpy(raw->spacing, sidecar.spacing, sizeof raw->spacing);
    text_note(note, "described by %s", sidecar.name);
    return ERR_NONE;
}

/* Checks the shape against the size of the file. */
static int check_size(const struct raw *raw, const struct load_desc *desc, const char *file, struct err *err)
{
    const ull x = raw->dims[0], y = raw->dims[1], z = raw->dims[2];
    const uint64_t need = volume_bytes(raw->dims, raw->type->bytes);
    if (!need)
        return err_set(err, ERR_INPUT, "%s: %llu x %llu x %llu %s voxels: an axis is 0, or the size exceeds 63 bits", file,
                       x, y, z, raw->type->name);
    if (raw->payload < need) {
        err_set(err, ERR_INPUT, "%s: found %llu %s, expected %llu for %llu x %llu x %llu %s voxels", file,
                (ull)raw->payload, text_word(raw->payload, "byte", "bytes"), (ull)need, x, y, z, raw->type->name);
        suggest_smaller(raw, err);
        return ERR_INPUT;
    }
    const ull rest = raw->payload - need;
    if (!rest || desc->offset_given) return ERR_NONE;
    err_set(err, ERR_INPUT, "%s: %llu %s left over after %llu x %llu x %llu %s voxels", file, rest,
            text_word(rest, "byte is", "bytes are"), x, y, z, raw->type->name);
    err_advise(err, "if the file begins with a header, give --offset %llu", rest);
    return ERR_INPUT;
}

/* Completes `raw`, or explains what is missing or does not match. *deduced: the type was derived from the size alone. */
static int complete(struct raw *raw, const struct source *source, const struct load_desc *desc, char note[256],
                    bool *deduced, struct err *err)
{
    const char *file = source_name(source);
    int code = apply_desc(raw, desc, err);
    if (!code) code = apply_sidecar(raw, source, desc, note, err);
    if (!code) code = apply_name(raw, file, err);
    if (code) return code;
    if (raw->offset > source->size)
        return err_set(err, ERR_INPUT, "%s: %s %llu is past its end (%llu %s)", file,
                       desc->offset_given ? "offset" : "skip", (ull)raw->offset, (ull)source->size,
                       text_word(source->size, "byte", "bytes"));
    raw->payload = source->size - raw->offset;
    if (source->partial && (!raw->dims[0] || !raw->type)) {
        err_set(err, ERR_INPUT, "%s: its name lacks dimensions or a type", file);
        err_advise(err, "give --dims XxYxZ and --type");
        return ERR_INPUT;
    }
    if (!raw->dims[0]) return refuse_without_dims(raw, file, err);
    *deduced = !raw->type;
    if (*deduced) code = deduce_type(raw, file, err);
    return code || source->partial ? code : check_size(raw, desc, file, err);
}

int read_raw(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err)
{
    struct raw raw = { .slowest = desc->z_fastest ? 0 : 2 };
    bool deduced = false;
    layout_begin(layout);
    int code = complete(&raw, source, desc, layout->note, &deduced, err);
    if (code) return code == ERR_INPUT ? err_blame(err, code, CAUSE_SHAPE) : code;
    memcpy(layout->size, raw.dims, sizeof raw.dims);
    layout->type = raw.type;
    layout->big_endian = raw.endian && text_same(raw.endian, "big");
    if (desc->z_fastest) layout->order[0] = AXIS_Z, layout->order[2] = AXIS_X;
    if (deduced) text_note(layout->note, "no type given; %s assumed from the size", raw.type->name);
    if (raw.type->bytes > 1 && !raw.endian) text_note(layout->note, "no byte order given; little-endian assumed");
    if (raw.spacing[0] > 0) layout_set_spacing(layout, raw.spacing);
    return layout_add_self(layout, source, raw.offset, err);
}
