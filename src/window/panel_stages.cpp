/* The panel's table of stages: the rung and the times of each. */
#include "panel_parts.h"
#include "app_actions.h"
#include "app_turn.h"
#include "app_value.h"

#include <stdio.h>
#include <string.h>

namespace
{

/* The columns ms and median; then MB, GB/s and %, or, while times are pinned, the pinned median and the gain. bytes: moved
 * by the stage; 0: not known. */
void time_cells(const struct app *app, int row, double bytes)
{
    const struct lab *lab = &app->lab;
    const struct series *times = lab_series(&lab->shown, row), *pin = lab->pinned ? lab_series(&lab->pin, row) : NULL;
    const double last = times ? series_last(times) : 0, median = times ? series_median(times) : 0;
    const double rate = last > 0 ? bytes / last * 1e-6 : 0, copy = row < STAGE_ALL ? lab->shown.copy_rate : 0;
    const double plain[] = { last, median, last > 0 ? bytes * 1e-6 : 0, rate, copy > 0 ? 100 * rate / copy : 0 };
    const double pinned[] = { last, median, pin ? series_median(pin) : 0, lab_gain(lab, row) };
    const bool cold = lab_is_cold(&lab->shown, row);
    for (int i = 0; i < (lab->pinned ? 4 : 5); i++) {
        const double number = lab->pinned ? pinned[i] : plain[i];
        char text[48];
        if (number <= 0) snprintf(text, sizeof text, "-");
        else if (i == 4) snprintf(text, sizeof text, "%.0f", number);
        else number_text(text, sizeof text, number);
        if (lab->pinned && i == 3 && number > 0) memmove(text + 1, text, strlen(text) + 1), text[0] = 'x';
        ImGui::TableNextColumn();
        right_text(text, number <= 0 || cold);
        if (times && i == 1 && median > 0 && ImGui::IsItemHovered()) {
            snprintf(text, sizeof text, cold ? "of the first run, which is cold" : "median of %u", times->count);
            tooltip(text);
        }
        if (lab->pinned && i == 2 && number > 0 && ImGui::IsItemHovered()) tooltip(lab_rung(&lab->pin, row));
    }
}

/* The rung's name. A click opens the whole ladder. */
void rung_cell(struct app *app, enum stage stage)
{
    const struct rung *present = app->wish.rung[stage], *rung;
    const struct ladder *ladder = ladder_of(stage_name[stage]);
    ImGui::PushID(stage);
    ImGui::PushStyleColor(ImGuiCol_Text, present->is_default ? GOOD_TEXT : ACCENT_TEXT);
    if (ImGui::Selectable(present->name)) ImGui::OpenPopup("ladder");
    ImGui::PopStyleColor();
    if (ImGui::IsItemHovered()) tooltip(present->idea);
    if (ImGui::BeginPopup("ladder")) {
        ImGui::TextColored(DIM_TEXT, "%s: %s", ladder->op, ladder->job);
        for (size_t i = 0; (rung = ladder_rung(ladder, app->wish.backend, i)); i++) {
            char text[256];
            const char *why = rung_unavailable(rung, &app->live.iso.exec);
            snprintf(text, sizeof text, "%-10s %s%s", rung->name, why ? why : rung->idea,
                     rung->is_default ? " (default)" : "");
            const ImGuiSelectableFlags flags = why ? ImGuiSelectableFlags_Disabled : ImGuiSelectableFlags_None;
            if (list_item(text, rung == present, flags)) app_set_rung(app, stage, rung);
        }
        ImGui::EndPopup();
    }
    ImGui::PopID();
}

void key_cell(const char *key)
{
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextColored(ACCENT_TEXT, "%s", key);
    ImGui::TableNextColumn();
}

/* The name of a stage or side op, short enough for its column. A click opens the card of its rung, and lets the arrows
 * change the rung of this row. */
void stage_cell(struct app *app, enum stage stage)
{
    const char *const name = stage == AUX_MARCHING_SQUARES ? "m. squares" : stage_name[stage];
    ImGui::PushID(stage);
    if (ImGui::Selectable(name, app->lab.row == (int)stage)) {
        app->lab.row = stage;
        app_show_card(app, stage);
    }
    ImGui::PopID();
    widget(app, "stage %s", stage_name[stage]);
    if (app->lab.moved && app->lab.row == (int)stage) {
        ImGui::SetScrollHereY();
        app->lab.moved = false;
    }
    if (ImGui::IsItemHovered()) tooltip("click: what its rung does, and the code");
    ImGui::TableNextColumn();
}

void other_row(const struct app *app, int row, const char *how, const char *why, double bytes)
{
    key_cell("");
    ImGui::TextUnformatted(lab_name(row));
    ImGui::TableNextColumn();
    ImGui::TextColored(DIM_TEXT, "%s", how);
    if (why && ImGui::IsItemHovered()) tooltip(why);
    time_cells(app, row, bytes);
}

const struct column {
    const char *head, *hint;
    float letters;
} columns[] = { { "", NULL, 1.0f },
                { "stage", NULL, 11.2f },
                { "rung", "click: all rungs of the stage; green: the default", 9.0f },
                { "ms", "the last run; dim: it was the first one, and cold", 5.2f },
                { "median", "of the last 120 runs with these rungs, on this volume", 6.2f },
                { "MB", "that this rung had to move in the last run", 5.2f },
                { "GB/s", "MB / ms", 5.2f },
                { "%", "of the rate of a plain copy on the same memory", 4.2f } };

const struct column pinned_columns[] = { { "pinned", "the median that was pinned", 7.2f },
                                         { "times", "as fast as the pinned one, by the medians", 7.4f } };

/* Finds the columns, and returns their number. While times are pinned, their columns replace the last ones. */
int find_columns(const struct app *app, struct column found[8])
{
    const int plain = app->lab.pinned ? 5 : 8;
    int count = 0;
    for (int i = 0; i < plain; i++) found[count++] = columns[i];
    for (int i = 0; app->lab.pinned && i < 2; i++) found[count++] = pinned_columns[i];
    return count;
}

void stage_header(const struct column *found, int count)
{
    const float unit = ImGui::CalcTextSize("0").x;
    for (int i = 0; i < count; i++)
        ImGui::TableSetupColumn(found[i].head,
                                i == 2 ? ImGuiTableColumnFlags_WidthStretch : ImGuiTableColumnFlags_WidthFixed,
                                found[i].letters * unit);
    ImGui::TableNextRow();
    for (int i = 0; i < count; i++) {
        ImGui::TableNextColumn();
        if (i > 2) right_text(found[i].head, true);
        else ImGui::TextColored(DIM_TEXT, "%s", found[i].head);
        if (found[i].hint && ImGui::IsItemHovered()) tooltip(found[i].hint);
    }
}

void rung_row(struct app *app, const char *key, enum stage stage)
{
    key_cell(key);
    stage_cell(app, stage);
    rung_cell(app, stage);
    time_cells(app, stage, (double)app->lab.shown.stage[stage].bytes);
}

/* For the row whose rung the arrows change: what it is for, or why it has no time. */
void row_line(const struct app *app)
{
    char text[256];
    const enum stage stage = (enum stage)app->lab.row;
    const bool lacks = keys_explain_untimed(app, stage, text, sizeof text);
    ImGui::PushTextWrapPos(0);
    if (lacks) ImGui::TextColored(DIM_TEXT, "%s: %s", stage_name[stage], text);
    else ImGui::TextColored(DIM_TEXT, "%s: %s", stage_name[stage], ladder_of(stage_name[stage])->job);
    ImGui::PopTextWrapPos();
    widget(app, "row line");
}

/* Begins a table of rows. False: it is not visible. */
bool begin_rows(const struct app *app, const char *id)
{
    struct column found[8];
    const int count = find_columns(app, found);
    char name[32];
    snprintf(name, sizeof name, "%s%s", id, app->lab.pinned ? ", pinned" : ""); /* its columns differ */
    if (!ImGui::BeginTable(name, count, ImGuiTableFlags_SizingFixedFit)) return false;
    stage_header(found, count);
    return true;
}

} // namespace

void stages_section(struct app *app)
{
    static const char *const way[] = { "mapped", "staged", "shared" };
    const struct mesh *mesh = &app_surface(app)->mesh;
    char who[256];
    if (!begin_rows(app, "stages")) return;
    for (int s = 0; s < STAGE_COUNT; s++) {
        char key[8];
        keys_short_name(keys_find(key_next_rung, s), key);
        rung_row(app, key, (enum stage)s);
    }
    other_row(app, LAB_MAP, way[mesh->way], NULL,
              mesh->way == MESH_STAGED ? 16.0 * (double)mesh->vertices + 12.0 * (double)mesh->triangles : 0);
    const enum raster_way drew = app->render.culled ? RASTER_CULLED : app->render.raster.drew;
    render_who(&app->render, who, sizeof who);
    other_row(app, LAB_DRAW, raster_way_name[drew ? drew : RASTER_OPENGL], who, 0);
    ImGui::EndTable();
    const struct lab_times *pin = &app->lab.pin;
    if (app->lab.pinned)
        ImGui::TextColored(DIM_TEXT, "pinned: %s at %.*g, on %s", pin->volume, app_value_digits(app), pin->value,
                           backends[pin->backend]->name);
    if (app->lab.row < STAGE_COUNT) row_line(app);
}

void side_section(struct app *app)
{
    if (!begin_rows(app, "side")) return;
    for (int s = STAGE_COUNT; s < STAGE_ALL; s++) rung_row(app, "", (enum stage)s);
    ImGui::EndTable();
    if (app->lab.row >= STAGE_COUNT) row_line(app);
    if (action_button(app, "vertices by gemm", app->lab.gemm, key_flip_gemm, "")) app_flip_gemm(app);
    if (!app->lab.gemm) return;
    const char *const lacks = app_lacks_gemm(app);
    char gemm[32], map[32];
    number_text(gemm, sizeof gemm, app->turned.made_ms);
    number_text(map, sizeof map, app->turned.map_ms);
    ImGui::PushTextWrapPos(0);
    if (lacks) ImGui::TextColored(DIM_TEXT, "not now: %s", lacks);
    else ImGui::TextColored(DIM_TEXT, "the last view: gemm %s ms; to OpenGL and back %s ms", gemm, map);
    ImGui::PopTextWrapPos();
}
