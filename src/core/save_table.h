/* Saves a table in a Markdown file and keeps the rest of its text. */
#ifndef ISO_SAVE_TABLE_H
#define ISO_SAVE_TABLE_H

#include "error.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct saved_table {
    const char *word;                              /* the command; names the marker lines */
    void (*print)(FILE *out, const void *context); /* Markdown */
    const void *context;
};

/* Replaces what stands between the lines "<!-- word -->" and "<!-- /word -->" of the file, or appends the table if it has
 * none; creates the file if necessary. Error: ERR_FAILED, and the file is as before: also if it is not a regular file, not
 * UTF-8 text, over 16 MiB, or read-only. */
int save_table(const struct saved_table *table, const char *path, struct err *err);

/* Finds what save_table would refuse, but for missing marker lines, before there is a table. Error: ERR_FAILED. */
int save_table_check(const char *path, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
