#include "window_part.h"

#include "gl.h"
#include "keys.h"

const unsigned commands_absent = 0;

bool window_part_key(size_t row, struct window_key *key)
{
    const struct key *k = keys;
    while (k->code || k->name) {
        if (k->name && !row--) {
            *key = (struct window_key){ k->group, k->name, k->text };
            return true;
        }
        k++;
    }
    return false;
}

void window_part_doctor(struct report *report)
{
    struct gl gl;
    struct err err = { 0 };
    if (gl_open_window(&gl, "isoscope doctor", 64, 64, false, &err)) report_text(report, "window", err.text);
    else {
        report_text(report, "window", gl.renderer);
        report_text(report, "window_gl", gl.version);
        gl_close(&gl);
    }
    const int failed = gl_open_offscreen(&gl, &err);
    report_text(report, "offscreen", failed ? err.text : gl.renderer);
    if (!failed) report_text(report, "offscreen_gl", gl.version);
    report_text(report, "offscreen_tried", gl.tried);
    if (!failed) gl_close(&gl);
}
