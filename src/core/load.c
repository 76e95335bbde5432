#include "load.h"
#include "text.h"
#include "voxels.h"

#include <math.h>
#include <string.h>

struct format {
    const char *name;
    const char *extensions[4];                    /* lower case, with their dot */
    bool (*probe)(const uint8_t *head, size_t n); /* is this the format's magic? NULL: it has none */
    int (*read)(struct volume *volume, struct source *source, const struct load_desc *desc, struct err *err);
};

static bool probe_nrrd(const uint8_t *head, size_t n) { return n >= 5 && !memcmp(head, "NRRD0", 5); }

/* To add a format: write load_X.c with its reader, declare the reader in load.h, add a row here and the file to
 * CMakeLists.txt. Rows go from the strongest magic to the weakest; RAW has none and comes last. */
static const struct format formats[] = {
    { "NRRD", { ".nrrd", ".nhdr" }, probe_nrrd, load_nrrd },
    { "RAW", { ".raw" }, NULL, load_raw },
};

#define FORMATS (sizeof formats / sizeof formats[0])
#define RAW (&formats[FORMATS - 1])

static bool has_extension(const char *name, const struct format *format)
{
    for (int i = 0; i < 4 && format->extensions[i]; i++)
        if (text_ends(name, format->extensions[i])) return true;
    return false;
}

/* The magic decides; then the extension, for a damaged file to be refused by the reader that knows why; then RAW, if the
 * caller describes the voxels. */
static const struct format *find_format(const uint8_t *head, size_t n, const char *name, bool described)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (formats[i].probe && formats[i].probe(head, n)) return &formats[i];
    for (size_t i = 0; i < FORMATS; i++)
        if (has_extension(name, &formats[i])) return &formats[i];
    return described ? RAW : NULL;
}

static int read_any(struct volume *volume, struct source *source, const struct load_desc *desc, struct err *err)
{
    const char *name = source_name(source);
    if (!source->size) return err_set(err, ERR_INPUT, "%s: the file is empty", name);
    uint8_t head[16];
    const size_t n = source_read(source, head, sizeof head);
    if (!n || !source_seek(source, 0)) return err_set(err, ERR_INPUT, "%s: cannot be read", name);
    const bool described = desc->dims[0] || desc->dims[1] || desc->dims[2];
    const struct format *format = find_format(head, n, name, described);
    if (!format)
        return err_set(err, ERR_INPUT,
                       "%s: not a format isoscope reads (NRRD, or RAW voxels in a .raw file); if it is "
                       "RAW, give --dims XxYxZ and --type",
                       name);
    if (format != RAW && (described || desc->type || desc->endian || desc->offset_given))
        return err_set(err, ERR_USAGE,
                       "%s: this is %s, whose header says how the voxels lie; --dims, --type, --endian "
                       "and --offset are for RAW files",
                       name, format->name);
    return format->read(volume, source, desc, err);
}

/* Keeps the directions of the axes, sets their lengths. */
static void override_spacing(struct volume *volume, const double spacing[3])
{
    for (int a = 0; a < 3; a++) {
        if (spacing[a] == 0) continue;
        const double scale = spacing[a] / volume_spacing(volume, a); /* readers leave no axis without a length */
        for (int row = 0; row < 3; row++) volume->direction[row][a] *= scale;
    }
}

int volume_load(struct volume *volume, const char *path, const struct load_desc *desc, struct err *err)
{
    static const struct load_desc all_from_the_file;
    if (!desc) desc = &all_from_the_file;
    memset(volume, 0, sizeof *volume);
    for (int a = 0; a < 3; a++)
        if (!(desc->spacing[a] >= 0) || isinf(desc->spacing[a]))
            return err_set(err, ERR_USAGE, "spacing %g: must be a positive number", desc->spacing[a]);
    struct source source;
    int code = source_open(&source, path, err);
    if (code) return code;
    code = read_any(volume, &source, desc, err);
    if (!code) {
        text_visible(volume->name, sizeof volume->name, source_name(&source));
        override_spacing(volume, desc->spacing);
    }
    source_close(&source);
    return code;
}
