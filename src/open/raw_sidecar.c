#include "raw_sidecar.h"

#include "fields.h"
#include "replace.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int refuse(const struct raw_sidecar *sidecar, const char *key, const char *value, const char *expected,
                  struct err *err)
{
    return err_set(err, ERR_INPUT, "%s: '%s' is '%.40s'; %s was expected", sidecar->name, key, value, expected);
}

static int set_type(struct raw_sidecar *sidecar, const char *key, const char *type, struct err *err)
{
    sidecar->type = stored_type_find(type);
    return sidecar->type ? ERR_NONE : refuse(sidecar, key, type, stored_type_list(), err);
}

/* ---- .ini ---------------------------------------------------------------------------------------------------------- */

enum field { DIM_X, DIM_Y, DIM_Z, SKIP, FORMAT, ENDIANNESS };

static const struct field_spelling known[] = { { "dimx", DIM_X },
                                               { "dimy", DIM_Y },
                                               { "dimz", DIM_Z },
                                               { "skip", SKIP },
                                               { "format", FORMAT },
                                               { "endianness", ENDIANNESS },
                                               { 0 } };

static int set_endian(struct raw_sidecar *sidecar, const char *order, struct err *err)
{
    const bool big = text_same(order, "BigEndian") || text_same(order, "big");
    sidecar->endian = big ? "big" : "little";
    if (big || text_same(order, "LittleEndian") || text_same(order, "little")) return ERR_NONE;
    return refuse(sidecar, "endianness", order, "LittleEndian or BigEndian", err);
}

/* *found: it describes voxels. */
static int parse_ini(struct raw_sidecar *sidecar, const struct fields *fields, bool *found, struct err *err)
{
    const char *const *value = fields->value;
    *found = value[DIM_X] || value[DIM_Y] || value[DIM_Z];
    for (int a = 0; a < 3 && *found; a++) {
        const char *dim = value[DIM_X + a];
        if (!dim || !fields_sizes(dim, &sidecar->dims[a], 1) || !sidecar->dims[a])
            return refuse(sidecar, known[a].name, dim ? dim : "", "a number of voxels", err);
    }
    if (*found && value[SKIP] && !fields_sizes(value[SKIP], &sidecar->skip, 1))
        return refuse(sidecar, "skip", value[SKIP], "a number of bytes", err);
    int code = *found && value[FORMAT] ? set_type(sidecar, "format", value[FORMAT], err) : ERR_NONE;
    if (!code && *found && value[ENDIANNESS]) code = set_endian(sidecar, value[ENDIANNESS], err);
    return code;
}

static int read_ini(struct raw_sidecar *sidecar, struct source *source, bool *found, struct err *err)
{
    struct fields fields;
    int code = fields_read(&fields, source, known, -1, err);
    if (!code) code = parse_ini(sidecar, &fields, found, err);
    fields_free(&fields);
    return code;
}

/* ---- .json --------------------------------------------------------------------------------------------------------- */

static const char *skip_gap(const char *p) { return p + strspn(p, " \t\r\n"); }

/* The closing quote of the string that begins at `p`, or the end of the text. */
static const char *string_end(const char *p)
{
    for (p++; *p && *p != '"'; p++)
        if (*p == '\\' && p[1]) p++;
    return p;
}

/* Finds the value of a key in the outermost object. NULL: there is none. */
static const char *find_value(const char *text, const char *key)
{
    const size_t n = strlen(key);
    int depth = 0;
    for (const char *p = text; *p; p++) {
        depth += (*p == '{' || *p == '[') - (*p == '}' || *p == ']');
        if (*p != '"') continue;
        const char *end = string_end(p), *after = *end ? skip_gap(end + 1) : end;
        if (depth == 1 && *after == ':' && (size_t)(end - p) == n + 1 && !strncmp(p + 1, key, n))
            return skip_gap(after + 1);
        if (!*end) return NULL;
        p = end;
    }
    return NULL;
}

/* Parses three positive numbers in brackets. */
static bool parse_three(const char *p, double to[3])
{
    for (int i = 0; i < 3; i++) {
        if (*p++ != (i ? ',' : '[') || !text_double(skip_gap(p), &p, &to[i]) || !(to[i] > 0) || isinf(to[i])) return false;
        p = skip_gap(p);
    }
    return *p == ']';
}

static int parse_size(struct raw_sidecar *sidecar, const char *value, struct err *err)
{
    double size[3];
    if (!parse_three(value, size)) return refuse(sidecar, "size", value, "a list of three numbers of voxels", err);
    for (int a = 0; a < 3; a++) {
        if (size[a] != floor(size[a]) || size[a] > INT32_MAX)
            return refuse(sidecar, "size", value, "a list of three whole numbers", err);
        sidecar->dims[a] = (uint64_t)size[a];
    }
    return ERR_NONE;
}

static int parse_type(struct raw_sidecar *sidecar, const char *value, struct err *err)
{
    char name[32];
    const int n = *value == '"' ? (int)(string_end(value) - value) - 1 : (int)strcspn(value, " ,}\r\n");
    snprintf(name, sizeof name, "%.*s", n, value + (*value == '"'));
    return set_type(sidecar, "type", name, err);
}

static int parse_json(struct raw_sidecar *sidecar, const char *text, bool *found, struct err *err)
{
    const char *size = find_value(text, "size"), *type = find_value(text, "type"), *spacing = find_value(text, "spacing");
    *found = size && type;
    if (!*found) return ERR_NONE;
    int code = parse_size(sidecar, size, err);
    if (!code) code = parse_type(sidecar, type, err);
    if (!code && spacing && !parse_three(spacing, sidecar->spacing))
        code = refuse(sidecar, "spacing", spacing, "a list of three positive numbers", err);
    return code;
}

static int read_json(struct raw_sidecar *sidecar, struct source *source, bool *found, struct err *err)
{
    char *text;
    size_t size;
    int code = fields_text(&text, &size, source, err);
    if (!code) code = parse_json(sidecar, text, found, err);
    free(text);
    return code;
}

/* ---- where it lies ------------------------------------------------------------------------------------------------- */

int raw_sidecar_read(struct raw_sidecar *sidecar, const struct source *raw, struct err *err)
{
    static const struct {
        bool whole; /* the extension stays */
        const char *extension;
        int (*read)(struct raw_sidecar *sidecar, struct source *source, bool *found, struct err *err);
    } places[] = { { true, ".ini", read_ini }, { false, ".ini", read_ini }, { false, ".json", read_json } };
    const char *dot = strrchr(raw->path, '.');
    const int stem = dot && !strchr(dot, '/') ? (int)(dot - raw->path) : (int)strlen(raw->path);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char path[sizeof raw->path];
        struct source source;
        bool found = false;
        const int length = places[i].whole ? (int)strlen(raw->path) : stem;
        *sidecar = (struct raw_sidecar){ 0 };
        if (snprintf(path, sizeof path, "%.*s%s", length, raw->path, places[i].extension) >= (int)sizeof path ||
            source_open(&source, path, NULL))
            continue;
        snprintf(sidecar->name, sizeof sidecar->name, "%.*s", (int)sizeof sidecar->name - 1, source_name(&source));
        const int code = places[i].read(sidecar, &source, &found, err);
        source_close(&source);
        if (code || found) return code;
    }
    *sidecar = (struct raw_sidecar){ 0 };
    return ERR_NONE;
}

bool raw_sidecar_takes(const char *raw, const char *other)
{
    struct source source;
    struct raw_sidecar sidecar = { 0 };
    char path[sizeof source.path];
    const char *slash = strrchr(raw, '/');
    source_memory(&source, NULL, 0, raw);
    raw_sidecar_read(&sidecar, &source, NULL); /* the file counts even if it cannot be understood */
    snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash - raw) + 1 : 0, raw, sidecar.name);
    return sidecar.name[0] && replace_is_same(path, other);
}
