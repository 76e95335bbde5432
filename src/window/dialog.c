#include "dialog.h"

#include "child.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

static bool goes_on(void *context, double unused)
{
    const struct dialog *dialog = context;
    (void)unused;
    return !__atomic_load_n(&dialog->stops, __ATOMIC_RELAXED);
}

static void *run(void *context)
{
    struct dialog *dialog = context;
    const char *const zenity[] = { dialog->program, "--file-selection", "--title=isoscope: open a volume",
                                   "--filename",    dialog->folder,     NULL };
    const char *const kdialog[] = { dialog->program,     "--title",      "isoscope: open a volume",
                                    "--getopenfilename", dialog->folder, NULL };
    const struct progress progress = { goes_on, dialog };
    child_ask(dialog->is_kdialog ? kdialog : zenity, dialog->answer, sizeof dialog->answer, &progress, &dialog->status,
              &dialog->err);
    __atomic_store_n(&dialog->done, true, __ATOMIC_RELEASE);
    dialog->wake();
    return NULL;
}

bool dialog_open(struct dialog *dialog, const char *folder, void (*wake)(void))
{
    const bool zenity = child_find(dialog->program, "zenity");
    if (!zenity && !child_find(dialog->program, "kdialog")) return false;
    dialog->is_kdialog = !zenity;
    dialog->done = dialog->stops = false;
    dialog->wake = wake;
    dialog->err = (struct err){ 0 };
    snprintf(dialog->folder, sizeof dialog->folder, "%s/", folder); /* without /, zenity takes the last part for a file */
    dialog->runs = !pthread_create(&dialog->thread, NULL, run, dialog);
    return dialog->runs;
}

enum dialog_end dialog_poll(struct dialog *dialog)
{
    if (!dialog->runs || !__atomic_load_n(&dialog->done, __ATOMIC_ACQUIRE)) return DIALOG_RUNS;
    pthread_join(dialog->thread, NULL);
    dialog->runs = false;
    dialog->answer[strcspn(dialog->answer, "\n")] = 0;
    if (dialog->err.code || !WIFEXITED(dialog->status) || WEXITSTATUS(dialog->status) > 1) return DIALOG_FAILED;
    return WEXITSTATUS(dialog->status) == 0 && dialog->answer[0] == '/' ? DIALOG_CHOSEN : DIALOG_CANCELLED;
}

void dialog_close(struct dialog *dialog)
{
    if (!dialog->runs) return;
    __atomic_store_n(&dialog->stops, true, __ATOMIC_RELAXED);
    pthread_join(dialog->thread, NULL);
    dialog->runs = false;
}
