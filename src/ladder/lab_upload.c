/* The laboratory's upload: random words in each kind of host memory, swapped again by the plainest code. */
#include "lab.h"

#include "kernels/upload.h"

#include <stdio.h>
#include <string.h>

struct state {
    uint32_t *want, *got, *to;
    void *from[UPLOAD_MEMORIES]; /* CUDA: one of each kind; CPU: the first */
    struct upload_lanes lanes;
    bool cuda;
};

/* The first kind is what the others are filled from. */
static int open_memories(struct lab *lab, struct state *s, const uint32_t *in, size_t bytes)
{
    for (int m = 0; m < UPLOAD_MEMORIES; m++) {
        const int code = upload_cuda_alloc(&s->from[m], bytes, (enum upload_memory)m);
        if (code) return err_set(&lab->err, ERR_FAILED, "no host memory for uploads: %s", lab->iso.ops->explain(code));
        memcpy(s->from[m], in, bytes);
    }
    const int code = upload_cuda_open(&s->lanes);
    return code ? err_set(&lab->err, ERR_FAILED, "no streams for uploads: %s", lab->iso.ops->explain(code)) : ERR_NONE;
}

static int open_upload(struct lab *lab)
{
    struct state *s = lab->state = lab_host(lab, sizeof *s);
    const size_t bytes = lab->size * sizeof *s->want;
    uint32_t *in = lab_host(lab, bytes);
    if (!s || !in || !(s->want = lab_host(lab, bytes)) || !(s->got = lab_host(lab, bytes))) return lab->err.code;
    lab_random((float *)in, lab->size);
    for (size_t i = 0; i < lab->size; i++) s->want[i] = upload_swapped(in[i]);
    s->to = lab_output(lab, bytes);
    s->cuda = lab->iso.exec.backend == BACKEND_CUDA;
    s->from[0] = s->cuda ? NULL : in;
    lab->operations = lab->size;
    lab->bytes = 2 * bytes;
    return s->cuda ? open_memories(lab, s, in, bytes) : lab->err.code;
}

static void close_upload(struct lab *lab)
{
    struct state *s = lab->state;
    if (!s || !s->cuda) return;
    for (int m = 0; m < UPLOAD_MEMORIES; m++) upload_cuda_free(s->from[m], (enum upload_memory)m);
    upload_cuda_close(&s->lanes);
}

static int before_upload(struct lab *lab, const struct rung *rung)
{
    struct state *s = lab->state;
    if (((const struct upload_rung *)rung)->memory != UPLOAD_MANAGED) return 0;
    return upload_cuda_evict(s->from[UPLOAD_MANAGED], lab->size * sizeof *s->want, &lab->iso.exec);
}

static int run_upload(struct lab *lab, const struct rung *rung)
{
    struct state *s = lab->state;
    const struct upload_rung *r = (const struct upload_rung *)rung;
    const unsigned word = sizeof *s->want;
    const struct upload_desc desc = { s->from[s->cuda ? r->memory : 0], s->to, lab->size * word, word, &s->lanes, NULL };
    return r->run(&desc, &lab->iso.exec);
}

static bool check_upload(struct lab *lab, const struct rung *rung, char why[LAB_WHY])
{
    struct state *s = lab->state;
    const size_t bytes = lab->size * sizeof *s->want;
    (void)rung;
    if (lab_read(lab, s->got, s->to, bytes)) return false;
    snprintf(why, LAB_WHY, "the words are not those of the host, swapped");
    return !memcmp(s->got, s->want, bytes);
}

const struct lab_op lab_upload = {
    .op = "upload",
    .unit = "words of 32 bits",
    .size = { 1 << 24, 1 << 26 },
    .operation = "word",
    .open = open_upload,
    .before = before_upload,
    .run = run_upload,
    .check = check_upload,
    .close = close_upload,
};
