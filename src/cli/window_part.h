/* What the command line takes from the window. window_part.c has it; in programs without OpenGL nowindow.c stands for that
 * file, and for the others that draw (cmd_view.c, cmd_render.c, options_state.c, ladder_gl.c). */
#ifndef ISO_WINDOW_PART_H
#define ISO_WINDOW_PART_H

#include "report.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bits (options_table.h) of the commands that this program is built without. They are no part of help or completion, and
 * their functions only say so (ERR_GL). 0: it has all. */
extern const unsigned commands_absent;

struct window_key {
    const char *group; /* heading of the rows from here on; NULL: that of the row before */
    const char *name, *text;
};

/* Gives the `row`-th key of the window, for help. Returns false behind the last one. */
bool window_part_key(size_t row, struct window_key *key);

/* Adds to doctor's report what OpenGL finds here, and what was tried. */
void window_part_doctor(struct report *report);

#ifdef __cplusplus
}
#endif
#endif
