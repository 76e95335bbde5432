#include "ops.h"

#include "../kernels/upload.h"

#include <stdlib.h>
#include <string.h>

/* Host memory of the kind that the rung wants. */
static void *host_alloc(struct env *env, size_t bytes, enum upload_memory kind)
{
    void *memory = NULL;
    if (env->exec.backend == BACKEND_CPU) return malloc(bytes);
    const int code = upload_cuda_alloc(&memory, bytes, kind);
    env_expect(env, !code, "no host memory: %s", env->ops->explain(code));
    return memory;
}

static void upload_case(struct env *env, const struct upload_lanes *lanes, size_t n)
{
    const struct upload_rung *rung = (const struct upload_rung *)env->rung;
    const size_t bytes = n * sizeof(uint32_t);
    uint32_t *in = host_alloc(env, bytes + 1, rung->memory), *out = malloc(bytes + 1);
    for (size_t i = 0; i < n && in; i++) in[i] = (uint32_t)i * 2654435761u;
    const struct upload_desc desc = { in, env_memory(env, NULL, bytes), n, lanes };
    env_ran(env, rung->run(&desc, &env->exec));
    env_take(env, desc.to, out, bytes);
    size_t wrong = 0;
    for (size_t i = 0; i < n && in; i++) wrong += out[i] != __builtin_bswap32(in[i]) || in[i] != (uint32_t)i * 2654435761u;
    env_expect(env, wrong == 0, "n %zu: %zu words are wrong", n, wrong);
    if (env->exec.backend == BACKEND_CPU) free(in);
    else upload_cuda_free(in, rung->memory);
    free(out);
}

void op_upload(struct env *env)
{
    static const size_t sizes[] = {
        0, 1, 255, 256, 257, 4099,
        (1 << 21) - 1, 1 << 21, (1 << 21) + 1, /* round a chunk */
        (1 << 21) * 4 + 1,                     /* a second round of four lanes, of one word */
        65536 * 256 + 1,                       /* more than 2^16 blocks of 256 */
    };
    struct upload_lanes lanes = { .begin = NULL };
    if (env->exec.backend == BACKEND_CUDA) env_expect(env, !upload_cuda_open(&lanes), "no lanes");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) upload_case(env, &lanes, sizes[i]);
    if (env->exec.backend == BACKEND_CUDA) upload_cuda_close(&lanes);
}
