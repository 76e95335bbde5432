#include "values.h"

#include "stats.h"
#include "text.h"

#include <math.h>

static bool add(struct values *v, double value, enum isovalue in)
{
    if (v->count == VALUES_MOST) return false;
    v->value[v->count] = value;
    v->in[v->count++] = in;
    return true;
}

/* Reads what follows "FROM:"; `v` already holds FROM. Both ends are exact. */
static bool parse_range(struct values *v, const char *text)
{
    const double from = v->value[0];
    const enum isovalue in = v->in[0];
    enum isovalue to_in;
    double to;
    uint64_t n;
    text = isovalue_parse(text, &to, &to_in);
    if (!text || *text != ':' || to_in != in) return false;
    if (!text_uint(text + 1, &text, &n) || *text || n < 2 || n > VALUES_MOST) return false;
    for (v->count = 1; v->count < n - 1;) {
        const double past = (double)v->count, ahead = (double)(n - 1 - v->count);
        add(v, (from * ahead + to * past) / (double)(n - 1), in);
    }
    add(v, to, in);
    return true;
}

bool values_parse(struct values *v, const char *text, size_t least)
{
    double value;
    enum isovalue in;
    for (v->count = 0;; text++) {
        text = isovalue_parse(text, &value, &in);
        if (!text || !add(v, value, in)) return false;
        if (*text == ':' && v->count == 1) return parse_range(v, text + 1);
        if (!*text) return v->count >= least;
        if (*text != ',') return false;
    }
}

static bool parse_whole(const char **text, uint64_t *n)
{
    return text_uint(*text, text, n) && *n && *n <= (uint64_t)1 << 40;
}

/* Reads what follows "FROM:"; list[0] already holds FROM. Both ends are exact. */
static bool whole_range(const char *text, uint64_t *list, int most, int *count)
{
    const double from = (double)list[0];
    uint64_t to, n;
    if (!parse_whole(&text, &to) || *text != ':' || to <= list[0]) return false;
    if (!text_uint(text + 1, &text, &n) || *text || n < 2 || n > (uint64_t)most) return false;
    for (uint64_t i = 1; i < n; i++) {
        const double exact = from * pow((double)to / from, (double)i / (double)(n - 1));
        const uint64_t next = i + 1 < n ? (uint64_t)llround(exact) : to;
        if (next > list[*count - 1]) list[(*count)++] = next;
    }
    return true;
}

bool values_whole(const char *text, uint64_t *list, int most, bool range, int *count)
{
    for (*count = 0; *count < most; text++) {
        if (!parse_whole(&text, &list[(*count)++])) return false;
        if (range && *text == ':' && *count == 1) return whole_range(text + 1, list, most, count);
        if (!*text) return true;
        if (*text != ',') return false;
    }
    return false;
}

bool values_shape(const char *text, uint64_t shape[3])
{
    shape[2] = 0;
    for (int a = 0; a < 3; a++, text++) {
        if (!parse_whole(&text, &shape[a])) return false;
        if (!*text) return a > 0;
        if (*text != 'x') return false;
    }
    return false;
}

int values_find(const struct values *values, double *real, struct iso *iso, const struct volume *volume, struct err *err)
{
    struct stats stats;
    bool known = false;
    for (size_t i = 0; i < values->count; i++) {
        real[i] = values->value[i];
        if (!values->in[i]) continue;
        if (!known && stats_compute(&stats, iso, volume, err)) return ERR_FAILED;
        known = true;
        if (stats_isovalue(&stats, iso, volume, values->in[i], values->value[i], &real[i], err)) return ERR_FAILED;
    }
    return ERR_NONE;
}
