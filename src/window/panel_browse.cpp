/* The list of folders and volumes, for desktops without a dialog for opening files. */
#include "panel_parts.h"
#include "app_files.h"

#include <stdio.h>

namespace
{

const float LETTERS = 60, ROWS = 18;

/* A row for each name, and for the folder above. */
void name_rows(struct app *app)
{
    struct browse *browse = &app->files.browse;
    for (size_t row = 0; row < browse_rows(browse); row++) {
        bool is_folder;
        char shown[300], name[300];
        snprintf(name, sizeof name, "%.255s", browse_name(browse, row, &is_folder));
        snprintf(shown, sizeof shown, "%.255s%s", name, is_folder ? "/" : "");
        ImGui::PushStyleColor(ImGuiCol_Text, row && is_folder ? ACCENT_TEXT : ImGui::GetStyleColorVec4(ImGuiCol_Text));
        const bool taken = name_item(shown, (int)row, row == browse->chosen && !browse->missed);
        ImGui::PopStyleColor();
        widget(app, "browse %.36s", row ? name : "up");
        if (row == browse->chosen && browse->moved) ImGui::SetScrollHereY();
        if (!taken) continue;
        app_browse(app, name, is_folder);
        return; /* the list has been replaced */
    }
    browse->moved = false;
    if (!browse->files.count) ImGui::TextColored(DIM_TEXT, "no volume in this folder");
}

/* The typed text, and what Enter does with it. */
void typed_line(const struct browse *browse)
{
    const char *hint = browse->missed    ? "not in this list; Enter opens just this"
                       : browse->find[0] ? "Enter opens what is lit"
                                         : "type how a name begins, or a path; Backspace goes up";
    if (browse->find[0]) {
        ImGui::TextColored(browse->missed ? ACCENT_TEXT : ImGui::GetStyleColorVec4(ImGuiCol_Text), "> %s|", browse->find);
        ImGui::SameLine();
    }
    ImGui::PushTextWrapPos(0);
    ImGui::TextColored(DIM_TEXT, "%s", hint);
    ImGui::PopTextWrapPos();
}

/* A button that opens the folder itself. */
void whole_button(struct app *app)
{
    char label[64];
    snprintf(label, sizeof label, "Open as %s", app->files.browse.whole);
    ImGui::SameLine();
    if (ImGui::Button(label)) app_browse(app, ".", false);
    widget(app, "browse whole");
}

} // namespace

void browse_box(struct app *app)
{
    struct browse *browse = &app->files.browse;
    if (!browse->shown) return;
    const float letter = ImGui::CalcTextSize("0").x, line = ImGui::GetTextLineHeightWithSpacing();
    const float room = (float)app->width - 16 * (float)app->scale, wanted = LETTERS * letter;
    const float high = (float)app->height - 6 * line, rows = ROWS * line;
    ImGui::SetNextWindowPos(ImVec2((float)app->width / 2, (float)app->height / 2), 0, ImVec2(0.5f, 0.5f));
    ImGui::SetNextWindowSize(ImVec2(wanted < room ? wanted : room, 0));
    ImGui::PushStyleColor(ImGuiCol_WindowBg, ImGui::GetStyleColorVec4(ImGuiCol_PopupBg));
    if (ImGui::Begin("browse", NULL, FIXED)) {
        if (ImGui::IsWindowAppearing()) ImGui::SetWindowFocus();
        ImGui::PushTextWrapPos(0);
        ImGui::TextColored(DIM_TEXT, "%s", browse->path);
        ImGui::PopTextWrapPos();
        ImGui::Separator();
        if (ImGui::BeginChild("names", ImVec2(0, rows < high ? rows : high))) name_rows(app);
        ImGui::EndChild();
        typed_line(browse);
        if (ImGui::Button("Cancel")) app_close_browse(app);
        widget(app, "browse cancel");
        if (browse->whole) whole_button(app);
        else if (app->files.look.busy && app->files.look.told) {
            ImGui::SameLine();
            ImGui::TextColored(DIM_TEXT, "looking for a volume made of these files ...");
        }
    }
    ImGui::End();
    ImGui::PopStyleColor();
}
