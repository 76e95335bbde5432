/* The quantities by which surfaces can be coloured (tint.h). */
#ifndef ISO_TINT_BY_H
#define ISO_TINT_BY_H

#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum tint_by { TINT_NONE, TINT_X, TINT_Y, TINT_Z, TINT_GRADIENT, TINT_WAYS };

extern const char *const tint_name[TINT_WAYS + 1]; /* as on the command line; closed by NULL */

/* Returns the row of tint_name, TINT_NONE for NULL. Returns -1 if there is none; the sentence (ERR_USAGE) lists them. */
int tint_find(const char *name, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
