#include "pack_mean.h"

/* The four source rows of a row of means. At an odd end two of them are the same. Each voxel then counts twice, which gives
 * the mean of fewer voxels. */
struct rows {
    size_t row[4], nx;
};

static struct rows rows_of(const struct grid *g, size_t j, size_t k)
{
    const size_t y[2] = { 2 * j, min_size(2 * j + 1, g->ny - 1) }, z[2] = { 2 * k, min_size(2 * k + 1, g->nz - 1) };
    struct rows r = { .nx = g->nx };
    for (int i = 0; i < 4; i++) r.row[i] = (z[i / 2] * g->ny + y[i % 2]) * g->nx;
    return r;
}

/* NOLINTBEGIN(bugprone-macro-parentheses): types */
#define MEAN(name, type, sum_type, mean)                                                                              \
    static void name(void *to, const void *from, const struct rows *r)                                                \
    {                                                                                                                 \
        type *mean_of = to;                                                                                           \
        const type *a = (const type *)from + r->row[0], *b = (const type *)from + r->row[1];                          \
        const type *c = (const type *)from + r->row[2], *d = (const type *)from + r->row[3];                          \
        for (size_t i = 0; i < r->nx / 2; i++) {                                                                      \
            const size_t p = 2 * i, q = p + 1;                                                                        \
            const sum_type sum = (sum_type)a[p] + (sum_type)a[q] + (sum_type)b[p] + (sum_type)b[q] + (sum_type)c[p] + \
                                 (sum_type)c[q] + (sum_type)d[p] + (sum_type)d[q];                                    \
            mean_of[i] = (type)(mean);                                                                                \
        }                                                                                                             \
        if (r->nx % 2) {                                                                                              \
            const size_t p = r->nx - 1;                                                                               \
            const sum_type half = (sum_type)a[p] + (sum_type)b[p] + (sum_type)c[p] + (sum_type)d[p];                  \
            const sum_type sum = half + half;                                                                         \
            mean_of[p / 2] = (type)(mean);                                                                            \
        }                                                                                                             \
    }
/* NOLINTEND(bugprone-macro-parentheses) */

MEAN(mean_uint8, uint8_t, int, (sum + 4) >> 3) /* gcc shifts arithmetically, so signs are kept */
MEAN(mean_int8, int8_t, int, (sum + 4) >> 3)
MEAN(mean_uint16, uint16_t, int, (sum + 4) >> 3)
MEAN(mean_int16, int16_t, int, (sum + 4) >> 3)
MEAN(mean_float32, float, double, sum * 0.125) /* a sum of floats would exceed their range where the mean does not */

void pack_mean(void *to, const struct grid *from, int threads)
{
    static void (*const means[])(void *to, const void *from, const struct rows *r) = {
        [VOXEL_UINT8] = mean_uint8, [VOXEL_INT8] = mean_int8,       [VOXEL_UINT16] = mean_uint16,
        [VOXEL_INT16] = mean_int16, [VOXEL_FLOAT32] = mean_float32,
    };
    const size_t nx = (from->nx + 1) / 2, ny = (from->ny + 1) / 2, nz = (from->nz + 1) / 2;
    const size_t bytes = voxel_bytes(from->type);
#pragma omp parallel for num_threads(threads)
    for (size_t row = 0; row < ny * nz; row++) {
        const struct rows r = rows_of(from, row % ny, row / ny);
        means[from->type]((char *)to + row * nx * bytes, from->voxels, &r);
    }
}
