#include "launcher.h"

#include <stdbool.h>
#include <stdlib.h>

/* The first variable that is set decides, because the daemons that start ranks may themselves be a Slurm step or know
 * PMIx. */
static const struct launcher {
    const char *name;
    long alone; /* larger values mean several processes */
    bool counts;
} launchers[] = {
    { "OMPI_COMM_WORLD_SIZE", 1, true },
    { "PMI_SIZE", 1, true },
    { "SLURM_STEP_NUM_TASKS", 1, true },
    { "PMIX_RANK", 0, false }, /* number of this process; how many there are is told elsewhere */
};

int launcher_refuse(const char *sees, const char *advice, struct err *err)
{
    const struct launcher *l = NULL;
    const char *value = NULL;
    for (size_t i = 0; i < sizeof launchers / sizeof launchers[0] && !value; i++)
        l = &launchers[i], value = getenv(l->name);
    if (!value || atol(value) <= l->alone) return ERR_NONE;
    err_set(err, ERR_USAGE, "%s processes were started together (%s=%s), but %s", l->counts ? value : "several", l->name,
            value, sees);
    err_advise(err, "%s; if each does separate work, set ISOSCOPE_ALONE=1 for isoscope", advice);
    return ERR_USAGE;
}
