/* The laboratory's order: triangles between random corners, their sums, and their indices in another order. */
#include "lab.h"

#include "kernels/order.h"

#include <stdio.h>

struct state {
    size_t n, vertices;
    struct vertex *vertex;
    uint32_t *indices, *order, *got;
    float *sums;
    const void *at_vertex, *at_indices, *at_order;
    void *at_sums, *at_got;
};

static bool make_room(struct lab *lab, struct state *s)
{
    return (s->vertex = lab_host(lab, s->vertices * sizeof *s->vertex)) &&
           (s->indices = lab_host(lab, 3 * s->n * sizeof(uint32_t))) &&
           (s->order = lab_host(lab, s->n * sizeof(uint32_t))) && (s->got = lab_host(lab, 3 * s->n * sizeof(uint32_t))) &&
           (s->sums = lab_host(lab, 3 * s->n * sizeof(float)));
}

/* Steps of a prime go round all of them, unless it divides their number. */
static uint32_t far_away(size_t i, size_t n) { return (uint32_t)(n % 7919 ? i * 7919 % n : n - 1 - i); }

static int open_order(struct lab *lab)
{
    struct state *s = lab->state = lab_host(lab, sizeof *s);
    if (!s || lab->size > UINT32_MAX)
        return lab->err.code ? lab->err.code : err_set(&lab->err, ERR_FAILED, "more than 2^32 - 1 triangles");
    s->n = lab->size, s->vertices = s->n / 2 + 3;
    if (!make_room(lab, s)) return lab->err.code;
    lab_random((float *)s->vertex, 4 * s->vertices);
    for (size_t i = 0; i < 3 * s->n; i++)
        s->indices[i] = (uint32_t)((i / 6 + i % 3) % s->vertices); /* near, as in meshes */
    for (size_t i = 0; i < s->n; i++) s->order[i] = far_away(i, s->n);
    s->at_vertex = lab_input(lab, s->vertex, s->vertices * sizeof *s->vertex);
    s->at_indices = lab_input(lab, s->indices, 3 * s->n * sizeof(uint32_t));
    s->at_order = lab_input(lab, s->order, s->n * sizeof(uint32_t));
    s->at_sums = lab_output(lab, 3 * s->n * sizeof(float));
    s->at_got = lab_output(lab, 3 * s->n * sizeof(uint32_t));
    lab->operations = s->n;
    lab->bytes = s->vertices * sizeof *s->vertex + s->n * (4 * 12 + 4); /* indices twice, sums, order, indices */
    return lab->err.code;
}

static int run_order(struct lab *lab, const struct rung *rung)
{
    const struct order_rung *r = (const struct order_rung *)rung;
    const struct state *s = lab->state;
    const int code = r->sums(s->at_vertex, s->at_indices, s->at_sums, s->n, &lab->iso.exec);
    return code ? code : r->permute(s->at_indices, s->at_order, s->at_got, s->n, &lab->iso.exec);
}

static bool check_order(struct lab *lab, const struct rung *rung, char why[LAB_WHY])
{
    const struct state *s = lab->state;
    (void)rung;
    if (lab_read(lab, s->sums, s->at_sums, 3 * s->n * sizeof(float)) ||
        lab_read(lab, s->got, s->at_got, 3 * s->n * sizeof(uint32_t)))
        return false;
    for (size_t i = 0; i < s->n; i++) {
        const uint32_t *corner = s->indices + 3 * i, *moved = s->indices + 3 * (size_t)s->order[i];
        for (size_t c = 0; c < 3; c++) {
            float sum = 0; /* positions are the first three floats of a vertex */
            for (size_t k = 0; k < 3; k++) sum += (&s->vertex[corner[k]].x)[c];
            if (s->sums[3 * i + c] == sum && s->got[3 * i + c] == moved[c]) continue;
            snprintf(why, LAB_WHY, "triangle %zu has another sum or other corners", i);
            return false;
        }
    }
    return true;
}

const struct lab_op lab_order = {
    .op = "order",
    .unit = "triangles",
    .size = { 1 << 18, 1 << 24 },
    .operation = "triangle",
    .open = open_order,
    .run = run_order,
    .check = check_order,
};
