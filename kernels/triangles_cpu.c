/* corner_sums, gather_triangles and shift_indices on the CPU; contract in triangles.h. */
#include "triangles.h"

#include "cpu_util.h"

int corner_sums_cpu(const struct vertex *vertices, const uint32_t *indices, float *sums, size_t n, struct exec *x)
{
    CPU_EACH(x, i, n, {
        corner_sum(&vertices[indices[3 * i]], &vertices[indices[3 * i + 1]], &vertices[indices[3 * i + 2]], sums + 3 * i);
    })
    return 0;
}

int gather_triangles_cpu(const uint32_t *indices, const uint32_t *order, uint32_t *out, size_t n, struct exec *x)
{
    CPU_EACH(x, i, n, {
        for (size_t c = 0; c < 3; c++) out[3 * i + c] = indices[3 * (size_t)order[i] + c];
    })
    return 0;
}

int shift_indices_cpu(const uint32_t *indices, uint32_t by, uint32_t *out, size_t n, struct exec *x)
{
    CPU_EACH(x, i, n, { out[i] = indices[i] + by; })
    return 0;
}
