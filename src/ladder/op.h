/* One description per op: its inputs, its reference, its tolerance, what a run costs, and the sizes to test and to time.
 *
 * `isoscope ladder OP --test` and `--bench` run a case of the size asked for; the test program `ops` runs all cases. Either
 * way op_case_check() runs a rung into poisoned memory between guard zones, and looks that inputs are still what they were.
 *
 * kernels/ladders.h says how to add an op. */
#ifndef ISO_OP_H
#define ISO_OP_H

#include "rounds.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { OP_ARRAYS = 18, OP_NAME = 160, OP_PARAM = 128 };

struct op_case;

/* Collects the cases to test; each is a struct of the op's own parameters. */
struct op_walk {
    enum backend backend;
    bool quick; /* leave out what takes long under a checker: large grids and arrays */
    void (*add)(struct op_walk *walk, const void *param);
};

struct op {
    const char *op;             /* name in ladders[] */
    const char *unit;           /* what a size counts */
    size_t size[BACKEND_COUNT]; /* default: larger than the caches, where memory is the limit */
    const char *operation;      /* what counts as one operation: "flop", or "number" where an op does no arithmetic */
    bool arithmetic;  /* limited by arithmetic: the ceiling is the library's rung, or the peak; else the copy rate */
    bool in_pipeline; /* timed as a stage of the pipeline, by bench.h; its cases are for `ops` only */

    void (*at_size)(void *param, size_t size); /* the parameters (at most OP_PARAM bytes) of the case to time */
    void (*cases)(struct op_walk *walk);       /* calls walk->add for every case to test */

    /* Names the case and its arrays, bytes and operations, reading c->param only. Fills nothing. */
    void (*plan)(struct op_case *c);
    /* Writes the inputs and what must come out, on the host, by the plainest code there is. Arrays whose size follows from
     * the inputs are added here. On failure sets c->err. */
    void (*fill)(struct op_case *c);
    size_t (*scratch)(const struct op_case *c, const struct rung *rung); /* bytes; NULL: no rung needs any */
    int (*before)(struct op_case *c, const struct rung *rung);           /* before every run, not timed; NULL: nothing */
    int (*run)(struct op_case *c, const struct rung *rung);              /* queues one run, returns the backend's code */
    /* Judges what came out. false: c->why has one clause (op_wrong). */
    bool (*check)(struct op_case *c, const struct rung *rung);
    void (*close)(struct op_case *c); /* frees what plan, fill or before made by other means; NULL: nothing */

    /* One clause on why the rung is not for this case (c NULL: for any), NULL if it is. The member may be NULL. */
    const char *(*refuses)(const struct op_case *c, const struct rung *rung);
    bool (*any_block)(const struct rung *rung); /* takes exec.block; NULL: no rung does */
};

extern const struct op *const op_list[]; /* the i-th describes ladders[i]; closed by NULL */
const struct op *op_of(const char *op);  /* by name or alias; NULL: there is none */

/* ---- a case ------------------------------------------------------------------------------------------------------------ */

enum op_use {
    OP_NONE,   /* there is no such array */
    OP_HOST,   /* the case's own, on the host only */
    OP_INPUT,  /* must come back unchanged */
    OP_OUTPUT, /* poisoned before a checked run */
    OP_INOUT   /* uploaded again before a checked run */
};

struct op_array {
    enum op_use use;
    size_t bytes;
    void *host;   /* host, input, inout: what goes in, zero before fill */
    void *got;    /* output, inout: what came out, on the host, for check */
    void *device; /* all but host: in the backend's memory, aligned to 256 bytes as far as its allocator is */
};

struct op_case {
    const struct op *op;
    const void *param;
    const struct backend_ops *ops;
    struct exec *exec;
    char name[OP_NAME]; /* what a failure is printed with */
    struct op_array array[OP_ARRAYS];
    bool cancelled;             /* a checked run finds exec.cancel set (CPU), and must leave its outputs alone */
    unsigned block;             /* exec.block of this case; 0: as it is */
    int threads;                /* exec.threads of this case; 0: as it is */
    uint64_t bytes, operations; /* of one run: inputs read once, outputs written once */
    void *scratch;              /* backend memory, for the rung that runs */
    size_t scratch_bytes;
    char why[RUNG_WHY];
    struct err err;        /* the first that went wrong */
    unsigned block_before; /* of exec, restored at the end */
    int threads_before;
    bool planned;
};

/* Plans, makes room, fills and uploads. `param` must outlive the case. Error: ERR_FAILED, also where the case needs more
 * memory than is free, which is looked at before any is taken. Close the case either way. */
int op_case_open(struct op_case *c, const struct op *op, const void *param, const struct backend_ops *ops, struct exec *x);
void op_case_close(struct op_case *c);

/* One run into poisoned memory, judged; unless it is right, c->why has the clause. rung: NULL for an op without rungs. */
enum outcome op_case_check(struct op_case *c, const struct rung *rung);

/* Makes c->scratch of exactly that many bytes, between guard zones. false: c->why says that there is no memory for it. */
bool op_case_reserve(struct op_case *c, size_t bytes);
size_t op_case_scratch(const struct op_case *c, const struct rung *rung); /* bytes that the rung needs */

/* One run, with enough scratch reserved; *ms gets its time. Returns the backend's code. */
int op_case_run(struct op_case *c, const struct rung *rung, double *ms);

/* ---- for descriptions -------------------------------------------------------------------------------------------------- */

/* Adds array i. From plan it is allocated later, from fill at once. A product beyond size_t saturates, and is refused. */
void op_add(struct op_case *c, int i, enum op_use use, size_t count, size_t element);
size_t op_product(size_t a, size_t b); /* saturates at SIZE_MAX */

/* Writes the clause into c->why, returns false. */
bool op_wrong(struct op_case *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends to c->name. */
void op_name(struct op_case *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* scratch() of a description whose rungs ask by `amount`. */
#define OP_SCRATCH(type, amount)                                            \
    static size_t scratch(const struct op_case *c, const struct rung *rung) \
    {                                                                       \
        const struct type##_rung *r = (const struct type##_rung *)rung;     \
        return r->scratch ? r->scratch(amount, c->exec) : 0;                \
    }

/* scratch() and run() of a description whose rungs take a desc, which its desc_of(c) makes. */
#define OP_BY_DESC(type)                                                         \
    OP_SCRATCH(type, (const struct type##_desc[]){ desc_of(c) })                 \
    static int run(struct op_case *c, const struct rung *rung)                   \
    {                                                                            \
        const struct type##_desc d = desc_of(c);                                 \
        return ((const struct type##_rung *)rung)->run(&d, c->scratch, c->exec); \
    }

/* A fixed sequence of numbers from [-1, 1), the same every time. */
void op_random(float *to, size_t n);

#ifdef __cplusplus
}
#endif
#endif
