#include "options_file.h"

#include "options_numbers.h"
#include "text.h"

#include <math.h>
#include <string.h>

int parse_dims(struct options *o, const char *option, const char *value, struct err *err)
{
    if (parse_wholes(value, 3, o->setup.load.dims)) return ERR_NONE;
    return options_bad(err, option, value, "voxels along x, y and z, like 256x256x128");
}

int parse_type(struct options *o, const char *option, const char *value, struct err *err)
{
    (void)option, (void)err; /* the loader checks it */
    o->setup.load.type = value;
    return ERR_NONE;
}

int parse_endian(struct options *o, const char *option, const char *value, struct err *err)
{
    o->setup.load.endian = value;
    return !strcmp(value, "little") || !strcmp(value, "big") ? ERR_NONE : options_bad(err, option, value, "little or big");
}

int parse_order(struct options *o, const char *option, const char *value, struct err *err)
{
    o->setup.load.z_fastest = !strcmp(value, "zyx");
    if (o->setup.load.z_fastest || !strcmp(value, "xyz")) return ERR_NONE;
    return options_bad(err, option, value, "the file's axes, the fastest first: xyz or zyx");
}

int parse_offset(struct options *o, const char *option, const char *value, struct err *err)
{
    o->setup.load.offset_given = true;
    return parse_whole(value, 0, INT64_MAX, &o->setup.load.offset) ? ERR_NONE
                                                                   : options_bad(err, option, value, "a number of bytes");
}

int parse_spacing(struct options *o, const char *option, const char *value, struct err *err)
{
    const char *at = value, *end;
    for (int i = 0; i < 3; i++) {
        const bool good = text_double(at, &end, &o->setup.load.spacing[i]) && isfinite(o->setup.load.spacing[i]);
        if (!good || o->setup.load.spacing[i] <= 0 || (i < 2 ? *end != ',' && *end != 'x' : *end != 0))
            return options_bad(err, option, value, "the distance between voxels along x, y and z, like 0.5,0.5,2");
        at = end + 1;
    }
    return ERR_NONE;
}

int parse_frame(struct options *o, const char *option, const char *value, struct err *err)
{
    return parse_whole(value, 0, INT64_MAX, &o->setup.load.frame)
               ? ERR_NONE
               : options_bad(err, option, value, "a whole number, 0 or more");
}

int parse_component(struct options *o, const char *option, const char *value, struct err *err)
{
    return parse_whole(value, 0, INT64_MAX, &o->setup.load.component)
               ? ERR_NONE
               : options_bad(err, option, value, "a whole number, 0 or more");
}

int parse_level(struct options *o, const char *option, const char *value, struct err *err)
{
    o->setup.load.level_given = true;
    if (!parse_whole(value, 0, INT64_MAX, &o->setup.load.level))
        return options_bad(err, option, value, "a whole number, 0 or more");
    o->setup.load.level_counts = o->setup.load.level;
    return ERR_NONE;
}

int parse_array(struct options *o, const char *option, const char *value, struct err *err)
{
    o->setup.load.array = value;
    return *value ? ERR_NONE : options_bad(err, option, "''", "the name of an array");
}

int parse_series(struct options *o, const char *option, const char *value, struct err *err)
{
    o->setup.load.series = value;
    return *value ? ERR_NONE : options_bad(err, option, "''", "the number of a series");
}
