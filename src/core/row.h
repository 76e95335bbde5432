/* Finds a row of a table by its name, with an error for unknown names. */
#ifndef ISO_ROW_H
#define ISO_ROW_H

#include "error.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rows are as for text_row (text.h). Returns the index of the row `name`, or 0 if `name` is NULL. Returns -1 if there is
 * none; the error (ERR_USAGE) calls the rows by `kind`, such as "shading mode", and lists them. */
int row_find(const char *name, const void *rows, size_t row_bytes, const char *kind, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
