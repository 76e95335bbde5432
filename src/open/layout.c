/* Data files that a header names must lie in its own folder: a header from an untrusted source must not show /etc/passwd as
 * a volume. */
#include "layout.h"

#include "leftover.h"
#include "list.h"
#include "text.h"
#include "zarr.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void layout_begin(struct layout *layout)
{
    memset(layout, 0, sizeof *layout);
    layout->slope = 1;
    for (int a = 0; a < 3; a++) layout->direction[a][a] = layout->every[a] = 1;
    for (int a = 0; a < AXIS_COUNT; a++) layout->order[a] = (uint8_t)a;
    layout->size[AXIS_COMPONENT] = layout->size[AXIS_FRAME] = 1;
}

/* The folder has no subfolders: it was made for one program's output. */
static void remove_folder(const char *path)
{
    DIR *folder = opendir(path);
    for (const struct dirent *entry = NULL; folder && (entry = readdir(folder));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder) closedir(folder);
    rmdir(path);
    leftover_drop(path);
}

void layout_free(struct layout *layout)
{
    for (size_t i = 0; i < layout->part_count; i++) free(layout->parts[i].path);
    free(layout->parts);
    if (layout->temporary) remove_folder(layout->temporary);
    free(layout->temporary);
    zarr_free(layout->zarr);
    memset(layout, 0, sizeof *layout);
}

void layout_interleave(struct layout *layout)
{
    int at = 0;
    while (layout->order[at] != AXIS_COMPONENT) at++;
    memmove(layout->order + 1, layout->order, (size_t)at);
    layout->order[0] = AXIS_COMPONENT;
}

/* ---- parts --------------------------------------------------------------------------------------------------------- */

/* Takes ownership of `path`, also if it fails. */
static int add_part(struct layout *layout, char *path, uint64_t offset, uint64_t size, const char *name, struct err *err)
{
    const size_t n = layout->part_count;
    struct layout_part *parts = layout->parts;
    int code = ERR_NONE;
    if (offset > size)
        code = err_set(err, ERR_INPUT, "%s: its data should begin at byte %llu, but the file has %llu", name,
                       (unsigned long long)offset, (unsigned long long)size);
    else if (n >= LAYOUT_MAX_PARTS) code = err_set(err, ERR_INPUT, "%s: more than %zu data files", name, LAYOUT_MAX_PARTS);
    else if (!(parts = list_grown(parts, n, sizeof *parts)))
        code = err_set(err, ERR_FAILED, "%s: not enough memory for a list of %zu data files", name, 2 * n);
    if (code) {
        free(path);
        return code;
    }
    parts[n] = (struct layout_part){ path, offset, size - offset };
    layout->parts = parts;
    layout->part_count = n + 1;
    return ERR_NONE;
}

int layout_add_self(struct layout *layout, const struct source *header, uint64_t offset, struct err *err)
{
    return add_part(layout, NULL, offset, header->partial ? UINT64_MAX : header->size, source_name(header), err);
}

/* Whether one of the components of the path is "..". */
static bool climbs(const char *name)
{
    for (const char *p = name; p; p = strchr(p, '/')) {
        p += *p == '/';
        if (p[0] == '.' && p[1] == '.' && (p[2] == '/' || !p[2])) return true;
    }
    return false;
}

static int refuse_place(const char *header, const struct layout_file *f, const char *why, struct err *err)
{
    err_set(err, ERR_INPUT, "%s: '%s: %.200s' is not a path inside the header's own folder%s", header, f->field, f->name,
            why);
    err_advise(err, "move the data there, or allow any folder with --data-anywhere");
    return ERR_INPUT;
}

/* Sets real[] to the real path of the file. */
static int find_file(const struct source *header, const struct layout_file *f, char real[PATH_MAX], struct err *err)
{
    const char *file = source_name(header), *slash = strrchr(header->path, '/'), *name = f->name;
    const int folder_length = slash && *name != '/' ? (int)(slash - header->path) + 1 : 0;
    char folder[PATH_MAX], path[PATH_MAX];
    if (!*name) return err_set(err, ERR_INPUT, "%s: '%s' names no file", file, f->field);
    if (!f->anywhere && (*name == '/' || climbs(name))) return refuse_place(file, f, "", err);
    if (snprintf(folder, sizeof folder, "%.*s.", folder_length, header->path) >= (int)sizeof folder ||
        snprintf(path, sizeof path, "%.*s%s", folder_length, header->path, name) >= (int)sizeof path)
        return err_set(err, ERR_INPUT, "%s: the path of its data file is too long", file);
    if (!realpath(path, real))
        return err_set(err, ERR_INPUT, "%s: its data file '%.200s' cannot be opened: %s", file, name, strerror(errno));
    if (f->anywhere) return ERR_NONE;
    if (!realpath(folder, path))
        return err_set(err, ERR_INPUT, "%s: its folder cannot be found: %s", file, strerror(errno));
    const size_t n = strcmp(path, "/") != 0 ? strlen(path) : 0;
    return strncmp(real, path, n) != 0 || real[n] != '/' ? refuse_place(file, f, ": a link leads out of it", err)
                                                         : ERR_NONE;
}

int layout_add_file(struct layout *layout, const struct source *header, const struct layout_file *file, struct err *err)
{
    char real[PATH_MAX], own[PATH_MAX];
    struct source data;
    int code = find_file(header, file, real, err);
    if (code) return code;
    if (realpath(header->path, own) && !strcmp(own, real))
        return err_set(err, ERR_INPUT, "%s: '%s: %.200s' names the header itself as its data", source_name(header),
                       file->field, file->name);
    code = source_open(&data, real, err);
    if (code) return code;
    const uint64_t size = data.size;
    source_close(&data);
    char *path = strdup(real);
    return path ? add_part(layout, path, file->offset, size, source_name(header), err)
                : err_set(err, ERR_FAILED, "%s: not enough memory for the path of its data", source_name(header));
}

int layout_open_part(const struct layout *layout, size_t i, const struct source *header, struct source *part,
                     struct err *err)
{
    const struct layout_part *p = &layout->parts[i];
    int code = ERR_NONE;
    if (p->path) code = source_open(part, p->path, err);
    else *part = *header;
    if (!code && !source_seek(part, p->offset)) {
        code = err_set(err, ERR_INPUT, "%s: cannot go to byte %llu", source_name(part), (unsigned long long)p->offset);
        layout_close_part(layout, i, part);
    }
    return code;
}

void layout_close_part(const struct layout *layout, size_t i, struct source *part)
{
    if (layout->parts[i].path) source_close(part);
}

/* ---- checks -------------------------------------------------------------------------------------------------------- */

void layout_set_spacing(struct layout *layout, const double spacing[3])
{
    memset(layout->direction, 0, sizeof layout->direction);
    for (int a = 0; a < 3; a++) layout->direction[a][a] = spacing[a];
}

uint64_t layout_bytes(const struct layout *layout)
{
    uint64_t bytes = layout->type->bytes;
    for (int a = 0; a < AXIS_COUNT; a++)
        if (!layout->size[a] || __builtin_mul_overflow(bytes, layout->size[a], &bytes) || bytes > INT64_MAX) return 0;
    return bytes;
}

static int check_sizes(const struct layout *layout, const char *name, struct err *err)
{
    static const char *const axis[AXIS_COUNT] = { "x", "y", "z", "the components", "the frames" };
    for (int a = 0; a < AXIS_COUNT; a++)
        if (!layout->size[a] || layout->size[a] > LAYOUT_MAX_AXIS)
            return err_set(err, ERR_INPUT, "%s: %llu values along %s; expected 1 to %d", name,
                           (unsigned long long)layout->size[a], axis[a], LAYOUT_MAX_AXIS);
    if (!layout_bytes(layout) || !volume_bytes(layout->size, voxel_bytes(layout->type->voxel))) /* x, y, z come first */
        return err_set(err, ERR_INPUT, "%s: %llu x %llu x %llu %s voxels are too many: their bytes exceed 63 bits", name,
                       (unsigned long long)layout->size[0], (unsigned long long)layout->size[1],
                       (unsigned long long)layout->size[2], layout->type->name);
    return ERR_NONE;
}

/* The axes must span a volume, or shading is impossible. If they do not, only their lengths are kept. */
static int check_directions(struct layout *layout, const char *name, struct err *err)
{
    double(*m)[3] = layout->direction, length[3];
    for (int a = 0; a < 3; a++) {
        length[a] = sqrt(m[0][a] * m[0][a] + m[1][a] * m[1][a] + m[2][a] * m[2][a]);
        if (length[a] > LAYOUT_MAX_LENGTH || (length[a] > 0 && length[a] < LAYOUT_MIN_LENGTH))
            return err_set(err, ERR_INPUT, "%s: voxels are %g long along %c; expected %g to %g", name, length[a], "xyz"[a],
                           LAYOUT_MIN_LENGTH, LAYOUT_MAX_LENGTH);
    }
    const double det = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                       m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                       m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    const double box = length[0] * length[1] * length[2];   /* also 0 if the square of a vector underflows */
    if (box > 0 && fabs(det) > 1e-9 * box) return ERR_NONE; /* also false for NaN */
    for (int a = 0; a < 3; a++) length[a] = length[a] > 0 ? length[a] : 1;
    layout_set_spacing(layout, length);
    layout->world = WORLD_OTHER;
    text_note(layout->note, "the directions of the axes do not span a volume; straight axes assumed");
    return ERR_NONE;
}

static int check_origin(struct layout *layout, const char *name, struct err *err)
{
    bool known = true;
    for (int a = 0; a < 3; a++) {
        if (fabs(layout->origin[a]) > LAYOUT_MAX_LENGTH)
            return err_set(err, ERR_INPUT, "%s: its origin, %g, is too far out; expected at most %g", name,
                           layout->origin[a], LAYOUT_MAX_LENGTH);
        known = known && !isnan(layout->origin[a]);
    }
    if (known) return ERR_NONE;
    memset(layout->origin, 0, sizeof layout->origin);
    text_note(layout->note, "the origin is unknown; 0 assumed");
    return ERR_NONE;
}

int layout_check(struct layout *layout, const char *name, struct err *err)
{
    int code = check_sizes(layout, name, err);
    if (!code) code = check_directions(layout, name, err);
    if (!code) code = check_origin(layout, name, err);
    if (!code && !(isfinite(layout->slope) && isfinite(layout->intercept) && layout->slope != 0))
        code = err_set(err, ERR_INPUT,
                       "%s: its values have slope %g and intercept %g; expected finite numbers and a slope other than 0",
                       name, layout->slope, layout->intercept);
    if (!code && layout->slope < 0)
        text_note(layout->note, "its slope is %g: values are kept as float32 with reversed signs, and a slope of %g",
                  layout->slope, -layout->slope);
    return code;
}
