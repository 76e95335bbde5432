/* The files opened lately, the last one first, and the axis that points up in each. The list is kept in
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
    bool forgets; /* the list on disk is neither read nor written */
};

/* Reads the list. What cannot be read is left out without a message, since nobody asked for the list. */
void recent_read(struct recent *recent);

/* Puts the file first, and writes the list to disk if possible. Returns the file's row. `path`: any name of the file. */
struct recent_file *recent_add(struct recent *recent, const char *path);

/* Writes the list after a row was changed. */
void recent_write(const struct recent *recent);

#ifdef __cplusplus
}
#endif
#endif
