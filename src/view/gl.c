/* Contexts. GLFW 3.3 does not start without a display server; offscreen contexts use EGL directly. */
#include "gl.h"

#include "text.h"

#include <GL/glew.h>

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLFW/glfw3.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { GL_MAJOR = 4, GL_MINOR = 5 };

#define LEAST_ADDRESSES ((rlim_t)768 << 20) /* bytes: a picture of 64 x 64 takes 660 MiB on two cores */

#ifdef NDEBUG
enum { IS_DEBUG = false };
#else
enum { IS_DEBUG = true };
#endif

/* A wrong call is a bug here, like a failed assertion; too little memory is not. */
static void GLAPIENTRY debug_message(GLenum source, GLenum type, GLuint id, GLenum severity, GLsizei length,
                                     const GLchar *text, const void *context)
{
    struct gl *gl = (struct gl *)context; /* passed by ask_for_complaints() */
    const bool wrong = (type == GL_DEBUG_TYPE_ERROR || type == GL_DEBUG_TYPE_UNDEFINED_BEHAVIOR) &&
                       !strstr(text, "OUT_OF_MEMORY");
    (void)id, (void)length;
    if (source == GL_DEBUG_SOURCE_SHADER_COMPILER) return; /* shader.c reports it with file and line */
    if (severity == GL_DEBUG_SEVERITY_NOTIFICATION || type == GL_DEBUG_TYPE_PERFORMANCE) return;
    fprintf(stderr, "OpenGL: %s\n", text);
    gl->complaints += wrong;
    if (IS_DEBUG && wrong && severity == GL_DEBUG_SEVERITY_HIGH) abort();
}

static void ask_for_complaints(struct gl *gl)
{
    glEnable(GL_DEBUG_OUTPUT);
    glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
    glDebugMessageCallback(debug_message, gl);
}

bool gl_is_software(void)
{
    static const char *const software[] = { "llvmpipe", "softpipe", "swrast", "Software Rasterizer", "SwiftShader" };
    const char *const renderer = (const char *)glGetString(GL_RENDERER);
    for (size_t i = 0; i < sizeof software / sizeof *software; i++)
        if (renderer && strstr(renderer, software[i])) return true;
    return false;
}

/* Loads the functions of the current context and fills in the renderer.
 *
 * glewInit() may fail although all went well. GLEW 2.2, as Debian builds it, loads OpenGL's functions first and the GLX
 * extensions after them. The second step needs an X display; under EGL or Wayland there is none, and glewInit() returns
 * GLEW_ERROR_NO_GLX_DISPLAY with every OpenGL function loaded. That code is therefore accepted, and two functions of
 * OpenGL 4.5 prove that loading worked. Any other code is an error. */
static int load_functions(struct gl *gl, bool checked, struct err *err)
{
    glewExperimental = GL_TRUE;
    const GLenum code = glewInit();
    if ((code != GLEW_OK && code != GLEW_ERROR_NO_GLX_DISPLAY) || !glCreateBuffers || !glTextureStorage2D)
        return err_set(err, ERR_GL, "cannot load the functions of OpenGL 4.5 (GLEW error %u)", code);
    gl_forget_errors(); /* GLEW asks core contexts for a string that they no longer have */

    snprintf(gl->renderer, sizeof gl->renderer, "%s", (const char *)glGetString(GL_RENDERER));
    snprintf(gl->version, sizeof gl->version, "%s", (const char *)glGetString(GL_VERSION));
    gl->is_software = gl_is_software();
    if (checked) ask_for_complaints(gl);
    return ERR_NONE;
}

/* ---- window -------------------------------------------------------------------------------------------------- */

/* Software OpenGL compiles shaders with LLVM, which ends the process if it finds no address space. */
static int check_address_space(struct err *err)
{
    char allowed[32], needed[32];
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur >= LEAST_ADDRESSES) return ERR_NONE;
    return err_set(err, ERR_GL, "OpenGL needs %s of address space, and %s are allowed: raise the limit (ulimit -v)",
                   text_bytes(needed, (double)LEAST_ADDRESSES), text_bytes(allowed, (double)limit.rlim_cur));
}

int gl_open_window(struct gl *gl, const char *title, int width, int height, bool checked, struct err *err)
{
    const char *reason = NULL;
    memset(gl, 0, sizeof *gl);
    if (check_address_space(err)) return ERR_GL;
    if (!glfwInit()) {
        glfwGetError(&reason);
        return err_set(err, ERR_GL, "no window can be opened (%s); `isoscope render` makes an image without a display",
                       reason ? reason : "GLFW gives no reason");
    }
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, GL_MAJOR);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, GL_MINOR);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    glfwWindowHint(GLFW_DEPTH_BITS, 0); /* the scene has a framebuffer of its own */
    glfwWindowHint(GLFW_STENCIL_BITS, 0);
    glfwWindowHint(GLFW_OPENGL_DEBUG_CONTEXT, IS_DEBUG || checked);
    glfwWindowHintString(GLFW_X11_CLASS_NAME, "isoscope");
    gl->window = glfwCreateWindow(width, height, title, NULL, NULL);
    if (!gl->window) {
        glfwGetError(&reason);
        err_set(err, ERR_GL, "no OpenGL %d.%d window can be opened (%s); `isoscope doctor` lists what this machine has",
                GL_MAJOR, GL_MINOR, reason ? reason : "GLFW gives no reason");
        glfwTerminate();
        return ERR_GL;
    }
    glfwMakeContextCurrent(gl->window);
    const int code = load_functions(gl, IS_DEBUG || checked, err);
    if (code) gl_close(gl);
    return code;
}

/* ---- no window ------------------------------------------------------------------------------------------------- */

static void note(struct gl *gl, const char *label, const char *text)
{
    const size_t used = strlen(gl->tried);
    snprintf(gl->tried + used, sizeof gl->tried - used, "%s%s: %s", used ? "; " : "", label, text);
}

static void drop_display(EGLDisplay display, EGLContext context)
{
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (context != EGL_NO_CONTEXT) eglDestroyContext(display, context);
    eglTerminate(display);
}

/* Returns true if a context of that display is now current. */
static bool try_display(struct gl *gl, EGLDisplay display, const char *label)
{
    EGLint major, minor, configs = 0;
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, &major, &minor)) {
        note(gl, label, "EGL cannot use it");
        return false;
    }
    static const EGLint wish[] = { EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE };
    /* clang-format off */
    static const EGLint version[] = {
        EGL_CONTEXT_MAJOR_VERSION, GL_MAJOR,
        EGL_CONTEXT_MINOR_VERSION, GL_MINOR,
        EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
#ifndef NDEBUG
        EGL_CONTEXT_OPENGL_DEBUG, EGL_TRUE,
#endif
        EGL_NONE
    };
    /* clang-format on */
    EGLConfig config;
    EGLContext context = EGL_NO_CONTEXT;
    struct err err = { 0 };
    if (!eglBindAPI(EGL_OPENGL_API) || !eglChooseConfig(display, wish, &config, 1, &configs) || !configs)
        note(gl, label, "offers no desktop OpenGL");
    else if ((context = eglCreateContext(display, config, EGL_NO_CONTEXT, version)) == EGL_NO_CONTEXT)
        note(gl, label, "has no OpenGL 4.5 core");
    else if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
        note(gl, label, "cannot draw without a surface");
    else if (load_functions(gl, IS_DEBUG, &err)) note(gl, label, err.text);
    else {
        note(gl, label, gl->renderer);
        gl->display = display;
        gl->context = context;
        return true;
    }
    drop_display(display, context);
    return false;
}

/* Tries the EGL devices that are hardware, or those that are not. */
static bool try_devices(struct gl *gl, bool software)
{
    EGLDeviceEXT device[16];
    EGLint count = 0;
    const PFNEGLQUERYDEVICESEXTPROC query = (PFNEGLQUERYDEVICESEXTPROC)eglGetProcAddress("eglQueryDevicesEXT");
    const PFNEGLQUERYDEVICESTRINGEXTPROC text = (PFNEGLQUERYDEVICESTRINGEXTPROC)eglGetProcAddress(
        "eglQueryDeviceStringEXT");
    const PFNEGLGETPLATFORMDISPLAYEXTPROC display = (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress(
        "eglGetPlatformDisplayEXT");
    if (!query || !text || !display || !query(16, device, &count)) {
        if (!software) note(gl, "EGL devices", "cannot be listed");
        return false;
    }
    for (EGLint i = 0; i < count; i++) {
        const char *extensions = text(device[i], EGL_EXTENSIONS);
        if ((extensions && strstr(extensions, "EGL_MESA_device_software")) != software) continue;
        char label[64];
        snprintf(label, sizeof label, "EGL device %d (%s)", i, software ? "software" : "hardware");
        if (try_display(gl, display(EGL_PLATFORM_DEVICE_EXT, device[i], NULL), label)) return true;
    }
    return false;
}

static bool try_surfaceless(struct gl *gl)
{
    const char *label = "EGL surfaceless", *extensions = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    const PFNEGLGETPLATFORMDISPLAYEXTPROC display = (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress(
        "eglGetPlatformDisplayEXT");
    if (!display || !extensions || !strstr(extensions, "EGL_MESA_platform_surfaceless")) {
        note(gl, label, "not offered");
        return false;
    }
    return try_display(gl, display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL), label);
}

int gl_open_offscreen(struct gl *gl, struct err *err)
{
    memset(gl, 0, sizeof *gl);
    if (check_address_space(err)) return ERR_GL;
    if (try_devices(gl, false) || try_surfaceless(gl) || try_devices(gl, true)) return ERR_NONE;
    return err_set(err, ERR_GL,
                   "no OpenGL 4.5 without a display: %s; Mesa's software driver would do "
                   "(libegl1, libgl1-mesa-dri)",
                   gl->tried);
}

void gl_forget_errors(void)
{
    for (int i = 0; i < 100 && glGetError() != GL_NO_ERROR; i++) {
    } /* a lost context never runs out of them */
}

unsigned gl_make_buffer(size_t bytes, const char *name, struct err *err)
{
    GLuint buffer = 0;
    gl_forget_errors();
    glCreateBuffers(1, &buffer);
    glNamedBufferStorage(buffer, (GLsizeiptr)bytes, NULL, 0);
    gl_label(GL_BUFFER, buffer, name);
    if (glGetError() == GL_NO_ERROR) return buffer;
    glDeleteBuffers(1, &buffer);
    err_set(err, ERR_FAILED, "OpenGL has no memory for %s", name);
    return 0;
}

unsigned gl_groups(uint64_t count, unsigned group)
{
    const uint64_t groups = (count + group - 1) / group;
    return groups < GL_MOST_GROUPS ? (unsigned)groups : GL_MOST_GROUPS;
}

void gl_dispatch(unsigned program, unsigned groups)
{
    glUseProgram(program);
    glDispatchCompute(groups, 1, 1);
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
}

void gl_label(unsigned kind, unsigned object, const char *name)
{
    if (object) glObjectLabel(kind, object, -1, name);
}

void gl_push_group(const char *name) { glPushDebugGroup(GL_DEBUG_SOURCE_APPLICATION, 0, -1, name); }

void gl_pop_group(void) { glPopDebugGroup(); }

void gl_close(struct gl *gl)
{
    if (gl->window) {
        glfwDestroyWindow(gl->window);
        glfwTerminate();
    } else if (gl->display) drop_display(gl->display, gl->context);
    memset(gl, 0, sizeof *gl);
}
