#include "preview.h"

#include <GL/glew.h>

#include <math.h>

void preview_set(unsigned *texture, const uint8_t *grey, int width, int height)
{
    static const GLint as_grey[4] = { GL_RED, GL_RED, GL_RED, GL_ONE };
    preview_free(texture);
    glCreateTextures(GL_TEXTURE_2D, 1, texture);
    glTextureStorage2D(*texture, 1, GL_R8, width, height);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTextureSubImage2D(*texture, 0, 0, 0, width, height, GL_RED, GL_UNSIGNED_BYTE, grey);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glTextureParameteriv(*texture, GL_TEXTURE_SWIZZLE_RGBA, as_grey);
    glTextureParameteri(*texture, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTextureParameteri(*texture, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

void preview_free(unsigned *texture)
{
    if (*texture) glDeleteTextures(1, texture);
    *texture = 0;
}

/* Computes in double, because the range of the values may exceed a float, and so may 255 divided by a tiny range. */
void preview_grey(uint8_t *grey, const float *values, size_t n)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < n; i++)
        if (isfinite(values[i])) low = fmin(low, (double)values[i]), high = fmax(high, (double)values[i]);
    const double scale = high > low ? 255 / (high - low) : 0;
    for (size_t i = 0; i < n; i++) grey[i] = isfinite(values[i]) ? (uint8_t)(((double)values[i] - low) * scale) : 0;
}
