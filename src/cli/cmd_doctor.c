/* doctor: what this machine offers, what was tried, and why it failed. Always exits 0: an absent GPU is an answer. */
#include "cmd.h"

#include "doctor_machine.h"
#include "driver.h"
#include "gl.h"
#include "report.h"

#include <stdlib.h>

int cmd_doctor(const struct options *options, struct err *err)
{
    struct report report = { .json = options->json };
    struct gl gl;
    struct err gl_err = { 0 };
    char text[256], version[32];
    (void)err;
    report_text(&report, "version", ISO_VERSION);
    for (int b = 0; b < BACKEND_COUNT; b++) {
        backends[b]->available(text, sizeof text);
        report_text(&report, backends[b]->name, text);
    }
    driver_version(version, DRIVER_FILE);
    driver_explain(text, sizeof text, version, cuda_toolkit);
    report_text(&report, "cuda_driver", text);
    const char *display = getenv("DISPLAY");
    report_text(&report, "display", display && *display ? display : NULL);
    if (gl_open_window(&gl, "isoscope doctor", 64, 64, false, &gl_err)) report_text(&report, "window", gl_err.text);
    else {
        report_text(&report, "window", gl.renderer);
        report_text(&report, "window_gl", gl.version);
        gl_close(&gl);
    }
    const int failed = gl_open_offscreen(&gl, &gl_err);
    report_text(&report, "offscreen", failed ? gl_err.text : gl.renderer);
    if (!failed) report_text(&report, "offscreen_gl", gl.version);
    report_text(&report, "offscreen_tried", gl.tried);
    if (!failed) gl_close(&gl);
    doctor_machine(&report);
    report_end(&report);
    return ERR_NONE;
}
