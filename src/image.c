#include "image.h"

#include <GL/glew.h>

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* OpenGL's first row is the lowest, PNG's the highest. */
static void flip_rows(unsigned char *pixels, size_t row, size_t height, unsigned char *spare)
{
    for (size_t top = 0, bottom = height - 1; top < bottom; top++, bottom--) {
        memcpy(spare, pixels + top * row, row);
        memcpy(pixels + top * row, pixels + bottom * row, row);
        memcpy(pixels + bottom * row, spare, row);
    }
}

/* A file appears under `path` whole or not at all. */
static int write_whole(const char *path, const void *bytes, size_t size, struct err *err)
{
    char part[4096];
    if ((size_t)snprintf(part, sizeof part, "%s.%ld.part", path, (long)getpid()) >= sizeof part)
        return err_set(err, ERR_FAILED, "the file name is too long: %s", path);
    const int fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "wb");
    if (!file) {
        const int reason = errno;
        if (fd >= 0) close(fd);
        return err_set(err, ERR_FAILED, "%s cannot be written: %s", path, strerror(reason));
    }
    const bool written = fwrite(bytes, 1, size, file) == size;
    if (fclose(file) == 0 && written && rename(part, path) == 0) return ERR_NONE;
    const int reason = errno;
    unlink(part);
    return err_set(err, ERR_FAILED, "%s cannot be written: %s", path, strerror(reason));
}

int image_save(unsigned framebuffer, int x, int y, int width, int height, const char *path, struct err *err)
{
    const size_t row = (size_t)width * 3;
    unsigned char *pixels = malloc(row * ((size_t)height + 1)); /* one row more, to swap rows through */
    if (!pixels) return err_set(err, ERR_FAILED, "no memory for a picture of %d x %d", width, height);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
    glReadBuffer(framebuffer ? GL_COLOR_ATTACHMENT0 : GL_BACK);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(x, y, width, height, GL_RGB, GL_UNSIGNED_BYTE, pixels);
    flip_rows(pixels, row, (size_t)height, pixels + row * (size_t)height);

    size_t size = 0;
    unsigned char *png = image_encode(pixels, width, height, &size);
    const int code = png ? write_whole(path, png, size, err)
                         : err_set(err, ERR_FAILED, "no memory for a picture of %d x %d", width, height);
    free(png);
    free(pixels);
    return code;
}
