#include "image.h"
#include "gl.h"
#include "png.h"
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

unsigned char *image_read(unsigned framebuffer, int x, int y, int width, int height, struct err *err)
{
    const size_t row = (size_t)width * 3;
    unsigned char *pixels = malloc(row * ((size_t)height + 1)); /* one row more, to swap rows through */
    if (!pixels) {
        err_set(err, ERR_FAILED, "not enough memory for an image of %d x %d", width, height);
        return NULL;
    }
    gl_forget_errors();
    trace_push("read pixels", NULL); /* waits for the drawing */
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
    glReadBuffer(framebuffer ? GL_COLOR_ATTACHMENT0 : GL_BACK);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(x, y, width, height, GL_RGB, GL_UNSIGNED_BYTE, pixels);
    trace_pop();
    if (glGetError() != GL_NO_ERROR) {
        free(pixels);
        err_set(err, ERR_FAILED, "OpenGL cannot read the image of %d x %d", width, height);
        return NULL;
    }
    flip_rows(pixels, row, (size_t)height, pixels + row * (size_t)height);
    return pixels;
}

static int write_pixels(const unsigned char *pixels, int width, int height, const char *path, struct err *err)
{
    struct png png;
    trace_push("write", NULL);
    int code = png_open(&png, path, 3, width, height, err);
    if (!code) {
        png_rows(&png, pixels, height);
        code = png_close(&png, err);
    }
    trace_pop();
    return code;
}

int image_save(unsigned framebuffer, int x, int y, int width, int height, const char *path, struct err *err)
{
    unsigned char *pixels = image_read(framebuffer, x, y, width, height, err);
    const int code = pixels ? write_pixels(pixels, width, height, path, err) : err->code;
    free(pixels);
    return code;
}

/* A colour c with opacity a gives a c on black, and 1 - a more on white. */
void image_cut_out(const unsigned char *on_black, const unsigned char *on_white, size_t pixels, unsigned char *out)
{
    for (size_t i = 0; i < pixels; i++) {
        const unsigned char *b = on_black + 3 * i, *w = on_white + 3 * i;
        int opacity = 0;
        for (int c = 0; c < 3; c++) opacity = 255 - w[c] + b[c] > opacity ? 255 - w[c] + b[c] : opacity;
        opacity = opacity > 255 ? 255 : opacity; /* due to rounding */
        for (int c = 0; c < 3; c++) {
            const int colour = opacity ? (b[c] * 255 + opacity / 2) / opacity : 0;
            out[4 * i + (size_t)c] = (unsigned char)(colour > 255 ? 255 : colour);
        }
        out[4 * i + 3] = (unsigned char)opacity;
    }
}
