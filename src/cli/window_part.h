/* What the command line needs from the window. It is in window_part.c. In programs without OpenGL, nowindow.c replaces
 * that file and the others that draw (cmd_view.c, cmd_render.c, bench_pictures.c, options_state.c, ladder_gl.c). */
#ifndef ISO_WINDOW_PART_H
#define ISO_WINDOW_PART_H

#include "report.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bits (options_table.h) of the commands that this program is built without; 0: it has all. Help and completion leave
 * them out, and their functions only report that they are absent (ERR_GL). */
extern const unsigned commands_absent;

struct window_key {
    const char *group; /* heading of the rows from here on; NULL: that of the row before */
    const char *name, *text;
};

/* Gives the `row`-th key of the window, for help. Returns false past the last one. */
bool window_part_key(size_t row, struct window_key *key);

/* Adds OpenGL to doctor's report: what it offers here, and what was tried. */
void window_part_doctor(struct report *report);

#ifdef __cplusplus
}
#endif
#endif
