/* What a rung teaches: the comment above its code, and the code, from the sources that the program carries.
 *
 * The sources are found by what the kernels' files have in common: a section begins with a comment "---- name ---", a table
 * of rungs stands at the foot of OP_cpu.c or OP_cuda.cu, and its rows name the functions. */
#ifndef ISO_LESSON_H
#define ISO_LESSON_H

#include "resource.h"
#include "kernels/rung.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LESSON_PARTS = 4 };

struct lesson_part {
    const char *path;        /* in the source tree */
    unsigned line;           /* where the part begins, from 1 */
    const char *begin, *end; /* whole lines; comment and code */
    const char *comment_end; /* the comment it begins with, if it does; else `begin` */
};

struct lesson {
    struct lesson_part part[LESSON_PARTS];
    size_t parts; /* 0: the rung has no code of its own, such as one that leaves a stage out */
};

extern const struct resource kernel_sources[]; /* closed by name NULL */

struct lesson_rung {  /* not to be copied: */
    struct rung rung; /* name, idea and whether it is the default, which point into this struct; nothing else is set */
    char name[32], idea[160];
};

/* Reads the i-th rung of an op from the table in its source: also of a backend that this build lacks. false: there is
 * none. */
bool lesson_read_rung(struct lesson_rung *to, const char *op, enum backend backend, size_t i);

/* Finds the parts of a rung's source. The texts live as long as the program. */
void lesson_find(struct lesson *lesson, const char *op, enum backend backend, const struct rung *rung);

/* Writes the part's first comment as plain lines of text, without stars and without the section's name, cut to `size` bytes
 * with the closing 0. Lines that are indented, as drawings and tables are, stay lines; others are joined to paragraphs,
 * "\n" between them. Returns `to`. */
const char *lesson_comment(const struct lesson_part *part, char *to, size_t size);

#ifdef __cplusplus
}
#endif
#endif
