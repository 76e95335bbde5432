/* Puts a table into a Markdown file, beside what a person wrote there. */
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

/* Between the file's lines "<!-- word -->" and "<!-- /word -->" where it has them, in place of what was there; else at its
 * end. Makes the file if there is none. Error: ERR_FAILED, and the file is as before. */
int save_table(const struct saved_table *table, const char *path, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
