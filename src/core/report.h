/* A list of named values on standard output: lines for a person, or one JSON object for a program. */
#ifndef ISO_REPORT_H
#define ISO_REPORT_H

#include <stdbool.h>
#include <stdint.h>

struct report {
    bool json;
    bool started; /* set by the functions */
    int depth;
};

void report_text(struct report *report, const char *name, const char *value); /* value NULL: null, or "-" */
void report_whole(struct report *report, const char *name, uint64_t value);
void report_flag(struct report *report, const char *name, bool value);
void report_number(struct report *report, const char *name, double value); /* not finite: null, or "-" */
/* Six digits that count, whatever the size: three decimals would make nothing of a small ratio. */
void report_measured(struct report *report, const char *name, double value);
void report_numbers(struct report *report, const char *name, const double *value, int n);
void report_end(struct report *report);

/* JSON only, since a person is better served by a table: what is reported between the two goes into an object, bracket
 * '{', or a list, '['. name NULL: an element of a list. */
void report_open(struct report *report, const char *name, char bracket);
void report_close(struct report *report, char bracket);

#endif
