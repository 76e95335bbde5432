#include "options_surfaces.h"

#include "text.h"
#include "values.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* One value, or several surfaces. */
int parse_isos(struct options *o, const char *option, const char *value, struct err *err)
{
    struct values v = { .count = 0 };
    if (!values_parse(&v, value, 1) || v.count > VIEW_SURFACES)
        return options_bad(err, option, value, ISOVALUE_GRAMMAR "; at most 4, like 20,40,95%");
    o->setup.iso_given = true;
    o->setup.iso = v.value[0], o->setup.iso_in = v.in[0];
    o->view.isos = (int)v.count;
    for (int i = 0; i < o->view.isos; i++) o->view.iso[i] = v.value[i], o->view.iso_in[i] = v.in[i];
    return ERR_NONE;
}

/* "0.3" or "0.3,1" */
int parse_opacity(struct options *o, const char *option, const char *value, struct err *err)
{
    const char *at = value;
    o->view.opacities = 0; /* forget those of a state */
    for (int *n = &o->view.opacities; *n < VIEW_SURFACES; at++) {
        double *one = &o->view.opacity[(*n)++];
        if (!text_double(at, &at, one) || !(*one >= 0 && *one <= 1)) break;
        if (!*at) return ERR_NONE;
        if (*at != ',') break;
    }
    return options_bad(err, option, value,
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

/* "0072b2", or "auto,0072b2" */
int parse_color(struct options *o, const char *option, const char *value, struct err *err)
{
    static const char own[] = "auto";
    const char *at = value;
    o->view.colors = 0;
    for (int *n = &o->view.colors; *n < VIEW_SURFACES; at++) {
        const int i = (*n)++;
        o->view.own_color[i] = text_begins(at, own);
        if (o->view.own_color[i]) at += strlen(own);
        else if (!hexadecimal(at + (*at == '#'), &at, o->view.color[i])) break;
        if (!*at) return ERR_NONE;
        if (*at != ',') break;
    }
    return options_bad(err, option, value,
                       "colours like 0072b2 or d55e00,auto, at most 4: one for all surfaces, or one for each");
}

int parse_color_by(struct options *o, const char *option, const char *value, struct err *err)
{
    (void)option, (void)err; /* the command checks it */
    o->view.color_by = value;
    return ERR_NONE;
}

int parse_color_map(struct options *o, const char *option, const char *value, struct err *err)
{
    (void)option, (void)err; /* the command checks it */
    o->view.color_map = value;
    return ERR_NONE;
}

/* "2" or "1,3" */
int parse_hide(struct options *o, const char *option, const char *value, struct err *err)
{
    const char *at = value;
    uint64_t n;
    memset(o->view.hidden, 0, sizeof o->view.hidden);
    for (; text_uint(at, &at, &n) && n >= 1 && n <= VIEW_SURFACES; at++) {
        o->view.hidden[n - 1] = true;
        if (!*at) return ERR_NONE;
        if (*at != ',') break;
    }
    return options_bad(err, option, value, "places of surfaces in --iso, from 1 to 4, like 2 or 1,3");
}

/* "2.5" or "0,10%" */
int parse_min_sizes(struct options *o, const char *option, const char *value, struct err *err)
{
    const char *at = value;
    o->view.min_sizes = 0;
    for (int *n = &o->view.min_sizes; *n < VIEW_SURFACES; at++) {
        const int i = (*n)++;
        double *one = &o->view.min_size[i];
        if (!text_double(at, &at, one) || !isfinite(*one) || *one < 0) break;
        o->view.min_percent[i] = *at == '%';
        if (*at == '%' && (at++, *one > 100)) break;
        if (!*at) return ERR_NONE;
        if (*at != ',') break;
    }
    return options_bad(
        err, option, value,
        "a length in the file's unit, or percent of the longest part, like 2.5 or 10%; at most 4, one for each surface");
}

/* "3", "largest" or "all,2" */
int parse_keeps(struct options *o, const char *option, const char *value, struct err *err)
{
    static const struct {
        const char *name;
        uint64_t keep;
    } words[] = { { "all", 0 }, { "largest", 1 } };
    const char *at = value;
    o->view.keeps = 0;
    for (int *n = &o->view.keeps; *n < VIEW_SURFACES; at++) {
        uint64_t *one = &o->view.keep[(*n)++];
        const size_t letters = strcspn(at, ",");
        const int word = !strncmp(at, words[0].name, letters) ? 0 : 1;
        if (letters == strlen(words[word].name) && !strncmp(at, words[word].name, letters)) {
            *one = words[word].keep;
            at += letters;
        } else if (!text_uint(at, &at, one) || !*one) break;
        if (!*at) return ERR_NONE;
        if (*at != ',') break;
    }
    return options_bad(err, option, value, "largest, all, or a whole number, 1 or more; at most 4, one for each surface");
}

/* The number of a surface in the list of --iso, from 1. */
static bool place(const char **at, uint64_t *n) { return text_uint(*at, at, n) && *n >= 1 && *n <= VIEW_SURFACES; }

/* "1:2" or "1:2,3:4" */
int parse_pair(struct options *o, const char *option, const char *value, struct err *err)
{
    const char *at = value;
    uint64_t a, b;
    memset(o->view.pair, 0, sizeof o->view.pair);
    for (; place(&at, &a) && *at++ == ':' && place(&at, &b) && a != b; at++) {
        if (o->view.pair[a - 1] || o->view.pair[b - 1]) break;
        o->view.pair[a - 1] = (int)b;
        o->view.pair[b - 1] = (int)a;
        if (!*at) return ERR_NONE;
        if (*at != ',') break;
    }
    return options_bad(err, option, value, "two places of surfaces in --iso, like 1:2; each surface is in one pair");
}

static int check_place(const char *option, int place, int surfaces, struct err *err)
{
    if (place <= surfaces) return ERR_NONE;
    return err_set(err, ERR_USAGE, "--%s %d: there %s: give one of their places in --iso", option, place,
                   surfaces == 1   ? "is 1 surface"
                   : surfaces == 2 ? "are 2 surfaces"
                                   : "are 3 surfaces");
}

int parse_check_lists(const struct options *options, struct err *err)
{
    const struct {
        const char *name;
        int count;
    } lists[] = { { "opacity", options->view.opacities },
                  { "color", options->view.colors },
                  { "min-size", options->view.min_sizes },
                  { "keep", options->view.keeps } };
    const int surfaces = options->view.isos ? options->view.isos : 1;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        if (lists[i].count > 1 && lists[i].count != surfaces)
            return err_set(err, ERR_USAGE, "--%s has %d entries for %d of --iso: give one for each surface, or one for all",
                           lists[i].name, lists[i].count, surfaces);
    for (int i = surfaces; i < VIEW_SURFACES; i++) {
        if (options->view.hidden[i]) return check_place("hide", i + 1, surfaces, err);
        if (options->view.pair[i]) return check_place("pair", i + 1, surfaces, err);
    }
    return ERR_NONE;
}
