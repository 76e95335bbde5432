/* Errors: a code, which is also the exit code of the process; what was found; and what to do about it.
 *
 * Functions that can fail take a `struct err *`, return the code (0: no error) and leave nothing half done. Only main.c
 * exits, and only main.c prints the error that ends a command. The window and setup.c print errors that they recover
 * from. */
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
    ERR_CUDA = 5,   /* CUDA was asked for and is not there */
    ERR_WRONG = 6   /* verify: the mesh is not the surface */
};

/* What a caller may try instead. */
enum err_cause {
    CAUSE_OTHER,   /* nothing: the same would happen again */
    CAUSE_MEMORY,  /* the compute backend is short of memory: a rung that needs less, or another backend */
    CAUSE_ROOM,    /* the same, but every rung needs that memory: another backend */
    CAUSE_BACKEND, /* the compute backend failed: another backend */
    CAUSE_VOLUME,  /* the volume exceeds the memory allowed for it: slab by slab (stream.h) */
    CAUSE_SHAPE    /* the shape of a RAW file is not known, or wrong: ask for it */
};

enum { ERR_TEXT = 1024, ERR_ADVICE = 256, ERR_SENTENCE = ERR_TEXT + ERR_ADVICE + 2 };

struct err {
    int code;                /* enum err_code */
    char text[ERR_TEXT];     /* what was found and what was expected, in one clause */
    char advice[ERR_ADVICE]; /* what a person can do; a caller that acts itself omits it; "": none */
    enum err_cause cause;
};

/* Sets code and text (printf style, through text_visible), clears the advice, sets the cause to CAUSE_OTHER. Returns the
 * code. err NULL: only returns the code, which keeps an earlier error. */
int err_set(struct err *err, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
#ifdef __clang_analyzer__ /* it cannot look into variadic functions: tell it that err_set returns `code` */
#define err_set(err, code, ...) (err_set(err, code, __VA_ARGS__), (code))
#endif

/* Adds advice (printf style) to the error that err_set has just set. err NULL: does nothing. */
void err_advise(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sets the cause of the error that err_set has just set. Returns `code`. */
int err_blame(struct err *err, int code, enum err_cause cause);

/* Writes the whole sentence, text and advice, to `to`. Returns `to`. */
const char *err_sentence(const struct err *err, char to[ERR_SENTENCE]);

#ifdef __cplusplus
}
#endif
#endif
