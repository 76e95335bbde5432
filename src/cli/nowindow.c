/* Replaces everything that draws, in programs without OpenGL: builds without it, and isoscope-mpi, so that its hosts
 * need no OpenGL libraries. The options of the absent commands are still known, so that these can say why they do
 * nothing. */
#include "bench_pictures.h"
#include "cmd.h"
#include "ladder_gl.h"
#include "options_state.h"
#include "options_table.h"
#include "window_part.h"

#include <string.h>

#define ADVICE "use isoscope from a build with -DISO_WINDOW=ON, which needs GLFW, GLEW, cglm and Dear ImGui"

static int refuse(struct err *err)
{
    err_set(err, ERR_GL, "this isoscope was built without OpenGL and cannot open a window or draw pictures");
    err_advise(err, ADVICE);
    return ERR_GL;
}

/* ---- commands ------------------------------------------------------------------------------------------------------ */

const unsigned commands_absent = VIEW | RENDER;

int cmd_view(const struct options *options, struct err *err)
{
    (void)options;
    return refuse(err);
}

int cmd_render(const struct options *options, struct err *err)
{
    (void)options;
    return refuse(err);
}

struct bench_pictures *bench_pictures_open(int *device, struct err *err)
{
    (void)device;
    refuse(err);
    return NULL;
}

void bench_pictures_close(struct bench_pictures *pictures) { (void)pictures; }

int bench_pictures_measure(struct bench_pictures *pictures, struct bench_report *report, const struct bench *bench,
                           const struct options *options, struct err *err)
{
    (void)pictures, (void)report, (void)bench, (void)options;
    return refuse(err);
}

void window_part_doctor(struct report *report)
{
    report_text(report, "window", "built without OpenGL: " ADVICE);
    report_text(report, "offscreen", "built without OpenGL");
    report_text(report, "offscreen_tried", NULL);
}

/* ---- the window's tables ------------------------------------------------------------------------------------------- */

bool window_part_key(size_t row, struct window_key *key)
{
    (void)row, (void)key;
    return false;
}

bool options_is_state(const char *word)
{
    (void)word;
    return false;
}

int options_read_state(const char *path, struct setup *setup, struct view_options *view, char **text, struct err *err)
{
    (void)path, (void)setup, (void)view;
    *text = NULL;
    return refuse(err);
}

/* ---- rungs of `draw` ----------------------------------------------------------------------------------------------- */

const struct rung ladder_gl_rungs[] = { { NULL } };

static void load(void *context, const struct draw_desc *desc) { (void)context, (void)desc; }

/* The functions that draw would only be called for rungs, and there are none. */
struct draw_guests ladder_gl_open(void)
{
    return (struct draw_guests){ .name = LADDER_GL_NAME, .rung = ladder_gl_rungs, .device = "", .load = load };
}

void ladder_gl_close(struct draw_guests *guests) { memset(guests, 0, sizeof *guests); }

bool ladder_gl_fits(const struct ladder *ladder)
{
    (void)ladder;
    return false;
}

const struct rung *ladder_gl_find(const char *name)
{
    (void)name;
    return NULL;
}

const char *const *ladder_gl_shaders(const struct rung *rung)
{
    static const char *const none = NULL;
    (void)rung;
    return &none;
}

void ladder_gl_teach(const struct rung *rung) { (void)rung; }
