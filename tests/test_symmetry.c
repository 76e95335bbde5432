/* Turning and mirroring a grid turns and mirrors its surface: the 48 symmetries of the cube change no number. Nor does the
 * sign of the values, where the trilinear interpolant decides and nothing equals the isovalue.
 * Usage: test_symmetry cpu|cuda [full]   full: ten times the grids */
#include "pack_util.h"

static long times; /* 1, or 10: full */

enum { SYMMETRIES = 48 };

/* Symmetry `which`: axis a of the copy is axis order[a] of the original, backwards if its bit is set. */
static void turn(struct small *to, const struct small *from, int which)
{
    static const int orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    const int *order = orders[which / 8];
    const size_t n[3] = { from->grid.nx, from->grid.ny, from->grid.nz };
    const size_t step[3] = { 1, n[0], n[0] * n[1] };
    const size_t m[3] = { n[order[0]], n[order[1]], n[order[2]] };
    small_floats(to, m[0], m[1], m[2]);
    for (size_t i = 0; i < m[0] * m[1] * m[2]; i++) {
        const size_t p[3] = { i % m[0], i / m[0] % m[1], i / m[0] / m[1] };
        size_t at = 0;
        for (int a = 0; a < 3; a++) at += (which >> a & 1 ? m[a] - 1 - p[a] : p[a]) * step[order[a]];
        to->value[i] = from->value[at];
    }
}

static void negate(struct small *s)
{
    for (size_t i = 0; i < grid_voxels(&s->grid); i++) s->value[i] = -s->value[i];
}

static bool same_truth(const struct grid_topology *a, const struct grid_topology *b) { return !memcmp(a, b, sizeof *a); }

/* Of a mesh, what does not depend on where it lies. */
static bool same_numbers(const struct mesh_topology *a, const struct mesh_topology *b)
{
    return a->vertices == b->vertices && a->inner_vertices == b->inner_vertices && a->edges == b->edges &&
           a->triangles == b->triangles && a->border_edges == b->border_edges && a->border_loops == b->border_loops &&
           a->components == b->components && a->euler == b->euler;
}

/* 4 x 5 x 6 voxels, so that no two axes can be mistaken; ties: whole numbers from -2 to 2. */
static void fill(struct small *s, bool ties)
{
    small_floats(s, 4, 5, 6);
    for (size_t i = 0; i < 120; i++) s->value[i] = ties ? (float)(check_random() % 5) - 2 : (float)uniform(-1, 1);
}

/* The truth and the mesh of each copy; the ways to a mesh take turns. */
static void turning_changes_nothing(struct ways *ways, bool ties)
{
    enum { GRIDS = 100 };
    static struct mesh_topology found[GRIDS][SYMMETRIES];
    static struct small original[GRIDS];
    struct packs packs = { .ways = ways };
    long tunnels = 0;
    if (!CHECK(ways->count > 0)) return;
    check_subject(ties ? "turned grids with ties" : "turned grids");
    for (long round = 0; round < times; round++) {
        for (int k = 0; k < GRIDS; k++) {
            struct grid_topology truth[2], first[2];
            fill(&original[k], ties);
            for (int which = 0; which < SYMMETRIES; which++) {
                struct small copy;
                struct err err;
                turn(&copy, &original[k], which);
                for (int rule = 0; rule < 2; rule++) {
                    CHECK(!grid_topology_find(&truth[rule], &copy.grid, 0, (enum topology)rule, NULL, &err));
                    if (which == 0) first[rule] = truth[rule];
                    CHECK(same_truth(&truth[rule], &first[rule]));
                }
                packs_add(&packs, &copy, 0, which % ways->count, true, &found[k][which]);
            }
            tunnels += (long)first[TOPOLOGY_TRILINEAR].tunnels;
        }
        packs_end(&packs);
        for (int k = 0; k < GRIDS; k++)
            for (int which = 1; which < SYMMETRIES; which++)
                if (!CHECK(same_numbers(&found[k][which], &found[k][0]))) small_print(&original[k], 0);
    }
    CHECK(tunnels > 10); /* or the rarest cells were left out */
    check_subject("");
}

/* The trilinear surface of -v is that of v. The fixed rule, which joins what is inside, has another one nearly always. */
static void the_sign_changes_nothing(struct ways *ways)
{
    const long grids = 500 * times;
    struct mesh_topology *const found = calloc(2 * (size_t)grids, sizeof *found); /* of each sign */
    struct packs packs = { .ways = ways };
    long other = 0;
    if (!CHECK(found)) return;
    check_subject("negated grids");
    for (long k = 0; k < grids; k++) {
        struct small s;
        struct grid_topology truth[2], fixed[2];
        struct err err;
        fill(&s, false);
        for (int sign = 0; sign < 2; sign++) {
            CHECK(!grid_topology_find(&truth[sign], &s.grid, 0, TOPOLOGY_TRILINEAR, NULL, &err));
            CHECK(!grid_topology_find(&fixed[sign], &s.grid, 0, TOPOLOGY_FIXED, NULL, &err));
            packs_add(&packs, &s, 0, (int)(k % ways->count), true, &found[2 * k + sign]);
            negate(&s);
        }
        CHECK(same_truth(&truth[0], &truth[1]));
        other += fixed[0].euler != fixed[1].euler || fixed[0].components != fixed[1].components;
    }
    packs_end(&packs);
    for (long k = 0; k < grids && ways->rule == TOPOLOGY_TRILINEAR; k++)
        CHECK(same_numbers(&found[2 * k], &found[2 * k + 1]));
    free(found);
    printf("  of %ld negated grids, %ld have another topology by the fixed rule\n", grids, other);
    CHECK(other > grids / 2);
    check_subject("");
}

int main(int argc, char **argv)
{
    static struct ways ways;
    enum backend backend;
    const int code = ways_begin(argc, argv, &backend, &times);
    if (code) return code;
    check_seed(20261125);
    for (int rule = 0; rule < TOPOLOGY_COUNT; rule++) {
        if (!CHECK(ways_open(&ways, backend, (enum topology)rule, false))) return check_summary("test_symmetry");
        turning_changes_nothing(&ways, false);
        turning_changes_nothing(&ways, true);
        the_sign_changes_nothing(&ways);
        ways_close(&ways);
    }
    return check_summary("test_symmetry");
}
