#include "rounds.h"

#include "timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONG_MS 4000 /* with `hurry`, slower rounds stop after ROUNDS_LEAST runs */

double rounds_rate(const struct work *work)
{
    return work->bytes && work->us.median > 0 ? 1e-3 * (double)work->bytes / work->us.median : NAN;
}

static double *times_at(const struct rounds *r, size_t i, int column)
{
    return r->ms + (i * (size_t)r->columns + (size_t)column) * (size_t)r->runs;
}

int rounds_run(struct rounds *r, int (*run)(void *context, size_t i, double *ms), void *context, struct err *err)
{
    const size_t columns = (size_t)r->columns, all = r->count * columns * (size_t)r->runs;
    const double start = timing_ms();
    r->done = 0;
    r->ms = calloc(all + columns, sizeof *r->ms);
    if (!r->ms) return err_set(err, ERR_FAILED, "not enough memory for the times of %zu runs", r->count * (size_t)r->runs);
    double *ms = r->ms + all;
    for (int k = -ROUNDS_WARM_UPS; k < r->runs; k++) {
        if (r->hurry && k >= ROUNDS_LEAST && timing_ms() - start > LONG_MS) break;
        for (size_t i = 0; i < r->count; i++) {
            memset(ms, 0, columns * sizeof *ms);
            const int code = run(context, i, ms);
            if (code) return code;
            for (int c = 0; c < r->columns && k >= 0; c++) times_at(r, i, c)[k] = ms[c];
        }
        if (k >= 0) r->done = k + 1;
    }
    return ERR_NONE;
}

struct times rounds_times(const struct rounds *r, size_t i, int column)
{
    double *ms = times_at(r, i, column);
    const double median = timing_median(ms, (size_t)r->done);
    return (struct times){ 1e3 * median, 1e3 * ms[0], 1e3 * ms[(9 * r->done + 9) / 10 - 1] };
}

void rounds_free(struct rounds *r)
{
    free(r->ms);
    r->ms = NULL;
}

/* Three decimals of a microsecond are nanoseconds; further digits are noise. */
void rounds_report(struct report *report, const struct times *us, bool known, const char *suffix)
{
    const struct {
        const char *name;
        double value;
    } member[] = { { "median", us->median }, { "min", us->min }, { "p90", us->p90 } };
    for (size_t i = 0; i < sizeof member / sizeof member[0]; i++) {
        char name[16];
        snprintf(name, sizeof name, "%s%s", member[i].name, suffix);
        report_measured(report, name, known ? member[i].value : NAN);
    }
}
