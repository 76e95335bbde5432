/* Progress of a long job, reported to its caller, who may cancel it. */
#ifndef ISO_PROGRESS_H
#define ISO_PROGRESS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct progress {
    /* Called with the fraction that is done (0..1); false cancels the job, which then ends with ERR_FAILED and "cancelled".
     * NULL: no reports. */
    bool (*step)(void *context, double fraction);
    void *context;
};

#ifdef __cplusplus
}
#endif
#endif
