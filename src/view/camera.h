/* The camera: an orbit round a target, by azimuth and elevation, that never rolls.
 *
 * It lives in scene units: the world (the file's millimetres, directions and all), moved so that the volume's centre is
 * at 0, and divided by half the volume's diagonal. So volumes of any unit and any distance from the world's origin use
 * the same few digits of a float. With z up, azimuth 0 looks along +y, azimuth 90 along -x; where a file knows nothing
 * of directions, another axis may have to point up. */
#ifndef ISO_CAMERA_H
#define ISO_CAMERA_H

#include "volume.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CAMERA_AZIMUTH 35.0 /* degrees; the view of a volume that was just opened */
#define CAMERA_ELEVATION 20.0

enum camera_up { UP_Z, UP_Y, UP_MINUS_Y, UP_MINUS_Z, CAMERA_UPS };

extern const char *const camera_up_name[CAMERA_UPS];

struct camera {
    enum camera_up up;         /* which axis of the scene points up */
    double azimuth, elevation; /* degrees; elevation -90..90 */
    double target[3];          /* scene units */
    double distance;           /* from the target, scene units */
    double axis[3][3];         /* column a: scene step per voxel along axis a */
    double corner[3];          /* scene position of voxel (0, 0, 0) */
    bool left_handed;          /* voxel axes are: triangles turn the other way round on the screen */
};

struct camera_matrices { /* column by column, as OpenGL takes them */
    float clip_from_voxel[16], view_from_voxel[16], clip_from_view[16];
    float view_normal[9]; /* normals in voxel coordinates -> view; not of unit length */
};

/* Takes over the volume's place in the world. The view stays as it is. */
void camera_set_volume(struct camera *camera, const struct volume *volume);

/* Sets the direction of view. */
void camera_look(struct camera *camera, double azimuth, double elevation);

/* Puts the box from `low` to `high` (voxel coordinates) into a picture of that width / height, and orbits its centre. */
void camera_fit(struct camera *camera, double aspect, const double low[3], const double high[3]);

/* All in picture heights, y upwards. */
void camera_orbit(struct camera *camera, double dx, double dy); /* one height is half a turn */
void camera_pan(struct camera *camera, double dx, double dy);
/* Divides the distance by `factor`; the point under (x, y), measured from the picture's centre, stays where it is. */
void camera_zoom(struct camera *camera, double factor, double x, double y);

void camera_transform(const struct camera *camera, double aspect, struct camera_matrices *out);

/* The direction of larger depth, in voxel coordinates. */
void camera_along(const struct camera *camera, float along[3]);

/* From voxel coordinates to the picture and back: x and y from -1 to 1, y upwards, z the depth likewise. project gives false
 * for a point behind the eye. */
bool camera_project(const struct camera *camera, double aspect, const double voxel[3], double place[3]);
void camera_unproject(const struct camera *camera, double aspect, const double place[3], double voxel[3]);

#ifdef __cplusplus
}
#endif
#endif
