#include "shader.h"
#include "resource.h"

#include <GL/glew.h>

#include <stdlib.h>
#include <string.h>

/* Drivers write a compiler's message as "0:12(3): error: text" (Mesa) or "0(12) : error C1: text" (NVIDIA), where 0 is
 * the number of the source string. Finds the line, 0 if there is none, and where the text goes on. */
static int split_message(const char *log, const char **text)
{
    *text = log;
    if (log[0] != '0' || (log[1] != ':' && log[1] != '(')) return 0;
    char *end;
    const long line = strtol(log + 2, &end, 10);
    if (end == log + 2) return 0;
    const char *colon = strchr(end, ':');
    if (colon) *text = colon + 1 + strspn(colon + 1, " ");
    return (int)line;
}

static int compile(GLuint *shader, GLenum kind, const char *file, struct err *err)
{
    const struct resource *source = resource_find(file);
    if (!source) return err_set(err, ERR_GL, "%s is not in this program", file);
    const GLchar *text = (const GLchar *)source->begin;
    const GLint length = (GLint)(source->end - source->begin);
    GLint ok = GL_FALSE;

    *shader = glCreateShader(kind);
    glShaderSource(*shader, 1, &text, &length);
    glCompileShader(*shader);
    glGetShaderiv(*shader, GL_COMPILE_STATUS, &ok);
    if (ok) return ERR_NONE;

    char log[800] = "";
    const char *message;
    glGetShaderInfoLog(*shader, sizeof log, NULL, log);
    const int line = split_message(log, &message);
    return err_set(err, ERR_GL, "%s:%d: %.*s", file, line, (int)strcspn(message, "\n"), message);
}

int shader_program(unsigned *program, const char *vertex_file, const char *fragment_file, struct err *err)
{
    GLuint vertex = 0, fragment = 0;
    int code = compile(&vertex, GL_VERTEX_SHADER, vertex_file, err);
    if (!code) code = compile(&fragment, GL_FRAGMENT_SHADER, fragment_file, err);
    *program = 0;
    if (!code) {
        GLint ok = GL_FALSE;
        *program = glCreateProgram();
        glAttachShader(*program, vertex);
        glAttachShader(*program, fragment);
        glLinkProgram(*program);
        glGetProgramiv(*program, GL_LINK_STATUS, &ok);
        if (!ok) {
            char log[800] = "";
            glGetProgramInfoLog(*program, sizeof log, NULL, log);
            code = err_set(err, ERR_GL, "%s with %s: %.*s", vertex_file, fragment_file, (int)strcspn(log, "\n"), log);
            glDeleteProgram(*program);
            *program = 0;
        }
    }
    glDeleteShader(vertex); /* 0 is ignored */
    glDeleteShader(fragment);
    return code;
}
