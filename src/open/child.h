/* Another program, run without a shell. */
#ifndef ISO_CHILD_H
#define ISO_CHILD_H

#include "error.h"
#include "progress.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Finds a program in the absolute folders of PATH; false: it is not there. */
bool child_find(char path[PATH_MAX], const char *program);

/* Runs the program at the path argv[0], with arguments up to NULL, nothing to read, and what it prints in the new file
 * `log`. Waits for its end; `progress` is asked every 50 ms with fraction 0, and a "no" kills the program and those it
 * started, as a signal does that ends this one (leftover.h). *status: as waitpid gives it. Error: ERR_FAILED, also
 * "cancelled". */
int child_run(const char *const argv[], const char *log, const struct progress *progress, int *status, struct err *err);

/* The same for a program that asks the user: it runs in the user's own language, and what it prints, at most size - 1
 * bytes, comes back in `answer`; its errors are not heard. */
int child_ask(const char *const argv[], char *answer, size_t size, const struct progress *progress, int *status,
              struct err *err);

#ifdef __cplusplus
}
#endif
#endif
