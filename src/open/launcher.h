/* Launcher: what started this process together with others (mpirun, srun), as its environment tells. */
#ifndef ISO_LAUNCHER_H
#define ISO_LAUNCHER_H

#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Refuses to work alone where the environment tells of several processes, each of which would do all the work and replace
 * the others' files. `sees` completes "4 processes were started together (PMI_SIZE=4), and". Error: ERR_USAGE. */
int launcher_refuse(const char *sees, const char *advice, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
