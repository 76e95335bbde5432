#include "pack_json.h"

#include "file_io.h"
#include "ome_space.h"
#include "pack_array.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

/* Writes `json` to zarr.json and frees it. NULL: there was no memory for it. */
static int write_json(int folder, const char *path, json_t *json, struct err *err)
{
    const int file = openat(folder, "zarr.json", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    bool fine = json && file >= 0 && !json_dumpfd(json, file, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) && file_sync(file);
    const int reason = errno;
    if (file >= 0 && close(file)) fine = false;
    const bool memory = !json;
    json_decref(json);
    if (fine) return ERR_NONE;
    return err_set(err, ERR_FAILED, "%s: its metadata cannot be written: %s", path,
                   memory ? "out of memory" : strerror(reason));
}

static json_t *codecs(void)
{
    return json_pack("[{s:s,s:{s:s}},{s:s,s:{s:i,s:b}},{s:s}]", "name", "bytes", "configuration", "endian", "little",
                     "name", "zstd", "configuration", "level", 1, "checksum", 0, "name", "crc32c");
}

static json_t *zyx(const size_t size[3])
{
    return json_pack("[I,I,I]", (json_int_t)size[2], (json_int_t)size[1], (json_int_t)size[0]);
}

int pack_json_array(int folder, const struct pack_array *p, struct err *err)
{
    size_t whole[3];
    for (int a = 0; a < 3; a++) whole[a] = p->chunk[a] * p->shard[a];
    json_t *sharding = json_pack("{s:s,s:{s:o,s:o,s:[{s:s,s:{s:s}},{s:s}],s:s}}", "name", "sharding_indexed",
                                 "configuration", "chunk_shape", zyx(p->chunk), "codecs", codecs(), "index_codecs", "name",
                                 "bytes", "configuration", "endian", "little", "name", "crc32c", "index_location", "end");
    json_t *json = json_pack("{s:i,s:s,s:o,s:s,s:{s:s,s:{s:o}},s:{s:s,s:{s:s}},s:i,s:[o],s:{},s:[s,s,s]}", "zarr_format", 3,
                             "node_type", "array", "shape", zyx(p->size), "data_type", voxel_type_name[p->type],
                             "chunk_grid", "name", "regular", "configuration", "chunk_shape", zyx(whole),
                             "chunk_key_encoding", "name", "default", "configuration", "separator", "/", "fill_value", 0,
                             "codecs", sharding, "attributes", "dimension_names", "z", "y", "x");
    return write_json(folder, p->path, json, err);
}

/* OME's name for the unit of a volume; NULL: unknown. */
static const char *unit_of(const struct volume *volume)
{
    static const struct {
        const char *unit, *name;
    } units[] = { { "A", "angstrom" },    { "nm", "nanometer" }, { "um", "micrometer" }, { "mm", "millimeter" },
                  { "cm", "centimeter" }, { "in", "inch" },      { "m", "meter" },       { "km", "kilometer" } };
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (!strcmp(units[i].unit, volume->unit)) return units[i].name;
    return NULL;
}

static json_t *axis(const char *name, const char *unit)
{
    return unit ? json_pack("{s:s,s:s,s:s}", "name", name, "type", "space", "unit", unit)
                : json_pack("{s:s,s:s}", "name", name, "type", "space");
}

/* A voxel of a level is the mean of 2^level voxels along each axis, and lies in the middle of them. */
static json_t *level_of(const struct volume *v, int level)
{
    const double times = ldexp(1, level), middle = (times - 1) / 2;
    double scale[3], at[3];
    char path[16];
    for (int a = 0; a < 3; a++) {
        scale[a] = volume_spacing(v, a) * times;
        at[a] = v->origin[a] + volume_spacing(v, a) * middle;
    }
    snprintf(path, sizeof path, "%d", level);
    return json_pack("{s:s,s:[{s:s,s:[f,f,f]},{s:s,s:[f,f,f]}]}", "path", path, "coordinateTransformations", "type",
                     "scale", "scale", scale[2], scale[1], scale[0], "type", "translation", "translation", at[2], at[1],
                     at[0]);
}

static bool add_space(json_t *json, const struct volume *v)
{
    if (!ome_space_needed(v)) return true;
    return !json_object_set_new(json_object_get(json, "attributes"), OME_SPACE, ome_space_json(v));
}

int pack_json_image(int folder, const char *path, const struct volume *volume, int levels, struct err *err)
{
    const char *unit = unit_of(volume);
    json_t *list = json_array();
    for (int i = 0; i < levels; i++) json_array_append_new(list, level_of(volume, i));
    json_t *json = json_pack("{s:i,s:s,s:{s:{s:s,s:[{s:s,s:[o,o,o],s:o,s:s}]}}}", "zarr_format", 3, "node_type", "group",
                             "attributes", "ome", "version", "0.5", "multiscales", "name", volume->name, "axes",
                             axis("z", unit), axis("y", unit), axis("x", unit), "datasets", list, "type", "mean");
    if (!add_space(json, volume)) {
        json_decref(json);
        json = NULL;
    }
    return write_json(folder, path, json, err);
}
