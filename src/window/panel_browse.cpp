/* The list of folders and volumes, where the desktop has no dialog for opening files. */
#include "panel_parts.h"

#include <stdio.h>

namespace
{

const float LETTERS = 60, ROWS = 18;

/* A row for each name; true: one was taken, and the list is another. */
bool name_rows(struct app *app, const struct folder *folder, bool is_folder)
{
    for (size_t i = 0; i < folder->count; i++) {
        char label[300], name[300];
        snprintf(name, sizeof name, "%.255s", folder->names[i]);
        snprintf(label, sizeof label, "%.255s%s##%s", name, is_folder ? "/" : "", is_folder ? "folder" : "file");
        ImGui::PushStyleColor(ImGuiCol_Text, is_folder ? ACCENT_TEXT : ImGui::GetStyleColorVec4(ImGuiCol_Text));
        const bool taken = ImGui::Selectable(label);
        ImGui::PopStyleColor();
        widget(app, "browse %.36s", name);
        if (!taken) continue;
        app_browse(app, name, is_folder);
        return true;
    }
    return false;
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
        bool taken = false;
        if (ImGui::BeginChild("names", ImVec2(0, rows < high ? rows : high))) {
            if (browse->fresh) ImGui::SetScrollY(0);
            browse->fresh = false;
            if (ImGui::Selectable("../")) app_browse(app, "..", true), taken = true;
            widget(app, "browse up");
            taken = taken || name_rows(app, &browse->folders, true) || name_rows(app, &browse->files, false);
            if (!taken && !browse->files.count) ImGui::TextColored(DIM_TEXT, "no volume in this folder");
        }
        ImGui::EndChild();
        if (ImGui::Button("Cancel")) app_close_browse(app);
        widget(app, "browse cancel");
        ImGui::SameLine();
        if (ImGui::Button("Open as a folder of slices")) app_browse(app, ".", false);
    }
    ImGui::End();
    ImGui::PopStyleColor();
}
