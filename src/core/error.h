/* Errors: a code, which is also the process's exit code, and one sentence for a person.
 *
 * The sentence says what was found, what was expected and what to do. Functions that can fail take a `struct err *`,
 * return the code (0: fine) and leave nothing half done. Nobody below main.c exits, or prints the error that ends a
 * command; the window and cmd.c print those after which work goes on. */
#ifndef ISO_ERROR_H
#define ISO_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

enum err_code {
    ERR_NONE = 0,
    ERR_FAILED = 1, /* memory, disk, anything at run time */
    ERR_USAGE = 2,  /* the command line */
    ERR_INPUT = 3,  /* the volume file */
    ERR_GL = 4,     /* no usable OpenGL */
    ERR_CUDA = 5    /* CUDA was asked for and is not there */
};

/* What else may do, where somebody looks for another way. */
enum err_cause {
    CAUSE_OTHER,  /* nothing: the same would happen again */
    CAUSE_MEMORY, /* the compute backend has too little memory: rungs that need less, or another backend */
    CAUSE_ROOM,   /* it has too little for what no rung makes smaller: another backend */
    CAUSE_BACKEND /* the compute backend failed: another backend */
};

struct err {
    int code; /* enum err_code */
    char text[1024];
    enum err_cause cause;
};

/* Sets the code and the sentence (printf style), returns the code; the cause is CAUSE_OTHER. err NULL: only returns it,
 * where an error before this one is to be kept. */
int err_set(struct err *err, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
#ifdef __clang_analyzer__ /* which cannot look into a variadic function: no error is ERR_NONE */
#define err_set(err, code, ...) (err_set(err, code, __VA_ARGS__), (code))
#endif

/* Sets the cause of an error that err_set has just made, returns its code. */
int err_blame(struct err *err, int code, enum err_cause cause);

/* Length of the part of the sentence that says what was found, for whoever knows better what to do than its end, which
 * stands behind a colon in errors for want of memory. */
int err_found(const struct err *err);

#ifdef __cplusplus
}
#endif
#endif
