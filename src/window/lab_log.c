/* The log of the lab: a row for each time as it was measured, without means. */
#include "lab.h"
#include "text.h"

#include <errno.h>
#include <string.h>

int lab_log_open(struct lab_log *log, const char *path, double now, struct err *err)
{
    *log = (struct lab_log){ .file = fopen(path, "wx"), .start = now };
    if (!log->file) return err_set(err, ERR_FAILED, "%s could not be written: %s", path, strerror(errno));
    fprintf(log->file, "seconds,backend,what,rung,isovalue,triangles,ms\n");
    return ERR_NONE;
}

static void add_row(struct lab_log *log, const struct lab_times *times, const char *prefix, const char *what,
                    const char *rung, double ms, double now)
{
    char text[3][32];
    fprintf(log->file, "%s,%s,%s%s,%s,%s,%llu,%s\n", text_print(text[0], (now - log->start) * 1e-3),
            backends[times->backend]->name, prefix, what, rung, text_print(text[1], times->value),
            (unsigned long long)times->triangles, text_print(text[2], ms));
}

/* How many values of the series are new since the last look. If it was cleared and filled to the same place again, the
 * newest value differs. */
static unsigned count_new(struct lab_log *log, int row, const struct series *series)
{
    const unsigned before = log->seen[row].next;
    const bool same = log->seen[row].last == series_last(series);
    const unsigned grown = (series->next + SERIES_LENGTH - before) % SERIES_LENGTH;
    const bool cleared = series->count < SERIES_LENGTH && series->next < before;
    const unsigned fresh = !series->count || (!grown && same) ? 0 : cleared || !grown ? series->count : grown;
    log->seen[row].next = series->next;
    log->seen[row].last = series_last(series);
    return fresh < series->count ? fresh : series->count;
}

static void add_parts(struct lab_log *log, const struct lab_times *times, double now)
{
    const struct frame *frame = frames_last(&times->frames);
    for (int part = 0; frame && part < FRAME_PARTS; part++)
        add_row(log, times, "frame.", frame_part_name[part], "", frame->part[part], now);
}

int lab_log_add(struct lab_log *log, const struct lab_times *times, double now, struct err *err)
{
    if (!log->file) return ERR_NONE;
    for (int row = 0; row < LAB_ROWS; row++) {
        const struct series *series = lab_series(times, row);
        const unsigned fresh = series ? count_new(log, row, series) : 0;
        for (unsigned i = series ? series->count - fresh : 0; series && i < series->count; i++)
            add_row(log, times, "", lab_name(row), lab_rung(times, row), series_at(series, i), now);
        if (fresh && row == LAB_FRAME) add_parts(log, times, now);
    }
    if (!fflush(log->file)) return ERR_NONE;
    lab_log_close(log);
    return err_set(err, ERR_FAILED, "the log of times could not be written: %s", strerror(errno));
}

void lab_log_close(struct lab_log *log)
{
    if (log->file) fclose(log->file);
    log->file = NULL;
}
