#include "grid_topology.h"

#include <stdlib.h>
#include <string.h>

static int open_sweep(struct grid_topology_sum *s, struct err *err)
{
    const size_t n = s->n[0] * s->n[1];
    bool good = (s->upright = malloc(n * sizeof *s->upright)) != NULL;
    for (int i = 0; i < 2; i++) {
        good = (s->layer[i].inside = malloc(n)) && good;
        for (int a = 0; a < 2; a++) good = (s->layer[i].number[a] = malloc(n * sizeof *s->upright)) && good;
    }
    return good ? ERR_NONE : err_set(err, ERR_FAILED, "not enough memory to look at layers of %zu voxels", n);
}

static void close_sweep(struct grid_topology_sum *s)
{
    for (int i = 0; i < 2; i++) {
        free(s->layer[i].inside);
        for (int a = 0; a < 2; a++) free(s->layer[i].number[a]);
    }
    free(s->upright);
    forest_free(&s->all);
    forest_free(&s->border);
}

/* ---- numbering --------------------------------------------------------------------------------------------------- */

/* Numbers the edge from voxel i of a layer to a neighbour, if it is crossed. */
static void number_edge(struct grid_topology_sum *s, uint32_t *number, size_t i, bool crossed, bool on_border)
{
    if (!crossed) return;
    number[i] = (uint32_t)s->found.crossed_edges++; /* 32 bits suffice for two layers */
    s->border_edges += on_border;
}

static int grow_forests(struct grid_topology_sum *s, struct err *err)
{
    const uint64_t count = s->found.crossed_edges - s->first;
    const int code = forest_grow(&s->all, count, err);
    return code ? code : forest_grow(&s->border, count, err);
}

static bool is_end(size_t i, size_t n) { return i == 0 || i == n - 1; }

/* Whether a voxel outside the padding is next to it along an axis. */
static bool is_beside_pad(const struct grid_topology_sum *s, int axis, size_t i)
{
    return s->pad && (i == 1 || i + 2 == s->n[axis]);
}

/* Edges into the padding are crossed at inside voxels on the border of the grid. A closed mesh has one vertex at each such
 * voxel. */
static void count_corner(struct grid_topology_sum *s, size_t x, size_t y, size_t z)
{
    const unsigned out = is_beside_pad(s, 0, x) + is_beside_pad(s, 1, y) + is_beside_pad(s, 2, z);
    s->found.corners += out > 0;
    s->out_edges += out;
}

static void read_inside(struct grid_topology_sum *s, size_t z)
{
    const struct grid *g = s->grid;
    const size_t nx = s->n[0], ny = s->n[1], pad = s->pad, below = pad + g->first[2];
    const float iso = (float)s->iso;
    uint8_t *inside = s->layer[1].inside;
    memset(inside, 0, nx * ny);
    if (pad && is_end(z, s->n[2])) return;
    for (size_t y = pad; y < ny - pad; y++) {
        const size_t from = ((z - below) * g->ny + y - pad) * g->nx;
        uint8_t *to = inside + y * nx + pad;
        GRID_TYPED(g, for (size_t i = 0; i < g->nx; i++) to[i] = grid_value(&GRID, from + i) >= iso);
        for (size_t x = pad; pad && x < nx - pad; x++)
            if (to[x - pad]) count_corner(s, x, y, z);
    }
}

static void number_layer(struct grid_topology_sum *s, size_t z)
{
    const size_t nx = s->n[0], ny = s->n[1];
    const uint8_t *inside = s->layer[1].inside;
    uint32_t *const *number = s->layer[1].number;
    for (size_t y = 0, i = 0; y < ny; y++)
        for (size_t x = 0; x < nx; x++, i++) {
            const bool at_end = is_end(z, s->n[2]);
            if (x + 1 < nx) number_edge(s, number[0], i, inside[i] != inside[i + 1], at_end || is_end(y, ny));
            if (y + 1 < ny) number_edge(s, number[1], i, inside[i] != inside[i + nx], at_end || is_end(x, nx));
        }
}

static void number_upright(struct grid_topology_sum *s)
{
    const size_t nx = s->n[0], ny = s->n[1];
    for (size_t y = 0, i = 0; y < ny; y++)
        for (size_t x = 0; x < nx; x++, i++)
            number_edge(s, s->upright, i, s->layer[0].inside[i] != s->layer[1].inside[i], is_end(x, nx) || is_end(y, ny));
}

/* Forgets the edges that are finished: all but those of the upper layer, which were numbered last. */
static void forget(struct grid_topology_sum *s, uint64_t first)
{
    forest_keep(&s->all, first - s->first);
    forest_keep(&s->border, first - s->first);
    s->first = first;
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

/* The number of a cell's edge in the forests; i: the cell's first voxel in its layer. */
static uint32_t number_of(const struct grid_topology_sum *s, size_t i, unsigned edge)
{
    const unsigned axis = edge >> 2, first = edge & 1, second = edge >> 1 & 1;
    const size_t nx = s->n[0];
    const uint32_t done = (uint32_t)s->first;
    if (axis == 2) return s->upright[i + first + nx * second] - done;
    return s->layer[second].number[axis][i + (axis == 0 ? nx : 1) * first] - done;
}

static void join_loops(struct grid_topology_sum *s, size_t i, const struct cell_contour *c)
{
    uint32_t first[CONTOUR_LOOPS];
    for (unsigned loop = 0; loop < c->loops; loop++) {
        unsigned e = 0;
        while (c->loop[e] != loop) e++;
        first[loop] = number_of(s, i, e);
    }
    for (unsigned e = 0; e < 12; e++)
        if (c->loop[e] != CONTOUR_NONE) forest_join(&s->all, first[c->loop[e]], number_of(s, i, e));
    if (c->tunnel) forest_join(&s->all, first[c->ends[0]], first[c->ends[1]]);
}

/* Counts the arcs on the faces that the cell owns: its lower faces, and those on the far border of the grid. */
static void count_arcs(struct grid_topology_sum *s, size_t i, const size_t at[3], const struct cell_contour *c)
{
    for (unsigned f = 0; f < 6; f++) {
        const unsigned axis = f >> 1;
        const bool far = (f & 1) && at[axis] + 2 == s->n[axis], near = !(f & 1) && at[axis] == 0;
        if (!(f & 1) || far) s->found.arcs += c->arcs[f];
        for (int a = 0; a < c->arcs[f] && (far || near); a++)
            forest_join(&s->border, number_of(s, i, c->arc[f][a][0]), number_of(s, i, c->arc[f][a][1]));
    }
}

/* The padding is NaN, so it is outside and never part of a tunnel. */
static double value_at(const struct grid_topology_sum *s, size_t x, size_t y, size_t z)
{
    const struct grid *g = s->grid;
    if (s->pad && (is_end(x, s->n[0]) || is_end(y, s->n[1]) || is_end(z, s->n[2]))) return (double)NAN;
    return (double)grid_value(g, ((z - s->pad - g->first[2]) * g->ny + y - s->pad) * g->nx + x - s->pad);
}

static void take_cell(struct grid_topology_sum *s, size_t x, size_t y, size_t z)
{
    const size_t i = y * s->n[0] + x, at[3] = { x, y, z };
    unsigned inside = 0;
    for (unsigned c = 0; c < 8; c++) inside += s->layer[c >> 2].inside[i + (c & 1) + s->n[0] * (c >> 1 & 1)];
    if (inside == 0 || inside == 8) return;
    double value[8];
    struct cell_contour contour;
    for (unsigned c = 0; c < 8; c++) value[c] = value_at(s, x + (c & 1), y + (c >> 1 & 1), z + (c >> 2)) - s->iso;
    cell_contour_find(&contour, value, s->rule);
    join_loops(s, i, &contour);
    count_arcs(s, i, at, &contour);
    s->found.euler += contour.loops - 2 * contour.tunnel;
    for (int a = 0; a < 3; a++)
        if (s->pad && is_end(at[a], s->n[a] - 1)) return; /* not a cell of the grid */
    s->found.cells++;
    s->found.several += contour.loops > 1;
    s->found.tunnels += contour.tunnel;
}

/* Advances by a layer and examines the cells below it. */
static int sweep(struct grid_topology_sum *s, struct err *err)
{
    const size_t z = s->z++;
    const struct grid_topology_layer below = s->layer[1];
    s->layer[1] = s->layer[0], s->layer[0] = below;
    read_inside(s, z);
    if (z) number_upright(s);
    const uint64_t upper = s->found.crossed_edges;
    number_layer(s, z);
    if (grow_forests(s, err)) return ERR_FAILED;
    for (size_t y = 0; z && y + 1 < s->n[1]; y++)
        for (size_t x = 0; x + 1 < s->n[0]; x++) take_cell(s, x, y, z - 1);
    forget(s, upper);
    return ERR_NONE;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

int grid_topology_begin(struct grid_topology_sum *s, const size_t n[3], float iso, enum topology rule, bool closed,
                        struct err *err)
{
    *s = (struct grid_topology_sum){ .pad = closed, .iso = (double)iso, .rule = rule };
    for (int a = 0; a < 3; a++) s->n[a] = n[a] + 2 * s->pad;
    if (isnan(iso)) return err_set(err, ERR_USAGE, "the isovalue is NaN; it must be a number");
    if (isinf(iso) || n[0] < 2 || n[1] < 2 || n[2] < 2) return ERR_NONE;
    const int code = open_sweep(s, err);
    if (code) grid_topology_end(NULL, s);
    return code;
}

int grid_topology_add(struct grid_topology_sum *s, const struct grid *block, size_t end, const struct progress *progress,
                      struct err *err)
{
    const size_t to = end + 2 * s->pad == s->n[2] ? s->n[2] : end + s->pad;
    s->grid = block;
    while (s->upright && s->z < to) {
        if (sweep(s, err)) return ERR_FAILED;
        if (!progress_tell(progress, (double)s->z / (double)s->n[2])) return err_set(err, ERR_FAILED, "cancelled");
    }
    return ERR_NONE;
}

void grid_topology_end(struct grid_topology *out, struct grid_topology_sum *s)
{
    if (out) {
        *out = s->found;
        out->euler += (int64_t)out->crossed_edges - (int64_t)out->arcs;
        out->components = out->crossed_edges - s->all.joins;
        out->border_loops = s->border_edges - s->border.joins;
        out->crossed_edges -= s->out_edges;
    }
    close_sweep(s);
    *s = (struct grid_topology_sum){ .grid = NULL };
}

static int find(struct grid_topology *out, const struct grid *grid, bool closed, float iso, enum topology rule,
                const struct progress *progress, struct err *err)
{
    const size_t n[3] = { grid->nx, grid->ny, grid->nz };
    struct grid_topology_sum s;
    struct grid whole = *grid;
    whole.first[2] = 0;
    *out = (struct grid_topology){ 0 };
    int code = grid_topology_begin(&s, n, iso, rule, closed, err);
    if (code) return code;
    code = grid_topology_add(&s, &whole, grid->nz, progress, err);
    grid_topology_end(code ? NULL : out, &s);
    return code;
}

int grid_topology_find(struct grid_topology *out, const struct grid *grid, float iso, enum topology rule,
                       const struct progress *progress, struct err *err)
{
    return find(out, grid, false, iso, rule, progress, err);
}

int grid_topology_find_closed(struct grid_topology *out, const struct grid *grid, float iso, enum topology rule,
                              const struct progress *progress, struct err *err)
{
    return find(out, grid, true, iso, rule, progress, err);
}
