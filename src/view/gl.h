/* OpenGL contexts: in a window (GLFW), or without one (EGL), for images on machines without a display.
 *
 * OpenGL 4.5 core is required, with no fallback. It has direct state access, so objects are used without binding them.
 * Even Mesa's software driver, the least capable one in use, supports it. */
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
    unsigned complaints;       /* number of wrong calls that OpenGL reported, if it was asked to */
};

/* Opens a window of width x height screen units and makes its context current. checked: OpenGL reports wrong calls on
 * stderr, and `complaints` counts them; `gl` must not move. Builds with assertions always do that, and abort at an
 * error. Error: ERR_GL. */
int gl_open_window(struct gl *gl, const char *title, int width, int height, bool checked, struct err *err);

/* Makes a context without a window current. Tries hardware EGL devices first, then Mesa's surfaceless platform, then
 * software EGL devices. Fills `tried` even on error. Error: ERR_GL. */
int gl_open_offscreen(struct gl *gl, struct err *err);

/* Returns whether the renderer of the current context runs on the processor. */
bool gl_is_software(void);

/* Discards pending errors, so that the next glGetError is about later calls. */
void gl_forget_errors(void);

/* Names an object for debuggers such as RenderDoc and apitrace. kind: as glObjectLabel; object 0 is ignored. */
void gl_label(unsigned kind, unsigned object, const char *name);

/* Makes a buffer that the host never accesses. Returns 0 if there is no memory (ERR_FAILED); the sentence names `name`. */
unsigned gl_make_buffer(size_t bytes, const char *name, struct err *err);

/* gl_groups returns the number of work groups of a compute shader for `count` items, `group` items each. It is at most
 * what any OpenGL allows at once, so the shader must loop over the rest. gl_dispatch runs them; later commands see what
 * they write. */
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
