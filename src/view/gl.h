/* OpenGL contexts: in a window (GLFW), or without one (EGL), for images on machines without a display.
 *
 * OpenGL 4.5 core is required, with no fallback: objects are used without binding them (direct state access), and Mesa's
 * software driver, the least capable one in use, has it. */
#ifndef ISO_GL_H
#define ISO_GL_H

#include "error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct GLFWwindow;

struct gl {
    struct GLFWwindow *window; /* NULL: offscreen */
    void *display, *context;   /* EGLDisplay and EGLContext; NULL with a window */
    char renderer[160];        /* GL_RENDERER */
    char version[160];         /* GL_VERSION */
    bool is_software;          /* the renderer runs on the processor */
    char tried[1024];          /* offscreen: the displays tried, with the outcome of each; for `doctor` */
    unsigned complaints;       /* of OpenGL about wrong calls, where it was asked to complain */
};

/* Opens a window of width x height screen units and makes its context current. checked: OpenGL says on stderr which calls
 * are wrong, and `complaints` counts them; `gl` must stay where it is. Builds with assertions do that always, and end at an
 * error. Error: ERR_GL. */
int gl_open_window(struct gl *gl, const char *title, int width, int height, bool checked, struct err *err);

/* Makes a context without a window current. Tries hardware EGL devices first, then Mesa's surfaceless platform, then
 * software EGL devices. Fills `tried` even on error. Error: ERR_GL. */
int gl_open_offscreen(struct gl *gl, struct err *err);

/* Returns whether the renderer of the current context runs on the processor. */
bool gl_is_software(void);

/* Discards pending errors: the next glGetError speaks of what follows. */
void gl_forget_errors(void);

/* Names an object for debuggers such as RenderDoc and apitrace. kind: as glObjectLabel; object 0 is ignored. */
void gl_label(unsigned kind, unsigned object, const char *name);

/* Makes a buffer that the host never sees. Returns 0 without memory (ERR_FAILED); the sentence says what it was for. */
unsigned gl_make_buffer(size_t bytes, const char *name, struct err *err);

/* How many work groups of a compute shader take `count` items, `group` each: at most so many as any OpenGL takes at once, so
 * that the shader goes on from where they end. And: starts them. What they write, later commands find. */
enum { GL_MOST_GROUPS = 65535 };
unsigned gl_groups(uint64_t count, unsigned group);
void gl_dispatch(unsigned program, unsigned groups);

/* Opens and closes a named group of commands for debuggers. Groups nest. */
void gl_push_group(const char *name);
void gl_pop_group(void);

/* Destroys the context and zeroes the struct. Does nothing to an empty one. */
void gl_close(struct gl *gl);

#ifdef __cplusplus
}
#endif
#endif
