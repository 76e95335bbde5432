/* Percentiles: compares every lower_bound rung with counting voxel by voxel, and checks the limits: one value, none, all
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

/* Otsu's split, or exactly the 5 % or 99.5 % percentile if outliers pull the split beyond. */
static void first_values_are_clamped(void)
{
    struct volume v = make_volume(VOXEL_UINT16, 20);
    struct stats s;
    if (compute_humps(&s, &v, 100, 300, 500, 100)) {
        CHECK(s.first_value >= volume_real(&v, 199) && s.first_value <= volume_real(&v, 700));
        CHECK(s.first_value > percentile(&s, &v, 0.05) && s.first_value < percentile(&s, &v, 0.995));
    }
    if (compute_humps(&s, &v, 980, 1000, 0, 0)) CHECK(s.first_value == percentile(&s, &v, 0.05));
    if (compute_humps(&s, &v, 0, 20, 0, 1000)) CHECK(s.first_value == percentile(&s, &v, 0.995));
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
    const struct volume v = { .slope = 1 };
    const double many = 1099511627776.0, total = many + 1023;
    s.summary.count = (uint64_t)total;
    s.counts[0] = (uint64_t)many;
    for (int b = 1; b < 1024; b++) s.counts[b] = 1;
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
        no_value_is_zero();
        one_voxel_is_one_value();
        ties_of_floats_are_told_apart();
        CHECK(iso.stage[AUX_LOWER_BOUND].runs > runs); /* lower_bound ran */
    }
    iso_close(&iso);
    return check_summary("test_stats");
}
