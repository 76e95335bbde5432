/* Files: the box for RAW files without a shape, the box in an empty window, and the list of recent files. */
#include "panel_parts.h"
#include "app_files.h"
#include "panel.h"

#include "formats.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

namespace
{

const float BOX_PIXELS = 560, PREVIEW_PIXELS = 200, MARGIN = 8; /* at scale 1; the last: above and below a box */

/* Places a box in the middle of the scene, no wider than the window. */
void begin_box(const struct app *app)
{
    const float left = (float)app->scene[0], room = (float)app->width - left, wanted = BOX_PIXELS * (float)app->scale;
    const bool fits = room >= wanted;
    ImGui::SetNextWindowPos(ImVec2(fits ? left + room / 2 : (float)app->width / 2, (float)app->height / 2), 0,
                            ImVec2(0.5f, 0.5f));
    ImGui::SetNextWindowSize(ImVec2(wanted < (float)app->width ? wanted : (float)app->width, 0));
    ImGui::SetNextWindowBgAlpha(0.97f);
}

const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* A button for each recent file. Returns whether one was pressed, which opens its file. */
bool recent_buttons(struct app *app)
{
    const struct recent *recent = &app->files.recent;
    for (size_t i = 0; i < recent->count && i < RECENT_SHOWN; i++) {
        if (name_item(name_of(recent->file[i].path), (int)i)) {
            const struct recent_file chosen = recent->file[i]; /* a copy: loading changes the list */
            app_load(app, chosen.path);
            return true;
        }
        widget(app, "recent %zu", i);
        if (ImGui::IsItemHovered()) tooltip(recent->file[i].path);
    }
    return false;
}

/* ---- import -------------------------------------------------------------------------------------------------------- */

bool guess_buttons(struct import *import)
{
    bool changed = false;
    for (size_t i = 0; i < import->guesses; i++) {
        const uint64_t *dims = import->guess[i].dims;
        char label[80];
        snprintf(label, sizeof label, "%llu x %llu x %llu##guess", (unsigned long long)dims[0], (unsigned long long)dims[1],
                 (unsigned long long)dims[2]);
        if (i % 3) ImGui::SameLine();
        if (ImGui::Button(label)) {
            memcpy(import->dims, dims, sizeof import->dims);
            changed = true;
        }
    }
    if (!import->guesses) ImGui::TextColored(DIM_TEXT, "no likely shape for this type and offset");
    return changed;
}

bool type_row(const struct app *app, struct import *import)
{
    bool changed = false;
    const bool open = ImGui::BeginCombo("type", stored_types[import->type].name);
    if (!open) widget(app, "import type %s", stored_types[import->type].name); /* an open list has its own last item */
    if (open) {
        window_widget(app, "import types");
        for (int t = 0; stored_types[t].name; t++)
            if (list_item(stored_types[t].name, t == import->type)) {
                import->type = t;
                changed = true;
            }
        ImGui::EndCombo();
    }
    changed |= ImGui::Checkbox("big-endian", &import->big_endian);
    ImGui::SameLine();
    changed |= ImGui::Checkbox("z fastest", &import->z_fastest);
    return changed;
}

bool number_rows(struct import *import)
{
    bool changed = ImGui::InputScalarN("voxels", ImGuiDataType_U64, import->dims, 3);
    changed |= ImGui::InputScalar("offset", ImGuiDataType_U64, &import->offset);
    changed |= ImGui::InputScalarN("spacing", ImGuiDataType_Double, import->spacing, 3, NULL, NULL, "%.6g");
    return changed;
}

/* The picture has the room of a square, whatever its shape, so that the fields stay where they are. It is smaller in a
 * window that is too narrow for it; whether there is a scroll bar makes no difference. */
void preview_picture(const struct app *app, const struct import *import)
{
    const float room = ImGui::GetWindowWidth() - ImGui::GetCursorPosX() - ImGui::GetStyle().ScrollbarSize;
    const float side = fmaxf(1, fminf(room, PREVIEW_PIXELS * (float)app->scale));
    const double w = (double)import->slice_dims[0], h = (double)import->slice_dims[1], most = w > h ? w : h;
    const ImVec2 at = ImGui::GetCursorPos();
    if (import->texture && most > 0)
        ImGui::Image((ImTextureID)(intptr_t)import->texture, ImVec2(side * (float)(w / most), side * (float)(h / most)));
    ImGui::SetCursorPos(at);
    ImGui::Dummy(ImVec2(side, side));
    ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + room);
    ImGui::TextColored(DIM_TEXT, "the slice in the middle");
    ImGui::PopTextWrapPos();
}

/* Whether the file can be read like this, and is read to its end. */
void fit_line(const struct app *app, const struct import *import)
{
    char rest[80];
    snprintf(rest, sizeof rest, "%llu %s after the voxels will be ignored", (unsigned long long)import->left,
             text_word(import->left, "byte", "bytes"));
    const char *text = import->why[0] ? import->why : import->left ? rest : "this fits the file";
    ImGui::TextColored(import->why[0] || import->left ? ACCENT_TEXT : GOOD_TEXT, "%s", text);
    widget(app, "%.40s", text); /* tests read this text from the log */
}

void question_rows(const struct app *app, struct import *import)
{
    ImGui::TextColored(ACCENT_TEXT, "%s", name_of(import->path));
    ImGui::Text("%llu bytes of RAW voxels: how are they laid out?", (unsigned long long)import->bytes);
    ImGui::Separator();
    ImGui::BeginGroup();
    ImGui::PushItemWidth(230 * (float)app->scale);
    bool changed = guess_buttons(import);
    changed |= type_row(app, import);
    changed |= number_rows(import);
    ImGui::PopItemWidth();
    ImGui::EndGroup();
    ImGui::SameLine();
    ImGui::BeginGroup();
    preview_picture(app, import);
    ImGui::EndGroup();
    if (changed) import->changed = true;
    ImGui::PushTextWrapPos(0);
    fit_line(app, import);
    ImGui::PopTextWrapPos();
}

/* All that stands above the box's buttons. It scrolls if the window is too low for it, so that the buttons are in sight.
 * Its height is that of the last frame, which Dear ImGui's storage keeps. */
void questions(struct app *app, struct import *import)
{
    const ImGuiStyle &style = ImGui::GetStyle();
    const float buttons = ImGui::GetFrameHeightWithSpacing() + 2 * style.WindowPadding.y;
    const float room = (float)app->height - buttons - 2 * MARGIN * (float)app->scale;
    const float most = fmaxf(ImGui::GetTextLineHeight(), room);
    ImGuiStorage *storage = ImGui::GetStateStorage();
    const ImGuiID id = ImGui::GetID("questions");
    const float before = storage->GetFloat(id, most);
    if (ImGui::BeginChild(id, ImVec2(0, fminf(before, most)))) {
        question_rows(app, import);
        storage->SetFloat(id, ImGui::GetCursorPosY() - style.ItemSpacing.y);
        if (storage->GetFloat(id) != before) app_mark(app);
    }
    ImGui::EndChild();
}

/* Enter does the same as the button, once the last input is checked. It does not count when the box has just opened, as it
 * may be the key that opened it; nor in a frame that began with an open list, which takes it and is closed by now. */
void take_enter(struct import *import, bool listed)
{
    const bool pressed = ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Enter), false) ||
                         ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_KeyPadEnter), false);
    if (pressed && !ImGui::IsWindowAppearing() && !listed) import->enters = true;
    if (!import->enters || import->changed) return;
    import->opens = import->opens || !import->why[0];
    import->enters = false;
}

/* Puts a small button with this text beside the last item, or below it if that is too long: a name may be. */
void beside_if_room(const char *text)
{
    const ImGuiStyle &style = ImGui::GetStyle();
    const float wide = style.ItemSpacing.x + ImGui::CalcTextSize(text).x + 2 * style.FramePadding.x;
    const float end = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
    if (ImGui::GetItemRectMax().x + wide <= end) ImGui::SameLine();
}

} // namespace

void import_box(struct app *app)
{
    struct import *import = &app->files.import;
    if (!import->shown) return;
    const bool listed = panel_has_popup();
    begin_box(app);
    if (ImGui::Begin("import", NULL, FIXED | ImGuiWindowFlags_AlwaysAutoResize)) {
        questions(app, import);
        if (ImGui::Button("Cancel")) import->cancels = true;
        widget(app, "import cancel");
        ImGui::SameLine();
        if (!import->why[0] && ImGui::Button("Open")) import->opens = true;
        if (!import->why[0]) widget(app, "import open");
        take_enter(import, listed);
        if (import->changed || import->opens || import->cancels) app_mark(app);
        window_widget(app, "import");
    }
    ImGui::End();
}

void empty_box(struct app *app)
{
    char formats[512];
    if (app->live.volume.grid.voxels || app->live.work.task == LIVE_LOAD || app->files.import.shown) return;
    begin_box(app);
    if (ImGui::Begin("no file", NULL, FIXED | ImGuiWindowFlags_AlwaysAutoResize)) {
        ImGui::TextColored(ACCENT_TEXT, "Drop a volume file or a folder here");
        ImGui::PushTextWrapPos(0);
        ImGui::TextColored(DIM_TEXT, "%s, a Zarr folder, or a folder of DICOM files or slices",
                           format_list(formats, sizeof formats));
        ImGui::PopTextWrapPos();
        if (ImGui::Button("Open...")) app_ask_file(app);
        widget(app, "open");
        char help[8];
        keys_short_name(keys_find(key_flip_help, 0), help);
        ImGui::TextColored(DIM_TEXT, "%s shows all keys", help);
        if (app->files.recent.count) {
            ImGui::Separator();
            ImGui::TextUnformatted("Recent files");
            recent_buttons(app);
        }
    }
    ImGui::End();
}

void recent_menu(struct app *app)
{
    beside_if_room("open");
    if (ImGui::SmallButton("open")) app_ask_file(app);
    widget(app, "open");
    if (ImGui::IsItemHovered()) key_tooltip(keys_find(key_ask_file, 0), "");
    if (!app->files.recent.count) return;
    beside_if_room("recent");
    if (ImGui::SmallButton("recent")) ImGui::OpenPopup("recent files");
    widget(app, "recent");
    if (ImGui::BeginPopup("recent files")) {
        if (recent_buttons(app)) ImGui::CloseCurrentPopup();
        ImGui::EndPopup();
    }
}
