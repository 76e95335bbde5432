#include "op.h"

#include "kernels/pipeline.h"
#include "kernels/upload.h"

struct pipeline_case {
    size_t n;
};

struct state {
    uint32_t *from, *to; /* pinned */
    struct pipeline_lanes lanes;
};

enum { WANT, STATE };
#define SPOILT 0xdeadbeefu
enum { PERIOD = 4093 }; /* a prime, so that no two chunks begin alike */

static void at_size(void *param, size_t size) { *(struct pipeline_case *)param = (struct pipeline_case){ size }; }

static void cases(struct op_walk *walk)
{
    /* clang-format off */
    static const size_t sizes[] = {
        0, 1, 1000,
        PIPELINE_CHUNK - 1, PIPELINE_CHUNK, PIPELINE_CHUNK + 1,
        2 * (size_t)PIPELINE_CHUNK + 5,                     /* as many chunks as slots */
        (PIPELINE_LANES + 1) * (size_t)PIPELINE_CHUNK + 77, /* all lanes, and two chunks of a second round */
    };
    /* clang-format on */
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] && walk->backend == BACKEND_CUDA; i++)
        if (!walk->quick || sizes[i] <= 3 * (size_t)PIPELINE_CHUNK) walk->add(walk, &(struct pipeline_case){ sizes[i] });
}

static void plan(struct op_case *c)
{
    const struct pipeline_case *p = c->param;
    op_name(c, "%zu numbers", p->n);
    op_add(c, WANT, OP_HOST, PERIOD, sizeof(uint32_t));
    op_add(c, STATE, OP_HOST, 1, sizeof(struct state));
    c->operations = p->n;
    c->bytes = 2 * p->n * sizeof(uint32_t);
}

static uint32_t number_at(size_t i) { return (uint32_t)(i % PERIOD) * 2654435761u; }

static void fill(struct op_case *c)
{
    struct state *s = c->array[STATE].host;
    const size_t n = ((const struct pipeline_case *)c->param)->n;
    uint32_t *want = c->array[WANT].host;
    for (size_t i = 0; i < PERIOD; i++) want[i] = pipeline_result(number_at(i));
    int code = pipeline_cuda_open(&s->lanes);
    if (!code) code = upload_cuda_alloc((void **)&s->from, (n + 1) * sizeof *s->from, UPLOAD_PINNED);
    if (!code) code = upload_cuda_alloc((void **)&s->to, (n + 1) * sizeof *s->to, UPLOAD_PINNED);
    if (code) err_set(&c->err, ERR_FAILED, "no pinned memory or streams for a pipeline: %s", c->ops->explain(code));
    for (size_t i = 0; i < n && !code; i++) s->from[i] = number_at(i);
}

static void close(struct op_case *c)
{
    struct state *s = c->array[STATE].host;
    if (!s) return;
    pipeline_cuda_close(&s->lanes);
    upload_cuda_free(s->from, UPLOAD_PINNED);
    upload_cuda_free(s->to, UPLOAD_PINNED);
}

static size_t scratch(const struct op_case *c, const struct rung *rung)
{
    return ((const struct pipeline_rung *)rung)->scratch(((const struct pipeline_case *)c->param)->n);
}

/* Spoils the result of an earlier run: all of a small one, some words on each page of a large one. */
static int before(struct op_case *c, const struct rung *rung)
{
    struct state *s = c->array[STATE].host;
    const size_t n = ((const struct pipeline_case *)c->param)->n, step = n > 16 * (size_t)PIPELINE_CHUNK ? 509 : 1;
    (void)rung;
    for (size_t i = 0; i < n; i += step) s->to[i] = SPOILT;
    s->to[n] = SPOILT; /* past the end */
    return 0;
}

static int run(struct op_case *c, const struct rung *rung)
{
    struct state *s = c->array[STATE].host;
    const struct pipeline_desc d = { s->from, s->to, ((const struct pipeline_case *)c->param)->n, &s->lanes };
    return ((const struct pipeline_rung *)rung)->run(&d, c->scratch, c->exec);
}

static bool check(struct op_case *c, const struct rung *rung)
{
    const struct state *s = c->array[STATE].host;
    const uint32_t *want = c->array[WANT].host;
    const size_t n = ((const struct pipeline_case *)c->param)->n;
    (void)rung;
    for (size_t i = 0; i < n; i++) {
        if (s->to[i] != want[i % PERIOD]) return op_wrong(c, "number %zu is %u, not %u", i, s->to[i], want[i % PERIOD]);
        if (s->from[i] != number_at(i)) return op_wrong(c, "number %zu of the input has changed", i);
    }
    return s->to[n] == SPOILT || op_wrong(c, "it wrote past the end");
}

const struct op op_pipeline = {
    .op = "pipeline",
    .unit = "numbers of 32 bits",
    .size = { 1 << 20, 1 << 25 },
    .operation = "number",
    OP_TIMED,
    .before = before,
    .scratch = scratch,
    .close = close,
};
