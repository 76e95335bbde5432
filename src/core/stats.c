#include "stats.h"

#include "kernels/histogram.h"
#include "kernels/reduce.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STRETCHED 0.125 /* of the range: outliers stretch it if all but 0.2 % of the voxels lie in less */
enum { SAMPLE_ROWS = 256 };

/* Integer types with few values get a bin for each value; the edges of the bins then lie between values. */
static void choose_bins(struct stats *s, enum voxel_type type)
{
    const double range = s->summary.max - s->summary.min;
    s->lo = (float)s->summary.min, s->hi = (float)s->summary.max, s->bins = STATS_MAX_BINS;
    s->cells.whole = type != VOXEL_FLOAT32;
    if (!(range > 0)) s->bins = 0;
    else if (type != VOXEL_FLOAT32 && range < STATS_MAX_BINS) s->lo -= 0.5f, s->hi += 0.5f, s->bins = (unsigned)range + 1;
}

/* Whether each value has a bin. */
static bool has_all_values(const struct stats *s) { return s->lo < s->summary.min; }

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

/* Sets cell[i] to the first cell with at least wanted[i] voxels up to its end. Searches the cumulative fractions of all
 * voxels at the end of each each-th cell.
 *
 * A fraction is a float with 24 bits, fewer than counts have, so ends closer than 6e-8 of all voxels look equal. But counts
 * and `wanted` are rounded alike, which keeps their order. So the cell found is never past the right one, and all ends
 * between the two look equal to `wanted`. Stepping over these, with the exact counts, gives the exact result. */
static int find_cells(const struct cells *c, struct iso *iso, const double *wanted, unsigned *cell, size_t n,
                      struct err *err)
{
    const unsigned each = (c->count + ISO_LOWER_BOUND_MAX - 1) / ISO_LOWER_BOUND_MAX, ends = (c->count + each - 1) / each;
    const double total = (double)c->upto[c->count - 1];
    float part[ISO_LOWER_BOUND_MAX], query[2];
    uint64_t place[2];
    assert(n <= 2);
    for (unsigned e = 0; e < ends; e++)
        part[e] = (float)((double)c->upto[min_size((size_t)(e + 1) * each, c->count) - 1] / total);
    for (size_t i = 0; i < n; i++) query[i] = (float)(wanted[i] / total);
    if (iso_lower_bound(iso, part, ends, query, n, place, err)) return ERR_FAILED;
    for (size_t i = 0; i < n; i++) {
        cell[i] = (unsigned)min_size((size_t)place[i] * each, c->count - 1);
        while (cell[i] + 1 < c->count && (double)c->upto[cell[i]] < wanted[i]) cell[i]++;
    }
    return ERR_NONE;
}

static double total_of(const struct cells *c) { return (double)c->upto[c->count - 1]; }
static double count_below(const struct cells *c, unsigned cell) { return cell ? (double)c->upto[cell - 1] : 0; }

/* Sets value[i] (stored units) to the percentile of part[i]; n is at most 2. */
static int percentiles_stored(const struct stats *s, struct iso *iso, const double *part, double *value, size_t n,
                              struct err *err)
{
    const struct cells *c = &s->cells;
    double wanted[2], one;
    unsigned cell[2];
    for (size_t i = 0; i < n; i++) wanted[i] = fmax(0, fmin(1, part[i])) * total_of(c);
    if (find_cells(c, iso, wanted, cell, n, err)) return ERR_FAILED;
    for (size_t i = 0; i < n; i++) {
        const double below = count_below(c, cell[i]), count = (double)c->upto[cell[i]] - below, more = wanted[i] - below;
        const double from = c->edge[cell[i]], width = c->edge[cell[i] + 1] - from;
        const bool exact = !c->whole && cells_one_value(c, cell[i], &one);
        value[i] = exact ? from : from + width * (count > 0 ? fmin(1, more / count) : 0);
    }
    return ERR_NONE;
}

/* A whole number covers half a step on either side. For the lowest and the highest, half of that lies beyond the volume's
 * values, where there is no surface: the whole share is squeezed into the inner half. */
static double within_values(const struct stats *s, double stored)
{
    const double low = (double)s->summary.min, high = (double)s->summary.max;
    if (!s->cells.whole || !(low < high)) return stored;
    if (stored < low + 0.5) return low + (stored - (low - 0.5)) / 2;
    return stored > high - 0.5 ? high - (high + 0.5 - stored) / 2 : stored;
}

/* within: keep to the volume's values. */
static int percentile(const struct stats *s, struct iso *iso, const struct volume *volume, double part, bool within,
                      double *value, struct err *err)
{
    double stored;
    if (!s->bins) *value = s->real_min;
    else if (percentiles_stored(s, iso, &part, &stored, 1, err)) return ERR_FAILED;
    else *value = volume_real(volume, within ? within_values(s, stored) : stored);
    return ERR_NONE;
}

int stats_percentile(const struct stats *stats, struct iso *iso, const struct volume *volume, double part, double *value,
                     struct err *err)
{
    return percentile(stats, iso, volume, part, false, value, err);
}

int stats_isovalue(const struct stats *stats, struct iso *iso, const struct volume *volume, enum isovalue kind,
                   double number, double *value, struct err *err)
{
    if (kind == ISOVALUE_PERCENT) return percentile(stats, iso, volume, number / 100, true, value, err);
    *value = kind == ISOVALUE_SD ? stats->real_mean + number * stats->real_deviation : number;
    return ERR_NONE;
}

double stats_deviations(const struct stats *stats, double value)
{
    return stats->real_deviation > 0 ? (value - stats->real_mean) / stats->real_deviation : NAN;
}

/* The fraction of all voxels below a value (stored units). */
static double part_below(const struct cells *c, double stored)
{
    double one;
    if (!(stored > c->edge[0])) return 0;
    if (!(stored < c->edge[c->count])) return 1;
    const unsigned cell = cells_find(c, stored);
    const double from = c->edge[cell], below = count_below(c, cell), count = (double)c->upto[cell] - below;
    const double within = cells_one_value(c, cell, &one) ? stored > one : (stored - from) / (c->edge[cell + 1] - from);
    return (below + within * count) / total_of(c);
}

double stats_part_below(const struct stats *stats, const struct volume *volume, double value)
{
    const double stored = (value - volume->intercept) / volume->slope;
    return stats->bins ? part_below(&stats->cells, stored) : stored > stats->summary.min;
}

int stats_step(const struct stats *stats, struct iso *iso, const struct volume *volume, double step, double *value,
               struct err *err)
{
    const struct cells *c = &stats->cells;
    unsigned cell;
    if (!stats->bins) return ERR_NONE;
    const double part = fmax(0, fmin(1, stats_part_below(stats, volume, *value) + step)), wanted = part * total_of(c);
    if (find_cells(c, iso, &wanted, &cell, 1, err)) return ERR_FAILED;
    unsigned edge = step > 0 ? cell + 1 : cell; /* as a cell of a single value may have no width in real units */
    while (step > 0 && edge < c->count && volume_real(volume, c->edge[edge]) <= *value) edge++;
    while (step <= 0 && edge && volume_real(volume, c->edge[edge]) >= *value) edge--;
    *value = volume_real(volume, c->edge[edge]);
    return ERR_NONE;
}

/* ---- distances ----------------------------------------------------------------------------------------------------- */

#define DISTANCE_SAMPLES ((size_t)1 << 20) /* voxels to look at: takes a few milliseconds */
#define DISTANCE_CROSSINGS 16              /* fewer say nothing */
#define DISTANCE_BEND 0.5                  /* of the slope; noise, and edges in a CT, have 1.5 */
#define DISTANCE_BAND 0.02                 /* of the range: the band on either side of 0 */
#define DISTANCE_SHARE 0.2                 /* of the voxels: at most so many lie in the band; most of a density map does */

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

/* One row in so many is looked at. */
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
    return sum->kept ? ERR_NONE : err_set(err, ERR_FAILED, "not enough memory for %zu rows of the volume", rows);
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

static struct split histogram_of(const struct stats *s) { return (struct split){ s->lo, s->hi, s->bins }; }

int stats_split(const struct stats *stats, struct splits *splits, float *sample, size_t n, struct err *err)
{
    const struct split all = histogram_of(stats);
    splits->count = splits->counted = 0;
    if (!stats->bins || has_all_values(stats)) return ERR_NONE;
    return splits_find(splits, &all, stats->cells.whole, sample, n, err);
}

static int add_counts(uint64_t *to, struct iso *iso, const struct split *of, struct err *err)
{
    uint64_t counts[STATS_MAX_BINS];
    if (iso_histogram(iso, of->lo, of->hi, of->bins, counts, err)) return ERR_FAILED;
    for (unsigned b = 0; b < of->bins; b++) to[b] += counts[b];
    return ERR_NONE;
}

int stats_count(struct stats *stats, struct splits *splits, struct iso *iso, struct err *err)
{
    const struct split all = histogram_of(stats);
    unsigned counted = 0;
    if (!stats->bins) return ERR_NONE;
    if (add_counts(stats->counts, iso, &all, err)) return ERR_FAILED;
    for (unsigned i = 0; i < splits->count; i++) {
        const struct split *p = &splits->split[i];
        if (p->bins && add_counts(splits->counts[counted++], iso, p, err)) return ERR_FAILED;
    }
    return ERR_NONE;
}

static void make_cells(struct stats *s, const struct splits *splits)
{
    const struct split all = histogram_of(s);
    unsigned counted = 0;
    cells_begin(&s->cells, &all, s->counts, s->cells.whole);
    for (unsigned i = 0; splits && i < splits->count; i++) {
        const struct split *p = &splits->split[i];
        cells_split(&s->cells, p, p->bins ? splits->counts[counted++] : NULL);
    }
    cells_sum(&s->cells);
}

/* Sets *split to Otsu's split (stored units). If a few outliers stretch the range, it would only separate them from
 * everything else. Then it is the split of the values between two percentiles, whose histogram is made from the cells. */
static int find_split(const struct stats *s, struct iso *iso, double *split, struct err *err)
{
    static const double bulk[2] = { 0.001, 0.999 };
    struct stats inner = { .bins = STATS_MAX_BINS };
    double end[2];
    if (percentiles_stored(s, iso, bulk, end, 2, err)) return ERR_FAILED;
    inner.lo = (float)end[0], inner.hi = (float)end[1];
    *split = otsu(s);
    if (!(inner.lo < inner.hi) || inner.hi - inner.lo > STRETCHED * ((double)s->hi - s->lo)) return ERR_NONE;
    for (unsigned b = 0; b < inner.bins; b++) {
        const double more = part_below(&s->cells, bin_edge(&inner, b + 1.0)) - part_below(&s->cells, bin_edge(&inner, b));
        inner.counts[b] = (uint64_t)(more * total_of(&s->cells) + 0.5);
    }
    *split = otsu(&inner);
    return ERR_NONE;
}

int stats_end(struct stats *stats, const struct splits *splits, struct iso *iso, const struct volume *volume, double bend,
              struct err *err)
{
    /* Outliers (metal in a CT, a few hot voxels) can pull Otsu's split into an empty range or into noise: clamp it. */
    static const double ends[2] = { 0.05, 0.995 };
    double split, limit[2];
    if (!stats->bins) return ERR_NONE;
    make_cells(stats, splits);
    if (find_split(stats, iso, &split, err)) return ERR_FAILED;
    if (percentiles_stored(stats, iso, ends, limit, 2, err)) return ERR_FAILED;
    stats->split_value = volume_real(volume, split < limit[0] ? limit[0] : split > limit[1] ? limit[1] : split);
    stats->first_value = is_distance(stats, volume, bend) ? 0 : stats->split_value;
    return ERR_NONE;
}

/* ---- 8-bit volumes on a GPU --------------------------------------------------------------------------------------- */

enum { BYTE_VALUES = 256 };

/* Whether the counts of all values may also replace the summary. Not if the user chose a reduce rung, which must run. Not
 * on the CPU, where the mean must have the same bits as that of a volume seen slab by slab. */
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

/* Computes summary and histogram from one pass over the volume. */
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
    return stats_end(stats, NULL, iso, volume, INFINITY, err);
}

/* ---- in memory ----------------------------------------------------------------------------------------------------- */

/* Samples some rows of a smoothed volume, which is only on the GPU. Returns how many values it set, 0 on error. */
static size_t sample_rows(float *values, struct iso *iso)
{
    const struct grid *g = &iso->grid;
    const size_t all = g->ny * g->nz, rows = min_size(all, SAMPLE_ROWS),
                 each = min_size(g->nx, SAMPLE_VALUES / SAMPLE_ROWS);
    float *row = malloc(g->nx * sizeof *row);
    size_t n = 0;
    int code = !row;
    for (size_t r = 0; r < rows && !code; r++) {
        const char *from = (const char *)g->voxels + r * all / rows * g->nx * sizeof *row;
        code = iso->ops->download(row, from, g->nx * sizeof *row, &iso->exec);
        if (!code) code = iso->ops->sync(&iso->exec);
        for (size_t k = 0; k < each; k++) values[n++] = row[k * g->nx / each];
    }
    free(row);
    return code ? 0 : n;
}

static int split(const struct stats *stats, struct splits *splits, struct iso *iso, const struct volume *volume,
                 struct err *err)
{
    const bool cpu = iso->exec.backend == BACKEND_CPU;
    const struct grid *g = cpu ? &iso->grid : &volume->grid;
    float *sample = malloc(SAMPLE_VALUES * sizeof *sample);
    if (!sample) return err_set(err, ERR_FAILED, "not enough memory for a sample of the volume");
    const size_t n = cpu || iso->sigma == 0 ? sample_take(sample, g, grid_voxels(g), 0) : sample_rows(sample, iso);
    const int code = stats_split(stats, splits, sample, n, err);
    free(sample);
    return code;
}

int stats_compute(struct stats *stats, struct iso *iso, const struct volume *volume, struct err *err)
{
    struct summary summary;
    struct stats_bend bend = { .crossings = 0 };
    struct splits splits = { .count = 0 };
    memset(stats, 0, sizeof *stats);
    if (counts_serve(iso)) return stats_of_counts(stats, iso, volume, err);
    if (iso_summary(iso, &summary, err)) return ERR_FAILED;
    stats_begin(stats, &summary, volume, iso->grid.type);
    if (!stats->bins) return ERR_NONE;
    if (!has_all_values(stats) && split(stats, &splits, iso, volume, err)) return ERR_FAILED;
    if (stats_count(stats, &splits, iso, err)) return ERR_FAILED;
    if (may_be_distance(stats, volume)) stats_bend_add(&bend, volume, &volume->grid);
    return stats_end(stats, &splits, iso, volume, stats_bend_of(&bend), err);
}
