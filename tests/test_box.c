/* The box of a volume: edges in front of the surface are left out. Ticks are at round values, on an edge, and apart
 * from each other. */
#include "box_plan.h"
#include "check.h"

#include <string.h>

#define VIEWS 300 /* random ones, of which each kind of edge sees many */
#define ASPECT 1.5
#define HEIGHT 800.0 /* pixels */
#define APART 60.0

static double random_between(double low, double high)
{
    return low + (high - low) * ((double)(check_random() >> 11) / 9007199254740992.0);
}

static void test_round_lengths(void)
{
    static const double cases[][2] = { { 1, 1 },       { 1.99, 1 },      { 2, 2 },       { 4.9, 2 },
                                       { 5, 5 },       { 9.99, 5 },      { 10, 10 },     { 0.3, 0.2 },
                                       { 0.05, 0.05 }, { 12345, 10000 }, { 1e-9, 1e-9 }, { 7e20, 5e20 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_NEAR(box_round_length(cases[i][0]) / cases[i][1], 1, 1e-9);
}

enum kind { STRAIGHT, SWAPPED, TURNED, KINDS };

/* Spacing 0.5, 2 and 1 mm, the second axis against the world's. A volume that is swapped has the axes of the world in
 * another order, one that is turned has one axis, of three, that is none of the world's. */
static struct volume make_volume(enum kind kind)
{
    struct volume volume = { .grid = { .nx = 101, .ny = 51, .nz = 21 }, .origin = { -20, 70, 3 } };
    const int swap = kind == SWAPPED;
    volume.direction[swap ? 2 : 0][0] = 0.5, volume.direction[swap ? 0 : 1][1] = -2, volume.direction[swap ? 1 : 2][2] = 1;
    if (kind == TURNED) volume.direction[0][1] = 1;
    return volume;
}

static struct camera random_camera(const struct volume *volume, bool orthographic)
{
    struct camera camera = { .orthographic = orthographic };
    camera_set_volume(&camera, volume);
    camera_look(&camera, random_between(-180, 180), random_between(-90, 90));
    box_fit(&camera, volume, ASPECT);
    return camera;
}

/* An edge must be left out if the inside of the box is behind it, along the line of sight. */
static void check_edges(const struct box_plan *plan, const struct camera *camera, const double high[3])
{
    double eye[4];
    int outside = 0;
    camera_eye(camera, eye);
    for (int a = 0; a < 3; a++) outside += eye[a] < 0 || eye[a] > high[a] * eye[3];
    for (int c = 0; c < 8; c++) {
        double voxel[3], ndc[3];
        for (int a = 0; a < 3; a++) voxel[a] = c >> a & 1 ? high[a] : 0;
        CHECK(camera_project(camera, ASPECT, voxel, ndc));
        CHECK(fabs(ndc[0]) < 1 && fabs(ndc[1]) < 1);
    }
    const size_t edges = plan->lines - plan->ticks;
    CHECK(edges == (size_t)(outside == 3 ? 9 : outside == 2 ? 11 : 12));
    for (size_t i = 0; i < edges; i++) {
        int inside = 0;
        for (int a = 0; a < 3; a++) {
            const double middle = 0.5 * (plan->line[i].from[a] + plan->line[i].to[a]);
            const double behind = middle + 1e-3 * (middle * eye[3] - eye[a]);
            inside += behind > 0 && behind < high[a];
        }
        CHECK(inside < 3);
    }
}

static void check_ticks(const struct box_plan *plan, const struct camera *camera, const struct volume *volume,
                        const double high[3], enum kind kind)
{
    for (size_t i = 0; i < plan->ticks; i++) {
        const struct box_tick *tick = &plan->tick[i];
        double world[3], pixel[2][3];
        int ends = 0;
        volume_to_world(volume, tick->at, world);
        CHECK(tick->along == (kind == TURNED ? -1 : kind == SWAPPED ? (tick->axis + 2) % 3 : tick->axis));
        if (kind == TURNED) CHECK_NEAR(volume_spacing(volume, tick->axis) * tick->at[tick->axis], tick->value, 1e-9);
        else CHECK_NEAR(world[tick->along], tick->value, 1e-9);
        for (int a = 0; a < 3; a++) {
            CHECK(tick->at[a] >= -1e-4 && tick->at[a] <= high[a] + 1e-4);
            ends += a != tick->axis && (tick->at[a] == 0 || tick->at[a] == high[a]);
        }
        CHECK(ends == 2);
        if (tick->last) continue;
        const struct box_tick *next = tick + 1;
        const double step = next->value - tick->value;
        CHECK(next->axis == tick->axis);
        CHECK_NEAR(box_round_length(step * 1.001) / step, 1, 1e-6);
        CHECK_NEAR(remainder(tick->value, step), 0, 1e-6);
        camera_project(camera, ASPECT, tick->at, pixel[0]);
        camera_project(camera, ASPECT, next->at, pixel[1]);
        const double x = (pixel[1][0] - pixel[0][0]) * ASPECT, y = pixel[1][1] - pixel[0][1];
        CHECK(0.5 * HEIGHT * hypot(x, y) > (camera->orthographic ? 0.99 : 0.35) * APART); /* far ends are narrower */
    }
}

static void test_plans(void)
{
    const double high[3] = { 100, 50, 20 };
    size_t ticks = 0;
    for (int view = 0; view < VIEWS; view++) {
        const enum kind kind = (enum kind)(view / 3 % KINDS);
        const struct volume volume = make_volume(kind);
        const struct camera camera = random_camera(&volume, view % 3 == 0);
        struct box_plan plan;
        box_lay_out(&plan, &camera, &volume, ASPECT, HEIGHT, APART);
        check_edges(&plan, &camera, high);
        check_ticks(&plan, &camera, &volume, high, kind);
        ticks += plan.ticks;
    }
    CHECK(ticks > 10 * VIEWS);
}

/* Straight from the front, the axis along the line of sight has no ticks, and without perspective faces seen edge-on are
 * not seen. */
static void test_from_the_front(void)
{
    const struct volume volume = make_volume(STRAIGHT);
    struct camera camera = { .orthographic = true };
    struct box_plan plan;
    camera_set_volume(&camera, &volume);
    box_fit(&camera, &volume, ASPECT);
    box_lay_out(&plan, &camera, &volume, ASPECT, HEIGHT, APART);
    CHECK(plan.lines - plan.ticks == 12);
    CHECK(plan.ticks > 4);
    for (size_t i = 0; i < plan.ticks; i++) CHECK(plan.tick[i].axis != 1);
    CHECK_NEAR(camera_height(&camera) * box_scene_unit(&camera, &volume) * ASPECT, 50 * 1.15 / 0.92, 1e-6);
}

/* A volume of one voxel has no lengths; nothing may be divided by them. */
static void test_a_single_voxel(void)
{
    struct volume volume = { .grid = { .nx = 1, .ny = 1, .nz = 1 } };
    struct camera camera = { .distance = 1 };
    struct box_plan plan;
    for (int a = 0; a < 3; a++) volume.direction[a][a] = 1;
    camera_set_volume(&camera, &volume);
    box_fit(&camera, &volume, ASPECT);
    box_lay_out(&plan, &camera, &volume, ASPECT, HEIGHT, APART);
    CHECK(plan.ticks == 0);
    CHECK(isfinite(camera.distance));
}

/* Coordinates far from 0, as of a map, have digits for a thousandth of the volume. */
static void test_digits(void)
{
    struct volume volume = make_volume(STRAIGHT);
    for (int axis = -1; axis < 3; axis++) CHECK(volume_digits(&volume, axis, 5) == 5);
    volume.origin[0] = 583104.25, volume.origin[1] = 5830104.5;
    CHECK(volume_digits(&volume, 0, 5) == 8); /* 50 mm, to 0.01 */
    CHECK(volume_digits(&volume, 1, 5) == 8); /* 100 mm, to 0.1 */
    CHECK(volume_digits(&volume, 2, 5) == 5);
    volume = make_volume(TURNED);
    volume.origin[0] = 583104.25;
    CHECK(volume_digits(&volume, -1, 5) == 5);
    CHECK(volume_digits(&volume, 0, 5) == 7); /* 100 mm, from two axes */
}

int main(void)
{
    check_seed(20261122);
    test_round_lengths();
    test_plans();
    test_from_the_front();
    test_a_single_voxel();
    test_digits();
    return check_summary("test_box");
}
