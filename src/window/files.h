/* Which file the window shows, and how the next one is chosen. */
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
    uint64_t bytes;           /* of the file being opened; 0: not known */
    struct timespec modified; /* time of the shown file when last looked at */
    uint64_t size;            /* bytes of the shown file when last looked at */
    uint64_t kept;            /* hash that names the state kept for the shown file; 0: none is kept */
    bool changing;            /* it had changed at the last look, and may go on changing */
    double look_at;           /* when to look again, timing_ms(); 0: it is not watched */
};

#ifdef __cplusplus
}
#endif
#endif
