#include "camera_up.h"

const char *const camera_up_name[CAMERA_UPS] = { "+z", "+y", "-y", "-z", "+x", "-x" };
