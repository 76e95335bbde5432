#include "series.h"

#include "timing.h"

#include <math.h>
#include <string.h>

void series_add(struct series *series, double value)
{
    series->value[series->next] = value;
    series->next = (series->next + 1) % SERIES_LENGTH;
    if (series->count < SERIES_LENGTH) series->count++;
}

double series_last(const struct series *series)
{
    return series->count ? series->value[(series->next + SERIES_LENGTH - 1) % SERIES_LENGTH] : 0;
}

double series_median(const struct series *series)
{
    double sorted[SERIES_LENGTH];
    memcpy(sorted, series->value, series->count * sizeof *sorted);
    return timing_median(sorted, series->count);
}

double series_percentile(const struct series *series, double percent)
{
    double sorted[SERIES_LENGTH];
    const unsigned n = series->count;
    if (!n) return 0;
    memcpy(sorted, series->value, n * sizeof *sorted);
    timing_median(sorted, n); /* sorts them */
    const double rank = ceil(percent / 100 * n);
    return sorted[rank < 1 ? 0 : rank > n ? n - 1 : (unsigned)rank - 1];
}

double series_at(const struct series *series, unsigned i)
{
    return series->value[series->count < SERIES_LENGTH ? i : (series->next + i) % SERIES_LENGTH];
}
