#include "options_view.h"

#include "film.h"
#include "options_state.h"
#include "text.h"
#include "theme.h"

#include <math.h>
#include <string.h>

/* `count` finite numbers, joined by commas. */
static bool numbers(const char *text, double *number, int count)
{
    for (int i = 0; i < count; i++) {
        if (!text_double(text, &text, &number[i]) || !isfinite(number[i])) return false;
        if (*text++ != (i + 1 < count ? ',' : 0)) return false;
    }
    return true;
}

int parse_target(struct options *o, const char *option, const char *value, struct err *err)
{
    o->view.target_given = true;
    if (numbers(value, o->view.target, 3)) return ERR_NONE;
    return options_bad(err, option, value, "a point from the volume's centre, in halves of its diagonal, like 0.1,0,-0.2");
}

int parse_distance(struct options *o, const char *option, const char *value, struct err *err)
{
    o->view.distance_given = true;
    if (numbers(value, &o->view.distance, 1) && o->view.distance > 0) return ERR_NONE;
    return options_bad(err, option, value, "a number above 0, in halves of the volume's diagonal, like 3.5");
}

/* "x=128" or "x=128,z=40". With a sign, as in "x=128+", the plane also cuts away what lies beyond it (+) or before it
 * (-). */
int parse_slice(struct options *o, const char *option, const char *value, struct err *err)
{
    unsigned named = 0; /* a bit per axis */
    for (const char *at = value;; at++) {
        const int axis = *at - 'x';
        const bool good = axis >= 0 && axis <= 2 && !(named >> axis & 1) && at[1] == '=' &&
                          text_uint(at + 2, &at, &o->view.slice[axis]);
        if (good) o->view.slice_cut[axis] = *at == '+' ? 1 : *at == '-' ? -1 : 0;
        if (good && o->view.slice_cut[axis]) at++;
        if (!good || (*at && *at != ','))
            return options_bad(err, option, value,
                               "planes by axis and voxel, one per axis, like x=128 or x=128,z=40; x=128+ leaves out what "
                               "lies above, x=128- "
                               "below");
        named |= 1u << axis;
        o->view.slice_given[axis] = true;
        if (!*at) return ERR_NONE;
    }
}

/* A number, or nothing before `end`. */
static bool crop_side(struct options *o, int side, const char **at, const char *end)
{
    if (strchr(end, **at)) return true;
    o->view.crop_given[side] = true;
    return text_double(*at, at, &o->view.crop[side]) && isfinite(o->view.crop[side]);
}

/* "x=20:100" or "x=20:100,z=:64"; a missing end is the volume's */
int parse_crop(struct options *o, const char *option, const char *value, struct err *err)
{
    unsigned named = 0; /* a bit per axis */
    for (const char *at = value;; at++) {
        const int axis = *at - 'x';
        bool good = axis >= 0 && axis <= 2 && !(named >> axis & 1) && at[1] == '=';
        if (good) {
            at += 2;
            o->view.crop_given[2 * axis] = o->view.crop_given[2 * axis + 1] = false; /* forget those of a state */
        }
        good = good && crop_side(o, 2 * axis, &at, ":") && *at++ == ':' && crop_side(o, 2 * axis + 1, &at, ",") &&
               (o->view.crop_given[2 * axis] || o->view.crop_given[2 * axis + 1]);
        if (!good || (*at && *at != ','))
            return options_bad(err, option, value,
                               "what to draw, once per axis, by voxels, like x=20:100 or x=20:100,z=:64");
        named |= 1u << axis;
        if (!*at) return ERR_NONE;
    }
}

int parse_open_cuts(struct options *o, const char *option, const char *value, struct err *err)
{
    (void)option, (void)value, (void)err;
    o->view.open_cuts = true;
    return ERR_NONE;
}

int parse_slice_map(struct options *o, const char *option, const char *value, struct err *err)
{
    (void)option, (void)err; /* the command checks it */
    o->view.slice_map = value;
    return ERR_NONE;
}

int parse_knife(struct options *o, const char *option, const char *value, struct err *err)
{
    double *knife = o->view.knife;
    o->view.knife_given = true;
    if (numbers(value, knife, 4) && (knife[0] != 0 || knife[1] != 0 || knife[2] != 0)) return ERR_NONE;
    return options_bad(err, option, value, "a plane by its normal and offset in voxels, like 1,0,0,64");
}

int parse_shading(struct options *o, const char *option, const char *value, struct err *err)
{
    (void)option, (void)err; /* the renderer checks it */
    o->view.shading = value;
    return ERR_NONE;
}

int parse_draw(struct options *o, const char *option, const char *value, struct err *err)
{
    (void)option, (void)err; /* the renderer checks it */
    o->view.draw = value;
    return ERR_NONE;
}

int parse_edges(struct options *o, const char *option, const char *value, struct err *err)
{
    (void)option, (void)value, (void)err;
    o->view.edges = true;
    return ERR_NONE;
}

int parse_transparent(struct options *o, const char *option, const char *value, struct err *err)
{
    (void)option, (void)value, (void)err;
    o->view.transparent = true;
    return ERR_NONE;
}

int parse_frames(struct options *o, const char *option, const char *value, struct err *err)
{
    (void)option, (void)value, (void)err;
    o->view.frames = true;
    return ERR_NONE;
}

int parse_turntable(struct options *o, const char *option, const char *value, struct err *err)
{
    const char *end;
    uint64_t n;
    if (!text_uint(value, &end, &n) || *end || n < 2 || n > FILM_MOST)
        return options_bad(err, option, value, "a whole number of pictures from 2 to 100000");
    o->view.turntable = (unsigned)n;
    return ERR_NONE;
}

int parse_render_sweep(struct options *o, const char *option, const char *value, struct err *err)
{
    if (values_parse(&o->values, value, 2)) return ERR_NONE;
    return options_bad(err, option, value, "at least two " VALUES_GRAMMAR);
}

int parse_theme(struct options *o, const char *option, const char *value, struct err *err)
{
    o->view.theme = value;
    for (int theme = 0; theme < THEMES; theme++)
        if (!strcmp(value, theme_name[theme])) return ERR_NONE;
    return options_bad(err, option, value, "dark or light");
}

int parse_rung_file(struct options *o, const char *option, const char *value, struct err *err)
{
    (void)option, (void)err;
    o->view.rung_file = value;
    return ERR_NONE;
}

int parse_load_state(struct options *o, const char *option, const char *value, struct err *err)
{
    if (o->state) return options_bad(err, option, value, "one state only");
    o->view.load_state = value;
    return options_read_state(value, &o->setup, &o->view, &o->state, err);
}

int parse_save_state(struct options *o, const char *option, const char *value, struct err *err)
{
    o->view.save_state = value;
    return *value ? ERR_NONE : options_bad(err, option, "''", "a file name");
}
