/* A list of named values on standard output: lines for a person, or one JSON object for a program. Text from outside is
 * made visible (text.h), or escaped in JSON. */
#ifndef ISO_REPORT_H
#define ISO_REPORT_H

#include <stdbool.h>
#include <stdint.h>

struct report {
    bool json;
    bool started; /* state of the functions below; zero at the start */
    int depth;
};

/* Each prints one value. NULL and numbers that are not finite are printed as null in JSON and as "-" for a person. */
void report_text(struct report *report, const char *name, const char *value);
void report_whole(struct report *report, const char *name, uint64_t value);
void report_flag(struct report *report, const char *name, bool value);
void report_number(struct report *report, const char *name, double value);   /* all digits */
void report_measured(struct report *report, const char *name, double value); /* six significant digits */
void report_numbers(struct report *report, const char *name, const double *value, int n);

/* Ends the report. */
void report_end(struct report *report);

/* JSON only (for a person, print a table): open and close an object (bracket '{' and '}') or a list ('[' and ']'). name
 * NULL: it is an element of a list. */
void report_open(struct report *report, const char *name, char bracket);
void report_close(struct report *report, char bracket);

#endif
