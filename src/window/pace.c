#include "pace.h"
#include "timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

double pace_stop(struct pace *pace)
{
    const double ms = pace->looked > 0 ? timing_ms() - pace->looked : 0;
    pace->longest = fmax(pace->longest, ms);
    return ms;
}

void pace_go_on(struct pace *pace) { pace->looked = timing_ms(); }

void pace_event(struct pace *pace, bool idle)
{
    if (idle) pace->since[0] = pace->since[1] = 0;
    if (!(pace->since[pace->drawing] > 0)) pace->since[pace->drawing] = timing_ms();
}

/* Times that no memory is left for are not counted. */
static void add(struct pace_times *times, double ms)
{
    const bool full = !(times->count & (times->count - 1)); /* at each power of 2 */
    double *more = full ? realloc(times->ms, (times->count ? 2 * times->count : 1) * sizeof *more) : times->ms;
    if (!more) return;
    times->ms = more;
    times->ms[times->count++] = ms;
}

void pace_frame(struct pace *pace, double ms, bool scene, bool held)
{
    const bool waited = pace->since[0] > 0;
    pace->frames++;
    if (scene && held) add(&pace->frame, ms);
    if (scene && held && waited) add(&pace->picture, timing_ms() - pace->since[0]);
    if (scene || !waited) pace->since[0] = pace->since[1];
    pace->since[1] = 0;
}

static void print(const char *what, struct pace_times *times)
{
    const size_t n = times->count, last = n ? (size_t)ceil(0.99 * (double)n) - 1 : 0;
    const double median = timing_median(times->ms, n); /* sorts them */
    if (n) printf("%s: %zu, median %.1f ms, 99th percentile %.1f ms\n", what, n, median, times->ms[last]);
    free(times->ms);
    *times = (struct pace_times){ .count = 0 };
}

void pace_close(struct pace *pace)
{
    printf("replay: %zu frames; at most %.1f ms between two looks at events\n", pace->frames, pace->longest);
    print("frames with a new scene while a button was down", &pace->frame);
    print("from an event to its picture meanwhile", &pace->picture);
}
