#include "lab.h"
#include "text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *lab_name(int row)
{
    static const char *const names[] = { "map", "draw", "compute", "frame" };
    return row < STAGE_ALL ? stage_name[row] : names[row - STAGE_ALL];
}

const char *lab_rung(const struct lab_times *times, int row)
{
    return row < STAGE_ALL && times->rung[row] ? times->rung[row]->name : "";
}

static bool takes_part(const struct lab_times *times, int stage)
{
    return stage >= STAGE_COUNT || stage == STAGE_BRICKS || times->fused == (stage == STAGE_FUSED);
}

const struct series *lab_series(const struct lab_times *times, int row)
{
    const struct series *const others[] = { &times->live.map, &times->draw, &times->live.compute, &times->frame };
    if (row >= STAGE_ALL) return others[row - STAGE_ALL];
    return takes_part(times, row) ? &times->live.stage[row] : NULL;
}

bool lab_is_cold(const struct lab_times *times, int row)
{
    const bool cold = row == LAB_COMPUTE ? times->live.cold_compute : row < STAGE_ALL && times->live.cold[row];
    const struct series *series = lab_series(times, row);
    return cold && series && series->count == 1;
}

static double median_of(const struct lab_times *times, int row)
{
    const struct series *series = lab_series(times, row);
    return series ? series_median(series) : 0;
}

/* Whether the row's rung leaves its work out, so that its time cannot be compared. */
static bool is_none(const struct lab_times *times, int row) { return !strcmp(lab_rung(times, row), "none"); }

double lab_gain(const struct lab *lab, int row)
{
    const double now = median_of(&lab->shown, row), pinned = lab->pinned ? median_of(&lab->pin, row) : 0;
    return now > 0 && pinned > 0 && !is_none(&lab->shown, row) && !is_none(&lab->pin, row) ? pinned / now : 0;
}

void lab_describe(const struct rung *const rung[STAGE_ALL], enum backend backend, char *text, size_t size)
{
    bool textbook = true;
    size_t used = 0;
    snprintf(text, size, "all fastest");
    for (int s = 0; s < STAGE_ALL; s++) {
        const struct ladder *ladder = ladder_of(stage_name[s]);
        textbook = textbook && rung[s] == ladder_rung(ladder, backend, 0);
        if (rung[s] == ladder_find(ladder, backend, NULL) || used >= size) continue;
        const int n = snprintf(text + used, size - used, "%s%s=%s", used ? " " : "", stage_name[s], rung[s]->name);
        used += n > 0 ? (size_t)n : 0;
    }
    if (textbook) snprintf(text, size, "all textbook");
}

/* ---- Markdown ---------------------------------------------------------------------------------------------------- */

struct out {
    char *text;
    size_t size, used;
};

static void put(struct out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct out *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(out->text + out->used, out->size - out->used, format, args);
    va_end(args);
    if (n > 0) out->used = out->used + (size_t)n < out->size ? out->used + (size_t)n : out->size - 1;
}

/* Puts a number with four digits; an empty cell if there is none. */
static void put_number(struct out *out, double value)
{
    char text[32];
    const double unit = value > 0 ? pow(10, floor(log10(value)) - 3) : 1;
    if (value > 0) put(out, " %s |", text_print(text, round(value / unit) * unit));
    else put(out, "  |");
}

/* Puts what was timed. */
static void put_subject(struct out *out, const char *what, const struct lab_times *times)
{
    char value[32];
    put(out, "%s%s, %zu x %zu x %zu voxels, isovalue %s: %llu triangles, on %s\n\n", what, times->volume, times->dims[0],
        times->dims[1], times->dims[2], text_print(value, times->value), (unsigned long long)times->triangles,
        backends[times->backend]->name);
}

static void put_columns(struct out *out, bool pinned)
{
    put(out, "| | rung | runs | last, ms | median | P90 | P99 | MB | GB/s | %% of a copy |%s\n",
        pinned ? " pinned rung | its median | times as fast |" : "");
    put(out, "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|%s\n", pinned ? "---|--:|--:|" : "");
}

static void put_pinned(struct out *out, const struct lab *lab, int row)
{
    put(out, " %s |", lab_rung(&lab->pin, row));
    put_number(out, median_of(&lab->pin, row));
    put_number(out, lab_gain(lab, row));
}

void lab_markdown(const struct lab *lab, char *text, size_t size)
{
    const struct lab_times *times = &lab->shown;
    struct out out = { text, size, 0 };
    put_subject(&out, "", times);
    if (lab->pinned) put_subject(&out, "Pinned: ", &lab->pin);
    put_columns(&out, lab->pinned);
    for (int row = 0; row < LAB_ROWS; row++) {
        const struct series *series = lab_series(times, row);
        const double last = series ? series_last(series) : 0;
        const double bytes = row < STAGE_ALL && last > 0 ? (double)times->stage[row].bytes : 0;
        const double rate = last > 0 ? bytes / last * 1e-6 : 0;
        if (!(last > 0) && !(lab->pinned && median_of(&lab->pin, row) > 0)) continue;
        put(&out, "| %s | %s | %u |", lab_name(row), lab_rung(times, row), series ? series->count : 0);
        const double numbers[] = { last,
                                   series ? series_median(series) : 0,
                                   series ? series_percentile(series, 90) : 0,
                                   series ? series_percentile(series, 99) : 0,
                                   bytes * 1e-6,
                                   rate,
                                   times->copy_rate > 0 ? 100 * rate / times->copy_rate : 0 };
        for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) put_number(&out, numbers[i]);
        if (lab->pinned) put_pinned(&out, lab, row);
        put(&out, "\n");
    }
}
