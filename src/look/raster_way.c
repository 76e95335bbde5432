#include "raster_way.h"

#include "row.h"

const char *const raster_way_name[] = { "auto", "opengl", "culled", "compute", "raster", NULL };

int raster_way_find(const char *name, struct err *err)
{
    return row_find(name, raster_way_name, sizeof *raster_way_name, "way to draw", err);
}
