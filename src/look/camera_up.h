/* Which axis of the world points up. */
#ifndef ISO_CAMERA_UP_H
#define ISO_CAMERA_UP_H

#ifdef __cplusplus
extern "C" {
#endif

enum camera_up { UP_Z, UP_Y, UP_MINUS_Y, UP_MINUS_Z, UP_X, UP_MINUS_X, CAMERA_UPS };

#define CAMERA_AZIMUTH 35.0 /* degrees; the first view of a volume */
#define CAMERA_ELEVATION 20.0

extern const char *const camera_up_name[CAMERA_UPS]; /* as on the command line */

#ifdef __cplusplus
}
#endif
#endif
