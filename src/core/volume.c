#include "volume.h"

#include "report.h"
#include "text.h"
#include "kernels/backend.h"
#include "kernels/host_memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNED 1e-6 /* fraction of an axis that may deviate from the world's */

const char *const voxel_type_name[VOXEL_TYPE_COUNT] = { "uint8", "int8", "uint16", "int16", "float32" };

void volume_free(struct volume *volume)
{
    if (!volume) return;
    free((void *)volume->grid.voxels);
    memset(volume, 0, sizeof *volume);
}

void volume_set_name(struct volume *volume, const char *name)
{
    snprintf(volume->file, sizeof volume->file, "%.255s", name);
    text_visible(volume->name, sizeof volume->name, name);
}

uint64_t volume_bytes(const uint64_t dims[3], size_t bytes_per_voxel)
{
    uint64_t bytes = bytes_per_voxel;
    for (int a = 0; a < 3; a++)
        if (dims[a] == 0 || __builtin_mul_overflow(bytes, dims[a], &bytes) || bytes > INT64_MAX) return 0;
    return bytes;
}

int volume_shape(struct volume *volume, enum voxel_type type, const uint64_t dims[3], struct err *err)
{
    memset(volume, 0, sizeof *volume);
    if (!volume_bytes(dims, voxel_bytes(type)))
        return err_set(err, ERR_INPUT, "%llu x %llu x %llu %s voxels: no axis may be 0, and the bytes must fit 63 bits",
                       (unsigned long long)dims[0], (unsigned long long)dims[1], (unsigned long long)dims[2],
                       voxel_type_name[type]);
    volume->grid = (struct grid){ NULL, type, (size_t)dims[0], (size_t)dims[1], (size_t)dims[2] };
    for (int a = 0; a < 3; a++) volume->direction[a][a] = 1;
    volume->slope = 1;
    volume->frames = volume->components = 1;
    return ERR_NONE;
}

int volume_alloc(struct volume *volume, enum voxel_type type, const uint64_t dims[3], struct err *err)
{
    const int code = volume_shape(volume, type, dims, err);
    if (code) return code;
    const uint64_t bytes = grid_bytes(&volume->grid);
    const size_t at_hand = backend_cpu.memory_free(); /* check first: malloc may promise more than there is */
    volume->grid.voxels = bytes <= at_hand ? host_memory_alloc((size_t)bytes) : NULL;
    char needed[32], unused[32];
    if (volume->grid.voxels) return ERR_NONE;
    memset(volume, 0, sizeof *volume);
    return err_set(err, ERR_FAILED, "not enough memory for %llu x %llu x %llu %s voxels: %s needed, %s free",
                   (unsigned long long)dims[0], (unsigned long long)dims[1], (unsigned long long)dims[2],
                   voxel_type_name[type], text_bytes(needed, (double)bytes), text_bytes(unused, (double)at_hand));
}

double volume_spacing(const struct volume *volume, int axis)
{
    const double x = volume->direction[0][axis], y = volume->direction[1][axis], z = volume->direction[2][axis];
    return sqrt(x * x + y * y + z * z);
}

double volume_handedness(const struct volume *volume)
{
    const double(*m)[3] = volume->direction;
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

bool volume_aligned(const struct volume *volume, int along[3])
{
    const double(*m)[3] = volume->direction;
    bool aligned = true;
    for (int a = 0; a < 3; a++) {
        along[a] = 0;
        for (int i = 1; i < 3; i++)
            if (fabs(m[i][a]) > fabs(m[along[a]][a])) along[a] = i;
        for (int i = 0; i < 3; i++)
            aligned = aligned && (i == along[a] || fabs(m[i][a]) <= ALIGNED * volume_spacing(volume, a));
    }
    return aligned;
}

float volume_iso(const struct volume *volume, double real_value)
{
    const double stored = (real_value - volume->intercept) / volume->slope;
    const float iso = (float)stored;
    return (double)iso < stored ? nextafterf(iso, INFINITY) : iso;
}

double volume_real(const struct volume *volume, double stored) { return volume->slope * stored + volume->intercept; }

void volume_to_world(const struct volume *volume, const double voxel[3], double world[3])
{
    for (int r = 0; r < 3; r++) {
        world[r] = volume->origin[r];
        for (int a = 0; a < 3; a++) world[r] += volume->direction[r][a] * voxel[a];
    }
}

int volume_digits(const struct volume *volume, int axis, int least)
{
    const struct grid *g = &volume->grid;
    const size_t n[3] = { g->nx, g->ny, g->nz };
    if (axis < 0) return least;
    double low = volume->origin[axis], high = low;
    for (int a = 0; a < 3; a++) {
        const double reach = volume->direction[axis][a] * ((double)n[a] - 1);
        low += fmin(reach, 0), high += fmax(reach, 0);
    }
    return text_digits_between(low, high, least);
}

double volume_value(const struct volume *volume, const double voxel[3])
{
    const struct grid *g = &volume->grid;
    const size_t n[3] = { g->nx, g->ny, g->nz };
    size_t low[3];
    double part[3], value = 0;
    for (int a = 0; a < 3; a++) {
        const double p = fmax(0, fmin((double)(n[a] - 1), voxel[a]));
        low[a] = (size_t)p;
        part[a] = p - (double)low[a];
    }
    for (int corner = 0; corner < 8; corner++) {
        double weight = 1;
        size_t at[3];
        for (int a = 0; a < 3; a++) {
            at[a] = low[a] + (size_t)(corner >> a & 1);
            weight *= corner >> a & 1 ? part[a] : 1 - part[a];
        }
        if (weight > 0) value += weight * (double)grid_value(g, (at[2] * g->ny + at[1]) * g->nx + at[0]);
    }
    return volume_real(volume, value);
}

void volume_report(const struct volume *volume, struct report *report)
{
    const struct grid *g = &volume->grid;
    const double dims[3] = { (double)g->nx, (double)g->ny, (double)g->nz };
    report_text(report, "file", volume->file);
    report_text(report, "note", *volume->note ? volume->note : NULL);
    report_numbers(report, "dims", dims, 3);
    report_text(report, "type", voxel_type_name[g->type]);
}
