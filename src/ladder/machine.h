/* The context of a measured time: machine, driver, date and commit. */
#ifndef ISO_MACHINE_H
#define ISO_MACHINE_H

#include "iso.h"

#ifdef __cplusplus
extern "C" {
#endif

struct machine {
    char device[256]; /* the GPU or the processor */
    char driver[128]; /* of the GPU; on the CPU, the kernel */
    char date[32];    /* UTC, ISO 8601 */
    const char *commit;
};

void machine_describe(struct machine *machine, const struct iso *iso);

/* Return the cores that this process may run on, as the system counts them, of *all: fewer where it is bound to some, as mpirun
 * does. 0: unknown. */
int machine_cores(int *all);

#ifdef __cplusplus
}
#endif
#endif
