/* A file of 48^3 voxels for tests that time nothing but need work: a ball in noise. */
#ifndef ISO_BALL_FILE_H
#define ISO_BALL_FILE_H

#include "check.h"

enum { BALL_VOXELS = 48 }; /* along each axis, uint8 */

/* Writes it, and exits where it cannot. most: in its middle; noise: less than so much is added, by check_random. */
static inline void write_ball(const char *path, double most, unsigned noise)
{
    enum { N = BALL_VOXELS };
    FILE *file = fopen(path, "wb");
    if (!file) exit(1);
    for (int i = 0; i < N * N * N; i++) {
        const double x = i % N - 23.5, y = i / N % N - 23.5, z = i / N / N - 23.5;
        fputc((int)fmax(0, fmin(255, most - 6 * sqrt(x * x + y * y + z * z) + (double)(check_random() % noise))), file);
    }
    if (fclose(file)) exit(1);
}

#endif
