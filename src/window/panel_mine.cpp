/* The rung of --rung-file: what the compiler or the check found wrong. Shown until Esc or a saved version that is right. */
#include "panel_parts.h"
#include "app_mine.h"

void mine_box(struct app *app)
{
    const struct own &own = app->own;
    const float margin = 8 * (float)app->scale, left = (float)app->scene[0] + margin;
    const float wide = (float)app->width - left - margin, most = 0.4f * (float)app->height;
    char sentence[ERR_SENTENCE];
    app->foot_height = 0;
    if (!own.busy && !app_has_complaint(app)) return;
    ImGui::SetNextWindowPos(ImVec2(left, (float)app->height - margin), 0, ImVec2(0, 1));
    ImGui::SetNextWindowSizeConstraints(ImVec2(wide, 0), ImVec2(wide, most));
    ImGui::PushStyleColor(ImGuiCol_WindowBg, own.busy ? MESSAGE_BACK : ERROR_BACK);
    if (ImGui::Begin("mine", NULL,
                     FIXED | ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoFocusOnAppearing |
                         ImGuiWindowFlags_HorizontalScrollbar)) {
        if (own.busy) ImGui::Text("%s is compiled and checked", own.mine.name); /* the worker owns its texts now */
        else {
            ImGui::PushTextWrapPos(wide - 2 * ImGui::GetStyle().WindowPadding.x);
            ImGui::TextUnformatted(err_sentence(&own.err, sentence));
            ImGui::PopTextWrapPos();
            if (own.mine.said[0]) {
                ImGui::Separator();
                ImGui::TextUnformatted(own.mine.said); /* unwrapped, as the compiler wrote it */
            }
            ImGui::TextColored(DIM_TEXT, "what was there goes on; save the file to try again (%s closes this)",
                               keys_find(key_escape, 0)->name);
        }
        window_widget(app, "mine");
    }
    app->foot_height = (int)(ImGui::GetWindowHeight() + margin);
    ImGui::End();
    ImGui::PopStyleColor();
}
