#include "shader.h"
#include "gl.h"
#include "resource.h"

#include <GL/glew.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SOURCE_BYTES = 1 << 16 }; /* more than any shader file needs */

/* ---- sources ------------------------------------------------------------------------------------------------------- */

static const char *shader_folder(void)
{
    const char *folder = getenv("ISOSCOPE_SHADERS");
    return folder && *folder ? folder : NULL;
}

bool shader_is_watched(void) { return shader_folder() != NULL; }

/* Where the text of the resource `name` comes from: a path in the folder, or `name` itself. */
static void source_path(char path[PATH_MAX], const char *name)
{
    if (shader_folder()) snprintf(path, PATH_MAX, "%s/%s", shader_folder(), strrchr(name, '/') + 1);
    else snprintf(path, PATH_MAX, "%s", name);
}

/* Nanoseconds; 0: no folder, or no such file. */
static int64_t modified(const char *name)
{
    char path[PATH_MAX];
    struct stat status;
    if (!shader_folder()) return 0;
    source_path(path, name);
    return stat(path, &status) ? 0 : (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
}

static int read_file(char text[SOURCE_BYTES], GLint *length, const char *path, struct err *err)
{
    FILE *file = fopen(path, "r");
    *length = file ? (GLint)fread(text, 1, SOURCE_BYTES, file) : 0;
    const bool good = file && !ferror(file);
    if (!good) err_set(err, ERR_GL, "cannot read the shader %s: %s", path, strerror(errno));
    if (file) fclose(file);
    if (!good) return ERR_GL;
    return *length < SOURCE_BYTES ? ERR_NONE
                                  : err_set(err, ERR_GL, "the shader %s has %d bytes or more", path, SOURCE_BYTES);
}

static int set_source(GLuint shader, const char *name, struct err *err)
{
    char path[PATH_MAX], file[SOURCE_BYTES];
    const struct resource *resource = resource_find(name);
    if (!resource) return err_set(err, ERR_GL, "%s is not in this program", name);
    const GLchar *text = (const GLchar *)resource->begin;
    GLint length = (GLint)(resource->end - resource->begin);
    if (shader_folder()) {
        source_path(path, name);
        if (read_file(file, &length, path, err)) return ERR_GL;
        text = file;
    }
    glShaderSource(shader, 1, &text, &length);
    return ERR_NONE;
}

/* ---- programs ------------------------------------------------------------------------------------------------------ */

/* Drivers write a compiler's message as "0:12(3): error: text" (Mesa) or "0(12) : error C1: text" (NVIDIA). The 0 is the
 * number of the source string. Returns the line, 0 if there is none; *text gets the start of the message proper. */
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

static int compile(GLuint *shader, GLenum kind, const char *name, struct err *err)
{
    GLint ok = GL_FALSE;
    *shader = glCreateShader(kind);
    if (set_source(*shader, name, err)) return err->code;
    glCompileShader(*shader);
    glGetShaderiv(*shader, GL_COMPILE_STATUS, &ok);
    if (ok) return ERR_NONE;

    char log[800] = "", path[PATH_MAX];
    const char *message;
    glGetShaderInfoLog(*shader, sizeof log, NULL, log);
    const int line = split_message(log, &message);
    source_path(path, name);
    return err_set(err, ERR_GL, "%s:%d: %.*s", path, line, (int)strcspn(message, "\n"), message);
}

static int link(GLuint *program, GLuint vertex, GLuint fragment, const struct shader *shader, struct err *err)
{
    GLint ok = GL_FALSE;
    *program = glCreateProgram();
    glAttachShader(*program, vertex);
    glAttachShader(*program, fragment);
    glLinkProgram(*program);
    glGetProgramiv(*program, GL_LINK_STATUS, &ok);
    if (ok) return ERR_NONE;

    char log[800] = "";
    glGetProgramInfoLog(*program, sizeof log, NULL, log);
    glDeleteProgram(*program);
    return err_set(err, ERR_GL, "%s with %s: %.*s", shader->file[0], shader->file[1], (int)strcspn(log, "\n"), log);
}

/* Replaces the program. On error the old one stays. */
static int make(struct shader *shader, struct err *err)
{
    GLuint vertex = 0, fragment = 0, program = 0;
    int code = compile(&vertex, GL_VERTEX_SHADER, shader->file[0], err);
    if (!code) code = compile(&fragment, GL_FRAGMENT_SHADER, shader->file[1], err);
    if (!code) code = link(&program, vertex, fragment, shader, err);
    glDeleteShader(vertex); /* 0 is ignored */
    glDeleteShader(fragment);
    if (code) return code;
    glDeleteProgram(shader->program);
    shader->program = program;
    gl_label(GL_PROGRAM, program, shader->file[1]);
    return ERR_NONE;
}

int shader_need(struct shader *shader, const char *vertex_file, const char *fragment_file, struct err *err)
{
    if (shader->program) return ERR_NONE;
    *shader = (struct shader){ 0, { vertex_file, fragment_file }, { modified(vertex_file), modified(fragment_file) } };
    return make(shader, err);
}

void shader_close(struct shader *shader)
{
    if (shader->program) glDeleteProgram(shader->program);
    *shader = (struct shader){ .program = 0 };
}

bool shader_reload(struct shader *shader, struct err *err)
{
    if (!shader->file[0] || !shader_folder()) return false;
    const int64_t now[2] = { modified(shader->file[0]), modified(shader->file[1]) };
    const bool saved = memcmp(now, shader->modified, sizeof now) != 0;
    if (!saved || !now[0] || !now[1]) return false; /* an editor may remove a file before it writes it */
    memcpy(shader->modified, now, sizeof now);
    return !make(shader, err);
}
