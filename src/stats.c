#include "stats.h"

#include <math.h>
#include <string.h>

/* Integer types with few values get one bin for each, so that bin borders fall between values and not on them. */
static void choose_bins(struct stats *s, enum voxel_type type)
{
    const double range = s->summary.max - s->summary.min;
    s->lo = (float)s->summary.min, s->hi = (float)s->summary.max, s->bins = STATS_MAX_BINS;
    if (!(range > 0)) s->bins = 0;
    else if (type != VOXEL_FLOAT32 && range < STATS_MAX_BINS)
        s->lo -= 0.5f, s->hi += 0.5f, s->bins = (unsigned)range + 1;
}

static double bin_edge(const struct stats *s, double bin)
{
    return s->lo + ((double)s->hi - s->lo) * bin / s->bins;
}

static double total_count(const struct stats *s)
{
    double total = 0;
    for (unsigned b = 0; b < s->bins; b++) total += (double)s->counts[b];
    return total;
}

/* The value, stored units, that splits the histogram with the largest variance between both parts (Otsu 1979). */
static double otsu(const struct stats *s)
{
    const double total = total_count(s);
    double sum_all = 0, sum = 0, below = 0, best = -1, value = bin_edge(s, s->bins / 2.0);
    for (unsigned b = 0; b < s->bins; b++) sum_all += (double)s->counts[b] * b;
    for (unsigned b = 0; b + 1 < s->bins; b++) {
        below += (double)s->counts[b];
        sum += (double)s->counts[b] * b;
        if (below == 0 || below == total) continue;
        const double d = sum / below - (sum_all - sum) / (total - below), between = below * (total - below) * d * d;
        if (between > best) best = between, value = bin_edge(s, b + 1.0);
    }
    return value;
}

static double percentile_stored(const struct stats *s, double part)
{
    const double wanted = part * total_count(s);
    double below = 0;
    for (unsigned b = 0; b < s->bins; b++) {
        const double count = (double)s->counts[b];
        if (below + count >= wanted && count > 0) return bin_edge(s, b + (wanted - below) / count);
        below += count;
    }
    return s->hi;
}

double stats_percentile(const struct stats *stats, const struct volume *volume, double part)
{
    return volume_real(volume, stats->bins ? percentile_stored(stats, part) : stats->summary.min);
}

int stats_compute(struct stats *stats, struct iso *iso, const struct volume *volume, struct err *err)
{
    memset(stats, 0, sizeof *stats);
    if (iso_summary(iso, &stats->summary, err)) return ERR_FAILED;
    const struct summary *s = &stats->summary;
    if (!s->count) return ERR_NONE;
    stats->real_min = volume_real(volume, s->min);
    stats->real_max = volume_real(volume, s->max);
    stats->real_mean = volume_real(volume, s->mean);
    stats->real_deviation = fabs(volume->slope) * sqrt(s->m2 / (double)s->count);
    stats->first_value = stats->real_min;
    choose_bins(stats, iso->grid.type);
    if (!stats->bins) return ERR_NONE;
    if (iso_histogram(iso, stats->lo, stats->hi, stats->bins, stats->counts, err)) return ERR_FAILED;

    /* Outliers (metal in a CT, a few hot voxels) can pull Otsu's split into nothing or into the noise: clamp it. */
    const double low = percentile_stored(stats, 0.05), high = percentile_stored(stats, 0.995), split = otsu(stats);
    stats->first_value = volume_real(volume, split < low ? low : split > high ? high : split);
    return ERR_NONE;
}
