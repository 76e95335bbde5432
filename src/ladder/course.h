/* The ladders in teaching order, from one read and one write per number to matrix products. */
#ifndef ISO_COURSE_H
#define ISO_COURSE_H

#ifdef __cplusplus
extern "C" {
#endif

struct lecture {
    const char *chapter; /* that begins here; NULL: same as the row before */
    const char *op;      /* name in ladders[]; NULL ends the table */
    const char *teaches; /* one line */
};

extern const struct lecture course[];

#ifdef __cplusplus
}
#endif
#endif
