#include "stats_cells.h"

#include "kernels/histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUGH (1.0 / 4096) /* of all voxels: a larger error of a percentile within a cell requires a split */
#define HEAVY (1.0 / 192)  /* of all voxels: in cells with fewer, errors that may be due to chance do not count */
#define CHANCE 2.0         /* times sqrt(n): one in 1500 cells of n even values has a larger error (Kolmogorov 1933) */
#define STRAY (1.0 / 4096) /* of all voxels: a cell may have so many others and still count as one value */
#define LEAST_WIDTH 1e-36f /* narrower histograms would compute with denormal numbers */
enum {
    LEAST_VOXELS = 4, /* of the sample: fewer do not count as an error */
    RUN = 16,         /* the most cells that are split at once */
    CLOSE = 4         /* floats by which rounding may move the first one of a bin */
};

static float next_above(float v) { return nextafterf(v, INFINITY); }
static float next_below(float v) { return nextafterf(v, -INFINITY); }

/* ---- cells --------------------------------------------------------------------------------------------------------- */

/* Numbers floats in their order. */
static int64_t number_of(float v)
{
    int32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits >= 0 ? bits : -(int64_t)(bits & 0x7fffffff);
}

static float float_of(int64_t number)
{
    const uint32_t bits = number >= 0 ? (uint32_t)number : 0x80000000u | (uint32_t)-number;
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* Bounds, by number, for the first float of a bin: the last one known to lie before the bin, and one known not to. */
struct around {
    int64_t below, from;
};

static void try_float(struct around *a, const struct split *s, unsigned bin, int64_t number)
{
    if (number <= a->below || number >= a->from) return;
    if (histogram_bin(float_of(number), s->lo, s->hi, s->bins) < bin) a->below = number;
    else a->from = number;
}

/* The first float of a bin, as histogram_bin rounds: values from it on are counted in that bin or a later one. It is close
 * to where it would be without rounding, except near 0, where floats are dense. */
static float first_of(const struct split *s, unsigned bin)
{
    struct around a = { number_of(s->lo), number_of(s->hi) };
    const float part = (float)bin / (float)s->bins;
    const int64_t guess = number_of(s->lo * (1 - part) + s->hi * part);
    if (!bin) return s->lo;
    try_float(&a, s, bin, guess - CLOSE);
    try_float(&a, s, bin, guess + CLOSE);
    while (a.below + 1 < a.from) try_float(&a, s, bin, a.below + (a.from - a.below) / 2);
    return float_of(a.from);
}

static void set_bins(float *edge, uint64_t *count, const struct split *s, const uint64_t *counts)
{
    for (unsigned b = 0; b < s->bins; b++) edge[b] = first_of(s, b);
    memcpy(count, counts, s->bins * sizeof *count);
}

void cells_begin(struct cells *cells, const struct split *all, const uint64_t *counts, bool whole)
{
    cells->count = all->bins, cells->whole = whole;
    set_bins(cells->edge, cells->upto, all, counts);
    cells->edge[all->bins] = all->hi;
}

unsigned cells_find(const struct cells *cells, double v)
{
    unsigned low = 0, high = cells->count;
    while (low + 1 < high) {
        const unsigned middle = (low + high) / 2;
        if ((double)cells->edge[middle] <= v) low = middle;
        else high = middle;
    }
    return low;
}

/* Whether there can be a value v with from <= v < to. */
static bool has_room(const struct cells *cells, float from, float to)
{
    return cells->whole ? ceilf(from) < to : from < to;
}

/* What cells `first` to `last` are split into: `middle` cells, and one on either side if there is room. */
struct pieces {
    unsigned first, last, middle;
    float end; /* of the middle cells */
    bool left, right;
};

static struct pieces pieces_of(const struct cells *cells, const struct split *s)
{
    const float half = cells->whole ? 0.5f : 0;
    struct pieces p = { cells_find(cells, s->lo + half), cells_find(cells, s->hi - half), s->bins ? s->bins : 1, 0, 0, 0 };
    const float begin = cells->edge[p.first], end = cells->edge[p.last + 1];
    const bool last = p.last + 1 == cells->count;
    p.end = cells->whole ? s->hi : next_above(s->hi);
    p.left = has_room(cells, begin, s->lo);
    p.right = last ? (cells->whole ? ceilf(p.end) : p.end) <= end : has_room(cells, p.end, end);
    if (!cells->whole && s->bins && p.end > end) p.end = end;
    return p;
}

void cells_split(struct cells *cells, const struct split *s, const uint64_t *counts)
{
    const struct pieces p = pieces_of(cells, s);
    const unsigned after = cells->count - p.last - 1, to = p.first + p.left + p.middle + p.right;
    uint64_t all = 0, counted = 0;
    for (unsigned i = p.first; i <= p.last; i++) all += cells->upto[i];
    for (unsigned b = 0; b < s->bins; b++) counted += counts[b];
    if (!s->bins) counted = all;
    const uint64_t rest = all > counted ? all - counted : 0, left = p.right ? rest / 2 * p.left : rest;
    memmove(cells->upto + to, cells->upto + p.last + 1, after * sizeof *cells->upto);
    memmove(cells->edge + to, cells->edge + p.last + 1, (after + 1) * sizeof *cells->edge);
    if (p.left) cells->upto[p.first] = left;
    if (p.right) cells->upto[to - 1] = rest - left * p.left;
    if (s->bins) set_bins(cells->edge + p.first + p.left, cells->upto + p.first + p.left, s, counts);
    else cells->edge[p.first + p.left] = s->lo, cells->upto[p.first + p.left] = all;
    cells->edge[p.first + p.left + p.middle] = p.end;
    cells->count = to + after;
}

void cells_sum(struct cells *cells)
{
    for (unsigned i = 1; i < cells->count; i++) cells->upto[i] += cells->upto[i - 1];
}

bool cells_one_value(const struct cells *cells, unsigned i, double *value)
{
    const float from = cells->edge[i], to = cells->edge[i + 1];
    const bool last = i + 1 == cells->count;
    *value = cells->whole ? ceil((double)from) : (double)from;
    if (cells->whole) return *value + 1 > to || (!last && *value + 1 == to);
    return to <= next_above(from);
}

/* ---- which to split ------------------------------------------------------------------------------------------------ */

struct search {
    struct splits *splits;
    struct cells cells; /* of the sample */
    const float *value; /* the sample, sorted */
    size_t n;
    double error[CELLS_MAX]; /* of percentiles in each cell, counted in values of the sample */
    size_t first[CELLS_MAX]; /* index of each cell's first value */
};

/* Whether the error of a cell requires a split. */
static bool is_rough(const struct search *s, unsigned cell)
{
    const double n = (double)s->cells.upto[cell], all = (double)s->n;
    if (s->error[cell] <= fmax(ROUGH * all, LEAST_VOXELS)) return false;
    return n > HEAVY * all || s->error[cell] > CHANCE * sqrt(n);
}

/* How far the cell's n values are from evenly spread ones, counted in values. */
static double error_of(const struct cells *cells, unsigned i, const float *value, size_t n)
{
    const double from = cells->edge[i], width = cells->edge[i + 1] - from;
    double most = 0, one;
    if (cells_one_value(cells, i, &one) || (!cells->whole && width < (double)LEAST_WIDTH)) return 0;
    for (size_t k = 0; k < n; k++) {
        const double even = (value[k] - from) / width * (double)n;
        most = fmax(most, fmax(even - (double)k, (double)k + 1 - even));
    }
    return most;
}

/* Returns the cell with the largest error, or the number of cells if no error matters. */
static unsigned worst_cell(struct search *s)
{
    unsigned worst = s->cells.count;
    double most = 0;
    size_t first = 0;
    for (unsigned i = 0; i < s->cells.count; i++) {
        const size_t n = (size_t)s->cells.upto[i];
        s->first[i] = first;
        s->error[i] = error_of(&s->cells, i, s->value + first, n);
        if (s->error[i] > most && is_rough(s, i)) most = s->error[i], worst = i;
        first += n;
    }
    return worst;
}

/* The value that occurs most often among n, and how often. */
static float commonest(const float *value, size_t n, size_t *times)
{
    float most = value[0];
    *times = 0;
    for (size_t k = 0, end; k < n; k = end) {
        for (end = k + 1; end < n && value[end] == value[k];) end++;
        if (end - k > *times) *times = end - k, most = value[k];
    }
    return most;
}

/* Extends first and last to neighbours that must also be split. */
static void find_run(const struct search *s, unsigned *first, unsigned *last)
{
    while (*first && *last - *first < RUN && is_rough(s, *first - 1)) --*first;
    while (*last + 1 < s->cells.count && *last - *first < RUN && is_rough(s, *last + 1)) ++*last;
}

/* Cuts off wide margins that are empty in the sample, because they may contain outliers. */
static void trim(struct split *p, float least, float most)
{
    const float margin = (most - least) / 8;
    if (least - p->lo > margin) p->lo = least;
    if (p->hi - most > margin) p->hi = most;
}

static struct split split_whole(struct split p, float least, float most)
{
    if (floorf(p.hi) - ceilf(p.lo) >= SPLIT_BINS) trim(&p, least, most);
    p.lo = ceilf(p.lo) - 0.5f, p.hi = floorf(p.hi) + 0.5f;
    p.bins = (unsigned)fminf(p.hi - p.lo, SPLIT_BINS);
    return p;
}

/* Splits a cell in which `v` occurs very often. The split covers one side of `v`, where the cell has other values. */
static struct split split_around(const struct search *s, unsigned cell, float v)
{
    const struct cells *c = &s->cells;
    const float end = c->edge[cell + 1];
    struct split p = { c->edge[cell], cell + 1 == c->count ? end : next_below(end), SPLIT_BINS };
    if (v > s->value[s->first[cell]]) p.hi = next_below(v);
    else p.lo = next_above(v);
    return p;
}

static struct split split_run(const struct search *s, unsigned first, unsigned last)
{
    const struct cells *c = &s->cells;
    const bool at_end = last + 1 == c->count;
    const float end = c->edge[last + 1], least = s->value[s->first[first]];
    const float most = s->value[(at_end ? s->n : s->first[last + 1]) - 1];
    struct split p = { c->edge[first], at_end ? end : next_below(end), SPLIT_BINS };
    if (c->whole) return split_whole(p, least, most);
    trim(&p, least, most);
    return p;
}

static struct split one_value(const struct search *s, float v)
{
    const float half = s->cells.whole ? 0.5f : 0;
    return (struct split){ v - half, v + half, 0 };
}

/* Whether all but a few of a cell's voxels have the same value; sets *value to the commonest one. */
static bool has_one_value(const struct search *s, unsigned cell, float *value)
{
    const size_t n = (size_t)s->cells.upto[cell];
    size_t times;
    *value = commonest(s->value + s->first[cell], n, &times);
    return (double)(n - times) <= STRAY * (double)s->n;
}

static struct split choose_split(const struct search *s, unsigned worst)
{
    const struct cells *c = &s->cells;
    const size_t n = (size_t)c->upto[worst];
    size_t times;
    const float v = commonest(s->value + s->first[worst], n, &times);
    unsigned first = worst, last = worst;
    struct split p;
    if (!c->whole && 2 * times >= n) p = split_around(s, worst, v);
    else {
        find_run(s, &first, &last);
        p = split_run(s, first, last);
    }
    return p.hi - p.lo > LEAST_WIDTH ? p : one_value(s, v);
}

static void count_sample(uint64_t *counts, const struct split *p, const struct search *s)
{
    memset(counts, 0, SPLIT_BINS * sizeof *counts);
    for (size_t k = 0; k < s->n && p->bins; k++) {
        const unsigned bin = histogram_bin(s->value[k], p->lo, p->hi, p->bins);
        if (bin < p->bins) counts[bin]++;
    }
}

static int compare(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static void add_split(struct search *s, const struct split *p)
{
    uint64_t counts[SPLIT_BINS];
    count_sample(counts, p, s);
    cells_split(&s->cells, p, counts);
    s->splits->split[s->splits->count++] = *p;
    s->splits->counted += p->bins > 0;
}

/* Splits all cells of one value, beginning with the last, because a split does not move the cells before it. */
static bool split_values(struct search *s)
{
    const unsigned before = s->splits->count;
    float value;
    for (unsigned i = s->cells.count; i-- > 0 && s->splits->count < SPLITS_MAX;) {
        if (!is_rough(s, i) || !has_one_value(s, i, &value)) continue;
        const struct split p = one_value(s, value);
        add_split(s, &p);
    }
    return s->splits->count > before;
}

static void find_all(struct search *s)
{
    const struct splits *all = s->splits;
    unsigned worst;
    while (all->count < SPLITS_MAX && (worst = worst_cell(s)) < s->cells.count) {
        if (split_values(s)) continue;
        const struct split p = choose_split(s, worst);
        if (p.bins && all->counted == SPLITS_COUNTED) return;
        add_split(s, &p);
    }
}

/* Keeps only the values within the histogram and sorts them. Returns how many there are. */
static size_t sort_sample(float *sample, size_t n, const struct split *all)
{
    size_t m = 0;
    for (size_t k = 0; k < n; k++)
        if (histogram_bin(sample[k], all->lo, all->hi, all->bins) < all->bins) sample[m++] = sample[k];
    qsort(sample, m, sizeof *sample, compare);
    return m;
}

int splits_find(struct splits *splits, const struct split *all, bool whole, float *sample, size_t n, struct err *err)
{
    uint64_t counts[CELLS_BINS] = { 0 };
    struct search *s = calloc(1, sizeof *s);
    memset(splits, 0, sizeof *splits);
    if (!s) return err_set(err, ERR_FAILED, "not enough memory for the statistics of a sample");
    s->splits = splits, s->value = sample, s->n = sort_sample(sample, n, all);
    for (size_t k = 0; k < s->n; k++) counts[histogram_bin(sample[k], all->lo, all->hi, all->bins)]++;
    cells_begin(&s->cells, all, counts, whole);
    find_all(s);
    free(s);
    return ERR_NONE;
}

/* ---- the sample ---------------------------------------------------------------------------------------------------- */

/* The distance between voxels of the sample. It is odd: rows mostly have an even number of voxels, so this covers all
 * columns. */
static size_t sample_step(size_t all) { return all / SAMPLE_VALUES + 1 + all / SAMPLE_VALUES % 2; }

static size_t sample_before(size_t all, size_t voxel) { return (voxel + sample_step(all) - 1) / sample_step(all); }

size_t sample_count(size_t all, size_t first, size_t end) { return sample_before(all, end) - sample_before(all, first); }

size_t sample_take(float *values, const struct grid *voxels, size_t all, size_t first)
{
    const size_t begin = sample_before(all, first), n = sample_count(all, first, first + grid_voxels(voxels));
    for (size_t k = 0; k < n; k++) values[k] = grid_value(voxels, (begin + k) * sample_step(all) - first);
    return n;
}
