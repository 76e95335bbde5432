/* The ladders in the order in which they teach, from one read and one write per number to matrix products. */
#ifndef ISO_COURSE_H
#define ISO_COURSE_H

#ifdef __cplusplus
extern "C" {
#endif

struct lecture {
    const char *chapter; /* that begins here; NULL: the one before goes on */
    const char *op;      /* name in ladders[]; NULL closes the table */
    const char *teaches; /* one line */
};

extern const struct lecture course[];

#ifdef __cplusplus
}
#endif
#endif
