#include "op.h"

#include "own_block.h"
#include "synth.h"
#include "text.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 256, GUARD_BYTE = 0xa5, POISON = 0xff, PIECE = 1 << 16, MARK_RUN = EXEC_MARKS - 2, MARK_RAN };

/* ---- text ---------------------------------------------------------------------------------------------------------- */

bool op_wrong(struct op_case *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(c->why, sizeof c->why, format, args);
    va_end(args);
    return false;
}

bool op_near(struct op_case *c, double got, double want, double scale, double most)
{
    const double error = fabs(got - want);
    if (scale > 0) c->error = fmax(c->error, error / scale); /* fmax ignores NaN */
    return error <= most;
}

bool op_same(struct op_case *c, const char *what, const uint32_t *got, const uint32_t *want, size_t n)
{
    size_t i = 0;
    while (i < n && got[i] == want[i]) i++;
    const char *untouched = i < n && got[i] == POISON * 0x01010101u ? ", as before the run" : "";
    return i == n || op_wrong(c, "%s %zu is %u%s, not %u", what, i, got[i], untouched, want[i]);
}

void op_name(struct op_case *c, const char *format, ...)
{
    const size_t used = strlen(c->name);
    va_list args;
    va_start(args, format);
    vsnprintf(c->name + used, sizeof c->name - used, format, args);
    va_end(args);
}

void op_random(float *to, size_t n)
{
    uint64_t state = 42;
    for (size_t i = 0; i < n; i++) to[i] = (float)(2 * synth_fraction(&state) - 1);
}

/* ---- memory -------------------------------------------------------------------------------------------------------- */

size_t op_product(size_t a, size_t b)
{
    size_t product;
    return __builtin_mul_overflow(a, b, &product) ? SIZE_MAX : product;
}

static size_t add(size_t a, size_t b) { return a > SIZE_MAX - b ? SIZE_MAX : a + b; }

static bool has_device(const struct op_array *a) { return a->use > OP_HOST; }
static bool has_host(const struct op_array *a) { return a->use != OP_NONE && a->use != OP_OUTPUT; }
static bool has_got(const struct op_array *a) { return a->use == OP_OUTPUT || a->use == OP_INOUT; }
static bool is_made(const struct op_array *a) { return a->host || a->got; }

/* Adds the bytes that the array takes on the host and in backend memory. */
static void need_of(const struct op_array *a, size_t *host, size_t *device)
{
    const size_t bytes = add(a->bytes, 2 * GUARD);
    if (has_host(a)) *host = add(*host, bytes);
    if (has_got(a)) *host = add(*host, bytes);
    if (has_device(a)) *device = add(*device, bytes);
}

static int refuse(struct op_case *c, size_t need, size_t unused, const char *where)
{
    char needed[32], left[32];
    if (c->err.code) return c->err.code;
    err_set(&c->err, ERR_FAILED, "%s needs %s of %s memory at this size, but only %s is free", c->op->op,
            text_bytes(needed, (double)need), where, text_bytes(left, (double)unused));
    err_advise(&c->err, "choose a smaller --size");
    return c->err.code;
}

/* Checked in advance, because a system that overcommits grants any amount and kills the program when fill touches it. */
static int check_free_memory(struct op_case *c)
{
    size_t host = 0, device = 0;
    for (int i = 0; i < OP_ARRAYS; i++)
        if (!is_made(&c->array[i])) need_of(&c->array[i], &host, &device);
    const size_t host_free = backend_cpu.memory_free();
    if (c->ops == &backend_cpu) host = add(host, device);
    if (host > host_free) return refuse(c, host, host_free, "host");
    if (c->ops == &backend_cpu) return ERR_NONE;
    const size_t device_free = c->ops->memory_free();
    return device > device_free ? refuse(c, device, device_free, "device") : ERR_NONE;
}

static void no_memory(struct op_case *c, size_t bytes)
{
    if (!c->err.code) err_set(&c->err, ERR_FAILED, "not enough memory for an array of %.1f MiB", (double)bytes / 1048576.0);
}

static void *alloc_host(struct op_case *c, size_t bytes)
{
    void *memory = calloc(1, bytes + 16); /* not NULL for 0 bytes */
    if (!memory) no_memory(c, bytes);
    return memory;
}

/* Adds guard zones on both sides. */
static void *alloc_device(struct op_case *c, size_t bytes)
{
    void *whole = NULL;
    int code = c->ops->alloc(&whole, bytes + 2 * GUARD);
    if (code) no_memory(c, bytes);
    else code = c->ops->fill(whole, GUARD_BYTE, bytes + 2 * GUARD, c->exec);
    if (code && !c->err.code) err_set(&c->err, ERR_FAILED, "filling memory failed: %s", c->ops->explain(code));
    return whole ? (char *)whole + GUARD : NULL;
}

static void free_device(const struct op_case *c, void *body)
{
    if (body) c->ops->free((char *)body - GUARD);
}

static void make_array(struct op_case *c, struct op_array *a)
{
    if (has_host(a)) a->host = alloc_host(c, a->bytes);
    if (has_got(a)) a->got = alloc_host(c, a->bytes);
    if (has_device(a)) a->device = alloc_device(c, a->bytes);
}

void op_add(struct op_case *c, int i, enum op_use use, size_t count, size_t element)
{
    struct op_array *a = &c->array[i];
    *a = (struct op_array){ .use = use, .bytes = op_product(count, element) };
    if (c->planned && !check_free_memory(c)) make_array(c, a);
}

/* ---- a case -------------------------------------------------------------------------------------------------------- */

int op_case_open(struct op_case *c, const struct op *op, const void *param, const struct backend_ops *ops, struct exec *x)
{
    *c = (struct op_case){ .op = op, .param = param, .ops = ops, .exec = x };
    c->block_before = x->block, c->threads_before = x->threads;
    op->plan(c);
    if (c->block) x->block = c->block;
    if (c->threads) x->threads = c->threads;
    if (c->err.code || check_free_memory(c)) return c->err.code;
    for (int i = 0; i < OP_ARRAYS && !c->err.code; i++) make_array(c, &c->array[i]);
    c->planned = true;
    if (!c->err.code && op->fill) op->fill(c);
    int code = 0;
    for (int i = 0; i < OP_ARRAYS && !code && !c->err.code; i++)
        if (c->array[i].use == OP_INPUT) code = ops->upload(c->array[i].device, c->array[i].host, c->array[i].bytes, x);
    return code ? err_set(&c->err, ERR_FAILED, "upload failed: %s", ops->explain(code)) : c->err.code;
}

void op_case_close(struct op_case *c)
{
    if (c->op->close) c->op->close(c);
    for (int i = 0; i < OP_ARRAYS; i++) {
        free(c->array[i].host), free(c->array[i].got);
        free_device(c, c->array[i].device);
    }
    free_device(c, c->scratch);
    c->exec->block = c->block_before, c->exec->threads = c->threads_before;
}

/* ---- one run ------------------------------------------------------------------------------------------------------- */

int op_case_run(struct op_case *c, const struct rung *rung, double *ms)
{
    struct exec *x = c->exec;
    c->ms = NAN, c->failed.code = ERR_NONE;
    int code = c->op->before ? c->op->before(c, rung) : 0;
    if (!code) code = c->ops->mark(x, MARK_RUN);
    if (!code) code = c->op->run(c, rung);
    if (!code) code = c->ops->mark(x, MARK_RAN);
    if (!code) code = c->ops->sync(x);
    if (!code) code = c->ops->elapsed(x, MARK_RUN, MARK_RAN, ms);
    if (!isnan(c->ms)) *ms = c->ms;
    return code;
}

const char *op_case_explain(const struct op_case *c, int code)
{
    return c->failed.code ? c->failed.text : c->ops->explain(code);
}

size_t op_case_scratch(const struct op_case *c, const struct rung *rung)
{
    return c->op->scratch ? c->op->scratch(c, rung) : 0;
}

bool op_case_reserve(struct op_case *c, size_t bytes)
{
    char needed[32], left[32];
    if (c->scratch && bytes == c->scratch_bytes) return true;
    const size_t unused = c->ops->memory_free();
    free_device(c, c->scratch);
    c->scratch = NULL, c->scratch_bytes = bytes;
    if (bytes > unused)
        return op_wrong(c, "needs scratch of %s, and %s are free", text_bytes(needed, (double)bytes),
                        text_bytes(left, (double)unused));
    struct err kept = c->err;
    c->scratch = alloc_device(c, bytes);
    const bool made = c->err.code == kept.code;
    if (!made) op_wrong(c, "not enough memory for scratch of %s", text_bytes(needed, (double)bytes));
    c->err = kept;
    return made;
}

static int prepare(struct op_case *c)
{
    int code = c->ops->fill(c->scratch, POISON, c->scratch_bytes, c->exec);
    for (int i = 0; i < OP_ARRAYS && !code; i++) {
        const struct op_array *a = &c->array[i];
        if (a->use == OP_OUTPUT) code = c->ops->fill(a->device, POISON, a->bytes, c->exec);
        if (a->use == OP_INOUT) code = c->ops->upload(a->device, a->host, a->bytes, c->exec);
    }
    return code;
}

/* A cancelled op must not start. It returns, sync() reports an error, and outputs keep their poison. */
static int run_cancelled(struct op_case *c, const struct rung *rung, bool *fine)
{
    static const bool cancel = true;
    c->exec->cancel = &cancel;
    int code = c->op->before ? c->op->before(c, rung) : 0;
    if (!code) code = c->op->run(c, rung);
    if (!c->ops->sync(c->exec)) *fine = op_wrong(c, "cancelled, it reports no error");
    c->exec->cancel = NULL;
    return code;
}

static bool is_poison(const struct op_array *a)
{
    const unsigned char *byte = a->got;
    size_t i = 0;
    assert(byte || !a->bytes);
    while (i < a->bytes && byte[i] == POISON) i++;
    return i == a->bytes;
}

/* Sets *whole to whether both guards of `body` are intact. */
static int check_guards(const struct op_case *c, const void *body, size_t bytes, bool *whole)
{
    unsigned char guard[2 * GUARD];
    int code = c->ops->download(guard, (const char *)body - GUARD, GUARD, c->exec);
    if (!code) code = c->ops->download(guard + GUARD, (const char *)body + bytes, GUARD, c->exec);
    *whole = true;
    for (int i = 0; i < 2 * GUARD && !code; i++) *whole = *whole && guard[i] == GUARD_BYTE;
    return code;
}

static int check_input(const struct op_case *c, const struct op_array *a, bool *same)
{
    char piece[PIECE];
    int code = 0;
    *same = true;
    for (size_t at = 0; at < a->bytes && *same && !code; at += PIECE) {
        const size_t n = a->bytes - at < PIECE ? a->bytes - at : PIECE;
        code = c->ops->download(piece, (const char *)a->device + at, n, c->exec);
        *same = !code && !memcmp(piece, (const char *)a->host + at, n);
    }
    return code;
}

/* Downloads the outputs. If the rung changed any other memory, clears *fine and sets a clause. Returns the backend's
 * code. */
static int check_memory(struct op_case *c, bool *fine)
{
    bool whole = true, same = true;
    int code = check_guards(c, c->scratch, c->scratch_bytes, &whole);
    if (!code && !whole) *fine = op_wrong(c, "it wrote outside its scratch of %zu bytes", c->scratch_bytes);
    for (int i = 0; i < OP_ARRAYS && !code && *fine; i++) {
        const struct op_array *a = &c->array[i];
        if (!a->device) continue;
        code = check_guards(c, a->device, a->bytes, &whole);
        if (!code && a->use == OP_INPUT) code = check_input(c, a, &same);
        if (!code && a->got) code = c->ops->download(a->got, a->device, a->bytes, c->exec);
        if (!code && !whole)
            *fine = op_wrong(c, "it wrote outside an %s of %zu bytes, array %d", a->use == OP_INPUT ? "input" : "output",
                             a->bytes, i);
        else if (!code && c->cancelled && a->use == OP_OUTPUT && !is_poison(a)) *fine = op_wrong(c, "cancelled, it wrote");
        else if (!code && !same) *fine = op_wrong(c, "it changed its input, array %d", i);
    }
    return code;
}

/* fine: only the outputs were changed. */
static enum outcome judge(struct op_case *c, const struct rung *rung, bool fine)
{
    char found[sizeof c->why];
    const bool is_right = fine && c->op->check(c, rung);
    if (!rung || !rung->is_wrong) return is_right ? OUTCOME_RIGHT : OUTCOME_WRONG;
    if (!fine) return OUTCOME_FAILED;
    memcpy(found, c->why, sizeof found);
    op_wrong(c, is_right ? "wrong by design, and right by chance this time" : "by design: %s", found);
    return is_right ? OUTCOME_SKIPPED : OUTCOME_WRONG;
}

/* Whether the rung cannot run this case; if so, c->why says why. */
static bool is_refused(struct op_case *c, const struct rung *rung)
{
    const struct op *op = c->op;
    const char *why = rung && !rung->is_wrong ? rung_unavailable(rung, c->exec) : NULL;
    if (c->exec->block && !(op->any_block && op->any_block(rung))) {
        const char *reason = own_block(op->op, rung ? rung->name : NULL);
        return !op_wrong(c, "has a fixed block size%s%s", reason ? ": " : "", reason ? reason : "");
    }
    if (!why && op->refuses) why = op->refuses(c, rung);
    return why && !op_wrong(c, "%s", why);
}

enum outcome op_case_check(struct op_case *c, const struct rung *rung)
{
    bool fine = true;
    double ms;
    c->why[0] = 0, c->error = NAN;
    if (is_refused(c, rung)) return OUTCOME_SKIPPED;
    if (!op_case_reserve(c, op_case_scratch(c, rung))) return OUTCOME_SKIPPED;
    int code = prepare(c);
    if (!code) code = c->cancelled ? run_cancelled(c, rung, &fine) : op_case_run(c, rung, &ms);
    if (!code && fine) code = check_memory(c, &fine);
    if (code) op_wrong(c, "%s", op_case_explain(c, code));
    return code ? OUTCOME_FAILED : judge(c, rung, fine);
}
