#include "stats.h"

#include "kernels/histogram.h"
#include "kernels/reduce.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Integer types with few values get a bin for each: the borders of bins then lie between values, not on them. */
static void choose_bins(struct stats *s, enum voxel_type type)
{
    const double range = s->summary.max - s->summary.min;
    s->lo = (float)s->summary.min, s->hi = (float)s->summary.max, s->bins = STATS_MAX_BINS;
    if (!(range > 0)) s->bins = 0;
    else if (type != VOXEL_FLOAT32 && range < STATS_MAX_BINS) s->lo -= 0.5f, s->hi += 0.5f, s->bins = (unsigned)range + 1;
}

static double bin_edge(const struct stats *s, double bin) { return s->lo + ((double)s->hi - s->lo) * bin / s->bins; }

static double total_count(const struct stats *s)
{
    double total = 0;
    for (unsigned b = 0; b < s->bins; b++) total += (double)s->counts[b];
    return total;
}

/* The value (stored units) that splits the histogram with the largest variance between both parts (Otsu 1979). */
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

/* ---- percentiles --------------------------------------------------------------------------------------------------- */

/* Sets bin[i] to the first bin up to whose end wanted[i] voxels lie, by a search in the cumulated fractions of all voxels.
 *
 * A fraction is a float of 24 bits, and counts have more: ends closer than 6e-8 of all voxels look the same. But counts and
 * `wanted` are rounded alike, which keeps their order: the bin found is never past the right one, and all ends between both
 * look like `wanted`. A walk over these, in whole numbers, makes the result exact. */
static int find_bins(const struct stats *s, struct iso *iso, const double *wanted, unsigned *bin, size_t n, struct err *err)
{
    uint64_t upto[STATS_MAX_BINS], place[2], total = 0;
    float part[STATS_MAX_BINS], query[2];
    assert(n <= 2);
    for (unsigned b = 0; b < s->bins; b++) upto[b] = total += s->counts[b];
    for (unsigned b = 0; b < s->bins; b++) part[b] = (float)((double)upto[b] / (double)total);
    for (size_t i = 0; i < n; i++) query[i] = (float)(wanted[i] / (double)total);
    if (iso_lower_bound(iso, part, s->bins, query, n, place, err)) return ERR_FAILED;
    for (size_t i = 0; i < n; i++) {
        bin[i] = place[i] < s->bins ? (unsigned)place[i] : s->bins - 1;
        while (bin[i] + 1 < s->bins && (double)upto[bin[i]] < wanted[i]) bin[i]++;
    }
    return ERR_NONE;
}

static double count_below(const struct stats *s, unsigned bin)
{
    double below = 0;
    for (unsigned b = 0; b < bin; b++) below += (double)s->counts[b];
    return below;
}

/* Sets value[i] (stored units) to the percentile of part[i]; n is at most 2. */
static int percentiles_stored(const struct stats *s, struct iso *iso, const double *part, double *value, size_t n,
                              struct err *err)
{
    double wanted[2];
    unsigned bin[2];
    for (size_t i = 0; i < n; i++) wanted[i] = fmax(0, fmin(1, part[i])) * total_count(s);
    if (find_bins(s, iso, wanted, bin, n, err)) return ERR_FAILED;
    for (size_t i = 0; i < n; i++) {
        const double count = (double)s->counts[bin[i]], more = wanted[i] - count_below(s, bin[i]);
        value[i] = bin_edge(s, bin[i] + (count > 0 ? fmin(1, more / count) : 0));
    }
    return ERR_NONE;
}

int stats_percentile(const struct stats *stats, struct iso *iso, const struct volume *volume, double part, double *value,
                     struct err *err)
{
    double stored;
    if (!stats->bins) *value = stats->real_min;
    else if (percentiles_stored(stats, iso, &part, &stored, 1, err)) return ERR_FAILED;
    else *value = volume_real(volume, stored);
    return ERR_NONE;
}

int stats_isovalue(const struct stats *stats, struct iso *iso, const struct volume *volume, enum isovalue kind,
                   double number, double *value, struct err *err)
{
    if (kind == ISOVALUE_PERCENT) return stats_percentile(stats, iso, volume, number / 100, value, err);
    *value = kind == ISOVALUE_SD ? stats->real_mean + number * stats->real_deviation : number;
    return ERR_NONE;
}

double stats_deviations(const struct stats *stats, double value)
{
    return stats->real_deviation > 0 ? (value - stats->real_mean) / stats->real_deviation : NAN;
}

double stats_part_below(const struct stats *stats, const struct volume *volume, double value)
{
    const double stored = (value - volume->intercept) / volume->slope;
    if (!stats->bins) return stored > stats->summary.min;
    if (!(stored > stats->lo)) return 0;
    if (!(stored < stats->hi)) return 1;
    const double place = (stored - stats->lo) / ((double)stats->hi - stats->lo) * stats->bins;
    const unsigned bin = place < stats->bins ? (unsigned)place : stats->bins - 1;
    const bool one_value = stats->lo < stats->summary.min; /* per bin, in its middle */
    const double within = one_value ? place - bin > 0.5 : place - bin;
    return (count_below(stats, bin) + within * (double)stats->counts[bin]) / total_count(stats);
}

int stats_step(const struct stats *stats, struct iso *iso, const struct volume *volume, double step, double *value,
               struct err *err)
{
    unsigned bin;
    if (!stats->bins) return ERR_NONE;
    const double part = fmax(0, fmin(1, stats_part_below(stats, volume, *value) + step)),
                 wanted = part * total_count(stats);
    if (find_bins(stats, iso, &wanted, &bin, 1, err)) return ERR_FAILED;
    *value = volume_real(volume, bin_edge(stats, step > 0 ? bin + 1.0 : bin));
    return ERR_NONE;
}

/* ---- distances ----------------------------------------------------------------------------------------------------- */

#define DISTANCE_SAMPLES ((size_t)1 << 20) /* voxels that are looked at: a few milliseconds */
#define DISTANCE_CROSSINGS 16              /* fewer say nothing */
#define DISTANCE_BEND 0.5                  /* of the slope; noise and the edges of a CT have 1.5 */
#define DISTANCE_BAND 0.02                 /* of the range on both sides of 0, where at most */
#define DISTANCE_SHARE 0.2                 /* of the voxels lie; most of a density map is near 0 */

static bool may_be_distance(const struct stats *s, const struct volume *volume)
{
    return volume->grid.type == VOXEL_FLOAT32 && s->real_min < 0 && s->real_max > 0;
}

static void add_row(struct stats_bend *sum, const float *v, size_t n, double zero)
{
    for (size_t x = 1; x + 2 < n; x++) {
        if ((v[x] < zero) == (v[x + 1] < zero) || !isfinite(v[x - 1] + v[x] + v[x + 1] + v[x + 2])) continue;
        sum->bend += fabs((double)v[x + 1] - 2.0 * v[x] + v[x - 1]) + fabs((double)v[x + 2] - 2.0 * v[x + 1] + v[x]);
        sum->slope += fabs((double)v[x + 2] - v[x - 1]);
        sum->crossings++;
    }
}

/* Of so many rows one is looked at. */
static size_t rows_skipped(const struct volume *volume) { return grid_voxels(&volume->grid) / DISTANCE_SAMPLES + 1; }

static double zero_of(const struct volume *volume) { return -volume->intercept / volume->slope; }

static void keep_row(struct stats_bend *sum, const float *v, size_t n)
{
    memcpy(sum->kept + sum->kept_count, v, n * sizeof *v);
    sum->kept_count += n;
}

void stats_bend_add(struct stats_bend *sum, const struct volume *volume, const struct grid *block)
{
    const size_t skip = rows_skipped(volume), first = block->first[2] * block->ny;
    if (block->type != VOXEL_FLOAT32) return;
    for (size_t row = (first + skip - 1) / skip * skip; row < first + block->ny * block->nz; row += skip) {
        const float *v = (const float *)block->voxels + (row - first) * block->nx;
        if (sum->kept) keep_row(sum, v, block->nx);
        else add_row(sum, v, block->nx, zero_of(volume));
    }
}

int stats_bend_keep(struct stats_bend *sum, const struct volume *volume, size_t slices, struct err *err)
{
    const size_t rows = volume->grid.ny * slices / rows_skipped(volume) + 1;
    if (volume->grid.type != VOXEL_FLOAT32) return ERR_NONE;
    sum->kept = malloc(rows * volume->grid.nx * sizeof *sum->kept);
    return sum->kept ? ERR_NONE : err_set(err, ERR_FAILED, "no memory for %zu rows of the volume", rows);
}

void stats_bend_join(struct stats_bend *sum, const struct volume *volume, const void *rows, size_t bytes)
{
    const size_t nx = volume->grid.nx;
    for (size_t at = 0; at + nx <= bytes / sizeof(float); at += nx)
        add_row(sum, (const float *)rows + at, nx, zero_of(volume));
}

void stats_bend_free(struct stats_bend *sum)
{
    free(sum->kept);
    sum->kept = NULL;
}

double stats_bend_of(const struct stats_bend *sum)
{
    return sum->crossings < DISTANCE_CROSSINGS ? INFINITY : sum->bend / sum->slope;
}

static bool is_distance(const struct stats *s, const struct volume *volume, double bend)
{
    const double band = DISTANCE_BAND * (s->real_max - s->real_min);
    if (!may_be_distance(s, volume)) return false;
    if (stats_part_below(s, volume, band) - stats_part_below(s, volume, -band) > DISTANCE_SHARE) return false;
    return bend < DISTANCE_BEND;
}

/* ---- all of them --------------------------------------------------------------------------------------------------- */

void stats_begin(struct stats *stats, const struct summary *summary, const struct volume *volume, enum voxel_type type)
{
    memset(stats, 0, sizeof *stats);
    stats->summary = *summary;
    if (!summary->count) return;
    stats->real_min = volume_real(volume, summary->min);
    stats->real_max = volume_real(volume, summary->max);
    stats->real_mean = volume_real(volume, summary->mean);
    stats->real_deviation = fabs(volume->slope) * sqrt(summary->m2 / (double)summary->count);
    stats->split_value = stats->first_value = stats->real_min;
    choose_bins(stats, type);
}

int stats_end(struct stats *stats, struct iso *iso, const struct volume *volume, double bend, struct err *err)
{
    if (!stats->bins) return ERR_NONE;
    /* Outliers (metal in a CT, a few hot voxels) can pull Otsu's split into the void or into noise: clamp it. */
    static const double ends[2] = { 0.05, 0.995 };
    const double split = otsu(stats);
    double limit[2];
    if (percentiles_stored(stats, iso, ends, limit, 2, err)) return ERR_FAILED;
    stats->split_value = volume_real(volume, split < limit[0] ? limit[0] : split > limit[1] ? limit[1] : split);
    stats->first_value = is_distance(stats, volume, bend) ? 0 : stats->split_value;
    return ERR_NONE;
}

/* ---- 8-bit volumes on a GPU --------------------------------------------------------------------------------------- */

enum { BYTE_VALUES = 256 };

/* Whether the counts of all values may serve for the summary, too: a rung that was chosen runs. On the CPU, a volume in
 * memory has the same bits of its mean as one that is seen slab by slab. */
static bool counts_serve(const struct iso *iso)
{
    return iso->exec.backend == BACKEND_CUDA && voxel_bytes(iso->grid.type) == 1 && iso->rung[AUX_REDUCE]->is_default;
}

static struct summary summary_of_counts(const uint64_t *counts, int first)
{
    struct summary s = summary_empty();
    int64_t sum = 0;
    for (int i = 0; i < BYTE_VALUES; i++) {
        if (!counts[i]) continue;
        if (!s.count) s.min = first + i;
        s.max = first + i;
        s.count += counts[i];
        sum += (int64_t)counts[i] * (first + i);
    }
    s.mean = s.count ? (double)sum / (double)s.count : 0;
    for (int i = 0; i < BYTE_VALUES; i++) {
        const double d = first + i - s.mean;
        s.m2 += (double)counts[i] * (d * d);
    }
    return s;
}

/* Summary and histogram of one reading. */
static int stats_of_counts(struct stats *stats, struct iso *iso, const struct volume *volume, struct err *err)
{
    const int first = iso->grid.type == VOXEL_INT8 ? -128 : 0;
    const float lo = (float)first - 0.5f;
    uint64_t counts[BYTE_VALUES];
    if (iso_histogram(iso, lo, lo + BYTE_VALUES, BYTE_VALUES, counts, err)) return ERR_FAILED;
    const struct summary summary = summary_of_counts(counts, first);
    stats_begin(stats, &summary, volume, iso->grid.type);
    for (int i = 0; i < BYTE_VALUES && stats->bins; i++) {
        const unsigned bin = histogram_bin((float)(first + i), stats->lo, stats->hi, stats->bins);
        if (bin < stats->bins) stats->counts[bin] += counts[i];
    }
    return stats_end(stats, iso, volume, INFINITY, err);
}

int stats_compute(struct stats *stats, struct iso *iso, const struct volume *volume, struct err *err)
{
    struct summary summary;
    struct stats_bend bend = { .crossings = 0 };
    memset(stats, 0, sizeof *stats);
    if (counts_serve(iso)) return stats_of_counts(stats, iso, volume, err);
    if (iso_summary(iso, &summary, err)) return ERR_FAILED;
    stats_begin(stats, &summary, volume, iso->grid.type);
    if (!stats->bins) return ERR_NONE;
    if (iso_histogram(iso, stats->lo, stats->hi, stats->bins, stats->counts, err)) return ERR_FAILED;
    if (may_be_distance(stats, volume)) stats_bend_add(&bend, volume, &volume->grid);
    return stats_end(stats, iso, volume, stats_bend_of(&bend), err);
}
