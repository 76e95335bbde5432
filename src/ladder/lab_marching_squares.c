/* The laboratory's squares: a slice with a rippled contour, walked again cell by cell. */
#include "lab.h"

#include "kernels/marching_squares.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct state {
    float *in;
    struct segment *want, *got;
    uint64_t count;
    struct marching_squares_desc desc;
};

static int compare(const void *a, const void *b) { return memcmp(a, b, sizeof(struct segment)); }

/* Counts the segments, and with `to` writes them. */
static uint64_t walk(const struct marching_squares_desc *d, struct segment *to)
{
    const struct slice slice = slice_of(d);
    uint64_t count = 0;
    for (size_t i = 0; i < slice_cells(&slice); i++) {
        const struct cell cell = cell_of(&d->grid, &slice, i, d->iso);
        for (unsigned k = 0; k < marching_squares_count(cell.inside); k++, count++)
            if (to) to[count] = marching_squares_segment(&cell, k, d->iso);
    }
    return count;
}

static int open_marching_squares(struct lab *lab)
{
    struct state *s = lab->state = lab_host(lab, sizeof *s);
    const size_t n = lab->size;
    if (!s || n > 1 << 20 || !(s->in = lab_host(lab, n * n * sizeof *s->in)))
        return lab->err.code ? lab->err.code : err_set(&lab->err, ERR_FAILED, "more than 2^40 voxels");
    for (size_t i = 0; i < n * n; i++) s->in[i] = sinf(0.05f * (float)(i % n)) * cosf(0.07f * (float)(i / n));
    s->desc = (struct marching_squares_desc){ .grid = { s->in, VOXEL_FLOAT32, n, n, 1 }, .axis = 2, .iso = 0.25f };
    s->count = s->desc.capacity = walk(&s->desc, NULL);
    const size_t bytes = s->count * sizeof *s->want;
    if (!(s->want = lab_host(lab, bytes)) || !(s->got = lab_host(lab, bytes))) return lab->err.code;
    walk(&s->desc, s->want);
    s->desc.grid.voxels = lab_input(lab, s->in, n * n * sizeof *s->in);
    s->desc.segments = lab_output(lab, bytes);
    s->desc.count = lab_output(lab, sizeof *s->desc.count);
    lab->operations = n * n;
    lab->bytes = n * n * sizeof *s->in + bytes;
    return lab->err.code;
}

static size_t marching_squares_scratch(const struct lab *lab, const struct rung *rung)
{
    const struct marching_squares_rung *r = (const struct marching_squares_rung *)rung;
    return r->scratch ? r->scratch(&((const struct state *)lab->state)->desc, &lab->iso.exec) : 0;
}

static int run_marching_squares(struct lab *lab, const struct rung *rung)
{
    const struct state *s = lab->state;
    return ((const struct marching_squares_rung *)rung)->run(&s->desc, lab->scratch, &lab->iso.exec);
}

/* Segments without an order are put in the order of their bytes, and so are those that were wanted. */
static bool check_marching_squares(struct lab *lab, const struct rung *rung, char why[LAB_WHY])
{
    struct state *s = lab->state;
    const size_t bytes = s->count * sizeof *s->want;
    uint64_t count = 0;
    if (lab_read(lab, &count, s->desc.count, sizeof count)) return false;
    snprintf(why, LAB_WHY, "%llu segments, not %llu", (unsigned long long)count, (unsigned long long)s->count);
    if (count != s->count || (bytes && lab_read(lab, s->got, s->desc.segments, bytes))) return false;
    walk(&(struct marching_squares_desc){ .grid = { s->in, VOXEL_FLOAT32, lab->size, lab->size, 1 },
                                          .axis = 2,
                                          .iso = s->desc.iso },
         s->want);
    if (!((const struct marching_squares_rung *)rung)->ordered) {
        qsort(s->want, s->count, sizeof *s->want, compare);
        qsort(s->got, s->count, sizeof *s->got, compare);
    }
    snprintf(why, LAB_WHY, "the segments differ");
    return !bytes || !memcmp(s->got, s->want, bytes);
}

const struct lab_op lab_marching_squares = {
    .op = "marching_squares",
    .unit = "voxels along each axis of the slice",
    .size = { 2048, 8192 },
    .operation = "cell",
    .open = open_marching_squares,
    .scratch = marching_squares_scratch,
    .run = run_marching_squares,
    .check = check_marching_squares,
};
