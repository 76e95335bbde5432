#include "camera.h"

#include "vector.h"

#include <cglm/cglm.h>

#include <math.h>
#include <string.h>

#define FIELD_OF_VIEW 30.0 /* degrees, from the bottom of the image to the top */
#define FIT_MARGIN 0.92    /* part of the image that a fitted object fills */
#define NEAREST 0.05       /* smallest distance of a fit */
#define PARALLEL_EYE \
    3.0 /* distance of the eye if lines of sight are parallel: not visible in the picture, but all is in front of it */

static double radians(double degrees) { return degrees * (3.14159265358979323846 / 180.0); }

static double half_height(void) { return tan(radians(FIELD_OF_VIEW) / 2); } /* at distance 1 */

/* The axes to the right, ahead (at azimuth 0) and above, and the signs of the last two: right x ahead = above. */
static const struct {
    int right, ahead, above;
    double ahead_sign, above_sign;
} turned[CAMERA_UPS] = { { 0, 1, 2, 1, 1 },   { 0, 2, 1, -1, 1 }, { 0, 2, 1, 1, -1 },
                         { 0, 1, 2, -1, -1 }, { 1, 2, 0, 1, 1 },  { 1, 2, 0, -1, -1 } };

/* Rows: the camera's right, up and back vectors in scene coordinates. A look-at matrix would be undefined when looking
 * from straight above. */
static void camera_basis(const struct camera *c, double row[3][3])
{
    const double a = radians(c->azimuth), e = radians(c->elevation);
    const double basis[3][3] = { { cos(a), sin(a), 0 },
                                 { -sin(a) * sin(e), cos(a) * sin(e), cos(e) },
                                 { sin(a) * cos(e), -cos(a) * cos(e), sin(e) } };
    for (int i = 0; i < 3; i++) {
        row[i][turned[c->up].right] = basis[i][0];
        row[i][turned[c->up].ahead] = basis[i][1] * turned[c->up].ahead_sign;
        row[i][turned[c->up].above] = basis[i][2] * turned[c->up].above_sign;
    }
}

void camera_axes(const struct camera *camera, double axes[3][3])
{
    double row[3][3];
    camera_basis(camera, row);
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < 3; i++) axes[a][i] = row[i][a];
}

/* The last row of the basis must become the axis. */
void camera_angles(const struct camera *camera, int axis, int sign, double *azimuth, double *elevation)
{
    const enum camera_up up = camera->up;
    *elevation = axis == turned[up].above ? 90 * sign * turned[up].above_sign : 0;
    if (axis == turned[up].above) *azimuth = 90 * round(camera->azimuth / 90);
    else if (axis == turned[up].right) *azimuth = 90 * sign;
    else *azimuth = sign * turned[up].ahead_sign < 0 ? 0 : 180;
}

void camera_set_volume(struct camera *camera, const struct volume *volume)
{
    const size_t n[3] = { volume->grid.nx, volume->grid.ny, volume->grid.nz };
    double diagonal[3] = { 0, 0, 0 };
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < 3; i++) diagonal[i] += fabs(volume->direction[i][a] * 0.5 * (double)(n[a] - 1));
    const double length = sqrt(vector_dot(diagonal, diagonal)), scale = length > 0 ? 1 / length : 1;
    for (int i = 0; i < 3; i++) {
        camera->corner[i] = 0;
        for (int a = 0; a < 3; a++) {
            camera->axis[i][a] = volume->direction[i][a] * scale;
            camera->corner[i] -= camera->axis[i][a] * 0.5 * (double)(n[a] - 1);
        }
    }
    camera->left_handed = volume_handedness(volume) < 0;
}

void camera_look(struct camera *camera, double azimuth, double elevation)
{
    camera->azimuth = fmod(azimuth, 360);
    camera->elevation = fmax(-90, fmin(90, elevation));
}

void camera_fit(struct camera *camera, double aspect, const double low[3], const double high[3])
{
    double plane[CAMERA_SIDES][4], most[CAMERA_SIDES];
    for (int i = 0; i < 3; i++) {
        camera->target[i] = camera->corner[i];
        for (int a = 0; a < 3; a++) camera->target[i] += camera->axis[i][a] * 0.5 * (low[a] + high[a]);
    }
    camera_sides(camera, aspect, plane);
    for (int side = 0; side < CAMERA_SIDES; side++) {
        most[side] = plane[side][3];
        for (int a = 0; a < 3; a++) most[side] += fmax(plane[side][a] * low[a], plane[side][a] * high[a]);
    }
    camera_frame(camera, aspect, most);
}

/* Half the width and height of a fitted object, at distance 1. */
static void fitted(double aspect, double across[2])
{
    across[1] = half_height() * FIT_MARGIN;
    across[0] = across[1] * aspect;
}

/* Take a point x to the right, y above the target, and z towards the camera. It is inside if |x| <= right * (distance -
 * z) and |y| <= up * (distance - z); without the z if lines of sight are parallel. */
void camera_sides(const struct camera *camera, double aspect, double plane[CAMERA_SIDES][4])
{
    double row[3][3], across[2];
    camera_basis(camera, row);
    fitted(aspect, across);
    for (int side = 0; side < CAMERA_SIDES; side++) {
        const double sign = side % 2 ? -1 : 1;
        memset(plane[side], 0, sizeof plane[side]);
        for (int i = 0; i < 3; i++) {
            const double normal = sign * row[side / 2][i] / across[side / 2] + (camera->orthographic ? 0 : row[2][i]);
            for (int a = 0; a < 3; a++) plane[side][a] += normal * camera->axis[i][a];
            plane[side][3] += normal * (camera->corner[i] - camera->target[i]);
        }
    }
}

/* Moving the target by s to the right takes s / right from the right side's distance and adds it to the left side's.
 * The larger of the two is least where they are equal. */
void camera_frame(struct camera *camera, double aspect, const double most[CAMERA_SIDES])
{
    double row[3][3], across[2];
    camera_basis(camera, row);
    fitted(aspect, across);
    camera->distance = NEAREST;
    for (int side = 0; side < CAMERA_SIDES; side += 2) {
        const double move = across[side / 2] * (most[side] - most[side + 1]) / 2;
        for (int i = 0; i < 3; i++) camera->target[i] += move * row[side / 2][i];
        camera->distance = fmax(camera->distance, (most[side] + most[side + 1]) / 2);
    }
}

void camera_orbit(struct camera *camera, double dx, double dy)
{
    camera_look(camera, camera->azimuth - dx * 180, camera->elevation - dy * 180);
}

void camera_pan(struct camera *camera, double dx, double dy)
{
    double row[3][3];
    camera_basis(camera, row);
    const double height = camera_height(camera);
    for (int i = 0; i < 3; i++) camera->target[i] -= height * (dx * row[0][i] + dy * row[1][i]);
}

void camera_zoom(struct camera *camera, double factor, double x, double y)
{
    const double distance = fmax(1e-3, fmin(50, camera->distance / factor));
    const double moved = 1 - distance / camera->distance; /* as a part of the way to the point under the cursor */
    camera_pan(camera, -x * moved, -y * moved);
    camera->distance = distance;
}

static double mix(double a, double b, double part) { return a + (b - a) * part; }

void camera_between(const struct camera *from, const struct camera *to, double part, struct camera *out)
{
    const double eased = part * part * (3 - 2 * part);
    const double azimuth = from->azimuth + eased * remainder(to->azimuth - from->azimuth, 360);
    *out = *to;
    camera_look(out, azimuth, mix(from->elevation, to->elevation, eased));
    for (int i = 0; i < 3; i++) out->target[i] = mix(from->target[i], to->target[i], eased);
    out->distance = from->distance * pow(to->distance / from->distance, eased); /* so that things grow at a constant rate */
}

double camera_height(const struct camera *camera) { return 2 * half_height() * camera->distance; }

/* Solves three equations, axis * eye = place - corner, by Cramer's rule. */
void camera_eye(const struct camera *camera, double eye[4])
{
    double row[3][3], place[3], cross[3];
    camera_basis(camera, row);
    eye[3] = camera->orthographic ? 0 : 1;
    for (int i = 0; i < 3; i++)
        place[i] = camera->orthographic ? row[2][i] : camera->target[i] + camera->distance * row[2][i] - camera->corner[i];
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        const double along[3] = { camera->axis[0][a], camera->axis[1][a], camera->axis[2][a] };
        for (int i = 0; i < 3; i++) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            cross[i] = camera->axis[j][b] * camera->axis[k][c] - camera->axis[k][b] * camera->axis[j][c];
        }
        eye[a] = vector_dot(place, cross) / vector_dot(along, cross);
    }
}

/* Makes a part of the picture the whole: scales and moves x / w and y / w. */
static void take_part(const double part[4], mat4 projection)
{
    if (!(part[2] > 0)) return;
    for (int i = 0; i < 2; i++) {
        const double scale = 1 / part[2 + i], offset = (1 - 2 * part[i]) * scale - 1;
        for (int c = 0; c < 4; c++)
            projection[c][i] = (float)(scale * (double)projection[c][i] + offset * (double)projection[c][3]);
    }
}

/* centre: depth of the volume's centre. The box lies within 1 of it. The near plane keeps the resolution of depth if
 * the camera is inside the box. */
static void project(const struct camera *camera, double aspect, double centre, mat4 projection)
{
    const float far = (float)fmax(centre + 1.01, 0.02), near = (float)fmax(centre - 1.01, (double)far * 1e-3);
    const float up = (float)(half_height() * camera->distance), right = up * (float)aspect;
    if (camera->orthographic) glm_ortho(-right, right, -up, up, (float)(centre - 1.01), (float)(centre + 1.01), projection);
    else glm_perspective((float)radians(FIELD_OF_VIEW), (float)aspect, near, far, projection);
    for (int i = 0; i < 2; i++) { /* clip coordinates are divided by w: 1 or -z */
        if (camera->orthographic) projection[3][i] += (float)camera->shift[i];
        else projection[2][i] -= (float)camera->shift[i];
    }
    take_part(camera->part, projection);
}

void camera_transform(const struct camera *camera, double aspect, struct camera_matrices *out)
{
    double row[3][3];
    camera_basis(camera, row);
    const double eye = camera->orthographic ? PARALLEL_EYE : camera->distance;
    mat4 view, clip, projection = { { 0 } };
    mat3 normal;

    /* Compute view_from_voxel in double: floats would lose digits by cancellation if the target is far from the centre. */
    for (int i = 0; i < 3; i++) {
        for (int a = 0; a < 3; a++) {
            const double column[3] = { camera->axis[0][a], camera->axis[1][a], camera->axis[2][a] };
            view[a][i] = (float)vector_dot(row[i], column);
        }
        const double from[3] = { camera->corner[0] - camera->target[0], camera->corner[1] - camera->target[1],
                                 camera->corner[2] - camera->target[2] };
        view[3][i] = (float)(vector_dot(row[i], from) - (i == 2 ? eye : 0));
    }
    for (int a = 0; a < 4; a++) view[a][3] = a == 3;

    project(camera, aspect, eye + vector_dot(row[2], camera->target), projection);
    glm_mat4_mul(projection, view, clip);

    /* Normals transform by the inverse transpose: up to a factor, the cross products of the columns. The sign of the
     * factor is that of the determinant. */
    for (int a = 0; a < 3; a++) glm_vec3_cross(view[(a + 1) % 3], view[(a + 2) % 3], normal[a]);
    const float size = fmaxf(glm_vec3_norm(normal[0]), fmaxf(glm_vec3_norm(normal[1]), glm_vec3_norm(normal[2])));
    glm_mat3_scale(normal, (camera->left_handed ? -1.0f : 1.0f) / fmaxf(size, 1e-30f));

    memcpy(out->clip_from_voxel, clip, sizeof out->clip_from_voxel);
    memcpy(out->view_from_voxel, view, sizeof out->view_from_voxel);
    memcpy(out->clip_from_view, projection, sizeof out->clip_from_view);
    memcpy(out->view_normal, normal, sizeof out->view_normal);
}

void camera_part(const struct camera *camera, int width, int height, float pixels[2])
{
    const int size[2] = { width, height };
    for (int a = 0; a < 2; a++) pixels[a] = (float)(size[a] * (camera->part[2 + a] > 0 ? camera->part[2 + a] : 1));
}

/* Component r of clip_from_voxel * (voxel, 1), in double. */
static double clip_component(const struct camera_matrices *m, int r, const double voxel[3])
{
    const float *c = m->clip_from_voxel + r;
    return c[0] * voxel[0] + c[4] * voxel[1] + c[8] * voxel[2] + c[12];
}

void camera_along(const struct camera *camera, float along[3])
{
    struct camera_matrices m;
    camera_transform(camera, 1, &m);
    for (int a = 0; a < 3; a++) along[a] = -m.view_from_voxel[4 * a + 2]; /* the view looks along -z */
}

bool camera_project(const struct camera *camera, double aspect, const double voxel[3], double ndc[3])
{
    struct camera_matrices m;
    camera_transform(camera, aspect, &m);
    const double w = clip_component(&m, 3, voxel);
    for (int r = 0; r < 3; r++) ndc[r] = clip_component(&m, r, voxel) / w;
    return w > 0;
}

/* ndc[r] = component r / component 3: three equations, linear in the voxel, solved by Cramer's rule in double. */
void camera_unproject(const struct camera *camera, double aspect, const double ndc[3], double voxel[3])
{
    struct camera_matrices m;
    double column[4][3], cross[3];
    camera_transform(camera, aspect, &m);
    for (int a = 0; a < 4; a++)
        for (int r = 0; r < 3; r++) column[a][r] = m.clip_from_voxel[4 * a + r] - ndc[r] * m.clip_from_voxel[4 * a + 3];
    for (int a = 0; a < 3; a++) {
        vector_cross(column[(a + 1) % 3], column[(a + 2) % 3], cross);
        voxel[a] = -vector_dot(column[3], cross) / vector_dot(column[a], cross);
    }
}
