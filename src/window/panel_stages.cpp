/* The panel's table of stages: the rung and the times of each. */
#include "panel_parts.h"

#include <stdio.h>

namespace
{

struct stage_row {
    const struct series *times; /* NULL: none */
    double bytes;               /* that were moved; 0: not known */
    bool of_copy;               /* compares with a copy in the backend's memory */
};

/* The columns ms, median, MB, GB/s and %. */
void stage_cells(const struct app *app, const struct stage_row &row)
{
    const double last = row.times ? series_last(row.times) : 0;
    const double median = row.times ? series_median(row.times) : 0;
    const double bytes = last > 0 ? row.bytes : 0, rate = last > 0 ? bytes / last * 1e-6 : 0;
    const double part = row.of_copy && app->live.copy_rate > 0 ? 100 * rate / app->live.copy_rate : 0;
    const double numbers[] = { last, median, bytes * 1e-6, rate, part };
    for (int i = 0; i < 5; i++) {
        char text[32];
        if (numbers[i] <= 0) snprintf(text, sizeof text, "-");
        else if (i == 4) snprintf(text, sizeof text, "%.0f", numbers[i]);
        else number_text(text, sizeof text, numbers[i]);
        ImGui::TableNextColumn();
        right_text(text, numbers[i] <= 0);
        if (i == 1 && median > 0 && ImGui::IsItemHovered()) {
            snprintf(text, sizeof text, "median of %u", row.times->count);
            tooltip(text);
        }
    }
}

/* The rung's name; a click opens the whole ladder. */
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
            if (ImGui::Selectable(text, rung == present, flags)) app_set_rung(app, stage, rung);
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

/* The stage's name, short enough for its column; a click opens the card of its rung. */
void stage_cell(struct app *app, enum stage stage)
{
    const char *const name = stage == AUX_MARCHING_SQUARES ? "m. squares" : stage_name[stage];
    ImGui::PushID(stage);
    if (ImGui::Selectable(name, app->card.shown && app->card.stage == (int)stage)) app_show_card(app, stage);
    ImGui::PopID();
    widget(app, "stage %s", stage_name[stage]);
    if (ImGui::IsItemHovered()) tooltip("click: what its rung does, and the code");
    ImGui::TableNextColumn();
}

void other_row(const struct app *app, const char *name, const char *how, const struct stage_row &row)
{
    key_cell("");
    ImGui::TextUnformatted(name);
    ImGui::TableNextColumn();
    ImGui::TextColored(DIM_TEXT, "%s", how);
    stage_cells(app, row);
}

void stage_header(void)
{
    static const char *const heads[] = { "", "stage", "rung", "ms", "median", "MB", "GB/s", "%" };
    static const char *const hints[] = { NULL,
                                         NULL,
                                         "click: all rungs of the stage; green: the default",
                                         "the last run",
                                         "of the last 120 runs with these rungs, on this volume",
                                         "that this rung had to move in the last run",
                                         "MB / ms",
                                         "of the rate of a plain copy on the same memory" };
    const float unit = ImGui::CalcTextSize("0").x;
    const float widths[] = { 1.0f, 11.2f, 9.0f, 5.2f, 6.2f, 5.2f, 5.2f, 4.2f };
    for (int i = 0; i < 8; i++)
        ImGui::TableSetupColumn(heads[i], i == 2 ? ImGuiTableColumnFlags_WidthStretch : ImGuiTableColumnFlags_WidthFixed,
                                widths[i] * unit);
    ImGui::TableNextRow();
    for (int i = 0; i < 8; i++) {
        ImGui::TableNextColumn();
        if (i > 2) right_text(heads[i], true);
        else ImGui::TextColored(DIM_TEXT, "%s", heads[i]);
        if (hints[i] && ImGui::IsItemHovered()) tooltip(hints[i]);
    }
}

void rung_row(struct app *app, const char *key, enum stage stage, const struct series *times)
{
    const struct stage_row row = { times, (double)app->live.stage[stage].bytes, true };
    key_cell(key);
    stage_cell(app, stage);
    rung_cell(app, stage);
    stage_cells(app, row);
}

} // namespace

bool stage_takes_part(const struct app *app, int stage)
{
    return stage >= STAGE_COUNT || stage == STAGE_BRICKS || app_surface(app)->fused == (stage == STAGE_FUSED);
}

void stages_section(struct app *app)
{
    static const char *const way[] = { "mapped", "staged", "shared" };
    const double full = 16.0 * (double)app_surface(app)->mesh.vertices + 12.0 * (double)app_surface(app)->mesh.triangles;
    if (!ImGui::BeginTable("stages", 8, ImGuiTableFlags_SizingFixedFit)) return;
    stage_header();
    for (int s = 0; s < STAGE_COUNT; s++) {
        char key[8];
        keys_short_name(keys_find(key_next_rung, s), key);
        rung_row(app, key, (enum stage)s, stage_takes_part(app, s) ? &app->live.times.stage[s] : NULL);
    }
    const struct stage_row map = { &app->live.times.map, app_surface(app)->mesh.way == MESH_STAGED ? full : 0, false };
    const struct stage_row draw = { &app->draw, 0, false };
    other_row(app, "map", way[app_surface(app)->mesh.way], map);
    other_row(app, "draw", render_modes[app->mode].name, draw);
    for (int s = STAGE_COUNT; s < STAGE_ALL; s++)
        if (app->live.stage[s].runs) rung_row(app, "", (enum stage)s, &app->live.times.stage[s]);
    ImGui::EndTable();
}
