#include "pace.h"
#include "list.h"
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

/* Adds a time; drops it if there is no memory. */
static void add(struct pace_times *times, double ms)
{
    double *more = list_grown(times->ms, times->count, sizeof *more);
    if (!more) return;
    times->ms = more;
    times->ms[times->count++] = ms;
}

void pace_frame(struct pace *pace, const struct frame *scene, bool held)
{
    const bool waited = pace->since[0] > 0;
    pace->frames++;
    if (scene && held) add(&pace->frame, scene->ms);
    for (int i = 0; scene && held && i < FRAME_PARTS; i++) add(&pace->part[i], scene->part[i]);
    if (scene && held && waited) add(&pace->picture, timing_ms() - pace->since[0]);
    if (scene || !waited) pace->since[0] = pace->since[1];
    pace->since[1] = 0;
}

/* Finds the median and the 99th percentile, and frees the times. False: there are none. */
static bool take(struct pace_times *times, double *median, double *most)
{
    const size_t n = times->count;
    if (n) *median = timing_median(times->ms, n), *most = times->ms[(size_t)ceil(0.99 * (double)n) - 1]; /* it sorts them */
    free(times->ms);
    *times = (struct pace_times){ .count = 0 };
    return n > 0;
}

static void print(const char *what, struct pace_times *times)
{
    const size_t n = times->count;
    double median, most;
    if (take(times, &median, &most)) printf("%s: %zu, median %.1f ms, 99th percentile %.1f ms\n", what, n, median, most);
}

static void print_parts(struct pace_times part[FRAME_PARTS])
{
    double median, most;
    for (int i = 0; i < FRAME_PARTS; i++)
        if (take(&part[i], &median, &most))
            printf("%s%s %.1f (%.1f)%s", i ? ", " : "  of which ", frame_part_name[i], median, most,
                   i + 1 < FRAME_PARTS ? "" : " ms\n");
}

void pace_close(struct pace *pace)
{
    printf("replay: %zu frames; at most %.1f ms between two looks at events\n", pace->frames, pace->longest);
    print("frames with a new scene while a button was down", &pace->frame);
    print_parts(pace->part);
    print("from an event to its picture meanwhile", &pace->picture);
}
