/* The desktop's dialog for opening a file: zenity or kdialog. A thread waits for its answer. */
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

/* Shows a dialog that begins in `folder`, an absolute path. When it ends, the thread calls wake. False: no such program is
 * installed. */
bool dialog_open(struct dialog *dialog, const char *folder, void (*wake)(void));

/* Whether the dialog has ended, and how; its end is reported only once. CHOSEN: dialog->answer is an absolute path. FAILED:
 * it could not be shown. */
enum dialog_end dialog_poll(struct dialog *dialog);

/* Closes the dialog if it is still shown. */
void dialog_close(struct dialog *dialog);

#ifdef __cplusplus
}
#endif
#endif
