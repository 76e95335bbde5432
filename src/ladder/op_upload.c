#include "op.h"

#include "kernels/upload.h"

#include <string.h>

struct upload_case {
    size_t bytes;
    unsigned word;  /* bytes per word, reversed together */
    bool asked;     /* report progress */
    bool cancelled; /* before the run; CPU only */
};

struct state {
    void *from[UPLOAD_MEMORIES]; /* CUDA: host memory of each kind; CPU: [0] is FROM */
    struct upload_lanes lanes;
    size_t done;  /* bytes reported */
    size_t early; /* bytes reported when run() returned */
};

enum { FROM, TO, STATE };
enum { BEFORE = 1000 }; /* bytes reported by earlier uploads */

static void at_size(void *param, size_t size)
{
    *(struct upload_case *)param = (struct upload_case){ op_product(size, 4), 4, false, false };
}

static void cases(struct op_walk *walk)
{
    /* clang-format off */
    static const size_t sizes[] = {
        0, 1, 2, 3, 4, 5, 6, 7, 8,  /* around the 4-byte word that the GPU reverses */
        1020, 1024, 1028, 16396,    /* around a block of 256 words; a few blocks */
        UPLOAD_CHUNK - 4, UPLOAD_CHUNK, UPLOAD_CHUNK + 2, UPLOAD_CHUNK + 3,
        (size_t)UPLOAD_CHUNK * UPLOAD_LANES + 4,     /* all lanes, and one word in a second round */
        (size_t)UPLOAD_CHUNK * UPLOAD_LANES * 2 + 7, /* more than 2^16 blocks of 256 */
    };
    /* clang-format on */
    const size_t second_round = (size_t)UPLOAD_CHUNK * UPLOAD_LANES + 4;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (unsigned word = 1; word <= 4; word *= 2)
            walk->add(walk, &(struct upload_case){ sizes[i] / word * word, word, i % 3 > 0, false });
    for (int asked = 0; asked < 2; asked++) walk->add(walk, &(struct upload_case){ second_round, 4, asked, false });
    if (walk->backend == BACKEND_CPU) walk->add(walk, &(struct upload_case){ 3 * (size_t)UPLOAD_CHUNK, 1, true, true });
}

static void plan(struct op_case *c)
{
    const struct upload_case *p = c->param;
    op_name(c, "%zu bytes in words of %u%s%s", p->bytes, p->word, p->asked ? ", with progress" : "",
            p->cancelled ? ", cancelled" : "");
    op_add(c, FROM, OP_HOST, p->bytes, 1);
    op_add(c, TO, OP_OUTPUT, p->bytes, 1);
    op_add(c, STATE, OP_HOST, 1, sizeof(struct state));
    c->cancelled = p->cancelled;
    c->operations = p->bytes / p->word;
    c->bytes = 2 * p->bytes;
}

static unsigned char byte_at(size_t i) { return (unsigned char)((i * 2654435761u) >> 13); }

static int open_memories(struct op_case *c, struct state *s)
{
    const size_t bytes = c->array[FROM].bytes;
    int code = upload_cuda_open(&s->lanes);
    for (int m = 0; m < UPLOAD_MEMORIES && !code; m++) {
        code = upload_cuda_alloc(&s->from[m], bytes + 1, (enum upload_memory)m);
        if (!code) memcpy(s->from[m], c->array[FROM].host, bytes);
    }
    return code;
}

static void fill(struct op_case *c)
{
    struct state *s = c->array[STATE].host;
    unsigned char *from = s->from[0] = c->array[FROM].host;
    for (size_t i = 0; i < c->array[FROM].bytes; i++) from[i] = byte_at(i);
    if (c->exec->backend == BACKEND_CPU) return;
    s->from[0] = NULL;
    const int code = open_memories(c, s);
    if (code) err_set(&c->err, ERR_FAILED, "no host memory or streams for uploads: %s", c->ops->explain(code));
}

static void close(struct op_case *c)
{
    struct state *s = c->array[STATE].host;
    if (!s || c->exec->backend == BACKEND_CPU) return;
    upload_cuda_close(&s->lanes);
    for (int m = 0; m < UPLOAD_MEMORIES; m++) upload_cuda_free(s->from[m], (enum upload_memory)m);
}

static const void *from_of(const struct op_case *c, const struct rung *rung)
{
    const struct state *s = c->array[STATE].host;
    return s->from[c->exec->backend == BACKEND_CPU ? 0 : ((const struct upload_rung *)rung)->memory];
}

static int before(struct op_case *c, const struct rung *rung)
{
    struct state *s = c->array[STATE].host;
    s->done = BEFORE;
    const size_t bytes = c->array[FROM].bytes;
    const bool managed = c->exec->backend == BACKEND_CUDA && ((const struct upload_rung *)rung)->memory == UPLOAD_MANAGED;
    return managed && bytes ? upload_cuda_evict(s->from[UPLOAD_MANAGED], bytes, c->exec) : 0;
}

static int run(struct op_case *c, const struct rung *rung)
{
    const struct upload_case *p = c->param;
    struct state *s = c->array[STATE].host;
    const struct upload_desc d = { from_of(c, rung), c->array[TO].device, p->bytes,
                                   p->word,          &s->lanes,           p->asked ? &s->done : NULL };
    const int code = ((const struct upload_rung *)rung)->run(&d, c->exec);
    s->early = upload_arrived(&s->done);
    return code;
}

static bool check(struct op_case *c, const struct rung *rung)
{
    const struct upload_case *p = c->param;
    const struct state *s = c->array[STATE].host;
    const unsigned char *in = from_of(c, rung), *out = c->array[TO].got;
    const size_t told = BEFORE + (p->asked && !p->cancelled ? p->bytes : 0);
    const bool slow = ((const struct upload_rung *)rung)->memory == UPLOAD_COMBINED; /* reading: take samples */
    for (size_t i = 0; i < p->bytes && !p->cancelled; i++)
        if (out[i] != byte_at(i - i % p->word + (p->word - 1 - i % p->word)) ||
            ((!slow || i % 4099 == 0) && in[i] != byte_at(i)))
            return op_wrong(c, "byte %zu is wrong, or the input changed", i);
    return (s->done == told && s->early >= BEFORE && s->early <= told) ||
           op_wrong(c, "it reports %zu, then %zu bytes, not %zu", s->early, s->done, told);
}

const struct op op_upload = {
    .op = "upload",
    .unit = "words of 32 bits",
    .size = { 1 << 24, 1 << 26 },
    .operation = "word",
    OP_TIMED,
    .before = before,
    .close = close,
};
