/* The panel's times of frames and stages: the parts of the last frame, what limits it, and the course of the last 120. */
#include "panel_parts.h"
#include "text.h"

#include <stdio.h>

namespace
{

/* Colours of a frame's parts, all equally light, for both themes. The last part is not our own work. */
const ImU32 part_colour[FRAME_PARTS] = { IM_COL32(86, 180, 140, 255),  IM_COL32(90, 150, 220, 255),
                                         IM_COL32(214, 150, 66, 255),  IM_COL32(190, 110, 180, 255),
                                         IM_COL32(140, 140, 148, 255), IM_COL32(90, 90, 98, 255) };

/* Draws a frame as one bar. A bar of `scale` ms would be `width` wide. */
void bar(float left, float width, const struct frame &frame, double scale)
{
    const float top = ImGui::GetCursorScreenPos().y, height = ImGui::GetTextLineHeight();
    ImDrawList *list = ImGui::GetWindowDrawList();
    double before = 0;
    for (int i = 0; i < FRAME_PARTS; i++) {
        const float from = left + width * (float)(before / scale);
        before += frame.part[i];
        const float to = left + width * (float)(before / scale);
        if (to > from) list->AddRectFilled(ImVec2(from, top), ImVec2(to, top + height), part_colour[i]);
    }
}

void worker_bar(float left, float width, double ms, double scale)
{
    const float top = ImGui::GetCursorScreenPos().y, height = ImGui::GetTextLineHeight();
    ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(left, top), ImVec2(left + width * (float)(ms / scale), top + height),
                                              part_colour[FRAME_COMPUTE]);
}

/* A line with the name of a bar, the bar, and its ms. The bar takes the room that is left. */
void bar_row(const char *name, const struct frame *frame, double ms, double scale)
{
    const float letter = ImGui::CalcTextSize("0").x, start = ImGui::GetCursorScreenPos().x;
    const float left = start + 8 * letter, width = ImGui::GetContentRegionAvail().x - 18 * letter;
    char text[32];
    if (frame) bar(left, width, *frame, scale);
    else worker_bar(left, width, ms, scale);
    ImGui::TextColored(DIM_TEXT, "%s", name);
    number_text(text, sizeof text, ms);
    ImGui::SameLine(left + width + letter - ImGui::GetWindowPos().x);
    ImGui::Text("%s ms", text);
}

/* Names and ms of the parts, in their colours, wrapped at the panel's end. */
void part_names(const struct frame *frame)
{
    const float right = ImGui::GetWindowPos().x + ImGui::GetContentRegionMax().x, letter = ImGui::CalcTextSize("0").x;
    for (int i = 0; i < FRAME_PARTS; i++) {
        char ms[32], text[64];
        number_text(ms, sizeof ms, frame->part[i]);
        snprintf(text, sizeof text, "%s %s", frame_part_name[i], frame->part[i] > 0 ? ms : "-");
        const float wanted = ImGui::CalcTextSize(text).x + 5 * letter;
        if (i && ImGui::GetItemRectMax().x + wanted < right) ImGui::SameLine(0, 1.5f * letter);
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const float size = 0.7f * ImGui::GetTextLineHeight(), down = at.y + 0.18f * ImGui::GetTextLineHeight();
        ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(at.x, down), ImVec2(at.x + size, down + size), part_colour[i]);
        ImGui::Dummy(ImVec2(size, 0));
        ImGui::SameLine(0, 0.5f * letter);
        ImGui::TextUnformatted(text);
    }
}

void last_frame(const struct app *app)
{
    const struct frame *frame = frames_last(&app->lab.shown.frames);
    char text[256];
    if (!frame) {
        ImGui::TextColored(DIM_TEXT, "no scene was drawn since the volume or the backend changed");
        return;
    }
    const double scale = frame->worker > frame->ms ? frame->worker : frame->ms;
    bar_row("frame", frame, frame->ms, scale);
    widget(app, "bar frame");
    if (frame->worker > 0) bar_row("worker", NULL, frame->worker, scale);
    part_names(frame);
    frame_explain(frame, series_last(&app->lab.shown.draw), text, sizeof text);
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(text);
    if (app->lab.shown.frames.quiet)
        ImGui::TextColored(DIM_TEXT, "since then %u %s drew the panel or smoother edges alone", app->lab.shown.frames.quiet,
                           text_word(app->lab.shown.frames.quiet, "frame", "frames"));
    ImGui::PopTextWrapPos();
}

/* Plots the values, oldest first, from 0 to `most`. The lines are median and P99. */
void spark(const struct series *series, double most)
{
    const ImVec2 low = ImGui::GetCursorScreenPos();
    const ImVec2 size(ImGui::GetContentRegionAvail().x, ImGui::GetTextLineHeight());
    ImDrawList *list = ImGui::GetWindowDrawList();
    const double scale = most > 0 ? most : 1, p99 = series_percentile(series, 99);
    const float across = low.y + size.y * (1 - (float)(p99 / scale));
    list->AddRectFilled(low, ImVec2(low.x + size.x, low.y + size.y), ImGui::GetColorU32(ImGuiCol_FrameBg));
    list->AddLine(ImVec2(low.x, across), ImVec2(low.x + size.x, across), ImGui::GetColorU32(ImGuiCol_Separator));
    for (unsigned i = 0; i < series->count; i++) {
        const float wide = size.x / SERIES_LENGTH, x = low.x + wide * (float)(SERIES_LENGTH - series->count + i);
        const float y = low.y + size.y * (1 - (float)(series_at(series, i) / scale));
        list->AddRectFilled(ImVec2(x, y < low.y + size.y - 1 ? y : low.y + size.y - 1), ImVec2(x + wide, low.y + size.y),
                            ImGui::GetColorU32(ImGuiCol_PlotLines));
    }
    ImGui::Dummy(size);
}

void series_row(const struct app *app, int row)
{
    const struct series *series = lab_series(&app->lab.shown, row);
    if (!series || !series->count) return;
    const double most = series_percentile(series, 100);
    const double numbers[] = { series_median(series), series_percentile(series, 90), series_percentile(series, 99) };
    char text[160], low[32], high[32];
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(row == AUX_MARCHING_SQUARES ? "m. squares" : lab_name(row));
    ImGui::TableNextColumn();
    spark(series, most);
    if (ImGui::IsItemHovered()) {
        number_text(low, sizeof low, series_percentile(series, 0));
        number_text(high, sizeof high, most);
        snprintf(text, sizeof text, "the last %u, the newest at the right: %s to %s ms. The line is P99", series->count,
                 low, high);
        tooltip(text);
    }
    widget(app, "spark %s", lab_name(row));
    for (double number : numbers) {
        ImGui::TableNextColumn();
        number_text(text, sizeof text, number);
        right_text(text, false);
    }
}

void sparks(const struct app *app)
{
    static const char *const heads[] = { "", "ms, up to the largest", "median", "P90", "P99" };
    static const int first[] = { LAB_FRAME, LAB_COMPUTE, LAB_DRAW, LAB_MAP };
    const float letter = ImGui::CalcTextSize("0").x;
    if (!ImGui::BeginTable("sparks", 5, ImGuiTableFlags_SizingFixedFit)) return;
    for (int i = 0; i < 5; i++)
        ImGui::TableSetupColumn(heads[i], i == 1 ? ImGuiTableColumnFlags_WidthStretch : ImGuiTableColumnFlags_WidthFixed,
                                (i ? 6.2f : 11.2f) * letter);
    ImGui::TableNextRow();
    for (int i = 0; i < 5; i++) {
        ImGui::TableNextColumn();
        if (i > 1) right_text(heads[i], true);
        else ImGui::TextColored(DIM_TEXT, "%s", heads[i]);
    }
    for (int row : first) series_row(app, row);
    for (int row = 0; row < STAGE_ALL; row++) series_row(app, row);
    ImGui::EndTable();
}

} // namespace

bool action_button(const struct app *app, const char *text, bool on, void (*action)(struct app *app, double argument),
                   const char *more)
{
    const struct key *key = keys_find(action, 0);
    char own[24], hint[400];
    keys_own_name(key, own);
    ImGui::PushStyleColor(ImGuiCol_Text, on ? ACCENT_TEXT : ImGui::GetStyleColorVec4(ImGuiCol_Text));
    const bool pressed = ImGui::Button(text);
    ImGui::PopStyleColor();
    widget(app, "action %s", text);
    snprintf(hint, sizeof hint, "%s%s%s%s%s", own, *own ? ": " : "", palette_title(key), *more ? ". " : "", more);
    if (ImGui::IsItemHovered()) tooltip(hint);
    return pressed;
}

void times_section(struct app *app)
{
    struct {
        const char *text;
        bool on;
        void (*action)(struct app *app, double unused);
        const char *more;
    } buttons[] = { { app->lab.paused ? "go on" : "pause", app->lab.paused, key_pause_lab, "" },
                    { app->lab.pinned ? "unpin" : "pin", app->lab.pinned, key_pin_lab,
                      "The table of stages then shows the pinned medians, and how many times as fast each row is now" },
                    { "copy", false, key_copy_lab, "" },
                    { app->lab.log.file ? "end log" : "log", app->lab.log.file != NULL, key_log_lab, "" } };
    last_frame(app);
    for (const auto &button : buttons) {
        if (&button != buttons) ImGui::SameLine();
        if (action_button(app, button.text, button.on, button.action, button.more)) button.action(app, 0);
    }
    sparks(app);
}
