/* Wraps OpenGL for isoscope_faults: functions that report GL_OUT_OF_MEMORY and do nothing. */
#include "faults.h"

#include <GL/glew.h>

static _Atomic GLenum gl_error; /* for the next glGetError */

/* Later calls with names that were never created are OpenGL errors, which end a debug build (gl.c). */
static bool gl_due(void)
{
    const bool due = fault_due(FAULT_GL);
    if (due) {
        gl_error = GL_OUT_OF_MEMORY;
        glDisable(GL_DEBUG_OUTPUT);
    }
    return due;
}

/* A replacement for glNAME, and a pointer to the original. */
#define STAND_IN(type, NAME, parameters, arguments) \
    static type real_##NAME;                        \
    static void GLAPIENTRY fault_##NAME parameters  \
    {                                               \
        if (!gl_due()) real_##NAME arguments;       \
    }
#define STAND_IN_OF(result, type, NAME, parameters, arguments) \
    static type real_##NAME;                                   \
    static result GLAPIENTRY fault_##NAME parameters { return gl_due() ? (result)0 : real_##NAME arguments; }

STAND_IN(PFNGLCREATEBUFFERSPROC, CreateBuffers, (GLsizei n, GLuint *names), (n, names))
STAND_IN(PFNGLCREATEFRAMEBUFFERSPROC, CreateFramebuffers, (GLsizei n, GLuint *names), (n, names))
STAND_IN(PFNGLCREATERENDERBUFFERSPROC, CreateRenderbuffers, (GLsizei n, GLuint *names), (n, names))
STAND_IN(PFNGLCREATEVERTEXARRAYSPROC, CreateVertexArrays, (GLsizei n, GLuint *names), (n, names))
STAND_IN(PFNGLCREATETEXTURESPROC, CreateTextures, (GLenum target, GLsizei n, GLuint *names), (target, n, names))
STAND_IN(PFNGLCREATEQUERIESPROC, CreateQueries, (GLenum target, GLsizei n, GLuint *names), (target, n, names))
STAND_IN(PFNGLNAMEDBUFFERSTORAGEPROC, NamedBufferStorage, (GLuint b, GLsizeiptr size, const void *data, GLbitfield flags),
         (b, size, data, flags))
STAND_IN(PFNGLNAMEDRENDERBUFFERSTORAGEMULTISAMPLEPROC, NamedRenderbufferStorageMultisample,
         (GLuint b, GLsizei samples, GLenum format, GLsizei width, GLsizei height), (b, samples, format, width, height))
STAND_IN(PFNGLTEXTURESTORAGE2DPROC, TextureStorage2D,
         (GLuint t, GLsizei levels, GLenum format, GLsizei width, GLsizei height), (t, levels, format, width, height))
STAND_IN(PFNGLTEXTURESTORAGE3DPROC, TextureStorage3D,
         (GLuint t, GLsizei levels, GLenum format, GLsizei width, GLsizei height, GLsizei depth),
         (t, levels, format, width, height, depth))
STAND_IN_OF(GLuint, PFNGLCREATESHADERPROC, CreateShader, (GLenum kind), (kind))
STAND_IN_OF(GLuint, PFNGLCREATEPROGRAMPROC, CreateProgram, (void), ())
STAND_IN_OF(void *, PFNGLMAPNAMEDBUFFERRANGEPROC, MapNamedBufferRange,
            (GLuint b, GLintptr at, GLsizeiptr size, GLbitfield access), (b, at, size, access))

/* A failed unmap is a return value, not an OpenGL error. */
static PFNGLUNMAPNAMEDBUFFERPROC real_UnmapNamedBuffer;
static GLboolean GLAPIENTRY fault_UnmapNamedBuffer(GLuint buffer)
{
    const GLboolean kept = real_UnmapNamedBuffer(buffer);
    return fault_due(FAULT_GL) ? GL_FALSE : kept;
}

#define EXCHANGE(NAME) (real_##NAME = __glew##NAME, __glew##NAME = fault_##NAME)

GLenum __wrap_glewInit(void);
GLenum __wrap_glGetError(void);
void __wrap_glGetIntegerv(GLenum name, GLint *to);
void __wrap_glReadPixels(GLint x, GLint y, GLsizei width, GLsizei height, GLenum format, GLenum type, void *pixels);

GLenum __wrap_glewInit(void)
{
    const GLenum code = glewInit(); /* reloads all pointers */
    EXCHANGE(CreateBuffers), EXCHANGE(CreateFramebuffers), EXCHANGE(CreateRenderbuffers), EXCHANGE(CreateVertexArrays);
    EXCHANGE(CreateTextures), EXCHANGE(CreateQueries), EXCHANGE(CreateShader), EXCHANGE(CreateProgram);
    EXCHANGE(NamedBufferStorage), EXCHANGE(NamedRenderbufferStorageMultisample), EXCHANGE(TextureStorage2D);
    EXCHANGE(TextureStorage3D), EXCHANGE(MapNamedBufferRange), EXCHANGE(UnmapNamedBuffer);
    return code;
}

GLenum __wrap_glGetError(void)
{
    const GLenum code = gl_error;
    gl_error = GL_NO_ERROR;
    return code ? code : glGetError();
}

void __wrap_glGetIntegerv(GLenum name, GLint *to)
{
    bool unused;
    glGetIntegerv(name, to);
    const long side = fault_asked("side", '=', &unused);
    if (name == GL_MAX_TEXTURE_SIZE && side) *to = (GLint)side;
}

void __wrap_glReadPixels(GLint x, GLint y, GLsizei width, GLsizei height, GLenum format, GLenum type, void *pixels)
{
    if (!gl_due()) glReadPixels(x, y, width, height, format, type, pixels);
}
