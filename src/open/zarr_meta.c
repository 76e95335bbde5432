#include "zarr_meta.h"

#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_IN_SHARD ((uint64_t)1 << 24) /* chunks; their index takes 256 MiB */

static int bad(const struct zarr *z, const char *key, const char *expected, struct err *err)
{
    return err_set(err, ERR_INPUT, "%s: '%s' in its metadata is not %s", z->name, key, expected);
}

static int refuse(const struct zarr *z, const char *what, const char *name, struct err *err)
{
    err_set(err, ERR_INPUT, "%s: %s '%.100s' cannot be read", z->name, what, name);
    if (!strcmp(name, "sharding_indexed"))
        err_advise(err, "write it anew with shards as the array's only codec; a transpose goes into their own codecs");
    else err_advise(err, "write it anew with what can: blosc, zstd, gzip, crc32c, sharding_indexed, plain numbers");
    return ERR_INPUT;
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static bool read_sizes(const json_t *list, int rank, uint64_t *sizes)
{
    if (!json_is_array(list) || json_array_size(list) != (size_t)rank) return false;
    for (int a = 0; a < rank; a++) {
        const json_t *n = json_array_get(list, (size_t)a);
        if (!json_is_integer(n) || json_integer_value(n) < 1) return false;
        sizes[a] = (uint64_t)json_integer_value(n);
    }
    return true;
}

static int read_shape(struct zarr *z, const json_t *shape, struct err *err)
{
    const size_t rank = json_array_size(shape);
    if (rank < 2 || rank > ZARR_AXES)
        return err_set(err, ERR_INPUT, "%s: an array of %zu %s; 2 to %d can be read", z->name, rank,
                       text_word(rank, "axis", "axes"), ZARR_AXES);
    z->rank = (int)rank;
    if (!read_sizes(shape, z->rank, z->shape)) return bad(z, "shape", "a list of whole numbers from 1 on", err);
    for (int a = 0; a < z->rank; a++) {
        z->shard[a] = 1;
        z->order[a] = (uint8_t)a;
        if (z->shape[a] > LAYOUT_MAX_AXIS)
            return err_set(err, ERR_INPUT, "%s: %llu values along an axis; at most %d can be read", z->name,
                           (unsigned long long)z->shape[a], LAYOUT_MAX_AXIS);
    }
    return ERR_NONE;
}

static int check_chunk(const struct zarr *z, struct err *err)
{
    if (zarr_chunk_bytes(z)) return ERR_NONE;
    return err_set(err, ERR_INPUT, "%s: its chunks have more bytes than can be counted", z->name);
}

/* Sets the fill value to `value` in the volume's type. False: the type does not have it. */
static bool store_fill(struct zarr *z, double value, bool whole)
{
    static const double low[] = { 0, INT8_MIN, 0, INT16_MIN }, high[] = { UINT8_MAX, INT8_MAX, UINT16_MAX, INT16_MAX };
    const int type = (int)z->type->voxel;
    const float single = (float)value;
    if (type == VOXEL_FLOAT32) return memcpy(z->fill, &single, sizeof single), true;
    if (!whole || !(value >= low[type] && value <= high[type])) return false;
    const uint16_t bits = (uint16_t)(int32_t)value;
    if (z->type->bytes == 1) z->fill[0] = (uint8_t)bits;
    else memcpy(z->fill, &bits, sizeof bits);
    return true;
}

/* Parses "NaN", "-Infinity", or the bits of a number. */
static bool store_fill_text(struct zarr *z, const char *text)
{
    char *end;
    float value;
    if (!strcmp(text, "NaN")) return store_fill(z, NAN, false);
    if (!strcmp(text, "Infinity")) return store_fill(z, INFINITY, false);
    if (!strcmp(text, "-Infinity")) return store_fill(z, -INFINITY, false);
    const uint64_t eight = strtoull(text, &end, 16);
    const uint32_t four = (uint32_t)eight;
    const uint16_t two = (uint16_t)eight;
    const void *const bits[] = { [2] = &two, [4] = &four, [8] = &eight };
    if (!text_begins(text, "0x") || *end || z->type->voxel != VOXEL_FLOAT32) return false;
    stored_type_to_float(z->type, bits[z->type->bytes], &value, 1, false);
    memcpy(z->fill, &value, sizeof value);
    return true;
}

static int read_fill(struct zarr *z, const json_t *fill, struct err *err)
{
    const double value = json_number_value(fill);
    bool fine = !fill || json_is_null(fill); /* undefined: 0 */
    if (json_is_boolean(fill)) fine = store_fill(z, json_is_true(fill), true);
    if (json_is_number(fill)) fine = store_fill(z, value, value == floor(value));
    if (json_is_string(fill)) fine = store_fill_text(z, json_string_value(fill));
    return fine ? ERR_NONE : bad(z, "fill_value", "a value of the array's type", err);
}

/* ---- format 2 ---------------------------------------------------------------------------------------------------- */

/* Parses a type of NumPy, such as "<u2". */
static int read_dtype(struct zarr *z, const json_t *dtype, struct err *err)
{
    static const struct {
        const char *code;
        int type;
    } types[] = { { "u1", STORED_UINT8 }, { "i1", STORED_INT8 },    { "b1", STORED_UINT8 },   { "u2", STORED_UINT16 },
                  { "i2", STORED_INT16 }, { "u4", STORED_UINT32 },  { "i4", STORED_INT32 },   { "u8", STORED_UINT64 },
                  { "i8", STORED_INT64 }, { "f2", STORED_FLOAT16 }, { "f4", STORED_FLOAT32 }, { "f8", STORED_FLOAT64 } };
    const char *text = json_string_value(dtype);
    if (!text) return refuse(z, "the type of its values,", json_is_array(dtype) ? "a structure" : "none", err);
    for (size_t i = 0; i < sizeof types / sizeof types[0] && *text; i++) {
        const struct stored_type *type = &stored_types[types[i].type];
        if (strcmp(text + 1, types[i].code) != 0 || !strchr(type->bytes == 1 ? "<>|=" : "<>", *text)) continue;
        z->type = type;
        z->big_endian = *text == '>';
        return ERR_NONE;
    }
    return refuse(z, "the type of its values,", text, err);
}

static int read_compressor(struct zarr *z, const json_t *meta, struct err *err)
{
    const json_t *filters = json_object_get(meta, "filters"), *compressor = json_object_get(meta, "compressor");
    const char *id = json_string_value(json_object_get(compressor, "id"));
    if (json_array_size(filters)) {
        const char *filter = json_string_value(json_object_get(json_array_get(filters, 0), "id"));
        return refuse(z, "its filter", filter ? filter : "?", err);
    }
    if (filters && !json_is_null(filters) && !json_is_array(filters)) return bad(z, "filters", "a list", err);
    if (!compressor || json_is_null(compressor)) return ERR_NONE;
    if (id && strcmp(id, "crc32c") != 0 && zarr_chain_add(&z->chain, id)) return ERR_NONE;
    return refuse(z, "its compressor", id ? id : "?", err);
}

static int read_separator(struct zarr *z, const json_t *separator, char otherwise, struct err *err)
{
    const char *text = json_string_value(separator);
    z->between = text ? *text : otherwise;
    if ((!separator || text) && (z->between == '.' || z->between == '/') && (!text || !text[1])) return ERR_NONE;
    return bad(z, "separator", "'.' or '/'", err);
}

int zarr_meta_2(struct zarr *z, const json_t *meta, struct err *err)
{
    const char *order = json_string_value(json_object_get(meta, "order"));
    if (json_integer_value(json_object_get(meta, "zarr_format")) != 2) return bad(z, "zarr_format", "2", err);
    int code = read_shape(z, json_object_get(meta, "shape"), err);
    if (!code) code = read_dtype(z, json_object_get(meta, "dtype"), err);
    if (code) return code;
    if (!read_sizes(json_object_get(meta, "chunks"), z->rank, z->chunk))
        return bad(z, "chunks", "a whole number from 1 on for each axis", err);
    if (!order || (strcmp(order, "C") != 0 && strcmp(order, "F") != 0)) return bad(z, "order", "'C' or 'F'", err);
    for (int a = 0; a < z->rank && *order == 'F'; a++) z->order[a] = (uint8_t)(z->rank - 1 - a);
    code = check_chunk(z, err);
    if (!code) code = read_compressor(z, meta, err);
    if (!code) code = read_separator(z, json_object_get(meta, "dimension_separator"), '.', err);
    return code ? code : read_fill(z, json_object_get(meta, "fill_value"), err);
}

/* ---- format 3: codecs -------------------------------------------------------------------------------------------- */

/* Returns the name of a codec or another extension point: {"name": ..., "configuration": {...}}, or the name alone. */
static const char *name_of(const json_t *codec)
{
    const json_t *name = json_is_object(codec) ? json_object_get(codec, "name") : codec;
    return json_is_string(name) ? json_string_value(name) : "?";
}

static const json_t *setting(const json_t *codec, const char *key)
{
    return json_object_get(json_object_get(codec, "configuration"), key);
}

static int read_transpose(struct zarr *z, const json_t *codec, struct err *err)
{
    const json_t *order = setting(codec, "order");
    unsigned seen = 0;
    for (int a = 0; a < z->rank; a++) {
        const json_t *axis = json_array_get(order, (size_t)a);
        const json_int_t n = json_is_integer(axis) ? json_integer_value(axis) : -1;
        if (n < 0 || n >= z->rank) return bad(z, "transpose", "an order of all axes", err);
        z->order[a] = (uint8_t)n;
        seen |= 1u << n;
    }
    if (json_array_size(order) == (size_t)z->rank && seen == (1u << z->rank) - 1) return ERR_NONE;
    return bad(z, "transpose", "an order of all axes", err);
}

static int read_endian(const struct zarr *z, const json_t *codec, size_t bytes, bool *big, struct err *err)
{
    const char *endian = json_string_value(setting(codec, "endian"));
    *big = endian && !strcmp(endian, "big");
    if (*big || (endian && !strcmp(endian, "little")) || (!endian && bytes == 1)) return ERR_NONE;
    return bad(z, "endian", "'little' or 'big'", err);
}

/* The index of a shard: its numbers, maybe followed by a checksum. */
static int read_index_codecs(struct zarr *z, const json_t *codecs, struct err *err)
{
    const json_t *last = json_array_get(codecs, 1);
    const size_t n = json_array_size(codecs);
    if (n < 1 || n > 2 || strcmp(name_of(json_array_get(codecs, 0)), "bytes") != 0)
        return refuse(z, "the shard's index by codec", n ? name_of(json_array_get(codecs, 0)) : "?", err);
    z->index_summed = n == 2;
    if (n == 2 && strcmp(name_of(last), "crc32c") != 0) return refuse(z, "the shard's index by codec", name_of(last), err);
    return read_endian(z, json_array_get(codecs, 0), sizeof(uint64_t), &z->index_big, err);
}

static int read_codecs(struct zarr *z, const json_t *codecs, bool inside, struct err *err);

/* The chunks of the grid are shards, which contain the real chunks. */
static int read_sharding(struct zarr *z, const json_t *codec, struct err *err)
{
    const char *where = json_string_value(setting(codec, "index_location"));
    uint64_t inner[ZARR_AXES], chunks = 1;
    if (!read_sizes(setting(codec, "chunk_shape"), z->rank, inner))
        return bad(z, "chunk_shape", "a whole number from 1 on for each axis", err);
    for (int a = 0; a < z->rank; a++) {
        z->shard[a] = z->chunk[a] / inner[a];
        if (z->chunk[a] % inner[a]) return bad(z, "chunk_shape", "a divisor of the shards' shape", err);
        if (__builtin_mul_overflow(chunks, z->shard[a], &chunks) || chunks > MOST_IN_SHARD)
            return bad(z, "chunk_shape", "large enough: a shard may hold 16777216 chunks", err);
        z->chunk[a] = inner[a];
    }
    z->sharded = true;
    z->index_first = where && !strcmp(where, "start");
    if (where && !z->index_first && strcmp(where, "end") != 0) return bad(z, "index_location", "'start' or 'end'", err);
    const int code = read_index_codecs(z, setting(codec, "index_codecs"), err);
    return code ? code : read_codecs(z, setting(codec, "codecs"), true, err);
}

/* Allowed are [transpose,] bytes, then codecs that pack bytes. Or sharding alone, whose own codecs follow the same rule. */
static int read_codecs(struct zarr *z, const json_t *codecs, bool inside, struct err *err)
{
    const size_t n = json_array_size(codecs);
    size_t i = 0;
    int code = ERR_NONE;
    if (!n) return bad(z, "codecs", "a list of codecs", err);
    if (!inside && n == 1 && !strcmp(name_of(json_array_get(codecs, 0)), "sharding_indexed"))
        return read_sharding(z, json_array_get(codecs, 0), err);
    if (!strcmp(name_of(json_array_get(codecs, i)), "transpose"))
        code = read_transpose(z, json_array_get(codecs, i++), err);
    if (code) return code;
    const json_t *bytes = json_array_get(codecs, i++);
    if (strcmp(name_of(bytes), "bytes") != 0)
        return refuse(z, inside ? "in shards, its codec" : "its codec", name_of(bytes), err);
    code = read_endian(z, bytes, z->type->bytes, &z->big_endian, err);
    for (; i < n && !code; i++) {
        const char *name = name_of(json_array_get(codecs, i));
        if (!strcmp(name, "zlib") || !zarr_chain_add(&z->chain, name)) code = refuse(z, "its codec", name, err);
    }
    return code;
}

/* ---- format 3 ---------------------------------------------------------------------------------------------------- */

/* Refuses extensions that must be understood. */
static int check_keys(const struct zarr *z, const json_t *meta, struct err *err)
{
    static const char *const known[] = { "zarr_format",         "node_type",  "shape",  "data_type",  "chunk_grid",
                                         "chunk_key_encoding",  "fill_value", "codecs", "attributes", "dimension_names",
                                         "storage_transformers" };
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)meta, key, value)
    {
        bool is = json_is_false(json_object_get(value, "must_understand"));
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) is = is || !strcmp(key, known[i]);
        if (!is) return refuse(z, "its extension", key, err);
    }
    if (json_array_size(json_object_get(meta, "storage_transformers")))
        return refuse(z, "its storage transformer",
                      name_of(json_array_get(json_object_get(meta, "storage_transformers"), 0)), err);
    return ERR_NONE;
}

static int read_data_type(struct zarr *z, const json_t *type, struct err *err)
{
    const char *name = name_of(type);
    if (!strcmp(name, "bool")) name = "uint8"; /* 0 and 1 */
    for (z->type = stored_types; z->type->name; z->type++)
        if (!strcmp(z->type->name, name)) return ERR_NONE;
    z->type = stored_types;
    return refuse(z, "the type of its values,", name, err);
}

static int read_keys(struct zarr *z, const json_t *encoding, struct err *err)
{
    const char *name = name_of(encoding);
    const bool plain = !strcmp(name, "v2");
    if (encoding && !plain && strcmp(name, "default") != 0) return refuse(z, "its chunk_key_encoding", name, err);
    const int code = read_separator(z, setting(encoding, "separator"), plain ? '.' : '/', err);
    if (!plain) snprintf(z->before, sizeof z->before, "c%c", z->between);
    return code;
}

static void read_dimension_names(struct zarr *z, const json_t *names)
{
    for (int a = 0; a < z->rank; a++) {
        const char *name = json_string_value(json_array_get(names, (size_t)a));
        if (name) snprintf(z->axis_name[a], sizeof z->axis_name[a], "%.15s", name);
    }
}

int zarr_meta_3(struct zarr *z, const json_t *meta, struct err *err)
{
    const json_t *grid = json_object_get(meta, "chunk_grid");
    if (json_integer_value(json_object_get(meta, "zarr_format")) != 3) return bad(z, "zarr_format", "3", err);
    int code = check_keys(z, meta, err);
    if (!code) code = read_shape(z, json_object_get(meta, "shape"), err);
    if (!code) code = read_data_type(z, json_object_get(meta, "data_type"), err);
    if (code) return code;
    if (strcmp(name_of(grid), "regular") != 0) return refuse(z, "its chunk_grid", name_of(grid), err);
    if (!read_sizes(setting(grid, "chunk_shape"), z->rank, z->chunk))
        return bad(z, "chunk_shape", "a whole number from 1 on for each axis", err);
    code = read_codecs(z, json_object_get(meta, "codecs"), false, err);
    if (!code) code = check_chunk(z, err);
    if (!code) code = read_keys(z, json_object_get(meta, "chunk_key_encoding"), err);
    if (!code) read_dimension_names(z, json_object_get(meta, "dimension_names"));
    return code ? code : read_fill(z, json_object_get(meta, "fill_value"), err);
}
