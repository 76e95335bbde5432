/* Finds the row of a table that somebody has named. */
#ifndef ISO_ROW_H
#define ISO_ROW_H

#include "error.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rows are as for text_row (text.h). Returns the index of the row `name`, the first row's for NULL. Returns -1 if there is
 * none; the sentence (ERR_USAGE) says so by `kind`, the word for what the rows are, and lists them. */
int row_find(const char *name, const void *rows, size_t row_bytes, const char *kind, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
