/* The axes of the data in a file. */
#ifndef ISO_AXIS_H
#define ISO_AXIS_H

#define LAYOUT_MAX_AXIS INT32_MAX /* values along an axis */

enum layout_axis { AXIS_X, AXIS_Y, AXIS_Z, AXIS_COMPONENT, AXIS_FRAME, AXIS_COUNT };

#endif
