/* Runs other programs, without a shell. */
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

/* Looks for a program in the absolute folders of PATH. False: it is not there. */
bool child_find(char path[PATH_MAX], const char *program);

/* Runs the program at the path argv[0]. argv ends with NULL. The program gets no input; what it prints goes to the new file
 * `log`. Waits until it ends. `progress` is called every 50 ms with fraction 0; if it says no, the program and those it
 * started are killed. A signal that ends this process kills them, too (leftover.h). *status: as waitpid sets it. Error:
 * ERR_FAILED, also for "cancelled". */
int child_run(const char *const argv[], const char *log, const struct progress *progress, int *status, struct err *err);

/* Like child_run, for a program that asks the user something. It runs in the user's own language. At most size - 1 bytes of
 * its output are returned in `answer`; what it prints to stderr is dropped. */
int child_ask(const char *const argv[], char *answer, size_t size, const struct progress *progress, int *status,
              struct err *err);

#ifdef __cplusplus
}
#endif
#endif
