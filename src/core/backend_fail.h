/* A backend's error codes in words. */
#ifndef ISO_BACKEND_FAIL_H
#define ISO_BACKEND_FAIL_H

#include "error.h"
#include "kernels/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sets `err` from a backend's `code`: ERR_FAILED and CAUSE_BACKEND. `doing` begins the message. Returns ERR_FAILED. */
int backend_fail(const struct backend_ops *ops, int code, const char *doing, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
