/* The laboratory's gemv: a square matrix and a vector of random numbers, summed up again in double. */
#include "lab.h"

#include "kernels/gemv.h"

#include <math.h>
#include <stdio.h>

struct state {
    float *a, *got;
    double *want, *magnitude;
    struct gemv_desc desc;
};

static int open_gemv(struct lab *lab)
{
    struct state *s = lab->state = lab_host(lab, sizeof *s);
    const size_t n = lab->size, bytes = n * n * sizeof(float);
    if (!s || n > 1 << 20) return lab->err.code ? lab->err.code : err_set(&lab->err, ERR_FAILED, "more than 2^40 elements");
    if (!(s->a = lab_host(lab, bytes + n * sizeof(float))) || !(s->got = lab_host(lab, n * sizeof(float))) ||
        !(s->want = lab_host(lab, n * sizeof(double))) || !(s->magnitude = lab_host(lab, n * sizeof(double))))
        return lab->err.code;
    const float *x = s->a + n * n;
    lab_random(s->a, n * n + n);
    for (size_t i = 0; i < n * n; i++) {
        const double product = (double)s->a[i] * x[i % n];
        s->want[i / n] += product, s->magnitude[i / n] += fabs(product);
    }
    s->desc = (struct gemv_desc){ .m = n,
                                  .n = n,
                                  .alpha = 1,
                                  .lda = n,
                                  .a = lab_input(lab, s->a, bytes),
                                  .x = lab_input(lab, x, n * sizeof(float)),
                                  .y = lab_output(lab, n * sizeof(float)) };
    lab->operations = 2 * (uint64_t)n * n;
    lab->bytes = bytes + 2 * n * sizeof(float);
    return lab->err.code;
}

static size_t gemv_scratch(const struct lab *lab, const struct rung *rung)
{
    const struct gemv_rung *r = (const struct gemv_rung *)rung;
    return r->scratch ? r->scratch(&((const struct state *)lab->state)->desc, &lab->iso.exec) : 0;
}

static int run_gemv(struct lab *lab, const struct rung *rung)
{
    const struct state *s = lab->state;
    return ((const struct gemv_rung *)rung)->run(&s->desc, lab->scratch, &lab->iso.exec);
}

static bool check_gemv(struct lab *lab, const struct rung *rung, char why[LAB_WHY])
{
    struct state *s = lab->state;
    (void)rung;
    if (lab_read(lab, s->got, s->desc.y, lab->size * sizeof *s->got)) return false;
    for (size_t i = 0; i < lab->size; i++) {
        if (fabs(s->got[i] - s->want[i]) <= gemv_tolerance(lab->size) * s->magnitude[i]) continue;
        snprintf(why, LAB_WHY, "number %zu is %g, not %g", i, (double)s->got[i], s->want[i]);
        return false;
    }
    return true;
}

const struct lab_op lab_gemv = {
    .op = "gemv",
    .unit = "rows and columns",
    .size = { 4096, 8192 },
    .operation = "flop",
    .open = open_gemv,
    .scratch = gemv_scratch,
    .run = run_gemv,
    .check = check_gemv,
};
