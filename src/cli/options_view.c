#include "options_view.h"

#include "film.h"
#include "options_state.h"
#include "panel.h"
#include "text.h"

#include <math.h>
#include <string.h>

static int bad(struct err *err, const char *option, const char *value, const char *expected)
{
    return err_set(err, ERR_USAGE, "--%s %s: expected %s", option, value, expected);
}

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
    return bad(err, option, value, "a point from the volume's centre, in halves of its diagonal, like 0.1,0,-0.2");
}

int parse_distance(struct options *o, const char *option, const char *value, struct err *err)
{
    o->view.distance_given = true;
    if (numbers(value, &o->view.distance, 1) && o->view.distance > 0) return ERR_NONE;
    return bad(err, option, value, "a number above 0, in halves of the volume's diagonal, like 3.5");
}

int parse_knife(struct options *o, const char *option, const char *value, struct err *err)
{
    double *knife = o->view.knife;
    o->view.knife_given = true;
    if (numbers(value, knife, 4) && (knife[0] != 0 || knife[1] != 0 || knife[2] != 0)) return ERR_NONE;
    return bad(err, option, value, "a plane by its normal and offset in voxels, like 1,0,0,64");
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

int parse_turntable(struct options *o, const char *option, const char *value, struct err *err)
{
    const char *end;
    uint64_t n;
    if (!text_uint(value, &end, &n) || *end || n < 2 || n > FILM_MOST)
        return bad(err, option, value, "a whole number of pictures from 2 to 100000");
    o->view.turntable = (unsigned)n;
    return ERR_NONE;
}

int parse_render_sweep(struct options *o, const char *option, const char *value, struct err *err)
{
    if (values_parse(&o->values, value, 2)) return ERR_NONE;
    return bad(err, option, value, "at least two " VALUES_GRAMMAR);
}

int parse_theme(struct options *o, const char *option, const char *value, struct err *err)
{
    o->view.theme = value;
    for (int theme = 0; theme < PANEL_THEMES; theme++)
        if (!strcmp(value, panel_theme_name[theme])) return ERR_NONE;
    return bad(err, option, value, "dark or light");
}

int parse_load_state(struct options *o, const char *option, const char *value, struct err *err)
{
    if (o->state) return bad(err, option, value, "one state only");
    o->view.load_state = value;
    return options_read_state(value, &o->setup, &o->view, &o->state, err);
}

int parse_save_state(struct options *o, const char *option, const char *value, struct err *err)
{
    o->view.save_state = value;
    return *value ? ERR_NONE : bad(err, option, "''", "a file name");
}
