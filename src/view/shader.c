#include "shader.h"
#include "gl.h"
#include "resource.h"
#include "text.h"
#include "timing.h"

#include <GL/glew.h>

#include <assert.h>
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

/* Gives the source of the resource `name`: a path in the folder, or `name` itself. */
static void source_path(char path[PATH_MAX], const char *name)
{
    if (shader_folder()) snprintf(path, PATH_MAX, "%s/%s", shader_folder(), strrchr(name, '/') + 1);
    else snprintf(path, PATH_MAX, "%s", name);
}

/* Time of the last change, nanoseconds; 0: no folder, or no such file. */
static int64_t modified(const char *name)
{
    char path[PATH_MAX];
    struct stat status;
    if (!shader_folder()) return 0;
    source_path(path, name);
    return stat(path, &status) ? 0 : (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
}

struct source { /* files, one after the other; compilers count their lines together */
    char text[SHADER_FILES * SOURCE_BYTES];
    size_t length;
    int first[SHADER_FILES]; /* first line of each, from 1 */
};

static int read_file(struct source *source, const char *path, struct err *err)
{
    FILE *file = fopen(path, "r");
    const size_t length = file ? fread(source->text + source->length, 1, SOURCE_BYTES, file) : 0;
    const bool good = file && !ferror(file);
    if (!good) err_set(err, ERR_GL, "cannot read the shader %s: %s", path, strerror(errno));
    if (file) fclose(file);
    if (!good) return ERR_GL;
    source->length += length;
    return length < SOURCE_BYTES ? ERR_NONE
                                 : err_set(err, ERR_GL, "the shader %s has %d bytes or more", path, SOURCE_BYTES);
}

/* Appends the text of the resource `name`, from the folder or the program. */
static int append(struct source *source, const char *name, struct err *err)
{
    char path[PATH_MAX];
    const struct resource *resource = resource_find(name);
    if (!resource) return err_set(err, ERR_GL, "%s is not in this program", name);
    source_path(path, name);
    if (shader_folder()) return read_file(source, path, err);
    const size_t length = (size_t)(resource->end - resource->begin);
    assert(length < SOURCE_BYTES);
    memcpy(source->text + source->length, resource->begin, length);
    source->length += length;
    return ERR_NONE;
}

/* Reads up to `most` files; a NULL ends them earlier. */
static int read_source(struct source *source, const char *const *file, int most, struct err *err)
{
    int line = 1;
    source->length = 0;
    for (int i = 0; i < most && file[i]; i++) {
        const size_t begin = source->length;
        source->first[i] = line;
        if (append(source, file[i], err)) return ERR_GL;
        if (source->length > begin && source->text[source->length - 1] != '\n') source->text[source->length++] = '\n';
        for (size_t at = begin; at < source->length; at++) line += source->text[at] == '\n';
    }
    return ERR_NONE;
}

/* ---- programs ------------------------------------------------------------------------------------------------------ */

/* Drivers write a compiler's message as "0:12(3): error: text" (Mesa) or "0(12) : error C1: text" (NVIDIA). Returns the
 * line, 0 if there is none; *text gets the start of the message proper. */
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

/* Reports the compiler's message, with file and line. */
static int complain(GLuint shader, const struct source *source, const char *const *file, int most, struct err *err)
{
    char log[800] = "", path[PATH_MAX];
    const char *message;
    int at = 0;
    glGetShaderInfoLog(shader, sizeof log, NULL, log);
    const int line = split_message(log, &message);
    while (at + 1 < most && file[at + 1] && line >= source->first[at + 1]) at++;
    source_path(path, file[at]);
    return err_set(err, ERR_GL, "%s:%d: %.*s", path, line ? line - source->first[at] + 1 : 0, (int)strcspn(message, "\n"),
                   message);
}

static int compile(GLuint *shader, GLenum kind, const char *const *file, int most, struct err *err)
{
    struct source source;
    GLint ok = GL_FALSE;
    assert(file[0]);
    *shader = glCreateShader(kind);
    if (read_source(&source, file, most, err)) return err->code;
    glShaderSource(*shader, 1, (const GLchar *const[]){ source.text }, (const GLint[]){ (GLint)source.length });
    glCompileShader(*shader);
    glGetShaderiv(*shader, GL_COMPILE_STATUS, &ok);
    return ok ? ERR_NONE : complain(*shader, &source, file, most, err);
}

static int link(GLuint *program, const GLuint part[2], const struct shader_files *files, struct err *err)
{
    GLint ok = GL_FALSE;
    *program = glCreateProgram();
    for (int i = 0; i < 2; i++)
        if (part[i]) glAttachShader(*program, part[i]);
    glLinkProgram(*program);
    glGetProgramiv(*program, GL_LINK_STATUS, &ok);
    if (ok) return ERR_NONE;

    char log[800] = "";
    glGetProgramInfoLog(*program, sizeof log, NULL, log);
    glDeleteProgram(*program);
    const char *error = strstr(log, "error"), *text = error ? error : log; /* NVIDIA begins with a heading */
    return err_set(err, ERR_GL, "%s%s%s: %.*s", files->file[0], part[1] ? " with " : "", part[1] ? files->file[1] : "",
                   (int)strcspn(text, "\n"), text);
}

/* Time spent compiling all programs, ms. Only one thread uses OpenGL. */
static double spent;

double shader_ms(void) { return spent; }

/* Replaces the program. On error the old one stays. */
static int make(struct shader *shader, struct err *err)
{
    GLuint part[2] = { 0 }, program = 0;
    const char *const *file = shader->files.file;
    const bool computes = text_ends(file[0], ".comp");
    const double start = timing_ms();
    int code = compile(&part[0], computes ? GL_COMPUTE_SHADER : GL_VERTEX_SHADER, file, computes ? SHADER_FILES : 1, err);
    if (!code && !computes) code = compile(&part[1], GL_FRAGMENT_SHADER, file + 1, SHADER_FILES - 1, err);
    if (!code) code = link(&program, part, &shader->files, err);
    for (int i = 0; i < 2; i++) glDeleteShader(part[i]); /* 0 is ignored */
    spent += timing_ms() - start;
    if (code) return code;
    glDeleteProgram(shader->program);
    shader->program = program;
    gl_label(GL_PROGRAM, program, file[computes ? 0 : 1]);
    return ERR_NONE;
}

int shader_need(struct shader *shader, struct shader_files files, struct err *err)
{
    if (shader->program) return ERR_NONE;
    *shader = (struct shader){ .files = files };
    for (int i = 0; i < SHADER_FILES && files.file[i]; i++) shader->modified[i] = modified(files.file[i]);
    return make(shader, err);
}

void shader_close(struct shader *shader)
{
    if (shader->program) glDeleteProgram(shader->program);
    *shader = (struct shader){ .program = 0 };
}

bool shader_reload(struct shader *shader, struct err *err)
{
    const char *const *file = shader->files.file;
    bool saved = false;
    if (!file[0] || !shader_folder()) return false;
    int64_t now[SHADER_FILES] = { 0 };
    for (int i = 0; i < SHADER_FILES && file[i]; i++) {
        now[i] = modified(file[i]);
        if (!now[i]) return false; /* an editor may remove a file before writing it */
        saved |= now[i] != shader->modified[i];
    }
    if (!saved) return false;
    memcpy(shader->modified, now, sizeof now);
    return !make(shader, err);
}
