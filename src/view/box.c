#include "box.h"
#include "gl.h"

#include <GL/glew.h>

#include <string.h>

enum { UNIFORM_CLIP, UNIFORM_PIXELS, UNIFORM_HALF, UNIFORM_OPACITY }; /* locations in shaders/box.* */
enum { ATTRIBUTE_FROM, ATTRIBUTE_TO };

#define LINE_PART (1 / 700.0f) /* width of a line as a part of the image's height; at least a pixel and a half */
#define SEEN 0.8f              /* opacity */
#define HIDDEN 0.2f

static const struct shader_files files = { { "shaders/box.vert", "shaders/box.frag" } };

int box_need(struct box *box, struct err *err)
{
    if (shader_need(&box->shader, files, err)) return ERR_GL;
    if (box->array) return ERR_NONE;
    gl_forget_errors();
    glCreateVertexArrays(1, &box->array);
    gl_label(GL_VERTEX_ARRAY, box->array, "box");
    for (unsigned i = ATTRIBUTE_FROM; i <= ATTRIBUTE_TO; i++) {
        glEnableVertexArrayAttrib(box->array, i);
        glVertexArrayAttribFormat(box->array, i, 3, GL_FLOAT, GL_FALSE, i * (GLuint)sizeof(float[3]));
        glVertexArrayAttribBinding(box->array, i, 0);
    }
    glVertexArrayBindingDivisor(box->array, 0, 1);
    glCreateBuffers(1, &box->buffer);
    gl_label(GL_BUFFER, box->buffer, "box");
    glNamedBufferStorage(box->buffer, sizeof((struct box_plan *)0)->line, NULL, GL_DYNAMIC_STORAGE_BIT);
    glVertexArrayVertexBuffer(box->array, 0, box->buffer, 0, sizeof(struct box_line));
    if (glGetError() == GL_NO_ERROR) return ERR_NONE;
    box_close(box);
    return err_set(err, ERR_GL, "OpenGL has no memory for the lines of the box");
}

void box_close(struct box *box)
{
    if (box->array) glDeleteVertexArrays(1, &box->array);
    if (box->buffer) glDeleteBuffers(1, &box->buffer);
    shader_close(&box->shader);
    memset(box, 0, sizeof *box);
}

void box_draw(const struct box *box, const struct box_plan *plan, const struct camera *camera, int width, int height)
{
    static const struct {
        GLenum depth;
        float opacity;
    } parts[] = { { GL_LEQUAL, SEEN }, { GL_GREATER, HIDDEN } };
    const GLuint program = box->shader.program;
    struct camera_matrices matrices;
    float pixels[2];
    camera_transform(camera, (double)width / height, &matrices);
    if (plan->lines) glNamedBufferSubData(box->buffer, 0, (GLsizeiptr)(plan->lines * sizeof *plan->line), plan->line);
    glProgramUniformMatrix4fv(program, UNIFORM_CLIP, 1, GL_FALSE, matrices.clip_from_voxel);
    camera_part(camera, width, height, pixels);
    glProgramUniform2fv(program, UNIFORM_PIXELS, 1, pixels);
    const float half = 0.5f * LINE_PART * (float)height;
    glProgramUniform1f(program, UNIFORM_HALF, half > 0.75f ? half : 0.75f);
    glUseProgram(program);
    glBindVertexArray(box->array);
    glEnable(GL_DEPTH_TEST);
    glDepthMask(GL_FALSE);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    for (int i = 0; i < 2; i++) {
        glDepthFunc(parts[i].depth);
        glProgramUniform1f(program, UNIFORM_OPACITY, parts[i].opacity);
        glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)plan->lines);
    }
    glDisable(GL_BLEND);
    glDepthMask(GL_TRUE);
    glDisable(GL_DEPTH_TEST);
}
