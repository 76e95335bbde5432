/* The camera: what it is fitted to is in the middle of the picture and fills it, with and without perspective, however
 * volume and camera are oriented. */
#include "camera.h"
#include "check.h"

#include <string.h>

#define MARGIN 0.92 /* part of the picture that a fit fills */
#define VIEWS 400   /* random ones: each case of corners and sides comes many times */
#define FLOATS 2e-4 /* matrices are floats; depths reach 20 */

static double random_part(void) { return (double)(check_random() >> 11) / 9007199254740992.0; }

static double random_between(double low, double high) { return low + (high - low) * random_part(); }

/* A volume of 40 x 30 x 20 voxels, oblique and of either handedness, and a camera that looks from anywhere. */
static struct camera random_camera(double *aspect)
{
    struct volume volume = { .grid = { .nx = 40, .ny = 30, .nz = 20 } };
    struct camera camera = { .up = (enum camera_up)(check_random() % CAMERA_UPS), .orthographic = check_random() % 2 };
    for (int i = 0; i < 3; i++) {
        for (int a = 0; a < 3; a++) volume.direction[i][a] = random_between(-0.3, 0.3);
        volume.direction[i][i] += check_random() % 2 ? 1 : -1;
        volume.origin[i] = random_between(-100, 100);
    }
    camera_set_volume(&camera, &volume);
    camera_look(&camera, random_between(-180, 180), random_between(-90, 90));
    *aspect = random_between(0.5, 2.5);
    return camera;
}

static void test_fit(void)
{
    for (int view = 0; view < VIEWS; view++) {
        double aspect, least[2] = { 9, 9 }, most[2] = { -9, -9 }, low[3] = { 3, 5, 0 }, high[3] = { 30, 29, 4 };
        struct camera camera = random_camera(&aspect);
        camera_fit(&camera, aspect, low, high);
        for (int corner = 0; corner < 8; corner++) {
            double voxel[3], ndc[3];
            for (int a = 0; a < 3; a++) voxel[a] = corner >> a & 1 ? high[a] : low[a];
            CHECK(camera_project(&camera, aspect, voxel, ndc));
            CHECK(fabs(ndc[2]) <= 1);
            for (int i = 0; i < 2; i++) least[i] = fmin(least[i], ndc[i]), most[i] = fmax(most[i], ndc[i]);
        }
        const int tight = most[0] - least[0] > most[1] - least[1] ? 0 : 1;
        CHECK_NEAR(most[tight], MARGIN, FLOATS);
        CHECK_NEAR(least[tight], -MARGIN, FLOATS);
        CHECK(most[!tight] < MARGIN + FLOATS && least[!tight] > -MARGIN - FLOATS);
        if (camera.orthographic) CHECK_NEAR(most[!tight] + least[!tight], 0, FLOATS);
    }
}

/* A picture of a lopsided set of points: its box is fitted first, as the window does it. */
static void test_frame(void)
{
    static const double points[][3] = { { 0, 0, 0 }, { 39, 2, 1 }, { 5, 29, 3 }, { 2, 3, 19 } };
    for (int view = 0; view < VIEWS; view++) {
        double aspect, plane[CAMERA_SIDES][4], most[CAMERA_SIDES], farthest[CAMERA_SIDES] = { -9, -9, -9, -9 };
        struct camera camera = random_camera(&aspect);
        camera_fit(&camera, aspect, (double[]){ 0, 0, 0 }, (double[]){ 39, 29, 19 });
        camera_sides(&camera, aspect, plane);
        for (int side = 0; side < CAMERA_SIDES; side++) {
            most[side] = -INFINITY;
            for (int p = 0; p < 4; p++) {
                double value = plane[side][3];
                for (int a = 0; a < 3; a++) value += plane[side][a] * points[p][a];
                most[side] = fmax(most[side], value);
            }
        }
        camera_frame(&camera, aspect, most);
        for (int p = 0; p < 4; p++) {
            double ndc[3];
            CHECK(camera_project(&camera, aspect, points[p], ndc));
            for (int side = 0; side < CAMERA_SIDES; side++)
                farthest[side] = fmax(farthest[side], side % 2 ? -ndc[side / 2] : ndc[side / 2]);
        }
        const int tight = farthest[0] + farthest[1] > farthest[2] + farthest[3] ? 0 : 2;
        CHECK_NEAR(farthest[tight], MARGIN, FLOATS);
        CHECK_NEAR(farthest[tight + 1], MARGIN, FLOATS);
    }
}

/* Without perspective, equal lengths are equally long anywhere in the picture. At the target, both projections agree. */
static void test_orthographic(void)
{
    for (int view = 0; view < VIEWS; view++) {
        double aspect, at[3], ndc[4][3];
        struct camera camera = random_camera(&aspect);
        camera_fit(&camera, aspect, (double[]){ 0, 0, 0 }, (double[]){ 38, 28, 18 });
        camera.orthographic = true;
        for (int i = 0; i < 4; i++) {
            const double voxel[3] = { 3 + (i % 2) * 7, 4 + i / 2 * 20, i / 2 * 15 };
            CHECK(camera_project(&camera, aspect, voxel, ndc[i]));
            camera_unproject(&camera, aspect, ndc[i], at);
            for (int a = 0; a < 3; a++) CHECK_NEAR(at[a], voxel[a], 0.02);
        }
        for (int i = 0; i < 2; i++) CHECK_NEAR(ndc[1][i] - ndc[0][i], ndc[3][i] - ndc[2][i], FLOATS);

        double place[2][3]; /* of the box's centre, which is as far away as the target */
        for (int i = 0; i < 2; i++) {
            camera.orthographic = i;
            camera_project(&camera, aspect, (double[]){ 19, 14, 9 }, place[i]);
        }
        for (int i = 0; i < 2; i++) CHECK_NEAR(place[0][i], place[1][i], FLOATS);
    }
}

/* A point under the cursor at the target's distance stays under it. Without perspective, so does a point at any depth. */
static void test_zoom(void)
{
    for (int view = 0; view < VIEWS; view++) {
        double aspect, ndc[3] = { random_between(-1, 1), random_between(-1, 1), 0 }, at[3], after[3], centre[3];
        struct camera camera = random_camera(&aspect);
        camera_fit(&camera, aspect, (double[]){ 0, 0, 0 }, (double[]){ 38, 28, 18 });
        camera_project(&camera, aspect, (double[]){ 19, 14, 9 }, centre);
        ndc[2] = camera.orthographic ? random_between(-0.9, 0.9) : centre[2];
        camera_unproject(&camera, aspect, ndc, at);
        camera_zoom(&camera, 1.5, 0.5 * aspect * ndc[0], 0.5 * ndc[1]);
        CHECK(camera_project(&camera, aspect, at, after));
        for (int i = 0; i < 2; i++) CHECK_NEAR(after[i], ndc[i], 5 * FLOATS);
    }
}

static void test_between(void)
{
    double aspect, last = 999;
    struct camera from = random_camera(&aspect), to = from, at;
    camera_look(&from, 350, 10);
    camera_look(&to, 40, 60);
    from.distance = 1, to.distance = 4, to.target[1] = from.target[1] + 1;
    camera_between(&from, &to, 0, &at);
    CHECK(at.azimuth == 350 && at.elevation == 10 && at.distance == 1 && at.target[1] == from.target[1]);
    camera_between(&from, &to, 1, &at);
    CHECK_NEAR(fmod(at.azimuth, 360), 40, 1e-9);
    CHECK_NEAR(at.elevation, 60, 1e-9);
    CHECK_NEAR(at.distance, 4, 1e-9);
    camera_between(&from, &to, 0.5, &at);
    CHECK_NEAR(at.distance, 2, 1e-9);
    CHECK_NEAR(fmod(at.azimuth, 360), 15, 1e-9); /* over 0, not back over 180 */
    for (int i = 0; i <= 20; i++) {
        camera_between(&from, &to, i / 20.0, &at);
        const double rest = fabs(remainder(40 - at.azimuth, 360));
        CHECK(rest < last);
        last = rest;
    }
}

static void test_axes(void)
{
    for (int view = 0; view < VIEWS; view++) {
        double aspect, axes[3][3], azimuth, elevation, ndc[2][3];
        struct camera camera = random_camera(&aspect);
        camera.orthographic = true; /* the world's directions are those of the picture then */
        camera_fit(&camera, aspect, (double[]){ 0, 0, 0 }, (double[]){ 39, 29, 19 });
        camera_axes(&camera, axes);
        camera_project(&camera, aspect, (double[]){ 0, 0, 0 }, ndc[0]);
        camera_project(&camera, aspect, (double[]){ 30, 0, 0 }, ndc[1]);
        double along[3] = { 0, 0, 0 };
        for (int a = 0; a < 3; a++)
            for (int i = 0; i < 3; i++) along[i] += axes[a][i] * camera.axis[a][0];
        const double x = (ndc[1][0] - ndc[0][0]) * aspect, y = ndc[1][1] - ndc[0][1];
        CHECK_NEAR(x * along[1], y * along[0], FLOATS);
        CHECK(x * along[0] + y * along[1] >= 0);
        CHECK((ndc[1][2] - ndc[0][2]) * along[2] <= 0);
        for (int end = 0; end < 6; end++) {
            camera_angles(&camera, end / 2, end % 2 ? -1 : 1, &azimuth, &elevation);
            camera_look(&camera, azimuth, elevation);
            camera_axes(&camera, axes);
            CHECK_NEAR(axes[end / 2][2], end % 2 ? -1 : 1, 1e-12);
        }
    }
}

int main(void)
{
    check_seed(20261122);
    test_fit();
    test_frame();
    test_orthographic();
    test_zoom();
    test_between();
    test_axes();
    return check_summary("test_camera");
}
