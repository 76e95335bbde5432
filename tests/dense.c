/* A library to preload: makes GLFW behave as on a dense display where a screen unit is two pixels wide, as under Wayland.
 * For test_window.py. */
#include <GLFW/glfw3.h>

#include <dlfcn.h>

enum { PIXELS = 2 }; /* per screen unit */

#define REAL(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name)) /* GLFW's own */

GLFWwindow *glfwCreateWindow(int width, int height, const char *title, GLFWmonitor *monitor, GLFWwindow *share)
{
    return REAL(glfwCreateWindow)(PIXELS * width, PIXELS * height, title, monitor, share);
}

void glfwGetWindowSize(GLFWwindow *window, int *width, int *height)
{
    REAL(glfwGetWindowSize)(window, width, height);
    *width /= PIXELS, *height /= PIXELS;
}

void glfwGetCursorPos(GLFWwindow *window, double *x, double *y)
{
    REAL(glfwGetCursorPos)(window, x, y);
    *x /= PIXELS, *y /= PIXELS;
}

static GLFWcursorposfun tell_cursor;

static void on_cursor(GLFWwindow *window, double x, double y) { tell_cursor(window, x / PIXELS, y / PIXELS); }

GLFWcursorposfun glfwSetCursorPosCallback(GLFWwindow *window, GLFWcursorposfun callback)
{
    const GLFWcursorposfun before = tell_cursor;
    tell_cursor = callback;
    REAL(glfwSetCursorPosCallback)(window, on_cursor);
    return before;
}
