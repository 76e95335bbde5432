#include "buffer.h"

#include "backend_fail.h"
#include "text.h"

static int refuse(const struct backend_ops *ops, uint64_t bytes, size_t free, const char *what, struct err *err)
{
    char needed[32], unused[32];
    err_set(err, ERR_FAILED, "not enough memory for %s on the %s backend (%s needed, %s free)", what, ops->name,
            text_bytes(needed, (double)bytes), text_bytes(unused, (double)free));
    err_advise(err, "choose a smaller volume, or a rung that needs less memory");
    return err_blame(err, ERR_FAILED, CAUSE_MEMORY);
}

/* Bytes to allocate beyond what the buffers hold; UINT64_MAX if the sum overflows. */
static uint64_t growth(const struct buffer_demand *demand, int n)
{
    uint64_t sum = 0;
    for (int i = 0; i < n; i++)
        if (demand[i].bytes > demand[i].buffer->bytes &&
            __builtin_add_overflow(sum, demand[i].bytes - demand[i].buffer->bytes, &sum))
            return UINT64_MAX;
    return sum;
}

int buffer_reserve_all(const struct buffer_demand *demand, int n, const struct backend_ops *ops, struct exec *exec,
                       const char *what, struct err *err)
{
    const uint64_t more = growth(demand, n);
    if (!more) return ERR_NONE;
    const size_t free = ops->memory_free();
    if (more > free) return refuse(ops, more, free, what, err);
    for (int i = 0; i < n; i++) {
        struct buffer *buffer = demand[i].buffer;
        if (demand[i].bytes <= buffer->bytes) continue;
        buffer_release(buffer, ops);
        const int code = ops->alloc(&buffer->memory, (size_t)demand[i].bytes);
        if (code && ops->sync(exec)) return backend_fail(ops, code, "allocating memory", err);
        if (code) return refuse(ops, more, free, what, err); /* fragmented memory, or another program was faster */
        buffer->bytes = (size_t)demand[i].bytes;
    }
    return ERR_NONE;
}

int buffer_reserve(struct buffer *buffer, const struct backend_ops *ops, struct exec *exec, uint64_t bytes,
                   const char *what, struct err *err)
{
    return buffer_reserve_all(&(struct buffer_demand){ buffer, bytes }, 1, ops, exec, what, err);
}

void buffer_release(struct buffer *buffer, const struct backend_ops *ops)
{
    ops->free(buffer->memory);
    *buffer = (struct buffer){ NULL, 0 };
}
