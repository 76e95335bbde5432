/* Progress of a long job, told to its caller, which may cancel it. */
#ifndef ISO_PROGRESS_H
#define ISO_PROGRESS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `step` is called with the part of the job that is done (0..1). Returning false cancels the job, which then ends with
 * ERR_FAILED and "cancelled". step NULL: nobody asks. */
struct progress {
    bool (*step)(void *context, double fraction);
    void *context;
};

#ifdef __cplusplus
}
#endif
#endif
