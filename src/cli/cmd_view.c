/* The window: isoscope [FILE]. */
#include "cmd.h"
#include "app.h"
#include "app_state.h"
#include "options_surfaces.h"
#include "source.h"
#include "window.h"

#include <stdlib.h>
#include <unistd.h>

int cmd_view(const struct options *options, struct err *err)
{
    if (parse_check_lists(options, err)) return ERR_USAGE;
    if (options->view.width > VIEW_MOST_WINDOW || options->view.height > VIEW_MOST_WINDOW)
        return err_set(err, ERR_USAGE, "--size %dx%d: a window can have at most %d pixels along each side",
                       options->view.width, options->view.height, VIEW_MOST_WINDOW);
    struct app *app = malloc(sizeof *app); /* too large for every stack */
    if (!app) return err_set(err, ERR_FAILED, "not enough memory for the window's state (%zu bytes)", sizeof *app);
    const char *file = options->setup.file;
    struct source source;
    int code = window_open(app, &options->setup, &options->view, err);
    if (code == ERR_GL && file && access(file, F_OK)) code = source_open(&source, file, err); /* a display would not help */
    if (!code) {
        while (window_frame(app)) {
        }
        if (options->view.save_state && app->volumes) code = app_write_state(app, options->view.save_state, err);
        const int ended = window_end(app, code ? NULL : err);
        if (!code) code = ended;
        window_close(app);
    }
    free(app);
    return code;
}
