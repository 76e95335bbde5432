/* Boxes over the scene: errors, notices, progress. */
#include "panel_parts.h"

#include <stdio.h>
#include <string.h>

namespace
{

const float LEAST_ROOM = 160; /* pixels at scale 1 */

/* The width for boxes: that of the scene beside the panel; the window's, if text has no room there. */
float room(const struct app *app)
{
    const float scene = (float)(app->width - app_panel_over(app));
    return scene >= LEAST_ROOM * (float)app->scale ? scene : (float)app->width;
}

/* Places the next box in the middle of that width, below the panel's line and above the box at the window's foot. y: part
 * of the window's height, at which the box has its top (pivot 0) or its foot (pivot 1). */
void place(const struct app *app, float y, float pivot)
{
    const float line = (float)app->line_height, foot = (float)(app->height - app->foot_height),
                wanted = (float)app->height * y;
    const float there = pivot == 0 && wanted < line ? line : pivot == 1 && wanted > foot ? foot : wanted;
    ImGui::SetNextWindowPos(ImVec2((float)app->width - room(app) / 2, there), 0, ImVec2(0.5f, pivot));
}

void message(const struct app *app, const char *id, const char *text, float y, float pivot, const ImVec4 &back)
{
    const float widest = room(app) - 32 * (float)app->scale, wanted = ImGui::CalcTextSize(text).x;
    place(app, y, pivot);
    const float padding = 2 * ImGui::GetStyle().WindowPadding.x;
    ImGui::SetNextWindowSize(ImVec2((wanted < widest ? wanted : widest) + padding + 1, 0));
    ImGui::PushStyleColor(ImGuiCol_WindowBg, back);
    if (ImGui::Begin(id, NULL,
                     FIXED | ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoInputs |
                         ImGuiWindowFlags_NoFocusOnAppearing)) {
        wrapped_text(text);
        window_widget(app, id);
    }
    ImGui::End();
    ImGui::PopStyleColor();
}

} // namespace

void messages(const struct app *app)
{
    const char *escape = keys_find(key_escape, 0)->name;
    char sentence[ERR_SENTENCE], text[ERR_SENTENCE + 32];
    if (app->error.code) {
        snprintf(text, sizeof text, "%s\n(%s closes this)", err_sentence(&app->error, sentence), escape);
        message(app, "error", text, 0.05f, 0, ERROR_BACK);
    }
    const struct live_surface *surface = app_surface(app);
    const bool empty = surface->empty[0] && !surface->coarse_shown && is_made(app);
    if (empty) message(app, "empty", surface->empty, 0.5f, 0.5f, MESSAGE_BACK);
    if (app->notice[0]) message(app, "notice", app->notice, 0.97f, 1, MESSAGE_BACK);
}

/* What the worker does, if that takes long. Loading shows a bar in the middle. Work on a surface shows a line at the foot,
 * since there is a surface to look at meanwhile. */
void work_box(const struct app *app)
{
    double fraction;
    char line[160];
    const char *text = app_work_text(app, &fraction), *escape = keys_find(key_escape, 0)->name;
    if (!text) return;
    if (app->live.work.task != LIVE_LOAD || app->live.refined || app->live.preview > 1) {
        char far[32] = "";
        if (fraction > 0) snprintf(far, sizeof far, ", %.0f %%", 100 * fraction);
        snprintf(line, sizeof line, "%s, %.1f s%s; %s cancels", text, (timing_ms() - app->live.work.since) * 1e-3, far,
                 escape);
        message(app, "work", line, 0.90f, 1, MESSAGE_BACK);
        return;
    }
    const char *slash = strrchr(app->path, '/'), *name = slash ? slash + 1 : app->path;
    place(app, 0.5f, 0.5f);
    const float widest = room(app), wanted = 360 * (float)app->scale;
    ImGui::SetNextWindowSize(ImVec2(wanted < widest ? wanted : widest, 0));
    if (ImGui::Begin("progress", NULL, FIXED | ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoInputs)) {
        ImGui::TextUnformatted(*name ? name : "making the procedural volume");
        ImGui::ProgressBar((float)fraction, ImVec2(-1, 0));
        const double seconds = (timing_ms() - app->live.work.since) * 1e-3;
        const double bytes = live_is_uploading(&app->live) ? 0 : fraction * (double)app->files.bytes;
        if (bytes > 0 && seconds > 0)
            ImGui::TextColored(DIM_TEXT, "%s, %.0f MB/s; %s cancels", text, 1e-6 * bytes / seconds, escape);
        else ImGui::TextColored(DIM_TEXT, "%s; %s cancels", text, escape);
    }
    ImGui::End();
}
