/* The panel. To add a section: one function and one row in sections[]. */
#include "panel.h"
#include "keys.h"
#include "panel_parts.h"

#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

namespace
{

const char *const FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf"; /* else Dear ImGui's own is used */
const float FONT_PIXELS = 13, PANEL_PIXELS = 452;                               /* at scale 1 */

const ImU32 BAR_INSIDE = IM_COL32(222, 200, 164, 255), BAR_OUTSIDE = IM_COL32(84, 98, 116, 255);
const ImU32 PLOT = IM_COL32(16, 19, 24, 255), GOOD = IM_COL32(126, 190, 166, 255);

/* ---- text ------------------------------------------------------------------------------------------------------- */

/* Three digits that count, whatever the size: 0.012 1.23 12.3 1234 */
void number_text(char *text, size_t size, double value)
{
    snprintf(text, size, value >= 99.95 ? "%.0f" : value >= 9.995 ? "%.1f" : value >= 0.0995 ? "%.2f" : "%.3f", value);
}

/* Thousands set apart: 1 012 345 */
void count_text(char *text, size_t size, uint64_t count)
{
    char digits[24];
    const int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    size_t at = 0;
    for (int i = 0; i < n && at + 2 < size; i++) {
        if (i && (n - i) % 3 == 0) text[at++] = ' ';
        text[at++] = digits[i];
    }
    text[at] = '\0';
}

void right_text(const char *text, bool dim = false)
{
    const float left = ImGui::GetColumnWidth() - ImGui::CalcTextSize(text).x;
    if (left > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + left);
    if (dim) ImGui::TextColored(DIM_TEXT, "%s", text);
    else ImGui::TextUnformatted(text);
}

/* ---- value ------------------------------------------------------------------------------------------------------ */

struct plot { /* the histogram on the screen */
    ImVec2 at, size;
    double lo, hi; /* real units */
};

double plot_value(const struct plot *p, float x) { return p->lo + (p->hi - p->lo) * (x - p->at.x) / p->size.x; }

float plot_x(const struct plot *p, double value)
{
    const double part = (value - p->lo) / (p->hi - p->lo);
    return p->at.x + p->size.x * (float)(part < 0 ? 0 : part > 1 ? 1 : part);
}

/* A bar per pixel, as high as the logarithm of its bins' largest count; what the surface encloses is lit. */
void draw_bars(ImDrawList *list, const struct plot *p, const struct stats *stats, double value)
{
    uint64_t top = 1;
    for (unsigned b = 0; b < stats->bins; b++) top = stats->counts[b] > top ? stats->counts[b] : top;
    const int columns = (int)p->size.x;
    const double highest = log1p((double)top);
    for (int c = 0; c < columns; c++) {
        unsigned first = (unsigned)((uint64_t)c * stats->bins / (unsigned)columns);
        unsigned last = (unsigned)(((uint64_t)c + 1) * stats->bins / (unsigned)columns);
        uint64_t count = 0;
        for (unsigned b = first; b < (last > first ? last : first + 1); b++)
            count = stats->counts[b] > count ? stats->counts[b] : count;
        if (!count) continue;
        const float height = p->size.y * (float)(0.03 + 0.97 * log1p((double)count) / highest), x = p->at.x + (float)c;
        const bool inside = plot_value(p, x + 0.5f) >= value;
        list->AddRectFilled(ImVec2(x, p->at.y + p->size.y - height), ImVec2(x + 1, p->at.y + p->size.y),
                            inside ? BAR_INSIDE : BAR_OUTSIDE);
    }
}

/* Whole steps of a 1, 2 or 5 that the eye can read, finer than a pixel. */
double round_value(double value, double range)
{
    const double step = pow(10, floor(log10(range / 1000)));
    return step > 0 && isfinite(step) ? round(value / step) * step : value;
}

/* Dragging: the line follows the cursor; with Shift it moves a tenth as far. */
void drag_value(struct app *app, const struct plot *p)
{
    const ImGuiIO &io = ImGui::GetIO();
    const double range = p->hi - p->lo, least = app->stats.real_min, most = app->stats.real_max;
    if (ImGui::IsItemActive() && io.KeyShift) {
        if (io.MouseDelta.x != 0)
            app_set_value(app, round_value(app->value + 0.1 * range * io.MouseDelta.x / p->size.x, range / 10));
    } else if (ImGui::IsItemActive() && (ImGui::IsItemActivated() || io.MouseDelta.x != 0)) {
        const double value = round_value(plot_value(p, io.MousePos.x), range);
        app_set_value(app, value < least ? least : value > most ? most : value);
    } else if (ImGui::IsItemHovered() && !ImGui::IsItemActive()) {
        char text[32];
        snprintf(text, sizeof text, "%.5g", plot_value(p, io.MousePos.x));
        tooltip(text);
    }
}

void draw_value_line(ImDrawList *list, const struct plot *p, double value, float unit)
{
    const float x = floorf(plot_x(p, value)) + 0.5f, top = p->at.y - 2 * unit, bottom = p->at.y + p->size.y;
    list->AddLine(ImVec2(x, top), ImVec2(x, bottom), IM_COL32(10, 12, 15, 200), 3.5f * unit);
    list->AddLine(ImVec2(x, top), ImVec2(x, bottom), ACCENT, 1.5f * unit);
    list->AddTriangleFilled(ImVec2(x - 5 * unit, top - 5 * unit), ImVec2(x + 5 * unit, top - 5 * unit),
                            ImVec2(x, top + 3 * unit), ACCENT);
}

/* How much the volume is smoothed. Whether the slider is held. */
bool smooth_row(struct app *app)
{
    float sigma = app->sigma;
    ImGui::AlignTextToFramePadding();
    ImGui::TextColored(ACCENT_TEXT, "Smooth");
    ImGui::SameLine();
    ImGui::SetNextItemWidth(-1);
    if (ImGui::SliderFloat("##smooth", &sigma, 0, ISO_MAX_SIGMA, sigma > 0 ? "sigma %.2f voxels" : "off",
                           ImGuiSliderFlags_AlwaysClamp))
        app_set_sigma(app, round(20 * sigma) / 20);
    const bool held = ImGui::IsItemActive();
    if (ImGui::IsItemHovered() && !held)
        tooltip(
            "D, Shift+D: the volume is smoothed by a Gaussian before its surface is made. A NaN takes all within 3 sigma "
            "along the axes with it. Ctrl+click to type");
    return held;
}

void value_section(struct app *app)
{
    const struct stats *stats = &app->stats;
    const float unit = (float)app->scale;
    double typed = app->value;
    ImGui::AlignTextToFramePadding();
    ImGui::TextColored(ACCENT_TEXT, "Value");
    ImGui::SameLine();
    ImGui::SetNextItemWidth(130 * unit);
    if (ImGui::InputDouble("##value", &typed, 0, 0, "%.6g", ImGuiInputTextFlags_EnterReturnsTrue))
        app_set_value(app, typed);
    ImGui::SameLine();
    if (ImGui::Button("auto")) app_auto_value(app);
    if (ImGui::IsItemHovered()) tooltip("A: the value that splits the histogram best (Otsu)");

    if (!stats->bins) {
        ImGui::PushTextWrapPos(0);
        if (stats->summary.count)
            ImGui::TextColored(DIM_TEXT, "Every voxel has the value %.6g: there is none to choose.", stats->real_min);
        else if (stats->summary.nan + stats->summary.infinite) ImGui::TextColored(DIM_TEXT, "No voxel has a finite value.");
        else ImGui::TextColored(DIM_TEXT, "The values have not been counted yet: A counts them.");
        ImGui::PopTextWrapPos();
        app_hold_value(app, smooth_row(app)); /* it may be what left no value */
        return;
    }
    struct plot p;
    p.lo = volume_real(&app->volume, stats->lo);
    p.hi = volume_real(&app->volume, stats->hi);
    char text[96];
    double percent = 100 * stats_part_below(stats, &app->volume, app->value);
    const char *below = "% below";
    const float width = 72 * unit + ImGui::GetStyle().ItemSpacing.x + ImGui::CalcTextSize(below).x;
    ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - width);
    ImGui::SetNextItemWidth(72 * unit);
    if (ImGui::InputDouble("##percent", &percent, 0, 0, "%.4g", ImGuiInputTextFlags_EnterReturnsTrue))
        app_set_percent(app, percent);
    if (ImGui::IsItemHovered()) tooltip("[ and ] go by 1 % of the voxels, with Shift by 0.1 %");
    ImGui::SameLine();
    ImGui::TextColored(DIM_TEXT, "%s", below);

    ImGui::Dummy(ImVec2(0, 5 * unit)); /* the line's handle sticks out */
    p.at = ImGui::GetCursorScreenPos();
    p.size = ImVec2(floorf(ImGui::GetContentRegionAvail().x), 92 * unit);
    ImDrawList *list = ImGui::GetWindowDrawList();
    list->AddRectFilled(p.at, ImVec2(p.at.x + p.size.x, p.at.y + p.size.y), PLOT, 3 * unit);
    ImGui::InvisibleButton("##histogram", p.size);
    drag_value(app, &p);
    const bool held = ImGui::IsItemActive();
    draw_bars(list, &p, stats, app->value);
    draw_value_line(list, &p, app->value, unit);

    ImGui::TextColored(DIM_TEXT, "%.5g", stats->real_min);
    const char *hint = "log counts; drag, Shift: 10x finer";
    ImGui::SameLine((ImGui::GetWindowContentRegionMax().x - ImGui::CalcTextSize(hint).x) / 2);
    ImGui::TextColored(ImVec4(0.40f, 0.43f, 0.47f, 1), "%s", hint);
    snprintf(text, sizeof text, "%.5g", stats->real_max);
    ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - ImGui::CalcTextSize(text).x);
    ImGui::TextColored(DIM_TEXT, "%s", text);
    app_hold_value(app, smooth_row(app) || held);
}

/* ---- stages ----------------------------------------------------------------------------------------------------- */

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
    const double bytes = median > 0 ? row.bytes : 0, rate = median > 0 ? bytes / median * 1e-6 : 0;
    const double part = row.of_copy && app->copy_rate > 0 ? 100 * rate / app->copy_rate : 0;
    const double numbers[] = { last, median, bytes * 1e-6, rate, part };
    for (int i = 0; i < 5; i++) {
        char text[32];
        if (numbers[i] <= 0) snprintf(text, sizeof text, "-");
        else if (i == 4) snprintf(text, sizeof text, "%.0f", numbers[i]);
        else number_text(text, sizeof text, numbers[i]);
        ImGui::TableNextColumn();
        right_text(text, numbers[i] <= 0);
    }
}

/* The rung's name; a click opens the whole ladder. */
void rung_cell(struct app *app, enum stage stage)
{
    const struct rung *present = app->iso.rung[stage], *rung;
    const struct ladder *ladder = ladder_of(stage_name[stage]);
    ImGui::PushID(stage);
    ImGui::PushStyleColor(ImGuiCol_Text, present->is_default ? ImGui::ColorConvertU32ToFloat4(GOOD) : ACCENT_TEXT);
    if (ImGui::Selectable(present->name)) ImGui::OpenPopup("ladder");
    ImGui::PopStyleColor();
    if (ImGui::IsItemHovered()) tooltip(present->idea);
    if (ImGui::BeginPopup("ladder")) {
        ImGui::TextColored(DIM_TEXT, "%s: %s", ladder->op, ladder->job);
        for (size_t i = 0; (rung = ladder_rung(ladder, app->iso.exec.backend, i)); i++) {
            char text[256];
            const char *why = rung_unavailable(rung, &app->iso.exec);
            snprintf(text, sizeof text, "%-10s %s%s", rung->name, why ? why : rung->idea,
                     rung->is_default ? " (default)" : "");
            const ImGuiSelectableFlags flags = why ? ImGuiSelectableFlags_Disabled : ImGuiSelectableFlags_None;
            if (ImGui::Selectable(text, rung == present, flags)) app_set_rung(app, stage, rung);
        }
        ImGui::EndPopup();
    }
    ImGui::PopID();
}

void name_cells(const char *key, const char *name)
{
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextColored(ACCENT_TEXT, "%s", key);
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(name);
    ImGui::TableNextColumn();
}

void other_row(const struct app *app, const char *name, const char *how, const struct stage_row &row)
{
    name_cells("", name);
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
                                         "of the last 120 runs",
                                         "that this rung must move",
                                         "MB / median",
                                         "of the rate of a plain copy on the same memory" };
    const float unit = ImGui::CalcTextSize("0").x;
    const float widths[] = { 1.0f, 9.2f, 9.0f, 5.2f, 6.2f, 5.2f, 5.2f, 4.2f };
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
    const struct stage_row row = { times, (double)app->iso.stage[stage].bytes, true };
    name_cells(key, stage_name[stage]);
    rung_cell(app, stage);
    stage_cells(app, row);
}

void stages_section(struct app *app)
{
    static const char *const stage_key[STAGE_COUNT] = { "B", "C", "S", "O", "G", "X" };
    static const char *const way[] = { "mapped", "staged", "shared" };
    const double full = 16.0 * (double)app->mesh.vertices + 12.0 * (double)app->mesh.triangles;
    if (!ImGui::BeginTable("stages", 8, ImGuiTableFlags_SizingFixedFit)) return;
    stage_header();
    for (int s = 0; s < STAGE_COUNT; s++) {
        const bool takes_part = s == STAGE_BRICKS || iso_is_fused(&app->iso) == (s == STAGE_FUSED);
        rung_row(app, stage_key[s], (enum stage)s, takes_part ? &app->times.stage[s] : NULL);
    }
    const struct stage_row map = { &app->times.map, app->mesh.way == MESH_STAGED ? full : 0, false };
    const struct stage_row draw = { &app->times.draw, 0, false };
    other_row(app, "map", way[app->mesh.way], map);
    other_row(app, "draw", render_modes[app->mode].name, draw);
    for (int s = STAGE_COUNT; s < STAGE_ALL; s++)
        if (app->iso.stage[s].runs) rung_row(app, "", (enum stage)s, &app->times.stage[s]);
    ImGui::EndTable();
}

/* ---- facts ------------------------------------------------------------------------------------------------------ */

void fact(const char *name, const char *text)
{
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextColored(DIM_TEXT, "%s", name);
    ImGui::TableNextColumn();
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(text);
    ImGui::PopTextWrapPos();
}

bool begin_facts(const char *id)
{
    if (!ImGui::BeginTable(id, 2)) return false;
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, ImGui::CalcTextSize("0").x * 9.5f);
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthStretch);
    return true;
}

/* Which surface the scene holds: the numbers of the panel are always those of the full one. */
void shown_text(const struct app *app, char *text, size_t size)
{
    const char *const moving = app->sliding ? "while a slice moves" : "while the view turns";
    const bool coming = app->due[STALE_ISO] || (app->work >= STALE_SMOOTH && app->work <= STALE_ISO);
    const char *const why = !app->coarse_shown ? moving
                            : app->held        ? "while dragging"
                            : coming           ? "until the full one is there"
                                               : "the full one was cancelled";
    char triangles[40];
    count_text(triangles, sizeof triangles, app->coarse.mesh.triangles);
    if (app->scene_coarse)
        snprintf(text, size, "coarse 1/%u %s: %s triangles%s", app->coarse.level.step, why, triangles,
                 app->gl.is_software ? "; software rendering" : "");
    else snprintf(text, size, "full%s", app->gl.is_software ? "; software rendering" : "");
}

/* Begins a row of facts whose right side is a control. */
void control(const char *name)
{
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::AlignTextToFramePadding();
    ImGui::TextColored(DIM_TEXT, "%s", name);
    ImGui::TableNextColumn();
}

void opacity_row(struct app *app)
{
    bool translucent = app->translucent;
    float opacity = (float)app->opacity;
    control("opacity");
    if (ImGui::Checkbox("##translucent", &translucent)) app_flip_translucent(app);
    if (ImGui::IsItemHovered()) tooltip("Y: translucent; its triangles are drawn from back to front");
    ImGui::SameLine();
    ImGui::SetNextItemWidth(150 * (float)app->scale);
    if (ImGui::SliderFloat("##opacity", &opacity, 0, 1, "%.2f")) app_set_opacity(app, opacity);
    if (ImGui::IsItemHovered()) tooltip("of a translucent surface, where it is seen straight on");
    ImGui::SameLine();
    if (ImGui::Button("write PLY")) app_export(app);
    if (ImGui::IsItemHovered()) tooltip("E: the surface as a file, in the world of the volume, in the current folder");
}

void totals_section(struct app *app)
{
    const struct iso_counts *counts = &app->iso.counts;
    char text[160], first[40], second[40];
    if (!begin_facts("totals")) return;
    count_text(first, sizeof first, app->mesh.triangles);
    count_text(second, sizeof second, app->mesh.vertices);
    snprintf(text, sizeof text, "%s triangles, %s vertices", first, second);
    fact("surface", text);
    shown_text(app, text, sizeof text);
    fact("shown", text);
    opacity_row(app);
    count_text(first, sizeof first, counts->active_units);
    count_text(second, sizeof second, counts->units);
    snprintf(text, sizeof text, "%s of %s (%.3g %%)", first, second,
             counts->units ? 100.0 * (double)counts->active_units / (double)counts->units : 0);
    fact(iso_is_fused(&app->iso) ? "bricks" : "strips", text);
    number_text(first, sizeof first, series_last(&app->times.compute));
    number_text(second, sizeof second, series_median(&app->times.compute));
    snprintf(text, sizeof text, "%s ms, median %s", first, second);
    fact("compute", text);
    number_text(first, sizeof first, series_last(&app->times.frame));
    number_text(second, sizeof second, series_median(&app->times.frame));
    snprintf(text, sizeof text, "%s ms, median %s", first, second);
    fact("frame", text);
    number_text(first, sizeof first, app->copy_rate);
    if (app->copy_rate > 0)
        snprintf(text, sizeof text, "%.0f MB, copied at %s GB/s", (double)app_memory(app) * 1e-6, first);
    else snprintf(text, sizeof text, "%.0f MB", (double)app_memory(app) * 1e-6);
    fact("memory", text);
    ImGui::EndTable();
}

void machine_section(struct app *app)
{
    char text[400];
    if (!begin_facts("machine")) return;
    fact("compute", app->backend_why);
    fact("mesh", app->mesh.why);
    snprintf(text, sizeof text, "%s%s", app->gl.renderer, app->gl.is_software ? ": software rendering" : "");
    fact("OpenGL", text);
    ImGui::EndTable();
}

void volume_section(struct app *app)
{
    const struct volume *v = &app->volume;
    const struct grid *g = &v->grid;
    char text[256];
    ImGui::PushTextWrapPos(0);
    ImGui::TextColored(ACCENT_TEXT, "%s", v->name);
    snprintf(text, sizeof text, "%zu x %zu x %zu %s, spacing %.4g x %.4g x %.4g", g->nx, g->ny, g->nz,
             voxel_type_name[g->type], volume_spacing(v, 0), volume_spacing(v, 1), volume_spacing(v, 2));
    ImGui::TextUnformatted(text);
    if (v->note[0]) ImGui::TextColored(DIM_TEXT, "%s", v->note);
    if (app->stats.summary.nan + app->stats.summary.infinite) {
        count_text(text, sizeof text, app->stats.summary.nan + app->stats.summary.infinite);
        ImGui::TextColored(ACCENT_TEXT, "%s voxels are NaN or infinite", text);
    }
    ImGui::PopTextWrapPos();
}

const struct section {
    const char *title; /* NULL: none */
    void (*draw)(struct app *app);
} sections[] = {
    { NULL, volume_section },     { NULL, value_section },       { "Slices", slices_section },
    { "Stages", stages_section }, { "Surface", totals_section }, { "Machine", machine_section },
};

void full_panel(struct app *app)
{
    ImGui::SetNextWindowPos(ImVec2(0, 0));
    ImGui::SetNextWindowSize(ImVec2((float)panel_width(app), (float)app->height));
    if (ImGui::Begin("panel", NULL, FIXED)) {
        for (const struct section &section : sections) {
            if (section.title) {
                ImGui::Dummy(ImVec2(0, 3 * (float)app->scale));
                ImGui::TextColored(ACCENT_TEXT, "%s", section.title);
                ImGui::Separator();
            }
            section.draw(app);
            if (!section.title) ImGui::Dummy(ImVec2(0, 3 * (float)app->scale));
        }
        ImGui::Dummy(ImVec2(0, 3 * (float)app->scale));
        ImGui::TextColored(DIM_TEXT, "F1 keys   N textbook/fastest   F12 picture   drop a file");
    }
    ImGui::End();
}

void line_panel(struct app *app)
{
    char triangles[40], compute[16], draw[16], coarse[40] = "";
    count_text(triangles, sizeof triangles, app->mesh.triangles);
    number_text(compute, sizeof compute, series_last(&app->times.compute));
    number_text(draw, sizeof draw, series_last(&app->times.draw));
    if (app->scene_coarse) snprintf(coarse, sizeof coarse, "   shown: coarse 1/%u", app->coarse.level.step);
    ImGui::SetNextWindowPos(ImVec2(0, 0));
    ImGui::SetNextWindowSize(ImVec2((float)app->width, 0));
    ImGui::SetNextWindowBgAlpha(0.72f);
    if (ImGui::Begin("line", NULL, FIXED | ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoInputs))
        ImGui::Text("%s   value %.6g   %s triangles   compute %s ms (%s)   draw %s ms%s%s", app->volume.name, app->value,
                    triangles, compute, app->iso.ops->name, draw, app->gl.is_software ? " (software rendering)" : "",
                    coarse);
    ImGui::End();
}

/* ---- over the scene --------------------------------------------------------------------------------------------- */

/* A box of text in the middle of the scene. y: part of its height; pivot: 0 hangs from there, 1 stands on it. */
void message(const struct app *app, const char *id, const char *text, float y, float pivot, const ImVec4 &back)
{
    const float left = (float)app->scene[0], width = (float)app->scene[2], height = (float)app->scene[3];
    const float widest = width - 32 * (float)app->scale, wanted = ImGui::CalcTextSize(text).x;
    ImGui::SetNextWindowPos(ImVec2(left + width / 2, (float)(app->height - app->scene[1]) - height * (1 - y)), 0,
                            ImVec2(0.5f, pivot));
    const float padding = 2 * ImGui::GetStyle().WindowPadding.x;
    ImGui::SetNextWindowSize(ImVec2((wanted < widest ? wanted : widest) + padding + 1, 0));
    ImGui::PushStyleColor(ImGuiCol_WindowBg, back);
    if (ImGui::Begin(id, NULL,
                     FIXED | ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoInputs |
                         ImGuiWindowFlags_NoFocusOnAppearing)) {
        ImGui::PushTextWrapPos(0);
        ImGui::TextUnformatted(text);
        ImGui::PopTextWrapPos();
    }
    ImGui::End();
    ImGui::PopStyleColor();
}

void messages(const struct app *app)
{
    char sentence[ERR_SENTENCE], text[ERR_SENTENCE + 32];
    if (app->error.code) {
        snprintf(text, sizeof text, "%s\n(Esc closes this)", err_sentence(&app->error, sentence));
        message(app, "error", text, 0.05f, 0, ImVec4(0.55f, 0.11f, 0.10f, 0.96f));
    }
    if (app->empty[0]) message(app, "empty", app->empty, 0.5f, 0.5f, ImVec4(0.07f, 0.08f, 0.10f, 0.85f));
    if (app->notice[0]) message(app, "notice", app->notice, 0.97f, 1, ImVec4(0.07f, 0.08f, 0.10f, 0.88f));
}

/* What the worker does, once that has taken long. Loading has a bar in the middle; a surface in work a line at the foot,
 * for there is one to look at. */
void work_box(const struct app *app)
{
    double fraction;
    char line[160];
    const char *text = app_work_text(app, &fraction);
    if (!text) return;
    if (app->work != STALE_LOAD) {
        char far[32] = "";
        if (fraction > 0) snprintf(far, sizeof far, ", %.0f %%", 100 * fraction);
        snprintf(line, sizeof line, "%s, %.1f s%s; Esc cancels", text, (timing_ms() - app->work_since) * 1e-3, far);
        message(app, "work", line, 0.90f, 1, ImVec4(0.07f, 0.08f, 0.10f, 0.88f));
        return;
    }
    const char *slash = strrchr(app->path, '/'), *name = slash ? slash + 1 : app->path;
    ImGui::SetNextWindowPos(ImVec2((float)app->scene[0] + (float)app->scene[2] / 2, (float)app->height / 2), 0,
                            ImVec2(0.5f, 0.5f));
    ImGui::SetNextWindowSize(ImVec2(360 * (float)app->scale, 0));
    if (ImGui::Begin("progress", NULL, FIXED | ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoInputs)) {
        ImGui::TextUnformatted(*name ? name : "making the procedural volume");
        ImGui::ProgressBar((float)fraction, ImVec2(-1, 0));
        ImGui::TextColored(DIM_TEXT, "%s; Esc cancels", text);
    }
    ImGui::End();
}

void help_window(const struct app *app)
{
    ImGui::SetNextWindowPos(ImVec2((float)app->scene[0] + (float)app->scene[2] / 2, (float)app->height / 2), 0,
                            ImVec2(0.5f, 0.5f));
    ImGui::SetNextWindowSizeConstraints(ImVec2(0, 0), ImVec2((float)app->width, (float)app->height * 0.96f));
    ImGui::SetNextWindowBgAlpha(0.95f);
    if (ImGui::Begin("help", NULL, FIXED | ImGuiWindowFlags_AlwaysAutoResize)) {
        if (ImGui::BeginTable("keys", 3, ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_PadOuterX)) {
            for (const struct key *key = keys; key->code || key->name; key++) {
                char now[64] = "";
                if (!key->name) continue;
                if (key->now) key->now(app, key->argument, now, sizeof now);
                ImGui::TableNextRow();
                ImGui::TableNextColumn();
                ImGui::TextColored(ACCENT_TEXT, "%s", key->name);
                ImGui::TableNextColumn();
                ImGui::TextUnformatted(key->text);
                ImGui::TableNextColumn();
                ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(GOOD), "%s", now);
            }
            ImGui::EndTable();
        }
    }
    ImGui::End();
}

/* ---- looks ------------------------------------------------------------------------------------------------------ */

void set_style(float scale)
{
    ImGui::StyleColorsDark();
    ImGuiStyle &style = ImGui::GetStyle();
    style.WindowRounding = 0;
    style.WindowBorderSize = 0;
    style.FrameRounding = 3;
    style.PopupRounding = 4;
    style.WindowPadding = ImVec2(12, 10);
    style.ItemSpacing = ImVec2(6, 4);
    style.CellPadding = ImVec2(3, 1.5f);
    ImVec4 *colour = style.Colors;
    colour[ImGuiCol_Text] = ImVec4(0.88f, 0.89f, 0.90f, 1);
    colour[ImGuiCol_WindowBg] = ImVec4(0.106f, 0.118f, 0.137f, 1);
    colour[ImGuiCol_PopupBg] = ImVec4(0.075f, 0.085f, 0.100f, 0.98f);
    colour[ImGuiCol_Border] = ImVec4(0.25f, 0.28f, 0.32f, 1);
    colour[ImGuiCol_Separator] = ImVec4(0.22f, 0.245f, 0.28f, 1);
    colour[ImGuiCol_FrameBg] = ImVec4(0.063f, 0.074f, 0.094f, 1);
    colour[ImGuiCol_CheckMark] = ACCENT_TEXT;
    colour[ImGuiCol_SliderGrab] = ImVec4(0.94f, 0.77f, 0.47f, 0.65f);
    colour[ImGuiCol_SliderGrabActive] = ACCENT_TEXT;
    colour[ImGuiCol_FrameBgHovered] = ImVec4(0.090f, 0.104f, 0.130f, 1);
    colour[ImGuiCol_FrameBgActive] = ImVec4(0.110f, 0.126f, 0.155f, 1);
    colour[ImGuiCol_Button] = ImVec4(0.20f, 0.23f, 0.27f, 1);
    colour[ImGuiCol_ButtonHovered] = ImVec4(0.27f, 0.31f, 0.36f, 1);
    colour[ImGuiCol_ButtonActive] = ImVec4(0.33f, 0.37f, 0.42f, 1);
    colour[ImGuiCol_HeaderHovered] = ImVec4(0.24f, 0.28f, 0.33f, 1);
    colour[ImGuiCol_HeaderActive] = ImVec4(0.30f, 0.34f, 0.40f, 1);
    colour[ImGuiCol_Header] = ImVec4(0.20f, 0.23f, 0.27f, 1);
    colour[ImGuiCol_TextSelectedBg] = ImVec4(0.94f, 0.77f, 0.47f, 0.35f);
    colour[ImGuiCol_PlotHistogram] = ImVec4(0.94f, 0.77f, 0.47f, 0.65f);
    colour[ImGuiCol_CheckMark] = ImVec4(0.94f, 0.77f, 0.47f, 1);
    colour[ImGuiCol_SliderGrab] = ImVec4(0.94f, 0.77f, 0.47f, 0.65f);
    colour[ImGuiCol_SliderGrabActive] = ImVec4(0.94f, 0.77f, 0.47f, 1);
    colour[ImGuiCol_NavHighlight] = ImVec4(0.94f, 0.77f, 0.47f, 0.8f);
    style.ScaleAllSizes(scale);
}

void begin_frame(void)
{
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    ImGui::NewFrame();
}

void end_frame(void)
{
    ImGui::Render();
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

} // namespace

void tooltip(const char *text)
{
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(ImGui::GetFontSize() * 32);
    ImGui::TextUnformatted(text);
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
}

bool panel_open(struct app *app)
{
    const float scale = (float)app->scale;
    IMGUI_CHECKVERSION();
    ImGui::CreateContext();
    ImGuiIO &io = ImGui::GetIO();
    io.IniFilename = NULL; /* would be written into whatever folder the program is started in */
    set_style(scale);
    if (access(FONT, R_OK) == 0) io.Fonts->AddFontFromFileTTF(FONT, floorf(FONT_PIXELS * scale + 0.5f));
    else {
        ImFontConfig config;
        config.SizePixels = floorf(FONT_PIXELS * scale + 0.5f);
        io.Fonts->AddFontDefault(&config);
    }
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

int panel_width(const struct app *app) { return app->panel == PANEL_FULL ? (int)(PANEL_PIXELS * app->scale) : 0; }

void panel_draw(struct app *app)
{
    begin_frame();
    if (app->volume.grid.voxels && app->panel == PANEL_FULL) full_panel(app);
    else if (app->volume.grid.voxels && app->panel == PANEL_LINE) line_panel(app);
    probe_label(app);
    messages(app);
    work_box(app);
    if (app->help) help_window(app);
    end_frame();
}

bool panel_takes_text(void) { return ImGui::GetIO().WantTextInput; }
