/* The laboratory's gemm: square matrices of random numbers; some rows of the product, summed up again in double. */
#include "lab.h"

#include "kernels/gemm.h"

#include <math.h>
#include <stdio.h>

enum { ROWS = 16 }; /* that are checked: all would take the host longer than the rungs */

struct state {
    float *a, *b, *got;
    double *want, *magnitude;
    size_t rows;
    struct gemm_desc desc;
};

static size_t row_of(const struct state *s, size_t r)
{
    return s->rows > 1 ? r * (s->desc.m - 1) / (s->rows - 1) : 0; /* the first and last among them */
}

static void find_row(struct state *s, size_t r)
{
    const size_t n = s->desc.n;
    for (size_t p = 0; p < s->desc.k; p++) {
        const double a = s->a[row_of(s, r) * n + p];
        for (size_t j = 0; j < n; j++) {
            s->want[r * n + j] += a * s->b[p * n + j];
            s->magnitude[r * n + j] += fabs(a * s->b[p * n + j]);
        }
    }
}

static int open_gemm(struct lab *lab)
{
    struct state *s = lab->state = lab_host(lab, sizeof *s);
    const size_t n = lab->size, bytes = n * n * sizeof(float);
    if (!s || n > 1 << 20) return lab->err.code ? lab->err.code : err_set(&lab->err, ERR_FAILED, "more than 2^40 elements");
    s->rows = n < ROWS ? n : ROWS;
    if (!(s->a = lab_host(lab, bytes)) || !(s->b = lab_host(lab, bytes)) || !(s->got = lab_host(lab, n * sizeof(float))) ||
        !(s->want = lab_host(lab, s->rows * n * sizeof(double))) ||
        !(s->magnitude = lab_host(lab, s->rows * n * sizeof(double))))
        return lab->err.code;
    lab_random(s->a, n * n);
    for (size_t i = 0; i < n * n; i++) s->b[i] = s->a[n * n - 1 - i];
    s->desc = (struct gemm_desc){ .m = n, .n = n, .k = n, .alpha = 1, .lda = n, .ldb = n, .ldc = n };
    for (size_t r = 0; r < s->rows; r++) find_row(s, r);
    s->desc.a = lab_input(lab, s->a, bytes);
    s->desc.b = lab_input(lab, s->b, bytes);
    s->desc.c = lab_output(lab, bytes);
    lab->operations = 2 * (uint64_t)n * n * n;
    lab->bytes = 3 * bytes;
    return lab->err.code;
}

static size_t gemm_scratch(const struct lab *lab, const struct rung *rung)
{
    const struct gemm_rung *r = (const struct gemm_rung *)rung;
    return r->scratch ? r->scratch(&((const struct state *)lab->state)->desc, &lab->iso.exec) : 0;
}

static int run_gemm(struct lab *lab, const struct rung *rung)
{
    const struct state *s = lab->state;
    return ((const struct gemm_rung *)rung)->run(&s->desc, lab->scratch, &lab->iso.exec);
}

static bool check_gemm(struct lab *lab, const struct rung *rung, char why[LAB_WHY])
{
    struct state *s = lab->state;
    const size_t n = lab->size;
    const double tolerance = gemm_tolerance((const struct gemm_rung *)rung, n);
    for (size_t r = 0; r < s->rows; r++) {
        if (lab_read(lab, s->got, s->desc.c + row_of(s, r) * n, n * sizeof *s->got)) return false;
        for (size_t j = 0; j < n; j++) {
            const double error = fabs(s->got[j] - s->want[r * n + j]);
            if (error <= tolerance * s->magnitude[r * n + j]) continue;
            snprintf(why, LAB_WHY, "row %zu, column %zu is %g, not %g", row_of(s, r), j, (double)s->got[j],
                     s->want[r * n + j]);
            return false;
        }
    }
    return true;
}

const struct lab_op lab_gemm = {
    .op = "gemm",
    .unit = "rows and columns",
    .size = { 512, 4096 },
    .operation = "flop",
    .library = "cublas",
    .open = open_gemm,
    .scratch = gemm_scratch,
    .run = run_gemm,
    .check = check_gemm,
};
