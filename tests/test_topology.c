/* The topology of meshes against the trilinear interpolant: random grids and cells, on every fused rung and the stages; and
 * the truth itself (grid_topology.h) against a second one (digital_truth.h).
 * Usage: test_topology cpu|cuda [full|quick]   full: ten times the grids, and a finer second truth; quick: a third of the
 * grids, for a checker of memory */
#include "pack_util.h"

#include "digital_truth.h"

static long times; /* 1, or 10: full */

/* ---- the truth against another one ------------------------------------------------------------------------------- */

/* Whether both truths agree on a grid, or the second cannot say: then `unresolved` grows. */
static bool truths_agree_on(const struct small *s, size_t most, long *unresolved, long *tunnels)
{
    struct grid_topology truth;
    struct err err;
    CHECK(!grid_topology_find(&truth, &s->grid, 0, TOPOLOGY_TRILINEAR, NULL, &err));
    const struct digital_truth second = digital_truth_find(&s->grid, 0, most);
    *unresolved += !second.resolved;
    if (!second.resolved) return true;
    *tunnels += truth.tunnels > 0;
    return truth.euler == second.euler && truth.components == second.components;
}

/* ---- random grids ------------------------------------------------------------------------------------------------ */

enum { CLOSED, CLOSED_FLAT, OPEN };

/* A cube of n^3 voxels between -1 and 1. CLOSED: the outer layer is below 0; CLOSED_FLAT: it is -1. */
static void random_grid(struct small *s, size_t n, int kind)
{
    small_floats(s, n, n, n);
    for (size_t i = 0; i < n * n * n; i++) {
        const size_t x = i % n, y = i / n % n, z = i / n / n;
        const bool outer = !x || !y || !z || x == n - 1 || y == n - 1 || z == n - 1;
        if (kind == OPEN || !outer) s->value[i] = (float)uniform(-1, 1);
        else s->value[i] = kind == CLOSED ? -(float)uniform(1e-6, 1) : -1;
    }
}

struct tally {
    long grids, wrong, tunnels, other_by_fixed;
};

static void count_grid(struct tally *t, const struct grid *g, float iso)
{
    struct grid_topology by_values, fixed;
    struct err err;
    CHECK(!grid_topology_find(&by_values, g, iso, TOPOLOGY_TRILINEAR, NULL, &err));
    CHECK(!grid_topology_find(&fixed, g, iso, TOPOLOGY_FIXED, NULL, &err));
    t->grids++;
    t->tunnels += by_values.tunnels > 0;
    t->other_by_fixed += by_values.euler != fixed.euler || by_values.components != fixed.components;
}

static void print_tally(const char *name, const struct tally *t)
{
    printf("  %-24s %6ld grids, %5ld with tunnels, %5ld unlike the fixed rule, %ld wrong\n", name, t->grids, t->tunnels,
           t->other_by_fixed, t->wrong);
}

/* Sizes: cells of 2^3 to see each alone; 5^3 as in the published sets, with 27 inner voxels; 6^3, where tunnels are
 * frequent. */
static void random_grids_are_right(struct ways *ways, long share)
{
    static const struct {
        const char *name;
        size_t n;
        int kind, grids;
        bool typed;
    } sets[] = {
        { "closed 5^3", 5, CLOSED, 2000, false },
        { "cells", 2, OPEN, 2000, false },
        { "closed 6^3, flat outside", 6, CLOSED_FLAT, 200, false },
        { "open 5^3", 5, OPEN, 200, false },
        { "of integers, open 5^3", 5, OPEN, 200, true },
    };
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        struct tally tally = { 0 };
        struct packs packs = { .ways = ways };
        check_subject(sets[i].name);
        for (long k = 0; k < share * sets[i].grids; k++) {
            struct small s, typed;
            random_grid(&s, sets[i].n, sets[i].kind);
            const enum voxel_type type = sets[i].typed ? (enum voxel_type)(k % VOXEL_FLOAT32) : VOXEL_FLOAT32;
            const float iso = small_convert(&typed, &s, type);
            packs_add(&packs, &typed, iso, ALL_WAYS, true, NULL);
            count_grid(&tally, &typed.grid, iso);
        }
        tally.wrong = packs_end(&packs);
        print_tally(sets[i].name, &tally);
        CHECK(tally.tunnels > 0 && tally.other_by_fixed > tally.grids / 10);
    }
    check_subject("");
}

/* ---- cells of each kind ------------------------------------------------------------------------------------------ */

/* Chernyaev's number of a case that has several loops, or 0: by the groups that the fewer corners form along edges. */
static int case_of(const double value[8])
{
    unsigned inside = 0, ones = 0, group[8], groups = 0, size[8] = { 0 };
    for (unsigned c = 0; c < 8; c++) inside |= (unsigned)(value[c] >= 0) << c, ones += value[c] >= 0;
    if (ones > 4) inside = ~inside & 255, ones = 8 - ones;
    for (unsigned c = 0; c < 8; c++) group[c] = c;
    for (unsigned turn = 0; turn < 3; turn++)
        for (unsigned c = 0; c < 8; c++)
            for (unsigned a = 1; a < 8; a *= 2)
                if ((inside >> c & 1) && (inside >> (c ^ a) & 1) && group[c ^ a] < group[c]) group[c] = group[c ^ a];
    for (unsigned c = 0; c < 8; c++) {
        groups += (inside >> c & 1) && group[c] == c;
        if (inside >> c & 1) size[group[c]]++;
    }
    if (groups < 2) return 0;
    if (ones == 2) return (inside == 0x81 || inside == 0x42 || inside == 0x24 || inside == 0x18) ? 4 : 3;
    if (ones == 3) return groups == 2 ? 6 : 7;
    if (groups == 4) return 13;
    for (unsigned c = 0; c < 8; c++)
        if (size[c] == 3) return 12;
    return 10;
}

/* Fills a cell of a pattern, or of its opposite, by values of many magnitudes: in each case saddles of both signs come
 * up. */
static void random_cell(struct small *s, unsigned pattern)
{
    const unsigned turned = check_random() & 7; /* mirrors the cell */
    const double spread = uniform(0, 4), sign = check_random() % 2 ? 1 : -1;
    small_floats(s, 2, 2, 2);
    for (unsigned c = 0; c < 8; c++)
        s->value[c] = (float)((pattern >> (c ^ turned) & 1 ? sign : -sign) * exp(-spread * uniform(0, 1)));
}

/* Each case that can have a tunnel, and one that cannot, is meshed with and without a tunnel. */
static void cells_of_every_kind_are_right(struct ways *ways, long share)
{
    static const unsigned patterns[] = { 0x81, 0x09, 0x83, 0x29, 0xc3, 0x87, 0x69 }; /* of cases 4, 3, 6, 7, 10, 12, 13 */
    enum { CELLS = 4200, LEAST = 2 }; /* the rarest, 4 and 10 with a tunnel */
    long with[14] = { 0 }, without[14] = { 0 }, unresolved = 0, tunnels = 0;
    struct packs packs = { .ways = ways };
    check_subject("cells of every kind");
    for (long k = 0; k < share * CELLS; k++) {
        struct small s;
        struct cell_contour contour;
        double value[8];
        random_cell(&s, patterns[k % 7]);
        for (int c = 0; c < 8; c++) value[c] = (double)s.value[c];
        cell_contour_find(&contour, value, TOPOLOGY_TRILINEAR);
        const int kind = case_of(value);
        (contour.tunnel ? with : without)[kind]++;
        if (contour.tunnel || k % 20 == 0) CHECK(truths_agree_on(&s, 32, &unresolved, &tunnels));
        packs_add(&packs, &s, 0, ALL_WAYS, true, NULL);
    }
    packs_end(&packs);
    for (int kind = 3; kind < 14; kind++) {
        if (with[kind] + without[kind] == 0) continue;
        printf("  case %2d: %ld cells, %ld with a tunnel\n", kind, with[kind] + without[kind], with[kind]);
        CHECK(without[kind] >= LEAST && (kind == 3 ? with[kind] == 0 : with[kind] >= LEAST));
    }
    printf("  second truth: agrees on %ld of these tunnels, cannot say for %ld cells\n", tunnels, unresolved);
    CHECK(tunnels > 20);
    CHECK(with[4] && with[6] && with[7] && with[10] && with[12] && with[13] && !with[0] && !without[0]);
    check_subject("");
}

/* ---- the truth itself -------------------------------------------------------------------------------------------- */

/* Sampling is bounded, and with it memory and time. Cells that need finer sampling are counted, not judged. */
static void truths_agree(const char *name, size_t n, int kind, long grids, size_t most)
{
    long unresolved = 0, wrong = 0, tunnels = 0;
    check_subject(name);
    for (long k = 0; k < times * grids; k++) {
        struct small s;
        random_grid(&s, n, kind);
        if (!CHECK(truths_agree_on(&s, most, &unresolved, &tunnels)) && !wrong++) small_print(&s, 0);
    }
    printf("  second truth, %s: %ld of %ld grids resolved, %ld of them with tunnels, %ld differ\n", name,
           times * grids - unresolved, times * grids, tunnels, wrong);
    CHECK(unresolved < times * grids / 2 && tunnels > 0);
    check_subject("");
}

/* Equal to the isovalue means a little above it, everywhere: a slightly lower isovalue must give the same. */
static void ties_are_slightly_inside(void)
{
    static const float below = -1e-6f; /* products of small whole numbers differ by 1 at least */
    long met = 0, wrong = 0;
    for (long k = 0; k < times * 2000; k++) {
        struct small s;
        struct grid_topology at, lower;
        struct err err;
        small_floats(&s, 4, 4, 4);
        for (size_t i = 0; i < 64; i++) s.value[i] = (float)(check_random() % 5) - 2;
        CHECK(!grid_topology_find(&at, &s.grid, 0, TOPOLOGY_TRILINEAR, NULL, &err));
        CHECK(!grid_topology_find(&lower, &s.grid, below, TOPOLOGY_TRILINEAR, NULL, &err));
        met += at.tunnels > 0;
        if (!CHECK(!memcmp(&at, &lower, sizeof at)) && !wrong++) small_print(&s, 0);
    }
    CHECK(met > 100);
}

int main(int argc, char **argv)
{
    static struct ways ways;
    enum backend backend;
    const int code = ways_begin(argc, argv, &backend, &times);
    if (code) return code;
    check_seed(20261122);
    for (int rule = 0; rule < TOPOLOGY_COUNT; rule++) {
        printf("%s\n", rule == TOPOLOGY_FIXED ? "the fixed rule" : "the trilinear interpolant");
        if (!CHECK(ways_open(&ways, backend, (enum topology)rule, false))) return check_summary("test_topology");
        const long share = rule == TOPOLOGY_FIXED || ways_asked(argc, argv, "quick") ? times : 5 * times;
        random_grids_are_right(&ways, share);
        cells_of_every_kind_are_right(&ways, share);
        ways_close(&ways);
    }
    if (backend == BACKEND_CPU) {
        truths_agree("cells", 2, OPEN, 2000, 64);
        truths_agree("open 4^3", 4, OPEN, 200, 32);
        truths_agree("closed 5^3", 5, CLOSED_FLAT, 60, 16);
        ties_are_slightly_inside();
    }
    return check_summary("test_topology");
}
