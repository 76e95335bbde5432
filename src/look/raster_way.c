#include "raster_way.h"

#include <string.h>

const char *const raster_way_name[RASTER_WAYS] = { "auto", "opengl", "culled", "compute", "raster" };

int raster_way_find(const char *name, struct err *err)
{
    if (!name) return RASTER_AUTO;
    for (int i = 0; i < RASTER_WAYS; i++)
        if (!strcmp(name, raster_way_name[i])) return i;
    err_set(err, ERR_USAGE, "there is no way to draw '%s'; there are: auto opengl culled compute raster", name);
    return -1;
}
