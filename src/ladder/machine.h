/* What measured times depend on: machine, driver, date and commit. */
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

/* Returns how many cores this process may run on, and sets *all to how many the machine has, both as the system counts
 * them. They differ if mpirun, taskset or a container binds the process to some of them. */
int machine_cores(int *all);

#ifdef __cplusplus
}
#endif
#endif
