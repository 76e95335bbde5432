#include "ops.h"

#include "kernels/upload.h"

#include <stdlib.h>

enum { BEFORE = 1000 }; /* what an upload before this one has told of */

/* Host memory of the kind that the rung wants. */
static void *host_alloc(struct env *env, size_t bytes, enum upload_memory kind)
{
    void *memory = NULL;
    if (env->exec.backend == BACKEND_CPU) return malloc(bytes);
    const int code = upload_cuda_alloc(&memory, bytes, kind);
    env_expect(env, !code, "no host memory: %s", env->ops->explain(code));
    return memory;
}

static void host_free(struct env *env, void *memory, enum upload_memory kind)
{
    if (env->exec.backend == BACKEND_CPU) free(memory);
    else upload_cuda_free(memory, kind);
}

static unsigned char byte_at(size_t i) { return (unsigned char)((i * 2654435761u) >> 13); }

static void upload_case(struct env *env, struct upload_lanes *lanes, size_t bytes, unsigned word, bool asked)
{
    const struct upload_rung *rung = (const struct upload_rung *)env->rung;
    unsigned char *in = host_alloc(env, bytes + 1, rung->memory), *out = malloc(bytes + 1);
    size_t done = BEFORE, wrong = 0;
    if (!in) {
        free(out);
        return;
    }
    for (size_t i = 0; i < bytes; i++) in[i] = byte_at(i);
    const struct upload_desc desc = { in, env_memory(env, NULL, bytes), bytes, word, lanes, asked ? &done : NULL };
    const int code = rung->run(&desc, &env->exec);
    const size_t early = upload_arrived(&done);
    env_ran(env, code);
    env_take(env, desc.to, out, bytes);
    for (size_t i = 0; i < bytes; i++) wrong += out[i] != in[i - i % word + (word - 1 - i % word)] || in[i] != byte_at(i);
    env_expect(env, wrong == 0, "%zu bytes in words of %u: %zu are wrong", bytes, word, wrong);
    const size_t told = BEFORE + (asked ? bytes : 0);
    env_expect(env, done == told && early >= BEFORE && early <= told, "%zu bytes: told of %zu, then %zu, not %zu", bytes,
               early, done, told);
    host_free(env, in, rung->memory);
    free(out);
}

/* What is to stop is not begun. On CUDA, what is queued is done. */
static void cancelled_case(struct env *env)
{
    const struct upload_rung *rung = (const struct upload_rung *)env->rung;
    const bool cancel = true;
    size_t done = 0;
    char *in = calloc(3, UPLOAD_CHUNK), *to = malloc(3 * (size_t)UPLOAD_CHUNK);
    const struct upload_desc desc = { in, to, 3 * (size_t)UPLOAD_CHUNK, 1, NULL, &done };
    env->exec.cancel = &cancel;
    const int code = rung->run(&desc, &env->exec);
    env_expect(env, !code && done == 0 && env->ops->sync(&env->exec), "cancelled, and told of %zu bytes", done);
    env->exec.cancel = NULL;
    free(in);
    free(to);
}

void op_upload(struct env *env)
{
    /* clang-format off */
    static const size_t sizes[] = {
        0, 1, 2, 3, 4, 5, 6, 7, 8,  /* round a word of 4 bytes, by which the GPU turns */
        1020, 1024, 1028, 16396,    /* round a block of 256 of those; a few blocks */
        UPLOAD_CHUNK - 4, UPLOAD_CHUNK, UPLOAD_CHUNK + 2, UPLOAD_CHUNK + 3,
        (size_t)UPLOAD_CHUNK * UPLOAD_LANES + 4,     /* a second round of all lanes, of one word */
        (size_t)UPLOAD_CHUNK * UPLOAD_LANES * 2 + 7, /* more than 2^16 blocks of 256 */
    };
    /* clang-format on */
    struct upload_lanes lanes = { .begin = NULL };
    if (env->exec.backend == BACKEND_CUDA) env_expect(env, !upload_cuda_open(&lanes), "no lanes");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (unsigned word = 1; word <= 4; word *= 2) upload_case(env, &lanes, sizes[i] / word * word, word, i % 3 > 0);
    upload_case(env, &lanes, (size_t)UPLOAD_CHUNK * UPLOAD_LANES + 4, 4, false);
    upload_case(env, &lanes, (size_t)UPLOAD_CHUNK * UPLOAD_LANES + 4, 4, true);
    if (env->exec.backend == BACKEND_CUDA) upload_cuda_close(&lanes);
    else cancelled_case(env);
}
