/* Values and saddles that equal the isovalue, and values that are NaN or infinite: the mesh must be closed and sound,
 * and have the topology of the voxels.
 * Usage: test_ties cpu|cuda [full|quick]   full: ten times the grids; quick: a fifth, for a checker of memory */
#include "pack_util.h"

static long many; /* grids of each kind */

/* ---- few values -------------------------------------------------------------------------------------------------- */

struct palette {
    const char *name;
    int count;
    float value[6];
};

/* Sets 5^3 voxels (27 inner ones, and every kind of border) from a palette; closed: the outer layer is the lowest value. */
static void fill(struct small *s, const struct palette *p, bool closed)
{
    const size_t n = 5;
    small_floats(s, n, n, n);
    for (size_t i = 0; i < n * n * n; i++) {
        const size_t x = i % n, y = i / n % n, z = i / n / n;
        const bool outer = !x || !y || !z || x == n - 1 || y == n - 1 || z == n - 1;
        s->value[i] = p->value[closed && outer ? 0 : check_random() % (unsigned)p->count];
    }
}

/* The same whole numbers in an integer type, by which the isovalue moves, too. */
static float shift(struct small *to, const struct small *from, enum voxel_type type)
{
    const int by = type == VOXEL_UINT8 || type == VOXEL_UINT16 ? 128 : 0;
    *to = *from;
    to->grid.voxels = type == VOXEL_FLOAT32 ? (const void *)to->value : to->bytes;
    to->grid.type = type;
    for (size_t i = 0; i < grid_voxels(&to->grid) && type != VOXEL_FLOAT32; i++) {
        const int whole = (int)from->value[i] + by;
        if (voxel_bytes(type) == 1) to->bytes[i] = (uint8_t)whole;
        else memcpy(to->bytes + 2 * i, &(uint16_t){ (uint16_t)whole }, 2);
    }
    return (float)by;
}

static void few_values_are_right(struct ways *ways)
{
    static const struct palette palettes[] = {
        { "-1, 0, 1", 3, { -1, 0, 1 } },
        { "0, 1", 2, { 0, 1 } },
        { "-2 to 2", 5, { -2, -1, 0, 1, 2 } },
        { "saddles at 0", 4, { -2, -1, 1, 2 } }, /* 2 * 2 = 1 * 4, 1 * 1, 2 * 1 */
        { "with 0 between", 6, { -3, -1, 0, 2, 5, 7 } },
    };
    for (size_t p = 0; p < sizeof palettes / sizeof palettes[0]; p++) {
        uint64_t flat = 0, ambiguous = 0;
        struct packs packs = { .ways = ways };
        struct mesh_topology *const found = calloc((size_t)many, sizeof *found);
        check_subject(palettes[p].name);
        for (long k = 0; CHECK(found) && k < many; k++) {
            const enum voxel_type type = (enum voxel_type)(k % VOXEL_TYPE_COUNT);
            const float at = k % 3 ? 0 : palettes[p].value[check_random() % (unsigned)palettes[p].count];
            struct small floats, s;
            struct grid_topology truth;
            struct err err;
            fill(&floats, &palettes[p], k % 2);
            const float iso = shift(&s, &floats, type) + at;
            CHECK(!grid_topology_find(&truth, &s.grid, iso, ways->rule, NULL, &err));
            ambiguous += truth.several;
            packs_add(&packs, &s, iso, ALL_WAYS, true, &found[k]);
        }
        const long wrong = packs_end(&packs);
        for (long k = 0; found && k < many; k++) flat += found[k].fault[FAULT_ZERO_AREA];
        free(found);
        printf("  %-16s %ld wrong; %d cells of several pieces, %d triangles without area\n", palettes[p].name, wrong,
               (int)ambiguous, (int)flat);
        CHECK(ambiguous > 0 || palettes[p].count == 2);
    }
    check_subject("");
}

/* ---- noisy spheres ----------------------------------------------------------------------------------------------- */

/* A sphere in 24^3 voxels, large enough for plateaus and small ones beside the surface; noise of +-8, rounded, at whole
 * isovalues that thousands of voxels have. */
static void noisy_spheres_are_right(struct ways *ways)
{
    enum { N = 24, ALL = N * N * N };
    static uint8_t bytes[ALL];
    static float floats[ALL];
    check_subject("noisy spheres");
    for (long k = 0; k < many / 80; k++) {
        const float iso = (float)(120 + check_random() % 16);
        for (size_t i = 0; i < ALL; i++) {
            const double x = (double)(i % N) - 11.5, y = (double)(i / N % N) - 11.5, z = (double)(i / N / N) - 11.5;
            const double value = 128 + 12 * (8 - sqrt(x * x + y * y + z * z)) + uniform(-8, 8);
            bytes[i] = (uint8_t)fmin(255, fmax(0, rint(value)));
            floats[i] = (float)bytes[i];
        }
        const struct grid grids[] = { { bytes, VOXEL_UINT8, N, N, N }, { floats, VOXEL_FLOAT32, N, N, N } };
        for (int g = 0; g < 2; g++) CHECK(ways_check(ways, &grids[g], iso) == 0);
    }
    check_subject("");
}

/* ---- no numbers -------------------------------------------------------------------------------------------------- */

/* Small grids with one voxel in ten from `odd`. */
static void odd_grid(struct small *s, const float *odd, size_t count)
{
    small_floats(s, 6, 6, 6);
    for (size_t i = 0; i < 216; i++)
        s->value[i] = check_random() % 10 ? (float)uniform(-1, 1) : odd[check_random() % count];
}

/* NaN is outside; vertices beside such voxels are finite. */
static void odd_values_make_right_meshes(struct ways *ways)
{
    static const float odd[] = { NAN, INFINITY, -INFINITY, 1e-45f };
    struct packs packs = { .ways = ways };
    check_subject("NaN and infinities");
    for (long k = 0; k < many; k++) {
        struct small s;
        odd_grid(&s, odd, sizeof odd / sizeof *odd);
        packs_add(&packs, &s, 0, ALL_WAYS, true, NULL);
    }
    printf("  NaN and infinities: %ld wrong\n", packs_end(&packs));
    check_subject("");
}

/* Beside values of 10^38 a double cannot hold the others: a tunnel may be decided otherwise than by exact arithmetic. The
 * mesh has no fault all the same. */
static void huge_values_make_sound_meshes(struct ways *ways)
{
    static const float odd[] = { 3.4e38f, -3.4e38f, 1e-45f, INFINITY };
    struct packs packs = { .ways = ways };
    check_subject("huge values");
    for (long k = 0; k < many; k++) {
        struct small s;
        odd_grid(&s, odd, sizeof odd / sizeof *odd);
        packs_add(&packs, &s, 0, ALL_WAYS, false, NULL);
    }
    packs_end(&packs);
    check_subject("");
}

int main(int argc, char **argv)
{
    static struct ways ways;
    enum backend backend;
    long times;
    const int code = ways_begin(argc, argv, &backend, &times);
    if (code) return code;
    many = ways_asked(argc, argv, "quick") ? 200 : 1000 * times;
    check_seed(20261124);
    for (int rule = 0; rule < TOPOLOGY_COUNT; rule++)
        for (int exact = 0; exact < 2; exact++) {
            printf("%s rule%s\n", rule == TOPOLOGY_FIXED ? "fixed" : "trilinear", exact ? ", exact positions" : "");
            if (!CHECK(ways_open(&ways, backend, (enum topology)rule, exact))) return check_summary("test_ties");
            few_values_are_right(&ways);
            noisy_spheres_are_right(&ways);
            odd_values_make_right_meshes(&ways);
            huge_values_make_sound_meshes(&ways);
            ways_close(&ways);
        }
    return check_summary("test_ties");
}
