/* Percentiles: compares every lower_bound rung with counting voxel by voxel, and checks limits: one value, none, all
 * voxels, values too close for a float.
 * Usage: test_stats cpu|cuda */
#include "iso_util.h"

#include "stats.h"

static struct iso iso;
static struct err err;

static struct volume make_volume(enum voxel_type type, size_t n)
{
    struct volume v;
    const uint64_t dims[3] = { n, n, n };
    if (volume_alloc(&v, type, dims, &err)) abort();
    v.slope = 0.5, v.intercept = -7; /* stored and real values differ */
    return v;
}

static bool compute(struct stats *s, const struct volume *v)
{
    return CHECK(!iso_set_volume(&iso, &v->grid, &err)) && CHECK(!stats_compute(s, &iso, v, &err));
}

static double percentile(const struct stats *s, const struct volume *v, double part)
{
    double value = NAN;
    CHECK(!stats_percentile(s, &iso, v, part, &value, &err));
    return value;
}

/* Counts finite voxels below a real value. */
static double part_below(const struct volume *v, double value)
{
    size_t below = 0, all = 0;
    for (size_t i = 0; i < grid_voxels(&v->grid); i++) {
        const double stored = (double)grid_value(&v->grid, i);
        if (!isfinite(stored)) continue;
        all++;
        below += volume_real(v, stored) < value;
    }
    return (double)below / (double)all;
}

/* Skewed like a CT: most voxels are air, and the values have a long tail. */
static double skewed(void)
{
    const double r = (double)(check_random() >> 11) / 9007199254740992.0;
    return r < 0.6 ? 0 : r * r * r * 250;
}

static void percentiles_count_voxels(enum voxel_type type)
{
    struct volume v = make_volume(type, 24);
    struct stats s;
    for (size_t i = 0; i < grid_voxels(&v.grid); i++)
        if (type == VOXEL_UINT8) ((uint8_t *)v.grid.voxels)[i] = (uint8_t)skewed();
        else ((float *)v.grid.voxels)[i] = (float)skewed();
    if (type == VOXEL_FLOAT32) ((float *)v.grid.voxels)[7] = NAN, ((float *)v.grid.voxels)[9] = -INFINITY;
    if (!compute(&s, &v)) return;
    double last = -INFINITY, largest = 0; /* fraction of voxels in the fullest bin: the largest error of a value */
    for (unsigned b = 0; b < s.bins; b++) largest = fmax(largest, (double)s.counts[b] / (double)s.summary.count);
    for (int i = 0; i <= 1000; i++) {
        const double part = i / 1000.0, value = percentile(&s, &v, part);
        CHECK(value >= last);
        CHECK(fabs(part_below(&v, value) - part) <= largest);
        CHECK_NEAR(stats_part_below(&s, &v, value), part_below(&v, value), type == VOXEL_UINT8 ? 1e-12 : largest);
        last = value;
    }
    CHECK(percentile(&s, &v, 0) == volume_real(&v, s.lo) && percentile(&s, &v, 1) == volume_real(&v, s.hi));
    CHECK(percentile(&s, &v, -3) == volume_real(&v, s.lo) && percentile(&s, &v, 3) == volume_real(&v, s.hi));
    volume_free(&v);
}

/* ---- against sorted values ------------------------------------------------------------------------------------------ */

enum shape { EVEN, NORMAL, MANY_ZEROS, LOGNORMAL, FEW_VALUES, WHOLE, AROUND_ONE, TWO_HUMPS, SHAPES };

static double uniform(void) { return (double)(check_random() >> 11) / 9007199254740992.0; }
static double normal(void) { return sqrt(-2 * log(1 - uniform())) * cos(6.283185307179586 * uniform()); }

static double shaped(enum shape shape)
{
    const bool half = uniform() < 0.5;
    switch (shape) {
    case NORMAL: return 100 + 20 * normal();
    case MANY_ZEROS: return half ? 0 : exp(2 * normal());
    case LOGNORMAL: return exp(3 * normal());
    case FEW_VALUES: return floor(30 * uniform());
    case WHOLE: return floor(300 * uniform());
    case AROUND_ONE: return half ? 3.25 : 3.25 + 0.001 * normal();
    case TWO_HUMPS: return half ? -900 + 2 * normal() : 60 + 10 * normal();
    default: return 500 * uniform();
    }
}

static void put(const struct volume *v, size_t i, double value)
{
    static const double least[] = { 0, -128, 0, -32768, -INFINITY }, most[] = { 255, 127, 65535, 32767, INFINITY };
    void *to = (void *)v->grid.voxels;
    const enum voxel_type type = v->grid.type;
    const double fits = fmax(least[type], fmin(most[type], value));
    if (type == VOXEL_UINT8) ((uint8_t *)to)[i] = (uint8_t)fits;
    else if (type == VOXEL_INT8) ((int8_t *)to)[i] = (int8_t)fits;
    else if (type == VOXEL_UINT16) ((uint16_t *)to)[i] = (uint16_t)fits;
    else if (type == VOXEL_INT16) ((int16_t *)to)[i] = (int16_t)fits;
    else ((float *)to)[i] = (float)value;
}

static int compare(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* How many of n sorted values are below `value`, or with it. */
static size_t up_to(const float *sorted, size_t n, double value, bool with)
{
    size_t low = 0, high = n;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (sorted[middle] < value || (with && sorted[middle] == value)) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* At a percentile, that fraction of the values is below, or below and equal. For integers, a value covers half a step
 * on each side. */
static void check_sorted(const struct stats *s, const struct volume *v, const float *sorted, size_t n)
{
    const double half = v->grid.type == VOXEL_FLOAT32 ? 0 : 0.5, allowed = 0.0005, last = n;
    double before = -INFINITY;
    for (int i = 0; i <= 400; i++) {
        const double part = i / 400.0, value = percentile(s, v, part), stored = (value - v->intercept) / v->slope;
        const double least = (double)up_to(sorted, n, stored - half, false) / last;
        const double most = (double)up_to(sorted, n, stored + half, true) / last, told = stats_part_below(s, v, value);
        CHECK(part >= least - allowed && part <= most + allowed);
        CHECK(told >= least - allowed && told <= most + allowed);
        CHECK(value >= before);
        before = value;
    }
}

static void check_shape(enum voxel_type type, enum shape shape, const double outlier[2], bool nowhere)
{
    enum { N = 56 };
    struct volume v = make_volume(type, N);
    const size_t all = grid_voxels(&v.grid);
    float *sorted = malloc(all * sizeof *sorted);
    static struct stats s;
    size_t n = 0;
    if (!sorted) abort();
    for (size_t i = 0; i < all; i++) put(&v, i, shaped(shape));
    for (size_t k = 0; k < 2; k++)
        if (!isnan(outlier[k])) put(&v, all / 3 * (k + 1), outlier[k]);
    for (size_t i = 5; i < all && nowhere; i += 1001) put(&v, i, i % 3 == 0 ? NAN : i % 3 == 1 ? INFINITY : -INFINITY);
    for (size_t i = 0; i < all; i++)
        if (isfinite(grid_value(&v.grid, i))) sorted[n++] = grid_value(&v.grid, i);
    qsort(sorted, n, sizeof *sorted, compare);
    if (compute(&s, &v)) check_sorted(&s, &v, sorted, n);
    if (compute(&s, &v)) CHECK(s.split_value >= percentile(&s, &v, 0.05) && s.split_value <= percentile(&s, &v, 0.995));
    free(sorted);
    volume_free(&v);
}

/* Whatever a few outliers are, all other voxels have the percentiles of their rank. */
static void percentiles_stand_outliers(void)
{
    static const double outliers[][2] = {
        { NAN, NAN }, { 1e7, NAN }, { 1e7, -1e7 }, { 1e30, NAN }, { -3e38, 3e38 }, { 65535, -32768 },
    };
    for (int type = 0; type < VOXEL_TYPE_COUNT; type++)
        for (int shape = 0; shape < SHAPES; shape++)
            for (size_t i = 0; i < sizeof outliers / sizeof *outliers; i++)
                check_shape(type, shape, outliers[i], type == VOXEL_FLOAT32 && i % 2);
}

/* One very bright voxel moves the automatic value by less than a bin. */
static void outliers_leave_the_first_value(void)
{
    struct volume v = make_volume(VOXEL_FLOAT32, 48);
    static struct stats s;
    for (size_t i = 0; i < grid_voxels(&v.grid); i++) put(&v, i, shaped(EVEN));
    if (!compute(&s, &v)) return;
    const double clean = s.first_value;
    put(&v, 4711, 1e7);
    if (compute(&s, &v)) CHECK_NEAR(s.first_value, clean, 2);
    volume_free(&v);
}

/* Steps from end to end and back: each step moves by its fraction of the voxels or more, the last to the border. */
static void steps_get_past_everything(enum voxel_type type)
{
    struct volume v = make_volume(type, 24);
    struct stats s;
    for (size_t i = 0; i < grid_voxels(&v.grid); i++)
        if (type == VOXEL_UINT8) ((uint8_t *)v.grid.voxels)[i] = (uint8_t)skewed();
        else ((float *)v.grid.voxels)[i] = (float)skewed();
    if (!compute(&s, &v)) return;
    for (int sign = -1; sign <= 1; sign += 2) {
        const double end = volume_real(&v, sign > 0 ? s.hi : s.lo);
        double value = volume_real(&v, sign > 0 ? s.lo : s.hi);
        int steps = 0;
        for (; value != end && steps < 200; steps++) {
            const double before = value, part = part_below(&v, before);
            if (!CHECK(!stats_step(&s, &iso, &v, sign * 0.01, &value, &err)) || !CHECK(sign * (value - before) > 0)) break;
            /* A float at the end of a bin may count in either bin. */
            CHECK(value == end || sign * (part_below(&v, value) - part) >= 0.01 - 0.002);
        }
        CHECK(value == end && steps > 10 && steps <= 101);
        CHECK(!stats_step(&s, &iso, &v, sign * 0.01, &value, &err) && value == end);
    }
    volume_free(&v);
}

/* 8000 voxels: three at `outlier`, the others uniform from `low` to `high`, except for a gap in the middle, if any. */
static bool compute_humps(struct stats *s, struct volume *v, unsigned low, unsigned high, unsigned gap, unsigned outlier)
{
    const size_t n = grid_voxels(&v->grid);
    uint16_t *to = (uint16_t *)v->grid.voxels;
    for (size_t i = 0; i < n; i++) to[i] = (uint16_t)(low + i * (high - low) / n + (i < n / 2 ? 0 : gap));
    for (size_t i = 0; i < 3; i++) to[i] = (uint16_t)outlier;
    return compute(s, v);
}

/* Otsu's split; where outliers stretch the range, that of the others; never beyond the 5 % and 99.5 % percentiles. */
static void first_values_are_clamped(void)
{
    struct volume v = make_volume(VOXEL_UINT16, 20);
    struct stats s;
    if (compute_humps(&s, &v, 100, 300, 500, 100)) {
        CHECK(s.first_value >= volume_real(&v, 199) && s.first_value <= volume_real(&v, 700));
        CHECK(s.first_value > percentile(&s, &v, 0.05) && s.first_value < percentile(&s, &v, 0.995));
    }
    if (compute_humps(&s, &v, 980, 1000, 0, 0)) CHECK_NEAR(s.first_value, volume_real(&v, 990), 1);
    if (compute_humps(&s, &v, 0, 20, 0, 1000)) CHECK_NEAR(s.first_value, volume_real(&v, 10), 1);
    if (compute_humps(&s, &v, 0, 200, 0, 1000)) CHECK(s.first_value <= percentile(&s, &v, 0.995));
    if (compute_humps(&s, &v, 0, 0, 2, 65535)) CHECK_NEAR(s.first_value, volume_real(&v, 1), 0.5);
    volume_free(&v);
}

static void one_value_is_every_percentile(void)
{
    struct volume v = make_volume(VOXEL_UINT8, 3);
    struct stats s;
    double value = 5;
    memset((void *)v.grid.voxels, 40, grid_voxels(&v.grid));
    if (!compute(&s, &v)) return;
    for (int i = 0; i <= 4; i++) CHECK(percentile(&s, &v, i / 4.0) == 13);
    CHECK(stats_part_below(&s, &v, 13) == 0 && stats_part_below(&s, &v, 13.5) == 1);
    CHECK(!stats_step(&s, &iso, &v, 0.01, &value, &err) && value == 5);
    volume_free(&v);
}

/* Zeros around an object, and a highest value that many voxels have: every percentage is a value of the volume. */
static void percentages_are_values_of_the_volume(void)
{
    struct volume v = make_volume(VOXEL_UINT8, 10);
    struct stats s;
    double value, last = -INFINITY;
    v.slope = 2, v.intercept = -7;
    for (size_t i = 0; i < grid_voxels(&v.grid); i++) ((uint8_t *)v.grid.voxels)[i] = i < 700 ? 0 : i < 800 ? 3 : 9;
    if (!compute(&s, &v)) return;
    for (int i = 0; i <= 100; i++, last = value) {
        CHECK(!stats_isovalue(&s, &iso, &v, ISOVALUE_PERCENT, i, &value, &err));
        CHECK(value >= last && value >= s.real_min && value <= s.real_max);
        if (i > 0 && i <= 70) CHECK(part_below(&v, value) == 0.7); /* not 0: there is a surface */
        if (i > 80) CHECK(part_below(&v, value) == 0.8);
    }
    CHECK(!stats_isovalue(&s, &iso, &v, ISOVALUE_PERCENT, 0, &value, &err) && value == s.real_min);
    CHECK(value == s.real_min && last == s.real_max);
    volume_free(&v);
}

static void no_value_is_zero(void)
{
    struct volume v = make_volume(VOXEL_FLOAT32, 3);
    struct stats s;
    double value = 5;
    for (size_t i = 0; i < grid_voxels(&v.grid); i++) ((float *)v.grid.voxels)[i] = i % 2 ? NAN : INFINITY;
    if (!compute(&s, &v)) return;
    CHECK(percentile(&s, &v, 0) == 0 && percentile(&s, &v, 0.5) == 0 && percentile(&s, &v, 1) == 0);
    CHECK(!stats_step(&s, &iso, &v, 0.01, &value, &err) && value == 5);
    volume_free(&v);
}

static void one_voxel_is_one_value(void)
{
    struct volume v = make_volume(VOXEL_FLOAT32, 1);
    struct stats s;
    *(float *)v.grid.voxels = 3;
    if (compute(&s, &v)) CHECK(percentile(&s, &v, 0.5) == -5.5);
    volume_free(&v);
}

/* 2^40 voxels in one bin and one in each other bin: as floats, all fractions but a few are equal. */
static void ties_of_floats_are_told_apart(void)
{
    static struct stats s = { .lo = 0, .hi = 1024, .bins = 1024 };
    const struct volume v = { .grid.type = VOXEL_FLOAT32, .slope = 1 };
    const double many = 1099511627776.0, total = many + 1023;
    s.summary.count = (uint64_t)total;
    s.counts[0] = (uint64_t)many;
    for (int b = 1; b < 1024; b++) s.counts[b] = 1;
    CHECK(!stats_end(&s, NULL, &iso, &v, INFINITY, &err));
    for (int b = 1; b <= 1024; b += 31)
        CHECK_NEAR(percentile(&s, &v, (many + b - 1) / total), b, 1e-3); /* 2^-53 of 2^40 voxels, rounded a few times */
    CHECK_NEAR(percentile(&s, &v, 0.5), 0.5, 1e-9);
    double value = 1; /* a step up takes all that remains, a step down the whole first bin */
    CHECK(!stats_step(&s, &iso, &v, -0.01, &value, &err) && value == 0);
    value = 1;
    CHECK(!stats_step(&s, &iso, &v, 0.01, &value, &err) && value == 1024);
}

/* A field of 32 voxels along each axis: values of `of`, plus noise. */
static double first_value_of(double (*of)(double x, double y, double z), double noise)
{
    enum { N = 32 };
    struct volume v = make_volume(VOXEL_FLOAT32, N);
    struct stats s = { .first_value = NAN };
    v.slope = 1, v.intercept = 0;
    for (size_t i = 0; i < grid_voxels(&v.grid); i++) {
        const double x = (double)(i % N) - 15.5, y = (double)(i / N % N) - 15.5, z = (double)(i / N / N) - 15.5;
        const double random = (double)(check_random() >> 11) / 9007199254740992.0 - 0.5;
        ((float *)v.grid.voxels)[i] = (float)(of(x, y, z) + noise * random);
    }
    compute(&s, &v);
    volume_free(&v);
    return s.first_value;
}

static double ball(double x, double y, double z) { return 9 - sqrt(x * x + y * y + z * z); }
static double waves(double x, double y, double z) { return sin(x / 3) * cos(y / 3) + sin(y / 3) * cos(z / 3); }
static double scan(double x, double y, double z) { return fmax(-100, fmin(60, 200 * ball(x, y, z))); } /* air, tissue */
static double blob(double x, double y, double z) { return exp(-(x * x + y * y + z * z) / 30) - 0.001; }
static double nothing(double x, double y, double z) { return 0 * (x + y + z); }

/* 0 where the sign of a smooth field changes; noise, sharp edges and what is mostly near 0 are split as any others. */
static void distances_begin_at_zero(void)
{
    CHECK(first_value_of(ball, 0) == 0 && first_value_of(waves, 0) == 0);
    CHECK(first_value_of(ball, 0.2) == 0);
    CHECK(first_value_of(nothing, 1) != 0);
    CHECK(first_value_of(scan, 1) != 0);
    CHECK(first_value_of(blob, 0) != 0);
}

int main(int argc, char **argv)
{
    const struct rung *rung;
    const int code = open_backend(&iso, argc, argv);
    if (code) return code;
    for (size_t i = 0; (rung = ladder_rung(ladder_of("lower_bound"), iso.exec.backend, i)); i++) {
        check_subject(rung->name);
        check_seed(20261121);
        const uint64_t runs = iso.stage[AUX_LOWER_BOUND].runs;
        CHECK(!iso_set_rung(&iso, AUX_LOWER_BOUND, rung->name, &err));
        percentiles_count_voxels(VOXEL_UINT8);
        percentiles_count_voxels(VOXEL_FLOAT32);
        steps_get_past_everything(VOXEL_UINT8);
        steps_get_past_everything(VOXEL_FLOAT32);
        first_values_are_clamped();
        distances_begin_at_zero();
        one_value_is_every_percentile();
        percentages_are_values_of_the_volume();
        no_value_is_zero();
        one_voxel_is_one_value();
        ties_of_floats_are_told_apart();
        outliers_leave_the_first_value();
        if (rung->is_default) percentiles_stand_outliers();
        CHECK(iso.stage[AUX_LOWER_BOUND].runs > runs); /* lower_bound ran */
    }
    iso_close(&iso);
    return check_summary("test_stats");
}
