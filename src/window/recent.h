/* The files opened lately, the last one first, and which axis points up in each: kept in
 * $XDG_STATE_HOME/isoscope/recent. */
#ifndef ISO_RECENT_H
#define ISO_RECENT_H

#include "camera.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    RECENT_KEPT = 50, /* files */
    RECENT_SHOWN = 8,
    RECENT_UP_UNKNOWN = CAMERA_UPS
};

struct recent_file {
    char path[4096];   /* absolute */
    enum camera_up up; /* RECENT_UP_UNKNOWN: never chosen */
};

struct recent {
    struct recent_file file[RECENT_KEPT];
    size_t count;
    bool forgets; /* nothing is read from the disk, nor written */
};

/* Reads the list; what cannot be read is left out, silently: nobody asked for it. */
void recent_read(struct recent *recent);

/* Puts the file first, and keeps the list on the disk where that is possible. Returns its row. `path`: any name of the
 * file. */
struct recent_file *recent_add(struct recent *recent, const char *path);

/* Writes the list, after a change of a row. */
void recent_write(const struct recent *recent);

#ifdef __cplusplus
}
#endif
#endif
