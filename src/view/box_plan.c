#include "box_plan.h"

#include <math.h>
#include <string.h>

#define TICK 0.012   /* length of a tick, image heights at the target */
#define ROOM 1.15    /* factor for the distance of a fit, to make room for numbers outside the box */
#define EDGE_ON 1e-9 /* a face is not visible if the eye is less than this above it, in the face's own lengths */

double box_round_length(double most)
{
    const double ten = pow(10, floor(log10(most) + 1e-12)), part = most / ten * (1 + 1e-12);
    return ten * (part >= 5 ? 5 : part >= 2 ? 2 : 1);
}

double box_round_up(double least)
{
    /* The next of these lengths is twice or two and a half times as long. */
    const double length = box_round_length(least);
    return length < least * (1 - 1e-9) ? box_round_length(2.5 * length) : length;
}

double box_scene_unit(const struct camera *camera, const struct volume *volume)
{
    double squared = 0;
    for (int i = 0; i < 3; i++) squared += camera->axis[i][0] * camera->axis[i][0];
    return squared > 0 ? volume_spacing(volume, 0) / sqrt(squared) : 1;
}

static void find_ends(const struct volume *volume, double high[3])
{
    const size_t n[3] = { volume->grid.nx, volume->grid.ny, volume->grid.nz };
    for (int a = 0; a < 3; a++) high[a] = (double)(n[a] - 1);
}

void box_fit(struct camera *camera, const struct volume *volume, double aspect)
{
    double high[3];
    find_ends(volume, high);
    camera_fit(camera, aspect, (const double[3]){ 0, 0, 0 }, high);
    camera->distance *= ROOM;
}

/* ---- edges ----------------------------------------------------------------------------------------------------- */

struct edge {
    int axis, across[2]; /* axis along the edge; the other two axes */
    int side[2];         /* end of each at which the edge lies: 0 or 1 */
    int front;           /* how many of its two faces are seen from outside */
};

static struct edge edge_of(int i, const bool front[3][2])
{
    struct edge edge = { .axis = i / 4, .across = { (i / 4 + 1) % 3, (i / 4 + 2) % 3 }, .side = { i & 1, i >> 1 & 1 } };
    for (int k = 0; k < 2; k++) edge.front += front[edge.across[k]][edge.side[k]];
    return edge;
}

static void point_on(const struct edge *edge, const double high[3], double along, double point[3])
{
    point[edge->axis] = along;
    for (int k = 0; k < 2; k++) point[edge->across[k]] = edge->side[k] ? high[edge->across[k]] : 0;
}

static void find_front(const struct camera *camera, const double high[3], bool front[3][2])
{
    double eye[4];
    camera_eye(camera, eye);
    for (int a = 0; a < 3; a++) {
        const double least = EDGE_ON * (high[a] + 1);
        front[a][0] = -eye[a] > least;
        front[a][1] = eye[a] - high[a] * eye[3] > least;
    }
}

static void add_line(struct box_plan *plan, const double from[3], const double to[3])
{
    struct box_line *line = &plan->line[plan->lines++];
    for (int a = 0; a < 3; a++) line->from[a] = (float)from[a], line->to[a] = (float)to[a];
}

/* ---- ticks ----------------------------------------------------------------------------------------------------- */

/* Values of ticks along an axis. */
struct scale {
    int along;         /* world axis; -1: none */
    double zero, step; /* value at voxel v: zero + v * step */
};

/* If one axis is oblique, the others show lengths too. Coordinates next to lengths would be read as one coordinate
 * system. */
static struct scale scale_of(const struct volume *volume, int axis)
{
    int along[3];
    if (!volume_aligned(volume, along)) return (struct scale){ -1, 0, volume_spacing(volume, axis) };
    return (struct scale){ along[axis], volume->origin[along[axis]], volume->direction[along[axis]][axis] };
}

/* Projects to pixels. */
static bool to_pixels(const struct camera *camera, double aspect, double height, const double voxel[3], double pixel[2])
{
    double ndc[3];
    const bool seen = camera_project(camera, aspect, voxel, ndc);
    pixel[0] = 0.5 * ndc[0] * aspect * height, pixel[1] = 0.5 * ndc[1] * height;
    return seen;
}

/* Chooses the edge for the ticks: the lowest, or else the leftmost, of the edges between a visible face and a hidden
 * one. Nothing lies beyond such an edge. */
static bool choose_edge(const struct camera *camera, double aspect, const bool front[3][2], const double high[3], int axis,
                        struct edge *best)
{
    double least = INFINITY;
    for (int i = 4 * axis; i < 4 * axis + 4; i++) {
        const struct edge edge = edge_of(i, front);
        double middle[3], ndc[3];
        point_on(&edge, high, 0.5 * high[axis], middle);
        if (edge.front != 1 || !camera_project(camera, aspect, middle, ndc)) continue;
        const double place = ndc[1] + 0.3 * ndc[0];
        if (place < least) least = place, *best = edge;
    }
    return least < INFINITY;
}

/* Chooses the direction of the ticks: along the axis that makes them look longer, and away from the edge. */
static void choose_out(const struct camera *camera, double aspect, double height, const struct edge *edge,
                       const double high[3], double out[3])
{
    double from[3], to[3], a[2], b[2], longest = -1;
    point_on(edge, high, 0.4 * high[edge->axis], from);
    point_on(edge, high, 0.6 * high[edge->axis], to);
    to_pixels(camera, aspect, height, from, a);
    to_pixels(camera, aspect, height, to, b);
    const double along[2] = { b[0] - a[0], b[1] - a[1] };
    for (int k = 0; k < 2; k++) {
        const int axis = edge->across[k];
        double length = 0, end[3], pixel[2], tick[3] = { 0, 0, 0 };
        for (int i = 0; i < 3; i++) length += camera->axis[i][axis] * camera->axis[i][axis];
        tick[axis] = (edge->side[k] ? 1 : -1) * TICK * camera_height(camera) / sqrt(fmax(length, 1e-30));
        for (int i = 0; i < 3; i++) end[i] = from[i] + tick[i];
        to_pixels(camera, aspect, height, end, pixel);
        const double off = fabs((pixel[0] - a[0]) * along[1] - (pixel[1] - a[1]) * along[0]);
        if (off > longest) longest = off, memcpy(out, tick, sizeof tick);
    }
}

static void add_ticks(struct box_plan *plan, const struct edge *edge, const double high[3], const double out[3],
                      const struct scale *scale, double step)
{
    const double ends[2] = { scale->zero, scale->zero + scale->step * high[edge->axis] };
    const double first = ceil(fmin(ends[0], ends[1]) / step - 1e-6), last = floor(fmax(ends[0], ends[1]) / step + 1e-6);
    for (double k = first; k <= last && k < first + BOX_TICKS; k++) {
        struct box_tick *tick = &plan->tick[plan->ticks++];
        *tick = (struct box_tick){ .axis = edge->axis, .along = scale->along, .value = k * step + 0.0, .last = k == last };
        point_on(edge, high, (k * step - scale->zero) / scale->step, tick->at);
        for (int i = 0; i < 3; i++) tick->to[i] = tick->at[i] + out[i];
        add_line(plan, tick->at, tick->to);
    }
}

static void plan_ticks(struct box_plan *plan, const struct camera *camera, const struct volume *volume, double aspect,
                       double height, double apart, const bool front[3][2])
{
    double high[3];
    find_ends(volume, high);
    for (int axis = 0; axis < 3; axis++) {
        struct edge edge = { .axis = axis };
        double from[3], to[3], a[2], b[2], out[3] = { 0, 0, 0 };
        if (high[axis] < 1 || !choose_edge(camera, aspect, front, high, axis, &edge)) continue;
        point_on(&edge, high, 0, from);
        point_on(&edge, high, high[axis], to);
        if (!to_pixels(camera, aspect, height, from, a) || !to_pixels(camera, aspect, height, to, b)) continue;
        const struct scale scale = scale_of(volume, axis);
        const double pixels = fmax(1, hypot(b[0] - a[0], b[1] - a[1])), length = fabs(scale.step) * high[axis];
        const double most = fmin(pixels / apart, BOX_TICKS - 1); /* steps */
        choose_out(camera, aspect, height, &edge, high, out);
        if (most >= 1) add_ticks(plan, &edge, high, out, &scale, box_round_up(length / most));
    }
}

void box_lay_out(struct box_plan *plan, const struct camera *camera, const struct volume *volume, double aspect,
                 double height, double apart)
{
    double high[3];
    bool front[3][2];
    plan->lines = plan->ticks = 0;
    find_ends(volume, high);
    find_front(camera, high, front);
    for (int i = 0; i < BOX_EDGES; i++) {
        const struct edge edge = edge_of(i, front);
        double from[3], to[3];
        if (edge.front == 2) continue;
        point_on(&edge, high, 0, from);
        point_on(&edge, high, high[edge.axis], to);
        add_line(plan, from, to);
    }
    plan_ticks(plan, camera, volume, aspect, height, apart, front);
}
