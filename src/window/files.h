/* Which file the window shows, and how the next one is chosen. */
#ifndef ISO_FILES_H
#define ISO_FILES_H

#include "browse.h"
#include "dialog.h"
#include "import.h"
#include "recent.h"
#include "watched.h"
#include "worker.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A worker finds what a folder is as a volume, because that may take reading from hundreds of files. */
struct folder_look {
    struct worker worker;
    bool busy, told;     /* told: the list says that this takes a while */
    double since;        /* timing_ms() when the look began */
    char path[PATH_MAX]; /* the folder, and what it is: the worker's while it is busy */
    const char *whole;   /* as in struct browse */
};

struct files {
    struct recent recent;
    struct import import;
    char stepped[PATH_MAX]; /* RAW file that PageDown came to and for whose shape the box asks, or asked; "": none */
    struct dialog dialog;
    struct browse browse;
    struct folder_look look; /* at the folder in `browse`, or one before */
    uint64_t bytes;          /* of the file being opened; 0: not known */
    struct watched seen;     /* the shown file when last looked at */
    uint64_t kept;           /* hash that names the state kept for the shown file; 0: none is kept */
    bool changing;           /* it had changed at the last look, and may go on changing */
    double look_at;          /* when to look again, timing_ms(); 0: it is not watched */
};

#ifdef __cplusplus
}
#endif
#endif
