#include "parse_surfaces.h"

#include "text.h"

#include <ctype.h>
#include <string.h>

static int bad(struct err *err, const char *option, const char *value, const char *expected)
{
    return err_set(err, ERR_USAGE, "--%s %s: expected %s", option, value, expected);
}

/* One value, or several surfaces. */
int parse_isos(struct options *o, const char *option, const char *value, struct err *err)
{
    struct values *v = &o->values;
    if (!values_parse(v, value, 1) || v->count > VIEW_SURFACES)
        return bad(err, option, value,
                   "a finite number, in the file's own units, or a percentile from 0% to 100%; at most 4, "
                   "like 20,40,95%");
    o->setup.iso_given = true;
    o->setup.iso = v->value[0], o->setup.iso_percent = v->percent[0];
    o->view.isos = (int)v->count;
    for (int i = 0; i < o->view.isos; i++) o->view.iso[i] = v->value[i], o->view.iso_percent[i] = v->percent[i];
    return ERR_NONE;
}

/* "0.3" or "0.3,1" */
int parse_opacity(struct options *o, const char *option, const char *value, struct err *err)
{
    const char *at = value;
    for (int *n = &o->view.opacities; *n < VIEW_SURFACES; at++) {
        double *one = &o->view.opacity[(*n)++];
        if (!text_double(at, &at, one) || !(*one >= 0 && *one <= 1)) break;
        if (!*at) return ERR_NONE;
        if (*at != ',') break;
    }
    return bad(err, option, value,
               "numbers from 0 (invisible) to 1 (opaque), at most 4: one for all surfaces, or one for each");
}

/* "0072b2" */
static bool hexadecimal(const char *text, const char **end, float color[3])
{
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < 6; i++, text++) {
        const char *digit = *text ? strchr(digits, tolower((unsigned char)*text)) : NULL;
        if (!digit) return false;
        const float part = (float)(digit - digits) * (i % 2 ? 1 : 16) / 255;
        color[i / 2] = i % 2 ? color[i / 2] + part : part;
    }
    *end = text;
    return true;
}

int parse_color(struct options *o, const char *option, const char *value, struct err *err)
{
    const char *at = value;
    for (int *n = &o->view.colors; *n < VIEW_SURFACES; at++) {
        if (!hexadecimal(at + (*at == '#'), &at, o->view.color[(*n)++])) break;
        if (!*at) return ERR_NONE;
        if (*at != ',') break;
    }
    return bad(err, option, value,
               "colours like 0072b2 or d55e00,0072b2, at most 4: one for all surfaces, or one for each");
}

int parse_check_lists(const struct options *options, struct err *err)
{
    const struct {
        const char *name;
        int count;
    } lists[] = { { "opacity", options->view.opacities }, { "color", options->view.colors } };
    const int surfaces = options->view.isos ? options->view.isos : 1;
    for (int i = 0; i < 2; i++)
        if (lists[i].count > 1 && lists[i].count != surfaces)
            return err_set(err, ERR_USAGE, "--%s has %d entries for %d of --iso: give one for each surface, or one for all",
                           lists[i].name, lists[i].count, surfaces);
    return ERR_NONE;
}
