/* The camera: orbits a target by azimuth and elevation, and never rolls.
 *
 * Its coordinates are scene units. These are world coordinates (the file's millimetres and directions) with the
 * volume's centre moved to 0, divided by half the volume's diagonal. Volumes of any unit, at any distance from the
 * world's origin, then use the same range of a float. With z up, azimuth 0 looks along +y and azimuth 90 along -x.
 * Files without directions may need another axis to point up. */
#ifndef ISO_CAMERA_H
#define ISO_CAMERA_H

#include "camera_up.h"
#include "volume.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct camera {
    enum camera_up up;         /* which axis of the scene points up */
    double azimuth, elevation; /* degrees; elevation -90..90 */
    double target[3];          /* scene units */
    double distance;           /* from the target, scene units */
    bool orthographic;         /* parallel lines of sight; things at the target are as large as in perspective */
    double axis[3][3];         /* column a: scene units from voxel to voxel along axis a */
    double corner[3];          /* scene position of voxel (0, 0, 0) */
    double shift[2];           /* of the picture, in normalized device coordinates: less than a pixel, or 0 */
    double part[4];   /* the drawn part of the picture: left and lower side, width, height, 0 to 1; all 0: the whole */
    bool left_handed; /* the voxel axes are left-handed: front faces are clockwise on the screen */
};

struct camera_matrices { /* column-major, as OpenGL expects */
    float clip_from_voxel[16], view_from_voxel[16], clip_from_view[16];
    float view_normal[9]; /* normals in voxel coordinates -> view; not of unit length */
};

/* Takes the volume's position, size and directions in the world. Does not change the view. */
void camera_set_volume(struct camera *camera, const struct volume *volume);

/* Sets the direction of view. */
void camera_look(struct camera *camera, double azimuth, double elevation);

/* Fits the box from `low` to `high` (voxel coordinates) into the middle of an image of `aspect` = width / height. The
 * target gets the depth of the box's centre. */
void camera_fit(struct camera *camera, double aspect, const double low[3], const double high[3]);

/* Gives the sides of the image (right, left, top, bottom) as functions of a point in voxel coordinates. If the camera
 * looks at its present target, plane[i][0..2] . point + plane[i][3] is the distance at which the point is just inside
 * side i, with a margin. */
enum { CAMERA_SIDES = 4 };
void camera_sides(const struct camera *camera, double aspect, double plane[CAMERA_SIDES][4]);

/* Moves target and camera so that an object fills the image and lies in its middle. most: the largest values of
 * camera_sides over the object. */
void camera_frame(struct camera *camera, double aspect, const double most[CAMERA_SIDES]);

/* Lengths are in image heights, y upwards. */
void camera_orbit(struct camera *camera, double dx, double dy); /* one height is 180 degrees */
void camera_pan(struct camera *camera, double dx, double dy);
/* Divides the distance by `factor`. The point at (x, y) from the image's centre stays in place. */
void camera_zoom(struct camera *camera, double factor, double x, double y);

/* Gives the view at `part` (0 to 1) of the way between two views of the same volume. The motion is slow at both ends
 * and turns the shorter way. */
void camera_between(const struct camera *from, const struct camera *to, double part, struct camera *out);

void camera_transform(const struct camera *camera, double aspect, struct camera_matrices *out);

/* Gives the size in pixels of the drawn part of a picture of width x height pixels. */
void camera_part(const struct camera *camera, int width, int height, float pixels[2]);

/* Gives the world's axes in the view: axes[a] is axis a as a unit vector: right, up, towards the viewer. */
void camera_axes(const struct camera *camera, double axes[3][3]);

/* Gives the height of the picture at the target, in scene units. */
double camera_height(const struct camera *camera);

/* Gives the eye in voxel coordinates. eye[3] is 1; or 0 if lines of sight are parallel, and eye[0..2] is then the
 * direction to the eye. */
void camera_eye(const struct camera *camera, double eye[4]);

/* Gives the direction of view from the positive (sign 1) or negative (-1) end of the world's axis `axis`. Straight from
 * above or below, the azimuth is the nearest of the four at right angles to the axes. */
void camera_angles(const struct camera *camera, int axis, int sign, double *azimuth, double *elevation);

/* Gives the direction of larger depth, in voxel coordinates. */
void camera_along(const struct camera *camera, float along[3]);

/* Converts voxel coordinates to normalized device coordinates and back: x, y (upwards) and depth z from -1 to 1.
 * camera_project returns false if the point is behind the eye. */
bool camera_project(const struct camera *camera, double aspect, const double voxel[3], double ndc[3]);
void camera_unproject(const struct camera *camera, double aspect, const double ndc[3], double voxel[3]);

#ifdef __cplusplus
}
#endif
#endif
