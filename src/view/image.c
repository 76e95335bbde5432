#include "image.h"
#include "gl.h"
#include "replace.h"
#include "trace.h"

#include <GL/glew.h>

#include <stdlib.h>
#include <string.h>

/* OpenGL's first row is at the bottom, PNG's at the top. */
static void flip_rows(unsigned char *pixels, size_t row, size_t height, unsigned char *spare)
{
    for (size_t top = 0, bottom = height - 1; top < bottom; top++, bottom--) {
        memcpy(spare, pixels + top * row, row);
        memcpy(pixels + top * row, pixels + bottom * row, row);
        memcpy(pixels + bottom * row, spare, row);
    }
}

int image_save(unsigned framebuffer, int x, int y, int width, int height, const char *path, struct err *err)
{
    const size_t row = (size_t)width * 3;
    unsigned char *pixels = malloc(row * ((size_t)height + 1)); /* one row more, to swap rows through */
    if (!pixels) return err_set(err, ERR_FAILED, "no memory for an image of %d x %d", width, height);
    gl_forget_errors();
    trace_push("read pixels", NULL); /* waits for the drawing */
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
    glReadBuffer(framebuffer ? GL_COLOR_ATTACHMENT0 : GL_BACK);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(x, y, width, height, GL_RGB, GL_UNSIGNED_BYTE, pixels);
    trace_pop();
    if (glGetError() != GL_NO_ERROR) {
        free(pixels);
        return err_set(err, ERR_FAILED, "OpenGL cannot read the image of %d x %d", width, height);
    }
    flip_rows(pixels, row, (size_t)height, pixels + row * (size_t)height);

    size_t size = 0;
    struct replace replace;
    trace_push("write", NULL);
    unsigned char *png = image_encode(pixels, width, height, &size);
    int code = png ? replace_open(&replace, path, err)
                   : err_set(err, ERR_FAILED, "no memory for an image of %d x %d", width, height);
    if (!code) code = replace_close(&replace, fwrite(png, 1, size, replace.file) == size, err);
    trace_pop();
    free(png);
    free(pixels);
    return code;
}
