#include "op.h"

#include "kernels/latency.h"
#include "kernels/upload.h"

#include <math.h>

struct latency_case {
    size_t n; /* steps; slow rungs do a part */
};

struct state {
    struct latency_desc desc;
    void *host_ring; /* CUDA: pinned */
};

enum { OUT, STATE };

static void at_size(void *param, size_t size) { *(struct latency_case *)param = (struct latency_case){ size }; }

static void cases(struct op_walk *walk)
{
    static const size_t sizes[] = { 0, 1, 2, 1000, 70000 }; /* 70000: many rounds of rings with a hundred places */
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) walk->add(walk, &(struct latency_case){ sizes[i] });
}

static void plan(struct op_case *c)
{
    op_name(c, "%zu steps", ((const struct latency_case *)c->param)->n);
    op_add(c, OUT, OP_OUTPUT, 1, sizeof(uint64_t));
    op_add(c, STATE, OP_HOST, 1, sizeof(struct state));
}

static size_t host_ring_bytes(enum backend backend)
{
    const struct ladder *ladder = ladder_of("latency");
    const struct rung *rung;
    size_t most = 0;
    for (size_t i = 0; (rung = ladder_rung(ladder, backend, i)); i++) {
        const struct latency_rung *r = (const struct latency_rung *)rung;
        if (r->where == LATENCY_HOST && latency_ring_bytes(r) > most) most = latency_ring_bytes(r);
    }
    return most;
}

static void fill(struct op_case *c)
{
    struct state *s = c->array[STATE].host;
    const size_t bytes = host_ring_bytes(c->exec->backend);
    if (bytes && upload_cuda_alloc(&s->host_ring, bytes, UPLOAD_PINNED))
        err_set(&c->err, ERR_FAILED, "no pinned memory for a ring of %zu bytes", bytes);
}

static void close(struct op_case *c)
{
    struct state *s = c->array[STATE].host;
    if (!s || c->exec->backend == BACKEND_CPU) return;
    latency_cuda_close(&s->desc);
    upload_cuda_free(s->host_ring, UPLOAD_PINNED);
}

static size_t scratch(const struct op_case *c, const struct rung *rung)
{
    const struct latency_rung *r = (const struct latency_rung *)rung;
    (void)c;
    return r->where == LATENCY_BACKEND ? latency_ring_bytes(r) : 0;
}

static size_t steps_of(const struct op_case *c, const struct rung *rung)
{
    return ((const struct latency_case *)c->param)->n / ((const struct latency_rung *)rung)->part;
}

static int before(struct op_case *c, const struct rung *rung)
{
    const struct latency_rung *r = (const struct latency_rung *)rung;
    struct state *s = c->array[STATE].host;
    s->desc.ring = r->where == LATENCY_HOST ? s->host_ring : c->scratch;
    s->desc.out = c->array[OUT].device;
    s->desc.steps = steps_of(c, rung);
    return r->prepare ? r->prepare(&s->desc, r, c->exec) : 0;
}

static int run(struct op_case *c, const struct rung *rung)
{
    return ((const struct latency_rung *)rung)->run(&((struct state *)c->array[STATE].host)->desc, c->exec);
}

static bool check(struct op_case *c, const struct rung *rung)
{
    const struct latency_rung *r = (const struct latency_rung *)rung;
    const uint64_t got = *(const uint64_t *)c->array[OUT].got;
    uint64_t want = steps_of(c, rung);
    if (r->where != LATENCY_COUNTS) {
        uint32_t place = 0;
        for (uint64_t s = 0; s < want; s++) place = latency_next(place, r->places);
        want = place;
    }
    return got == want || op_wrong(c, "it ends at %llu, not %llu", (unsigned long long)got, (unsigned long long)want);
}

static double measured(const struct op_case *c, const struct rung *rung, double us)
{
    const size_t steps = steps_of(c, rung);
    return steps ? 1e3 * us / (double)steps : NAN;
}

static double predicted(const struct op_case *c, const struct rung *rung)
{
    const double ns = ((const struct latency_rung *)rung)->ns;
    (void)c;
    return ns > 0 ? ns : NAN;
}

const struct op op_latency = {
    .op = "latency",
    .unit = "steps",
    .size = { 1000000, 50000 }, /* no powers of two, with which whole rounds of a ring would end at their start */
    .operation = "step",
    .measure = "ns per step",
    OP_TIMED,
    .before = before,
    .scratch = scratch,
    .close = close,
    .measured = measured,
    .predicted = predicted,
};
