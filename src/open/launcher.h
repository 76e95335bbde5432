/* Launcher: detects from the environment what started this process together with others (mpirun, srun). */
#ifndef ISO_LAUNCHER_H
#define ISO_LAUNCHER_H

#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Refuses to work alone if the environment says that several processes were started: each would do all the work and replace
 * the others' files. `sees` completes the sentence "4 processes were started together (PMI_SIZE=4), and". Error:
 * ERR_USAGE. */
int launcher_refuse(const char *sees, const char *advice, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
