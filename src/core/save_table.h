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
 * none; creates the file if necessary. Error: ERR_FAILED, also if the file is not a regular file, not UTF-8 text, over 16
 * MiB, or read-only. It is then unchanged. */
int save_table(const struct saved_table *table, const char *path, struct err *err);

/* Checks in advance, before there is a table, for the errors of save_table, except missing marker lines. Error:
 * ERR_FAILED. */
int save_table_check(const char *path, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
