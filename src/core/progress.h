/* Progress of a long job, reported to its caller, who may cancel it. */
#ifndef ISO_PROGRESS_H
#define ISO_PROGRESS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct progress {
    /* Called with the fraction that is done (0..1). Returning false cancels the job, which then ends with ERR_FAILED and
     * "cancelled". NULL: no reports. */
    bool (*step)(void *context, double fraction);
    void *context;
};

/* Reports to `progress` (NULL: none). False: the job is cancelled. */
static inline bool progress_tell(const struct progress *progress, double fraction)
{
    return !progress || !progress->step || progress->step(progress->context, fraction);
}

#ifdef __cplusplus
}
#endif
#endif
