/* Tests the ops of struct backend_ops, which have no rungs, with the harness of op.h. Usage: test_backend cpu|cuda */
#include "check.h"
#include "op_grid.h"
#include "kernels/gemv.h"
#include "kernels/sort.h"

#include <assert.h>
#include <string.h>

enum { SKIPPED = 77 };

/* ---- count_cells --------------------------------------------------------------------------------------------------- */

struct cells_case {
    struct grid_case grid;
    unsigned width; /* of a strip */
};

enum { COUNTS = GRID_OWN };

static void cells_each(struct op_walk *walk, const struct grid_case *g)
{
    for (unsigned width = 1; width <= 32; width += 31) walk->add(walk, &(struct cells_case){ *g, width });
}

static void cells_cases(struct op_walk *walk)
{
    grid_each(walk, cells_each);
    grid_each_thin(walk, cells_each);
}

static void cells_plan(struct op_case *c)
{
    const struct cells_case *p = c->param;
    grid_plan_strips(c, &p->grid, p->width, OP_INPUT);
    op_name(c, ", width %u", p->width);
    op_add(c, COUNTS, OP_OUTPUT, 1, sizeof(struct cell_counts));
}

static void cells_fill(struct op_case *c)
{
    const struct cells_case *p = c->param;
    grid_fill_strips(c, &p->grid, p->width);
}

static int cells_run(struct op_case *c, const struct rung *rung)
{
    const struct cells_case *p = c->param;
    const struct strips s = grid_device_strips(c, &p->grid, p->width);
    (void)rung;
    return c->ops->count_cells(&s, c->array[COUNTS].device, c->exec);
}

static bool cells_check(struct op_case *c, const struct rung *rung)
{
    const struct cell_counts *got = c->array[COUNTS].got;
    const struct strip_totals *want = grid_strip_totals(c);
    (void)rung;
    return (got->inside == want->inside && got->active == want->active_cells) ||
           op_wrong(c, "%llu inside, %llu active, not %llu and %llu", (unsigned long long)got->inside,
                    (unsigned long long)got->active, (unsigned long long)want->inside,
                    (unsigned long long)want->active_cells);
}

static const struct op count_cells = { .op = "count_cells",
                                       .cases = cells_cases,
                                       .plan = cells_plan,
                                       .fill = cells_fill,
                                       .run = cells_run,
                                       .check = cells_check };

/* ---- corner_sums and gather_triangles ------------------------------------------------------------------------------ */

struct triangles_case {
    size_t n;
    bool by_depth; /* corner sums, gemv and sort give the order from back to front; else the case gives an order */
};

enum { VERTICES, INDICES, ORDER, SUMS, GATHERED, SHIFTED, ALONG, DEPTHS, KEYS };

#define SHIFT 4000000000u /* beyond what fits an int */

static const float view[3] = { 0.48f, -0.6f, 0.64f };

static void triangles_cases(struct op_walk *walk)
{
    static const size_t sizes[] = { 0, 1, 2, 85, 86, 255, 256, 257, 1000, 100003 }; /* around a block, also of corners */
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        walk->add(walk, &(struct triangles_case){ sizes[i], false });
    walk->add(walk, &(struct triangles_case){ 1, true });
    walk->add(walk, &(struct triangles_case){ 65537, true });
}

static void triangles_plan(struct op_case *c)
{
    const struct triangles_case *p = c->param;
    op_name(c, "%zu triangles%s", p->n, p->by_depth ? " by depth" : "");
    op_add(c, VERTICES, OP_INPUT, p->n / 2 + 3, sizeof(struct vertex));
    op_add(c, INDICES, OP_INPUT, 3 * p->n, sizeof(uint32_t));
    op_add(c, ORDER, p->by_depth ? OP_OUTPUT : OP_INPUT, p->n, sizeof(uint32_t));
    op_add(c, SUMS, OP_OUTPUT, 3 * p->n, sizeof(float));
    op_add(c, GATHERED, OP_OUTPUT, 3 * p->n, sizeof(uint32_t));
    op_add(c, SHIFTED, OP_OUTPUT, 3 * p->n, sizeof(uint32_t));
    if (!p->by_depth) return;
    op_add(c, ALONG, OP_INPUT, 3, sizeof(float));
    op_add(c, DEPTHS, OP_OUTPUT, p->n, sizeof(float));
    op_add(c, KEYS, OP_OUTPUT, p->n, sizeof(uint32_t));
}

static void triangles_fill(struct op_case *c)
{
    const struct triangles_case *p = c->param;
    const size_t count = c->array[VERTICES].bytes / sizeof(struct vertex);
    struct vertex *vertices = c->array[VERTICES].host;
    uint32_t *indices = c->array[INDICES].host, *order = c->array[ORDER].host;
    check.random = 20240229;
    assert(count);
    for (size_t i = 0; i < count; i++)
        vertices[i] = (struct vertex){ (float)(check_random() % (1u << 24)) / 4096, (float)(check_random() % 2048),
                                       (float)i * 0.37f, (uint32_t)check_random() };
    for (size_t i = 0; i < 3 * p->n; i++) indices[i] = (uint32_t)(check_random() % count);
    if (p->by_depth) memcpy(c->array[ALONG].host, view, sizeof view);
    for (size_t i = 0; order && i < p->n; i++) order[i] = (uint32_t)i;
    for (size_t i = p->n; order && i > 1; i--) { /* Fisher and Yates */
        const size_t j = check_random() % i;
        const uint32_t swap = order[i - 1];
        order[i - 1] = order[j], order[j] = swap;
    }
}

static struct gemv_desc product_of(const struct op_case *c)
{
    return (struct gemv_desc){ .m = ((const struct triangles_case *)c->param)->n,
                               .n = 3,
                               .alpha = 1,
                               .a = c->array[SUMS].device,
                               .lda = 3,
                               .x = c->array[ALONG].device,
                               .y = c->array[DEPTHS].device };
}

static struct sort_desc keys_of(const struct op_case *c)
{
    return (struct sort_desc){ .n = ((const struct triangles_case *)c->param)->n,
                               .key = SORT_FLOAT32,
                               .descending = true,
                               .keys_in = c->array[DEPTHS].device,
                               .keys_out = c->array[KEYS].device,
                               .values_out = c->array[ORDER].device };
}

static const void *default_of(const struct op_case *c, const char *op)
{
    return ladder_find(ladder_of(op), c->exec->backend, NULL);
}

static size_t triangles_scratch(const struct op_case *c, const struct rung *rung)
{
    const struct gemv_rung *gemv = default_of(c, "gemv");
    const struct sort_rung *sort = default_of(c, "sort");
    const struct gemv_desc product = product_of(c);
    const struct sort_desc keys = keys_of(c);
    const size_t a = gemv->scratch ? gemv->scratch(&product, c->exec) : 0;
    const size_t b = sort->scratch ? sort->scratch(&keys, c->exec) : 0;
    (void)rung;
    return a > b ? a : b;
}

static int triangles_run(struct op_case *c, const struct rung *rung)
{
    const struct triangles_case *p = c->param;
    const struct op_array *a = c->array;
    (void)rung;
    int code = c->ops->shift_indices(a[INDICES].device, SHIFT, a[SHIFTED].device, 3 * p->n, c->exec);
    if (!code) code = c->ops->corner_sums(a[VERTICES].device, a[INDICES].device, a[SUMS].device, p->n, c->exec);
    if (p->by_depth) {
        const struct gemv_desc product = product_of(c);
        const struct sort_desc keys = keys_of(c);
        if (!code) code = ((const struct gemv_rung *)default_of(c, "gemv"))->run(&product, c->scratch, c->exec);
        if (!code) code = ((const struct sort_rung *)default_of(c, "sort"))->run(&keys, c->scratch, c->exec);
    }
    return code ? code : c->ops->gather_triangles(a[INDICES].device, a[ORDER].device, a[GATHERED].device, p->n, c->exec);
}

static double depth_of(const struct vertex *vertices, const uint32_t *corner)
{
    double depth = 0;
    for (int i = 0; i < 3; i++) {
        const struct vertex *v = &vertices[corner[i]];
        depth += (double)view[0] * v->x + (double)view[1] * v->y + (double)view[2] * v->z;
    }
    return depth;
}

static bool triangles_check(struct op_case *c, const struct rung *rung)
{
    const struct triangles_case *p = c->param;
    const struct vertex *v = c->array[VERTICES].host;
    const uint32_t *indices = c->array[INDICES].host, *got = c->array[GATHERED].got;
    const uint32_t *order = p->by_depth ? c->array[ORDER].got : c->array[ORDER].host;
    const uint32_t *shifted = c->array[SHIFTED].got;
    const float *sums = c->array[SUMS].got;
    double last = INFINITY;
    (void)rung;
    for (size_t i = 0; i < p->n; i++) {
        const struct vertex *x = &v[indices[3 * i]], *y = &v[indices[3 * i + 1]], *z = &v[indices[3 * i + 2]];
        const float want[3] = { x->x + y->x + z->x, x->y + y->y + z->y, x->z + y->z + z->z };
        if (order[i] >= p->n || memcmp(&sums[3 * i], want, sizeof want) != 0 ||
            memcmp(&got[3 * i], &indices[3 * (size_t)order[i]], 3 * sizeof *got) != 0)
            return op_wrong(c, "triangle %zu has another sum, or other corners", i);
        for (size_t k = 3 * i; k < 3 * i + 3; k++)
            if (shifted[k] != indices[k] + SHIFT) return op_wrong(c, "index %zu is not shifted", k);
        const double depth = depth_of(v, &got[3 * i]);
        if (p->by_depth && !(depth <= last + 0.01)) /* sums reach 20000, in float */
            return op_wrong(c, "triangle %zu lies behind the one before", i);
        last = depth;
    }
    return true;
}

static const struct op triangles = { .op = "triangles",
                                     .cases = triangles_cases,
                                     .plan = triangles_plan,
                                     .fill = triangles_fill,
                                     .scratch = triangles_scratch,
                                     .run = triangles_run,
                                     .check = triangles_check };

/* ---- the harness itself: an op that does each thing that it must find -------------------------------------------- */

enum deed { NOTHING, RIGHT, WRONG_NUMBER, PAST_THE_END, BEFORE_THE_BEGIN, CHANGED_INPUT, PAST_THE_SCRATCH, FAILING, DEEDS };

enum { IN, OUT };

static void deed_plan(struct op_case *c)
{
    op_name(c, "deed %d", (int)*(const enum deed *)c->param);
    op_add(c, IN, OP_INPUT, 100, 1);
    op_add(c, OUT, OP_OUTPUT, 100, 1);
}

static size_t deed_scratch(const struct op_case *c, const struct rung *rung)
{
    (void)c, (void)rung;
    return 7;
}

static int deed_run(struct op_case *c, const struct rung *rung)
{
    const enum deed deed = *(const enum deed *)c->param;
    char *in = c->array[IN].device, *out = c->array[OUT].device, *scratch = c->scratch;
    (void)rung;
    if (deed == FAILING) return 1;
    if (deed != NOTHING) c->ops->fill(out, deed == WRONG_NUMBER, 100, c->exec);
    if (deed == PAST_THE_END) return c->ops->fill(out + 100, 0, 1, c->exec);
    if (deed == BEFORE_THE_BEGIN) return c->ops->fill(out - 1, 0, 1, c->exec);
    if (deed == CHANGED_INPUT) return c->ops->fill(in + 99, 1, 1, c->exec);
    return deed == PAST_THE_SCRATCH ? c->ops->fill(scratch + 7, 0, 1, c->exec) : 0;
}

static bool deed_check(struct op_case *c, const struct rung *rung)
{
    (void)rung;
    return !memcmp(c->array[OUT].got, c->array[IN].host, 100) || op_wrong(c, "the bytes differ");
}

static void test_harness(const struct backend_ops *ops, struct exec *x)
{
    static const struct op op = {
        .op = "deeds", .plan = deed_plan, .scratch = deed_scratch, .run = deed_run, .check = deed_check
    };
    for (enum deed deed = NOTHING; deed < DEEDS; deed++) {
        struct op_case c;
        CHECK(!op_case_open(&c, &op, &deed, ops, x));
        check_subject(c.name);
        const enum outcome want = deed == RIGHT ? OUTCOME_RIGHT : deed == FAILING ? OUTCOME_FAILED : OUTCOME_WRONG;
        CHECK(op_case_check(&c, NULL) == want);
        CHECK((c.why[0] == 0) == (deed == RIGHT));
        check_subject("");
        op_case_close(&c);
    }
}

/* ---- what all rungs share -------------------------------------------------------------------------------------------- */

static void test_histogram_bin(void)
{
    CHECK(histogram_bin(0, 0, 10, 10) == 0 && histogram_bin(9.99f, 0, 10, 10) == 9); /* both ends are in a bin */
    CHECK(histogram_bin(10, 0, 10, 10) == 9);
    CHECK(histogram_bin(-0.01f, 0, 10, 10) == 10 && histogram_bin(NAN, 0, 10, 10) == 10); /* others are in none */
    CHECK(histogram_bin(0, -3e38f, 3e38f, 2) == 1); /* an interval wider than the largest float */
    CHECK(histogram_bin(0, 0, 1e-45f, 10) == 0 && histogram_bin(1e-45f, 0, 1e-45f, 10) == 9); /* the narrowest */
}

static void test_product(void)
{
    CHECK(op_product(0, SIZE_MAX) == 0 && op_product(3, 5) == 15);
    CHECK(op_product(SIZE_MAX, 2) == SIZE_MAX && op_product(SIZE_MAX / 2 + 1, 2) == SIZE_MAX);
}

/* ---- main ------------------------------------------------------------------------------------------------------------ */

struct tests {
    struct op_walk walk; /* first member: op->cases receives this */
    const struct op *op;
    const struct backend_ops *ops;
    struct exec exec;
};

static void test_case(struct op_walk *walk, const void *param)
{
    struct tests *t = (struct tests *)walk;
    struct op_case c;
    check_subject("a case");
    const int code = op_case_open(&c, t->op, param, t->ops, &t->exec);
    check_subject(c.name);
    const bool right = CHECK(!code) && CHECK(op_case_check(&c, NULL) == OUTCOME_RIGHT);
    if (!right) printf("    %s: %s%s\n", t->op->op, c.err.text, c.why);
    check_subject("");
    op_case_close(&c);
}

int main(int argc, char **argv)
{
    const enum backend backend = argc > 1 && !strcmp(argv[1], "cuda") ? BACKEND_CUDA : BACKEND_CPU;
    static const struct op *const all[] = { &count_cells, &triangles };
    struct tests t = { .walk = { .backend = backend, .add = test_case }, .ops = backends[backend] };
    char text[256];
    test_histogram_bin();
    test_product();
    if (!t.ops->available(text, sizeof text)) return printf("skipped: no %s backend: %s\n", t.ops->name, text), SKIPPED;
    if (!CHECK(!t.ops->open(&t.exec, -1, 3))) return 1; /* 3 threads divide few of the sizes evenly */
    test_harness(t.ops, &t.exec);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        t.op = all[i];
        t.op->cases(&t.walk);
    }
    t.ops->close(&t.exec);
    return check_summary("test_backend");
}
