/* Zarr: a folder with an array, or with an image of OME-Zarr 0.1 to 0.5. An image is the same array at several levels, each
 * averaged from the one before, with names, units and distances along its axes. The finest level that memory allows is
 * read. */
#include "read.h"

#include "folder.h"
#include "length_unit.h"
#include "ome_space.h"
#include "text.h"
#include "zarr_node.h"
#include "kernels/backend.h"

#include <math.h>
#include <string.h>

enum { MOST_LEVELS = 32, MOST_CHILDREN = 1000 /* folders searched for an array */ };

typedef unsigned long long ull; /* for printf */

struct placement {           /* along each axis of the array: */
    double scale[ZARR_AXES]; /* distance of values, and */
    double shift[ZARR_AXES]; /* position of the first one */
};

struct scan {
    const char *name, *path;
    const struct load_desc *desc;
    struct layout *layout;
    struct zarr_node node; /* the image, or the array */
    const json_t *image;   /* metadata of an image; NULL: a plain array */
    size_t level, levels;
    struct placement placement, finest; /* of the level that is read, and of level 0 */
    struct placement counts;            /* and of the one whose voxels people count */
    const char *unit[ZARR_AXES];
};

/* ---- which array ----------------------------------------------------------------------------------------------------- */

static bool holds_volume(const struct zarr_node *node)
{
    if (!node->array) return zarr_node_ome(node, "multiscales") != NULL;
    return json_array_size(json_object_get(node->meta, "shape")) > 1;
}

static int enter(struct scan *s, const char *path, struct err *err)
{
    struct zarr_node next;
    const int code = zarr_node_enter(&next, &s->node, path, err);
    if (code) return code;
    zarr_node_close(&s->node);
    s->node = next;
    return ERR_NONE;
}

/* Enters the first folder of a group that holds a volume. */
static int enter_first(struct scan *s, struct err *err)
{
    struct folder list;
    char chosen[256] = "";
    size_t found = 0;
    int code = folder_list_folders(&list, s->path, err);
    for (size_t i = 0; i < list.count && i < MOST_CHILDREN && !code; i++) {
        struct zarr_node child;
        if (zarr_node_enter(&child, &s->node, list.names[i], NULL)) continue;
        if (holds_volume(&child) && !found++) snprintf(chosen, sizeof chosen, "%s", list.names[i]);
        zarr_node_close(&child);
    }
    folder_free(&list);
    if (code) return code;
    if (!*chosen) {
        err_set(err, ERR_INPUT, "%s: this group holds no array of two axes or more, and no image", s->name);
        err_advise(err, "open the folder of an array, or name its path in this one with --array");
        return ERR_INPUT;
    }
    if (found > 1) text_note(s->layout->note, "'%s' of %zu arrays or images; --array has others", chosen, found);
    return enter(s, chosen, err);
}

static int find(struct scan *s, struct err *err)
{
    int code = s->desc->array ? enter(s, s->desc->array, err) : ERR_NONE;
    if (code) return code;
    if (zarr_node_ome(&s->node, "plate") || zarr_node_ome(&s->node, "well")) {
        err_set(err, ERR_INPUT, "%s: this is a plate of many images", s->name);
        err_advise(err, "open one of them, like %s/A/1/0", s->name);
        return ERR_INPUT;
    }
    if (!holds_volume(&s->node) && !s->desc->array) code = enter_first(s, err);
    if (!code && !holds_volume(&s->node))
        code = err_set(err, ERR_INPUT, "%s: '%s' is neither an array of two axes or more nor an image", s->name,
                       s->node.name);
    return code;
}

/* ---- axes ------------------------------------------------------------------------------------------------------------ */

static int axis_of(const char *name, const char *type)
{
    static const char *const names[] = { "x", "y", "z", "c", "t" };
    for (int i = 0; i < AXIS_COUNT; i++)
        if (text_same(name, names[i])) return i;
    if (text_same(type, "channel") || text_same(name, "channel")) return AXIS_COMPONENT;
    return text_same(type, "time") || text_same(name, "time") ? AXIS_FRAME : -1;
}

static int refuse_axis(const struct zarr *z, int a, const char *name, struct err *err)
{
    return err_set(err, ERR_INPUT,
                   "%s: axis %d, '%.40s', has %llu values; only x, y, z, channels and time can be read, each once", z->name,
                   a, name, (ull)z->shape[a]);
}

/* Without names, the last axes are z, y, x. */
static int guess_axes(struct scan *s, struct zarr *z, struct err *err)
{
    if (z->rank > AXIS_COUNT)
        return err_set(err, ERR_INPUT, "%s: an array of %d axes, whose meaning it does not say; at most 5 can be read",
                       z->name, z->rank);
    for (int i = 0; i < z->rank; i++) z->axis[i] = z->rank - 1 - i;
    if (z->rank > 3)
        text_note(s->layout->note, "its axes are taken for %s",
                  z->rank == 4 ? "channels, z, y, x" : "time, channels, z, y, x");
    return ERR_NONE;
}

/* Sets the axes of an array by their names, if it has any. */
static int name_axes(struct scan *s, struct zarr *z, const json_t *names, struct err *err)
{
    int axis[AXIS_COUNT] = { -1, -1, -1, -1, -1 };
    for (int a = 0; a < z->rank; a++) {
        const char *name = json_string_value(json_array_get(names, (size_t)a));
        const int i = axis_of(name ? name : z->axis_name[a], "");
        if (i < 0 || axis[i] >= 0) return guess_axes(s, z, err);
        axis[i] = a;
    }
    memcpy(z->axis, axis, sizeof axis);
    return axis[AXIS_X] < 0 || axis[AXIS_Y] < 0 ? guess_axes(s, z, err) : ERR_NONE;
}

/* Sets the axes of an image, which lists them as objects, in version 0.3 as names, and before that not at all. */
static int take_axes(struct scan *s, struct zarr *z, struct err *err)
{
    const json_t *axes = json_object_get(s->image, "axes");
    if (!axes) return guess_axes(s, z, err);
    if (json_array_size(axes) != (size_t)z->rank)
        return err_set(err, ERR_INPUT, "%s: its image names %zu %s, but the array has %d", z->name, json_array_size(axes),
                       text_word(json_array_size(axes), "axis", "axes"), z->rank);
    for (int a = 0; a < z->rank; a++) {
        const json_t *axis = json_array_get(axes, (size_t)a);
        const char *name = json_string_value(json_is_object(axis) ? json_object_get(axis, "name") : axis);
        const char *type = json_string_value(json_object_get(axis, "type"));
        const int i = axis_of(name ? name : "", type ? type : "");
        if (i >= 0 ? z->axis[i] >= 0 : z->shape[a] > 1) return refuse_axis(z, a, name ? name : "", err);
        if (i >= 0) z->axis[i] = a;
        s->unit[a] = json_string_value(json_object_get(axis, "unit"));
    }
    if (z->axis[AXIS_X] >= 0 && z->axis[AXIS_Y] >= 0) return ERR_NONE;
    return err_set(err, ERR_INPUT, "%s: its image names no axes x and y", z->name);
}

/* ---- levels ---------------------------------------------------------------------------------------------------------- */

static uint64_t extent_of(const struct zarr *z, int axis) { return z->axis[axis] < 0 ? 1 : z->shape[z->axis[axis]]; }

static bool fits(const struct scan *s, const struct zarr *z)
{
    const uint64_t dims[3] = { extent_of(z, AXIS_X), extent_of(z, AXIS_Y), extent_of(z, AXIS_Z) };
    const uint64_t bytes = volume_bytes(dims, voxel_bytes(z->type->voxel));
    /* A little less than voxels_read allows: other programs may take some memory in between. */
    const uint64_t most = s->desc->memory ? s->desc->memory : backend_cpu.memory_free() / 10 * 7;
    return bytes && bytes <= most;
}

static int open_level(struct scan *s, size_t level, struct zarr **z, struct err *err)
{
    const json_t *set = json_array_get(json_object_get(s->image, "datasets"), level);
    const char *path = json_string_value(json_object_get(set, "path"));
    struct zarr_node node;
    if (!path) return err_set(err, ERR_INPUT, "%s: level %zu of its image has no path", s->node.name, level);
    int code = zarr_node_enter(&node, &s->node, path, err);
    if (code) return code;
    if (node.array) code = zarr_node_array(z, &node, err);
    else code = err_set(err, ERR_INPUT, "%s: level %zu of its image is not an array", s->node.name, level);
    zarr_node_close(&node);
    if (!code) code = take_axes(s, *z, err);
    if (code) zarr_free(*z), *z = NULL;
    return code;
}

static int refuse_level(const struct scan *s, struct err *err)
{
    const ull level = s->desc->level;
    if (s->levels == 1) return err_set(err, ERR_USAGE, "%s: --level %llu: the file has only one level", s->name, level);
    return err_set(err, ERR_USAGE, "%s: --level %llu: the file has levels 0 to %zu", s->name, level, s->levels - 1);
}

/* Gets the size of the level whose voxels people count. */
static int find_all(struct scan *s, struct err *err)
{
    struct zarr *z = NULL;
    const int code = open_level(s, (size_t)s->desc->level_counts, &z, err);
    for (int a = 0; a < 3 && !code; a++) s->layout->all[a] = extent_of(z, a);
    zarr_free(z);
    return code;
}

/* Opens the requested level, else the finest one that fits, else the last. */
static int choose_level(struct scan *s, struct zarr **z, struct err *err)
{
    uint64_t finest[3] = { 0 };
    int code = ERR_NONE;
    s->level = s->desc->level_given ? (size_t)s->desc->level : 0;
    if (s->level >= s->levels) return refuse_level(s, err);
    for (;; s->level++) {
        code = open_level(s, s->level, z, err);
        if (code) return code;
        for (int a = 0; a < 3 && !s->level; a++) finest[a] = extent_of(*z, a);
        if (s->desc->level_given || s->level + 1 == s->levels || fits(s, *z)) break;
        zarr_free(*z);
        *z = NULL;
    }
    s->layout->finer = s->level && !s->desc->level_given;
    if (s->layout->finer)
        text_note(s->layout->note, "level %zu of 0 to %zu: the finest, %llu x %llu x %llu, exceeds the memory", s->level,
                  s->levels - 1, (ull)finest[0], (ull)finest[1], (ull)finest[2]);
    else if (s->levels > 1) text_note(s->layout->note, "level %zu of 0 to %zu", s->level, s->levels - 1);
    return ERR_NONE;
}

/* ---- geometry -------------------------------------------------------------------------------------------------------- */

/* Gets a number for each axis; false: `list` is something else. */
static bool take_numbers(double to[ZARR_AXES], const json_t *list, int rank)
{
    if (json_array_size(list) != (size_t)rank) return false;
    for (int a = 0; a < rank; a++) {
        const json_t *number = json_array_get(list, (size_t)a);
        if (!json_is_number(number)) return false;
        to[a] = json_number_value(number);
    }
    return true;
}

/* Applies a list of transformations. rank: axes of the array. */
static void transform(const struct scan *s, struct placement *to, const json_t *list, int rank)
{
    size_t i;
    const json_t *one;
    json_array_foreach((json_t *)list, i, one)
    {
        const char *type = json_string_value(json_object_get(one, "type"));
        const json_t *numbers = type ? json_object_get(one, type) : NULL;
        const bool scale = type && !strcmp(type, "scale"), known = scale || (type && !strcmp(type, "translation"));
        if (type && !strcmp(type, "identity")) continue;
        double n[ZARR_AXES];
        if (!known) text_note(s->layout->note, "its transformation '%s' is ignored", type ? type : "?");
        else if (!take_numbers(n, numbers, rank))
            text_note(s->layout->note, "its '%s' is ignored, because it is not a number for each of the %d axes", type,
                      rank);
        else
            for (int a = 0; a < rank; a++)
                if (scale) to->scale[a] *= n[a], to->shift[a] *= n[a];
                else to->shift[a] += n[a];
    }
}

static void find_placement(const struct scan *s, struct placement *to, size_t level, int rank)
{
    const json_t *dataset = json_array_get(json_object_get(s->image, "datasets"), level);
    transform(s, to, json_object_get(dataset, "coordinateTransformations"), rank);
    transform(s, to, json_object_get(s->image, "coordinateTransformations"), rank);
}

/* Gives level 0 the distance `wanted`, and the level that is read its place in that, so that the volume is as large at every
 * level. Level 0's first voxel stays where it is. */
static void override_spacing(struct scan *s, int a, double wanted)
{
    const double own = s->finest.scale[a], first = s->finest.shift[a];
    double *const scale = &s->placement.scale[a], *const shift = &s->placement.shift[a];
    if (isnormal(*scale / own)) *scale *= wanted / own, *shift = first + (*shift - first) * wanted / own;
    else *scale = wanted; /* the file does not say how far apart the levels' voxels are */
}

/* Finds where the level's values are in the level that counts. If the image gives no scales, or scales that contradict
 * the sizes of its levels, both levels are taken to have the same extent. */
static void find_counts(struct scan *s, const struct zarr *z)
{
    const struct placement *here = &s->placement, *there = &s->counts;
    for (int i = 0; i < 3; i++) {
        const int a = z->axis[i];
        const double sizes = (double)s->layout->all[i] / (double)extent_of(z, i);
        if (a < 0 || !s->layout->all[i]) continue;
        const double every = here->scale[a] / there->scale[a], first = (here->shift[a] - there->shift[a]) / there->scale[a];
        const bool says = every > sizes / 2 && every < sizes * 2 && fabs(first) <= every;
        s->layout->every[i] = says ? every : sizes;
        s->layout->first[i] = says ? first : 0;
    }
}

/* All axes use the unit of x. Other units are converted to it if both are lengths. */
static int place(struct scan *s, const struct zarr *z, struct err *err)
{
    const char *const spelling = s->unit[z->axis[AXIS_X]];
    const struct length_unit *unit = length_unit_find(spelling ? spelling : "");
    struct layout *layout = s->layout;
    const double *wanted = s->desc->spacing; /* 0: the file's */
    double spacing[3] = { 1, 1, 1 };
    if (!unit) text_note(layout->note, "its unit of length, '%.40s', is unknown", spelling);
    for (int i = 0; i < 3; i++) {
        const int a = z->axis[i];
        if (a < 0 && wanted[i] > 0) spacing[i] = wanted[i];
        if (a < 0) continue;
        const struct length_unit *own = length_unit_find(s->unit[a] ? s->unit[a] : "");
        const bool both = unit && own && unit->mm > 0 && own->mm > 0;
        const double factor = (unit ? unit->scale : 1) * (both ? own->mm / unit->mm : 1);
        if (wanted[i] > 0) override_spacing(s, a, wanted[i] / factor);
        spacing[i] = s->placement.scale[a] * factor;
        layout->origin[i] = s->placement.shift[a] * factor;
    }
    layout_set_spacing(layout, spacing);
    if (unit) snprintf(layout->unit, sizeof layout->unit, "%s", unit->name);
    return s->image ? ome_space_take(layout, s->node.attributes, unit ? unit->scale : 1, s->node.name, err) : ERR_NONE;
}

/* ---- all ------------------------------------------------------------------------------------------------------------- */

static int check_version(const struct scan *s, struct err *err)
{
    static const char *const known[] = { "0.1", "0.2", "0.3", "0.4", "0.5" };
    const char *version = json_string_value(zarr_node_ome(&s->node, "version"));
    if (!version) version = json_string_value(json_object_get(s->image, "version"));
    bool is = !version;
    for (int i = 0; i < 5 && !is; i++) is = !strcmp(version, known[i]);
    if (is) return ERR_NONE;
    return err_set(err, ERR_INPUT, "%s: an image of OME-Zarr %.20s; only 0.1 to 0.5 can be read", s->name, version);
}

static int open_image(struct scan *s, struct zarr **z, struct err *err)
{
    const json_t *images = zarr_node_ome(&s->node, "multiscales");
    s->image = json_array_get(images, 0);
    s->levels = json_array_size(json_object_get(s->image, "datasets"));
    if (!s->levels || s->levels > MOST_LEVELS)
        return err_set(err, ERR_INPUT, "%s: its image has %zu levels; 1 to %d can be read", s->name, s->levels,
                       MOST_LEVELS);
    int code = check_version(s, err);
    if (!code && json_array_size(images) > 1)
        text_note(s->layout->note, "the first of %zu images", json_array_size(images));
    if (!code) code = choose_level(s, z, err);
    if (code) return code;
    find_placement(s, &s->placement, s->level, (*z)->rank);
    find_placement(s, &s->finest, 0, (*z)->rank);
    if (s->level == s->desc->level_counts || s->desc->level_counts >= s->levels) return ERR_NONE;
    find_placement(s, &s->counts, (size_t)s->desc->level_counts, (*z)->rank);
    return find_all(s, err);
}

/* Reads a number as in the CF conventions, which xarray writes; a list of one number is allowed. Without it, *number stays
 * as it was. */
static int read_number(const struct scan *s, const char *key, double *number, struct err *err)
{
    const json_t *value = json_object_get(s->node.attributes, key);
    if (json_array_size(value) == 1) value = json_array_get(value, 0);
    if (json_is_number(value)) *number = json_number_value(value);
    if (!value || json_is_number(value)) return ERR_NONE;
    err_set(err, ERR_INPUT, "%s: '%s' in its attributes is not a number", s->node.name, key);
    err_advise(err, "correct it, or leave it out to use the stored values");
    return ERR_INPUT;
}

/* Missing values are shown as they are stored: NaN would make all values float32. */
static int read_values(struct scan *s, struct err *err)
{
    struct layout *layout = s->layout;
    const json_t *missing = json_object_get(s->node.attributes, "_FillValue");
    char text[32];
    int code = read_number(s, "scale_factor", &layout->slope, err);
    if (!code) code = read_number(s, "add_offset", &layout->intercept, err);
    if (!code && json_is_number(missing))
        text_note(layout->note, "stored values of %s stand for none, and are shown like others",
                  text_print(text, json_number_value(missing)));
    return code;
}

static int open_array(struct scan *s, struct zarr **z, struct err *err)
{
    json_t *names = json_incref(json_object_get(s->node.attributes, "_ARRAY_DIMENSIONS"));
    s->levels = 1;
    int code = s->desc->level_given && s->desc->level ? refuse_level(s, err) : ERR_NONE;
    if (!code) code = read_values(s, err);
    if (!code) code = zarr_node_array(z, &s->node, err);
    if (!code) code = name_axes(s, *z, names, err);
    if (code) zarr_free(*z), *z = NULL;
    json_decref(names);
    return code;
}

int read_zarr(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err)
{
    struct scan s = { .name = source_name(source), .path = source->path, .desc = desc, .layout = layout };
    struct zarr *z = NULL;
    layout_begin(layout);
    for (int a = 0; a < ZARR_AXES; a++) s.placement.scale[a] = s.finest.scale[a] = s.counts.scale[a] = 1;
    int code = zarr_node_open(&s.node, source->path, s.name, desc->anywhere, err);
    if (!code) code = find(&s, err);
    if (!code) code = s.node.array ? open_array(&s, &z, err) : open_image(&s, &z, err);
    if (!code) {
        layout->zarr = z;
        layout->type = z->type;
        z->negate = layout->slope < 0;
        for (int a = 0; a < AXIS_COUNT; a++) layout->size[a] = extent_of(z, a);
        find_counts(&s, z);
        code = place(&s, z, err);
    }
    zarr_node_close(&s.node);
    return code;
}
