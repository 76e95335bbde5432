/* OpenGL contexts: a window (GLFW), or none at all (EGL), for pictures on machines without a display.
 *
 * OpenGL 4.5 core is required, not preferred: buffers and framebuffers are handled without binding them, and Mesa's
 * software driver, the weakest one in use, has it. */
#ifndef ISO_GL_H
#define ISO_GL_H

#include "error.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct GLFWwindow;

struct gl {
    struct GLFWwindow *window; /* NULL: offscreen */
    void *display, *context;   /* EGLDisplay and EGLContext; NULL with a window */
    char renderer[160];        /* GL_RENDERER */
    char version[160];         /* GL_VERSION */
    bool is_software;          /* drawn by the processor */
    char tried[1024];          /* offscreen: a line per display tried, and how it went; for `doctor` */
};

/* Opens a window of that size (screen units). Error: ERR_GL. */
int gl_open_window(struct gl *gl, const char *title, int width, int height, struct err *err);

/* Makes a context without a window current: EGL devices that are hardware, then Mesa's surfaceless platform, then EGL
 * devices in software. `tried` is filled even on error. Error: ERR_GL. */
int gl_open_offscreen(struct gl *gl, struct err *err);

/* So that what glGetError says next is about what comes next. */
void gl_forget_errors(void);

/* Ends the context and zeroes the struct. An empty one is fine. */
void gl_close(struct gl *gl);

#ifdef __cplusplus
}
#endif
#endif
