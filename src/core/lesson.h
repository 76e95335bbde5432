/* What a rung teaches: its code and the comment above it, from the sources embedded in the program.
 *
 * This relies on conventions of the kernels' files. A section begins with a comment "---- name ---". The table of rungs is
 * at the end of OP_cpu.c or OP_cuda.cu, and its rows name the functions. */
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
    const char *comment_end; /* end of its leading comment; `begin` if it has none */
};

struct lesson {
    struct lesson_part part[LESSON_PARTS];
    size_t parts; /* 0: the rung has no own code, for instance one that omits a stage */
};

extern const struct resource kernel_sources[]; /* ends with a NULL name */

struct lesson_rung {  /* do not copy: */
    struct rung rung; /* only name, idea and the default flag are set; the first two point into this struct */
    char name[32], idea[160];
};

/* Reads the i-th rung of an op from the table in its source, even for a backend that this build lacks. False: there is
 * none. */
bool lesson_read_rung(struct lesson_rung *to, const char *op, enum backend backend, size_t i);

/* Finds the parts of a rung's source. The texts live as long as the program. */
void lesson_find(struct lesson *lesson, const char *op, enum backend backend, const struct rung *rung);

/* Writes the part's first comment as plain text, without stars and without the section's name, cut to `size` bytes
 * including the closing 0. Indented lines, such as drawings and tables, are kept. Other lines are joined to paragraphs,
 * separated by "\n". Returns `to`. */
const char *lesson_comment(const struct lesson_part *part, char *to, size_t size);

#ifdef __cplusplus
}
#endif
#endif
