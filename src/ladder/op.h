/* One description per op: inputs, reference, tolerance, cost of a run, and the sizes to test and to time.
 *
 * `isoscope ladder OP --bench` runs one case of the requested size. `isoscope ladder OP --test` also runs the quick cases
 * if no size is given. The test program `ops` runs all cases. All of them use op_case_check(), which poisons outputs, puts
 * guard zones around all arrays, and verifies that inputs are unchanged.
 *
 * kernels/ladders.h says how to add an op. */
#ifndef ISO_OP_H
#define ISO_OP_H

#include "rung_rows.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { OP_ARRAYS = 20, OP_NAME = 160, OP_PARAM = 128, OP_AXES = 3 };

struct op_case;
struct draw_guests;

/* Collects the cases to test. `param` points to the op's own struct of parameters. */
struct op_walk {
    enum backend backend;
    bool quick; /* skip large grids and arrays, which are slow under a checker */
    void (*add)(struct op_walk *walk, const void *param);
};

struct op {
    const char *op;             /* name in ladders[] */
    const char *unit;           /* of a size */
    size_t size[BACKEND_COUNT]; /* default; exceeds the caches if memory is the limit */
    const char *operation;      /* the counted unit of work: "flop", or "number" for an op without arithmetic */
    bool arithmetic;            /* limited by arithmetic: the ceiling is the library rung or the peak, not the copy rate */
    const char *measure;        /* what rungs measure if not a rate, with its unit: "cycles per load"; else NULL */
    bool in_pipeline;           /* a pipeline stage, timed by bench.h, not as a case */

    void (*at_size)(void *param, size_t size); /* writes the parameters of the case to time, at most OP_PARAM bytes */
    /* The same for a shape of `axes` numbers; a size stands for a square shape. NULL and 0: the op has no shape. */
    void (*at_shape)(void *param, const uint64_t *shape);
    int axes;
    void (*cases)(struct op_walk *walk); /* calls walk->add for each case to test */

    /* Sets the name, arrays, bytes and operations of the case from c->param. */
    void (*plan)(struct op_case *c);
    /* Writes inputs and expected results on the host, by the plainest code. Adds arrays whose size depends on the inputs.
     * On failure sets c->err. */
    void (*fill)(struct op_case *c);
    size_t (*scratch)(const struct op_case *c, const struct rung *rung); /* bytes; NULL: none */
    int (*before)(struct op_case *c, const struct rung *rung);           /* before each run, not timed; may be NULL */
    int (*run)(struct op_case *c, const struct rung *rung);              /* queues one run; returns the backend's code */
    /* Compares the outputs with the expected results. false: c->why has a clause (op_wrong). */
    bool (*check)(struct op_case *c, const struct rung *rung);
    void (*close)(struct op_case *c); /* frees what plan, fill or before allocated; may be NULL */

    /* If `measure` is set: the value for a rung that has just run; its median time is `us`. NAN: unknown. */
    double (*measured)(const struct op_case *c, const struct rung *rung, double us);
    /* The value that the rung's comment predicts; NAN: none. May be NULL. */
    double (*predicted)(const struct op_case *c, const struct rung *rung);

    /* A clause on why the rung cannot run this case (c NULL: any case), NULL if it can. May be NULL. */
    const char *(*refuses)(const struct op_case *c, const struct rung *rung);
    bool (*any_block)(const struct rung *rung); /* whether the rung takes exec.block; NULL: no rung does */
};

extern const struct op *const op_list[]; /* the i-th describes ladders[i]; ends with NULL */
const struct op *op_of(const char *op);  /* by name or alias; NULL: unknown */

/* ---- a case ------------------------------------------------------------------------------------------------------ */

enum op_use {
    OP_NONE,   /* unused */
    OP_HOST,   /* host only */
    OP_INPUT,  /* a run must not change it */
    OP_OUTPUT, /* poisoned before a checked run */
    OP_INOUT   /* uploaded again before a checked run */
};

struct op_array {
    enum op_use use;
    size_t bytes;
    void *host;   /* host, input, inout: the contents, zero before fill */
    void *got;    /* output, inout: the result, for check */
    void *device; /* all but host: backend memory, aligned to 256 bytes if the allocator aligns to 256 */
};

struct op_case {
    const struct op *op;
    const void *param;
    const struct backend_ops *ops;
    struct exec *exec;
    char name[OP_NAME]; /* printed with a failure */
    struct op_array array[OP_ARRAYS];
    bool cancelled;             /* checked runs start with exec.cancel set (CPU) and must not write outputs */
    unsigned block;             /* exec.block of this case; 0: unchanged */
    int threads;                /* exec.threads of this case; 0: unchanged */
    uint64_t bytes, operations; /* of one run: inputs read once, outputs written once */
    double error;               /* of the last check: the largest that op_near() has seen; NAN: none */
    void *scratch;              /* backend memory for the rung that runs */
    size_t scratch_bytes;
    char why[RUNG_WHY];
    const struct draw_guests *guests; /* rungs that take part besides the backend's (draw_guests.h); NULL: none */
    double ms;                        /* of a run that `run` has timed itself; NAN: use the backend's clock */
    struct err failed;                /* of the last run of a guest's rung */
    struct err err;                   /* the first error */
    unsigned block_before;            /* of exec, restored by op_case_close */
    int threads_before;
    bool planned;
};

/* Plans the case, allocates, fills and uploads. `param` must outlive the case. Checks free memory before it allocates.
 * Error: ERR_FAILED. Close the case in any event. */
int op_case_open(struct op_case *c, const struct op *op, const void *param, const struct backend_ops *ops, struct exec *x);
void op_case_close(struct op_case *c);

/* Runs once into poisoned memory and judges the result. c->why has a clause unless OUTCOME_RIGHT. rung: NULL for an op
 * without rungs. */
enum outcome op_case_check(struct op_case *c, const struct rung *rung);

/* Allocates c->scratch of exactly `bytes` bytes between guard zones. false: too little memory, c->why has a clause. */
bool op_case_reserve(struct op_case *c, size_t bytes);
size_t op_case_scratch(const struct op_case *c, const struct rung *rung); /* bytes */

/* Runs once and sets *ms to the time. Reserve scratch first. Returns a code; op_case_explain() says what it means. */
int op_case_run(struct op_case *c, const struct rung *rung, double *ms);
const char *op_case_explain(const struct op_case *c, int code);

/* ---- for descriptions -------------------------------------------------------------------------------------------- */

/* Adds array i: plan only declares it, fill allocates it at once. A size beyond size_t saturates and is refused. */
void op_add(struct op_case *c, int i, enum op_use use, size_t count, size_t element);
size_t op_product(size_t a, size_t b); /* saturates at SIZE_MAX */

/* Writes a clause to c->why; returns false. */
bool op_wrong(struct op_case *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Whether |got - want| <= most. Keeps the largest |got - want| / scale in c->error. scale: what rounding errors are
 * proportional to, the sum of the magnitudes that were added or the largest value. */
bool op_near(struct op_case *c, double got, double want, double scale, double most);
/* Whether n words are as wanted. If not, c->why names the first that differs; the clause begins with `what`. */
bool op_same(struct op_case *c, const char *what, const uint32_t *got, const uint32_t *want, size_t n);
/* Appends to c->name. */
void op_name(struct op_case *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Initialisers for a description's functions: OP_TESTED for every op, OP_TIMED for ops timed outside the pipeline. */
#define OP_TESTED .cases = cases, .plan = plan, .fill = fill, .run = run, .check = check
#define OP_TIMED OP_TESTED, .at_size = at_size

/* Defines scratch(), for rungs whose scratch depends on `amount`. */
#define OP_SCRATCH(type, amount)                                            \
    static size_t scratch(const struct op_case *c, const struct rung *rung) \
    {                                                                       \
        const struct type##_rung *r = (const struct type##_rung *)rung;     \
        return r->scratch ? r->scratch(amount, c->exec) : 0;                \
    }

/* Defines scratch() and run(), for rungs that take the desc that desc_of(c) returns. */
#define OP_BY_DESC(type)                                                         \
    OP_SCRATCH(type, (const struct type##_desc[]){ desc_of(c) })                 \
    static int run(struct op_case *c, const struct rung *rung)                   \
    {                                                                            \
        const struct type##_desc d = desc_of(c);                                 \
        return ((const struct type##_rung *)rung)->run(&d, c->scratch, c->exec); \
    }

/* Defines any_block(), for ops whose rungs have a member any_block. */
#define OP_ANY_BLOCK(type) \
    static bool any_block(const struct rung *rung) { return ((const struct type##_rung *)rung)->any_block; }

/* Writes a fixed sequence of n numbers from [-1, 1). */
void op_random(float *to, size_t n);

#ifdef __cplusplus
}
#endif
#endif
