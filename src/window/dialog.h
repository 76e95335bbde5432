/* The desktop's own dialog for opening a file: zenity or kdialog, on a thread that waits for it. */
#ifndef ISO_DIALOG_H
#define ISO_DIALOG_H

#include "error.h"

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dialog { /* zero: none is shown */
    bool runs;
    pthread_t thread;
    bool done, stops; /* shared with the thread */
    void (*wake)(void);
    char program[PATH_MAX], folder[PATH_MAX + 16];
    bool is_kdialog;
    char answer[4096 + 2];
    int status;
    struct err err;
};

enum dialog_end { DIALOG_RUNS, DIALOG_CHOSEN, DIALOG_CANCELLED, DIALOG_FAILED };

/* Shows a dialog that begins in `folder` (absolute); wake is called on the thread when it has ended. False: there is none
 * here. */
bool dialog_open(struct dialog *dialog, const char *folder, void (*wake)(void));

/* Whether it has ended, and how; only once for each. CHOSEN: dialog->answer is an absolute path. FAILED: it could not be
 * shown. */
enum dialog_end dialog_poll(struct dialog *dialog);

/* Closes one that is still shown. */
void dialog_close(struct dialog *dialog);

#ifdef __cplusplus
}
#endif
#endif
