/* Scale and theme of the panel, and the first size of the window. */
#include "app_style.h"
#include "app.h"
#include "text.h"
#include "theme.h"

#include <GLFW/glfw3.h>

#include <math.h>
#include <string.h>

#define LEAST_WIDTH 320 /* of the window, screen units */
#define LEAST_HEIGHT 240
#define LEAST_SCALE 0.5
#define MOST_SCALE 8.0
#define STEPS 10.0 /* per 1.0 of scale */

static double display_scale(const struct app *app)
{
    float x = 1, y = 1;
    glfwGetWindowContentScale(app->gl.window, &x, &y);
    return fmax(1, fmin(4, (double)x));
}

/* The scale is remembered as a factor of the display's scale, which differs between displays. */
static double kept_scale(const struct app *app)
{
    char word[32];
    const char *end;
    double factor;
    app_recall(app, "scale", word);
    const bool good = text_double(word, &end, &factor) && !*end && factor >= 0.25 && factor <= 4;
    return fmax(LEAST_SCALE, fmin(MOST_SCALE, display_scale(app) * (good ? factor : 1)));
}

void app_first_style(struct app *app)
{
    char word[32];
    const char *theme = app->options->theme;
    if (!theme) app_recall(app, "theme", word), theme = word;
    app->scale = app->options->ui_scale > 0 ? app->options->ui_scale : kept_scale(app);
    app->theme = !strcmp(theme, theme_name[THEME_LIGHT]) ? THEME_LIGHT : THEME_DARK;
}

void app_step_scale(struct app *app, int step)
{
    char word[32];
    const double display = display_scale(app), wanted = step ? (round(app->scale * STEPS) + step) / STEPS : display;
    app->scale = fmax(LEAST_SCALE, fmin(MOST_SCALE, wanted));
    app_remember(app, "scale", text_print(word, app->scale / display));
    app_log(app, "scale %g", app->scale);
    app_notice(app, "text and controls: %.0f %%", 100 * app->scale);
    app_mark_scene(app);
}

void app_flip_theme(struct app *app)
{
    app->theme = (app->theme + 1) % THEMES;
    app_remember(app, "theme", theme_name[app->theme]);
    app_log(app, "theme %s", theme_name[app->theme]);
    app_notice(app, "theme: %s", theme_name[app->theme]);
}

void app_choose_size(struct app *app)
{
    GLFWwindow *window = app->gl.window;
    GLFWmonitor *monitor = glfwGetPrimaryMonitor();
    int place[4], width, pixels, unused;
    glfwSetWindowSizeLimits(window, LEAST_WIDTH, LEAST_HEIGHT, GLFW_DONT_CARE, GLFW_DONT_CARE);
    if (app->options->width || !monitor) return;
    glfwGetMonitorWorkarea(monitor, &place[0], &place[1], &place[2], &place[3]);
    glfwGetWindowSize(window, &width, &unused);
    glfwGetFramebufferSize(window, &pixels, &unused);
    const double scale = fmax(1, app->scale * width / fmax(1, pixels)); /* a screen unit may be several pixels wide */
    glfwSetWindowSize(window, (int)fmin(WINDOW_WIDTH * scale, place[2]), (int)fmin(WINDOW_HEIGHT * scale, place[3]));
}
