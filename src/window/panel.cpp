/* The panel. */
#include "panel.h"
#include "app_lab.h"
#include "app_slices.h"
#include "app_surfaces.h"
#include "app_value.h"
#include "caret.h"
#include "panel_parts.h"
#include "timing.h"

#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>

#include <GLFW/glfw3.h>
#include <imgui_internal.h> /* ClosePopupToLevel: no public function closes a popup from outside */

#include <math.h>
#include <stdio.h>
#include <string.h>

namespace
{

const float LEAST_TIME = 1e-6f; /* seconds between two frames: Dear ImGui does not accept 0 */

const ImGuiWindowFlags BEHIND = FIXED | ImGuiWindowFlags_NoBringToFrontOnFocus; /* boxes stay above it after a click */

const struct section {
    enum panel_page page;
    const char *title;
    void (*draw)(struct app *app);
    bool folded; /* at first */
} sections[] = {
    { PAGE_VIEW, "Surface", surface_section, false }, { PAGE_VIEW, "Slices", slices_section, false },
    { PAGE_VIEW, "Look", look_section, false },       { PAGE_VIEW, "Export", export_section, false },
    { PAGE_LAB, "Stages", stages_section, false },    { PAGE_LAB, "A and B", sets_section, false },
    { PAGE_LAB, "Times", times_section, false },      { PAGE_LAB, "Side ops", side_section, false },
    { PAGE_LAB, "Work", work_section, false },        { PAGE_LAB, "Machine", machine_section, true },
};

/* The pages' names; the present one is lit. */
void tabs(struct app *app)
{
    static const char *const names[PANEL_PAGES] = { "View", "Lab" };
    for (int page = 0; page < PANEL_PAGES; page++) {
        const bool present = page == (int)app->page;
        if (page) ImGui::SameLine(0, 0);
        ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyleColorVec4(present ? ImGuiCol_Button : ImGuiCol_FrameBg));
        ImGui::PushStyleColor(ImGuiCol_Text, present ? ACCENT_TEXT : DIM_TEXT);
        if (ImGui::Button(names[page], ImVec2(90 * (float)app->scale, 0))) app_set_page(app, (enum panel_page)page);
        ImGui::PopStyleColor(2);
        widget(app, "tab %s", app_page_name[page]);
        if (ImGui::IsItemHovered()) key_tooltip(keys_find(key_next_page, 0), "");
    }
}

/* The sections of the present page, which scrolls by itself. A click on a title folds its section. */
void page_sections(struct app *app, float height)
{
    if (ImGui::BeginChild(app_page_name[app->page], ImVec2(0, height))) {
        for (const struct section &section : sections) {
            if (section.page != app->page) continue;
            ImGui::PushStyleColor(ImGuiCol_Text, ACCENT_TEXT);
            const bool open = ImGui::CollapsingHeader(section.title, section.folded ? ImGuiTreeNodeFlags_None
                                                                                    : ImGuiTreeNodeFlags_DefaultOpen);
            ImGui::PopStyleColor();
            widget(app, "section %s", section.title);
            if (open) section.draw(app);
        }
    }
    ImGui::EndChild();
}

/* Always in sight: the times, and hints of keys. */
void footer(const struct app *app)
{
    const struct {
        void (*action)(struct app *app, double argument);
        const char *text;
    } hints[] = { { key_flip_help, "help" },
                  { key_next_page, app->page == PAGE_VIEW ? "lab" : "view" },
                  { key_flip_rungs, "textbook/fastest" },
                  { key_screenshot, "picture" } };
    ImGui::Separator();
    times_line(app);
    for (const auto &hint : hints) {
        char key[8];
        keys_short_name(keys_find(hint.action, 0), key);
        ImGui::TextColored(DIM_TEXT, "%s %s", key, hint.text);
        ImGui::SameLine(0, 2 * ImGui::CalcTextSize(" ").x);
    }
    ImGui::TextColored(DIM_TEXT, "drop a file");
    widget(app, "hints");
}

/* Volume, value and footer are always in sight; the part between them scrolls. */
void full_panel(struct app *app)
{
    const float foot = 2 * ImGui::GetTextLineHeightWithSpacing() + 2 * ImGui::GetStyle().ItemSpacing.y;
    ImGui::SetNextWindowPos(ImVec2(0, 0));
    ImGui::SetNextWindowSize(ImVec2((float)app_panel_over(app), (float)app->height));
    if (ImGui::Begin("panel", NULL, BEHIND)) {
        volume_section(app);
        ImGui::Spacing();
        value_section(app);
        ImGui::Spacing();
        tabs(app);
        const float room = ImGui::GetContentRegionAvail().y - foot, least = 4 * ImGui::GetTextLineHeightWithSpacing();
        page_sections(app, room > least ? room : least);
        footer(app);
    }
    ImGui::End();
}

void line_text(const struct app *app, char *text, size_t size, const char *compute, const char *draw)
{
    char value[32], triangles[40], coarse[40] = "", open[32] = "", key[8];
    keys_short_name(keys_find(key_next_panel, 0), key);
    if (app->panel == PANEL_FULL) snprintf(open, sizeof open, "   %s twice: panel", key); /* no room for it now */
    value_text(app, value, sizeof value, app_value(app));
    if (is_made(app)) count_text(triangles, sizeof triangles, app_surface(app)->mesh.triangles);
    else snprintf(triangles, sizeof triangles, "-");
    if (app_shows_coarse(app)) snprintf(coarse, sizeof coarse, "   shown: coarse 1/%u", app_surface(app)->drawn.step);
    snprintf(text, size, "%s   value %s   %s triangles   compute %s ms (%s)   draw %s ms%s%s%s", app->live.volume.name,
             value, triangles, compute, app->live.iso.ops->name, draw, app->gl.is_software ? " (software rendering)" : "",
             coarse, open);
}

/* The view is fitted below the line. The line counts as high as it would be with the longest times; otherwise the view would
 * depend on how fast this surface was made, and on whether its times are known yet. before: the line's height in the last
 * frame; 0: the line is new. */
void line_panel(struct app *app, int before)
{
    char compute[16], draw[16], text[sizeof app->live.volume.name + 320], longest[sizeof text];
    float missing = 0;
    number_text(compute, sizeof compute, series_last(&app->live.times.compute));
    number_text(draw, sizeof draw, series_last(&app->draw));
    line_text(app, text, sizeof text, compute, draw);
    line_text(app, longest, sizeof longest, "0.000", "0.000");
    ImGui::SetNextWindowPos(ImVec2(0, 0));
    ImGui::SetNextWindowSize(ImVec2((float)app->width, 0));
    ImGui::SetNextWindowBgAlpha(0.72f);
    if (ImGui::Begin("line", NULL, BEHIND | ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoInputs)) {
        missing = wrapped_height(longest) - wrapped_height(text);
        wrapped_text(text); /* the other kind divides numbers at their point */
        window_widget(app, "line");
    }
    app->line_height = (int)(ImGui::GetWindowHeight() + (missing > 0 ? missing : 0));
    if (app->fit && !before) app_mark_scene(app); /* the camera was fitted without it */
    ImGui::End();
}

/* GLFW's screen units, in which it gives the mouse, may be several pixels wide. Here Dear ImGui counts pixels, as all of the
 * window does. */
ImVec2 in_pixels(const struct app *app, const ImVec2 &at)
{
    return ImVec2(at.x * (float)app->pixels, at.y * (float)app->pixels);
}

/* Dear ImGui sees one press or release a frame, with the mouse where it was then. Otherwise a release and the next press in
 * one long frame would be no release, and the mouse on its way to the next button would drag the slider left behind. A
 * slider ignores the mouse in the frame of the release, so the release waits for one frame if the mouse has moved. */
void take_press(struct app *app, bool held)
{
    ImGuiIO &io = ImGui::GetIO();
    struct tape *tape = &app->tape;
    const struct tape_press *next = tape->presses ? &tape->press[0] : NULL;
    const double *const at = next ? next->at : tape->cursor;
    const ImVec2 before = io.MousePos, now = in_pixels(app, ImVec2((float)at[0], (float)at[1]));
    if (held || tape->plays) io.MousePos = ImVec2(floorf(now.x), floorf(now.y)); /* as it rounds anyway */
    const bool moved = io.MousePos.x != before.x || io.MousePos.y != before.y;
    for (int button = 0; button < ImGuiMouseButton_COUNT && !next; button++)
        io.MouseDown[button] = tape_button(tape, button);
    if (!next) return;
    if (next->down || !moved) {
        if (next->button < ImGuiMouseButton_COUNT) io.MouseDown[next->button] = next->down;
        tape_seen(tape);
    }
    app_mark(app); /* the next frame sees more */
}

/* Dear ImGui's backend asks the display four questions a frame: the sizes, the focus, and where the mouse is. The answer
 * about the mouse may be ahead of the events. So while a button is down, and in the frame in which it is released, nothing
 * is asked and the mouse is where the events say. This has three effects: a drag ends where the button was released; a
 * replay ends it there too; and computing does not wait until the display has shown the last picture. In a replay the mouse
 * is always where the events say. */
void take_input(struct app *app)
{
    ImGuiIO &io = ImGui::GetIO();
    struct tape *tape = &app->tape;
    const bool held = ImGui::IsAnyMouseDown() || tape->down || tape->presses; /* in the last frame or since */
    const double now = timing_ms();
    if (!held) ImGui_ImplGlfw_NewFrame();
    if (!held && ImGui::IsMousePosValid()) io.MousePos = in_pixels(app, io.MousePos);
    io.DisplaySize = ImVec2((float)app->width, (float)app->height);
    io.DisplayFramebufferScale = ImVec2(1, 1);
    io.DeltaTime = fmaxf(LEAST_TIME, (float)(1e-3 * (now - app->panel_time)));
    app->panel_time = now;
    take_press(app, held);
}

/* Between two frames: applies a change of scale or theme. */
void restyle(struct app *app)
{
    if (app->styled_scale == app->scale && app->styled_theme == app->theme) return;
    set_style((float)app->scale, app->theme);
    if (app->styled_scale != app->scale) {
        load_font((float)app->scale);
        ImGui_ImplOpenGL3_DestroyFontsTexture();
        ImGui_ImplOpenGL3_CreateFontsTexture();
    }
    app->styled_scale = app->scale, app->styled_theme = app->theme;
}

/* The slider or the field of the RAW box that is being typed into; 0: none. These take each change of the text at once. */
ImGuiID number_field(const struct app *app)
{
    const ImGuiContext *g = ImGui::GetCurrentContext();
    const bool number = g->ActiveId == g->TempInputId || app->files.import.shown;
    return number && g->ActiveId == g->InputTextState.ID ? g->ActiveId : 0;
}

void say_dropped(struct app *app)
{
    for (const ImWchar letter : ImGui::GetIO().InputQueueCharacters)
        if (letter >= ' ' && (letter > '~' || !strchr("0123456789.-+*/eE", (int)letter)))
            app_notice(app, "a field for a number takes digits, a point and a sign, no other characters");
}

/* After a field was left: if its text was no number, says that it keeps its old one. */
void say_unread(struct app *app)
{
    const struct number &number = app->number;
    const bool reverts = ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape));
    if (!reverts && strcmp(number.text, number.first) != 0 && !strpbrk(number.text, "0123456789"))
        app_notice(app, "'%s' is not a number", number.text);
}

void follow_number(struct app *app)
{
    struct number &number = app->number;
    const ImGuiID before = number.field;
    const char *const text = ImGui::GetCurrentContext()->InputTextState.TextA.Data;
    number.field = number_field(app);
    if (before && number.field != before) say_unread(app);
    if (number.field) say_dropped(app);
    if (number.field) snprintf(number.text, sizeof number.text, "%s", text ? text : "");
    if (number.field && number.field != before) memcpy(number.first, number.text, sizeof number.first);
}

/* Shows Dear ImGui what was typed and tapped since its last frame, in the order in which it came. Within a frame, Dear ImGui
 * takes all text before any key, and drops text while Control is down. So a frame shows it text, then the taps after this
 * text that have the same modifiers; the rest waits for the next frame. An open list sees one tap a frame, because there the
 * order of taps counts. Between two taps of a key comes a frame with the key up. Returns the number of taps shown. */
int show_keys(struct input *input)
{
    ImGuiIO &io = ImGui::GetIO();
    struct tap *const taps = input->taps;
    const struct tap first = taps[0];
    const int count = input->tap_count, typed = count ? first.typed : input->typed_count;
    io.InputQueueCharacters.resize(0); /* the backend's */
    for (int i = 0; i < typed; i++) io.AddInputCharacter(input->typed[i]);
    input->typed_count -= typed;
    memmove(input->typed, input->typed + typed, (size_t)input->typed_count * sizeof input->typed[0]);
    for (int i = 0; i < count; i++) {
        taps[i].typed -= typed;
        io.KeysDown[taps[i].key] = false;
    }
    if (typed && first.modifiers & GLFW_MOD_CONTROL) return 0;
    const int most = panel_has_popup() && count > 1 ? 1 : count;
    for (int i = 0; i < most; i++) {
        const bool again = io.KeysDown[taps[i].key] || io.KeysDownDuration[taps[i].key] >= 0;
        if (again || taps[i].modifiers != first.modifiers || taps[i].typed) return i;
        io.KeysDown[taps[i].key] = true;
    }
    return most;
}

/* Tells Dear ImGui the modifiers of the press and the `shown` taps of this frame. Its backend reports those that are down
 * now, which may have been pressed later. Text comes without modifiers. */
void show_modifiers(const struct app *app, int shown)
{
    ImGuiIO &io = ImGui::GetIO();
    const struct tape *tape = &app->tape;
    const int tapped = shown ? app->input.taps[0].modifiers : 0, pressed = tape->presses ? tape->press[0].modifiers : 0;
    const bool past = app->input.tap_count || tape->presses || io.InputQueueCharacters.Size;
    const int modifiers = past ? tapped | pressed : tape_modifiers(tape);
    io.KeyShift = modifiers & GLFW_MOD_SHIFT;
    io.KeyCtrl = modifiers & GLFW_MOD_CONTROL;
    io.KeyAlt = modifiers & GLFW_MOD_ALT;
    io.KeySuper = modifiers & GLFW_MOD_SUPER;
}

/* Begins Dear ImGui's frame, and corrects five of its habits. It looks at keys only once a frame, so it would miss a quick
 * tap, or the Control of a quick click. In fields for numbers it drops commas without a message, so that 12,5 would
 * become 125; it drops letters in the same way. If no field has the keyboard, Tab would give it to one. And keys move
 * through all controls or none; here they move through open lists. */
void begin_frame(struct app *app)
{
    restyle(app);
    ImGuiIO &io = ImGui::GetIO();
    struct input *input = &app->input;
    io.ConfigInputTextCursorBlink = app_caret_blinks(app);
    ImGui_ImplOpenGL3_NewFrame();
    const int shown = show_keys(input);
    show_modifiers(app, shown);
    take_input(app);
    for (ImWchar &letter : io.InputQueueCharacters) letter = letter == ',' ? '.' : letter;
    follow_number(app);
    io.KeyMap[ImGuiKey_Tab] = io.WantTextInput ? GLFW_KEY_TAB : -1;
    io.ConfigFlags = panel_has_popup() ? ImGuiConfigFlags_NavEnableKeyboard : ImGuiConfigFlags_None;
    io.KeyMap[ImGuiKey_Space] = panel_has_popup() ? GLFW_KEY_ENTER : GLFW_KEY_SPACE; /* what takes an entry of a list */
    ImGui::NewFrame();
    for (int i = 0; i < input->tap_count; i++) io.KeysDown[input->taps[i].key] = tape_key(&app->tape, input->taps[i].key);
    input->tap_count -= shown;
    memmove(input->taps, input->taps + shown, (size_t)input->tap_count * sizeof input->taps[0]);
    if (input->tap_count || input->typed_count) app_mark(app); /* the next frame sees more */
}

void build(struct app *app)
{
    const bool full = app->live.volume.grid.voxels && app_panel_form(app) == PANEL_FULL;
    begin_frame(app);
    app_follow_lab(app);
    const int line = app->line_height;
    app->line_height = 0;
    if (full) full_panel(app);
    else if (app->live.volume.grid.voxels && app_panel_form(app) == PANEL_LINE) line_panel(app, line);
    if (!full) leave_fields(app);
    if (!full || !ImGui::IsMouseDown(ImGuiMouseButton_Left)) { /* a section that is not drawn cannot let go */
        app_hold_value(app, false);
        app_hold_slice(app, false);
    }
    ruler_lines(app);
    cut_grips(app);
    scene_labels(app); /* drawn over the lines of the crop box */
    gizmo_box(app);
    probe_label(app);
    split_labels(app);
    rung_card(app);
    empty_box(app);
    browse_box(app);
    import_box(app);
    mine_box(app);
    messages(app);
    work_box(app);
    if (app->help) help_window(app);
    palette_window(app);
}

} // namespace

bool panel_open(struct app *app)
{
    const float scale = (float)app->scale;
    IMGUI_CHECKVERSION();
    ImGui::CreateContext();
    ImGui::GetIO().UserData = app;     /* for tooltips, which ask whether a box is open */
    ImGui::GetIO().IniFilename = NULL; /* it would be written to the current folder */
    set_style(scale, app->theme);
    load_font(scale);
    app->styled_scale = app->scale, app->styled_theme = app->theme;
    app->panel_time = timing_ms();
    if (!ImGui_ImplGlfw_InitForOpenGL(app->gl.window, true)) return false;
    return ImGui_ImplOpenGL3_Init("#version 450 core");
}

void panel_close(void)
{
    if (!ImGui::GetCurrentContext()) return;
    if (ImGui::GetIO().BackendRendererUserData) ImGui_ImplOpenGL3_Shutdown();
    if (ImGui::GetIO().BackendPlatformUserData) ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
}

void panel_draw(struct app *app)
{
    build(app);
    ImGui::Render();
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

void panel_follow(struct app *app)
{
    build(app);
    ImGui::EndFrame();
}

bool panel_is_held(const struct app *app)
{
    const bool visible = app->width > 0 && app->height > 0 && app->frame_ms > 0;
    const bool down = app->tape.down || app->tape.presses || ImGui::IsAnyMouseDown(); /* the last: when it was drawn last */
    return visible && app->redraw > 0 && down && app->input.drag == DRAG_NONE;
}

bool panel_has_box(const struct app *app)
{
    return app->help || app->palette.shown || app->files.browse.shown || app->files.import.shown;
}

bool panel_wants_mouse(const struct app *app)
{
    return panel_has_box(app) || !app->live.volume.grid.voxels || ImGui::GetIO().WantCaptureMouse || panel_has_popup();
}

bool panel_has_popup(void) { return ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup); }

bool panel_close_popup(void)
{
    if (!panel_has_popup()) return false;
    ImGui::ClosePopupToLevel(ImGui::GetCurrentContext()->OpenPopupStack.Size - 1, true);
    return true;
}

bool panel_takes_text(void) { return ImGui::GetIO().WantTextInput; }
