/* Which file the window shows, and which come next. */
#ifndef ISO_FILES_H
#define ISO_FILES_H

#include "browse.h"
#include "dialog.h"
#include "import.h"
#include "recent.h"

#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

struct files {
    struct recent recent;
    struct import import;
    struct dialog dialog;
    struct browse browse;
    uint64_t bytes;           /* of the file that is opened; 0: not known */
    struct timespec modified; /* of the file that is shown, */
    uint64_t size;            /* and its bytes, when it was last looked at */
    uint64_t kept;            /* names the state of the file that is shown; 0: none is kept */
    bool changing;            /* it has changed since, and may change further */
    double look_at;           /* when to look again, timing_ms(); 0: it is not watched */
};

#ifdef __cplusplus
}
#endif
#endif
