/* The panel's facts about the volume, its surface and the machine. */
#include "panel_parts.h"
#include "app_actions.h"
#include "app_files.h"
#include "app_surfaces.h"
#include "app_time.h"
#include "text.h"

#include <math.h>
#include <stdio.h>

namespace
{

void fact(const char *name, const char *text)
{
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextColored(DIM_TEXT, "%s", name);
    ImGui::TableNextColumn();
    wrapped_text(text);
}

void time_fact(const char *name, const struct series *times)
{
    char text[96], last[24], median[24];
    number_text(last, sizeof last, series_last(times));
    number_text(median, sizeof median, series_median(times));
    snprintf(text, sizeof text, "%s ms, median of %u: %s", last, times->count, median);
    fact(name, times->count ? text : "-");
}

bool is_hidden(const struct app *app) { return app->wish.use[app->active] == LIVE_HIDDEN; }

/* Which surface the scene shows. The panel's numbers are always those of the full one. */
void shown_text(const struct app *app, char *text, size_t size)
{
    const char *const moving = app->sliding ? "while a slice moves" : "while the view turns";
    const bool coming = live_is_coming(&app->live, (unsigned)app->active);
    const char *const why = !app_surface(app)->coarse_shown ? moving
                            : app->wish.held                ? "while dragging"
                            : coming                        ? "until the full one is there"
                                                            : "the full one was not made";
    char triangles[40];
    count_text(triangles, sizeof triangles, app_surface(app)->coarse.mesh.triangles);
    if (is_hidden(app)) snprintf(text, size, "hidden");
    else if (app_shows_coarse(app))
        snprintf(text, size, "coarse 1/%u %s: %s triangles%s", app_surface(app)->drawn.step, why, triangles,
                 app->gl.is_software ? "; software rendering" : "");
    else if (live_refined_is_shown(&app->live, &app->wish, (unsigned)app->active)) {
        count_text(triangles, sizeof triangles, app_surface(app)->refined.mesh.triangles);
        snprintf(text, size, "finer, of what was in view: %s triangles%s", triangles,
                 app->gl.is_software ? "; software rendering" : "");
    } else if (!is_made(app)) snprintf(text, size, "-");
    else snprintf(text, size, "full%s", app->gl.is_software ? "; software rendering" : "");
}

/* The unit as a part of a format: each % twice, because a file may name any text as its unit. */
void unit_format(char format[2 * VOLUME_UNIT], const struct volume *volume)
{
    for (const char *c = volume->unit; *c; c++) {
        if (*c == '%') *format++ = '%';
        *format++ = *c;
    }
    *format = '\0';
}

/* What is left out of the surface as dust, and a button that measures the rest. */
void dust_row(struct app *app)
{
    const struct component_filter *filter = &app->wish.filter[app->active];
    double percent = filter->percent ? filter->min_size : 0;
    char format[64] = "hide dust: off", unit[2 * VOLUME_UNIT];
    bool measured = app->wish.measured;
    unit_format(unit, &app->live.volume);
    if (filter->percent && percent > 0) snprintf(format, sizeof format, "< %%.3g %%%%");
    else if (filter->min_size > 0) snprintf(format, sizeof format, "< %.4g %s", filter->min_size, unit);
    control("parts");
    ImGui::SetNextItemWidth(180 * (float)app->scale);
    if (slider_double("##dust", &percent, 0, 100, format, ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp))
        app_set_dust(app, percent);
    widget(app, "dust");
    if (ImGui::IsItemHovered())
        tooltip("Leaves out parts of the surface that are shorter than this share of the longest, in files too");
    ImGui::SameLine();
    if (ImGui::Checkbox("measure", &measured)) app_flip_measured(app);
    widget(app, "measure");
    if (ImGui::IsItemHovered()) tooltip("Parts, area, volume and box of what is shown");
}

/* Writes five digits, but whole numbers in full. */
void measure_text(char *text, size_t size, double value)
{
    snprintf(text, size, fabs(value) >= 1e5 && fabs(value) < 1e12 ? "%.0f" : "%.5g", value);
}

/* Parts, area, volume and box, as far as they are known. */
void measure_fact(const struct app *app)
{
    const struct live_surface *s = app_surface(app);
    const struct filtered_facts *f = &s->filtered.facts;
    const struct measure *m = &f->measure;
    const char *const unit = app->live.volume.unit;
    char text[320], kept[40], parts[40], area[32], volume[64], square[24] = "", cubic[24] = "";
    if (!s->filtered.iso || !filtered_is_of(&s->filtered, &s->mesh)) return;
    count_text(kept, sizeof kept, f->kept);
    count_text(parts, sizeof parts, f->parts);
    if (*unit) {
        snprintf(square, sizeof square, " %s2", unit);
        snprintf(cubic, sizeof cubic, " %s3", unit);
    }
    measure_text(area, sizeof area, m->area);
    measure_text(volume, sizeof volume, m->volume);
    snprintf(text, sizeof text, "%s of %s %s, area %s%s, volume %s%s, box %.4g x %.4g x %.4g%s%s%s", kept, parts,
             text_word(f->parts, "part", "parts"), area, square, m->closed ? volume : "- (open at the border: J closes it)",
             m->closed ? cubic : "", m->high[0] - m->low[0], m->high[1] - m->low[1], m->high[2] - m->low[2],
             *unit ? " " : "", unit, app->live.volume.step > 1 ? "; of the voxels that are shown" : "");
    fact("measures", text);
}

/* How many triangles of all surfaces are drawn, if some are left out. */
void drawn_fact(struct app *app)
{
    struct cull *cull = &app->render.cull;
    char text[100], drawn[40], of[40];
    cull_take(cull);
    if (!app->render.culled || !cull->of) return;
    count_text(drawn, sizeof drawn, cull->drawn);
    count_text(of, sizeof of, cull->of);
    snprintf(text, sizeof text, "%s of %s %s", drawn, of, text_word(cull->of, "triangle", "triangles"));
    fact("drawn", text);
}

/* For a series in time: its frames, with buttons for what its keys do. */
void time_row(struct app *app)
{
    ImGui::AlignTextToFramePadding();
    ImGui::TextColored(ACCENT_TEXT, "Frames");
    ImGui::SameLine();
    if (choice("previous", false, keys_find(key_step_time, -1), "")) app_step_time(app, -1);
    widget(app, "previous frame");
    ImGui::SameLine();
    if (choice("next", false, keys_find(key_step_time, 1), "")) app_step_time(app, 1);
    widget(app, "next frame");
    ImGui::SameLine();
    if (choice(app->playing ? "stop###play" : "play###play", app->playing, keys_find(key_play, 0), "")) app_play(app);
    widget(app, "play");
}

} // namespace

bool is_made(const struct app *app)
{
    const struct live_surface *surface = app_surface(app);
    const bool old = surface->made.value != app->wish.value[app->active] || surface->made.epoch != app->live.epoch;
    return (surface->mesh.triangles || surface->empty[0]) && !(is_hidden(app) && old);
}

bool begin_facts(const char *id)
{
    if (!ImGui::BeginTable(id, 2)) return false;
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, ImGui::CalcTextSize("0").x * 9.5f);
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthStretch);
    return true;
}

void control(const char *name)
{
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::AlignTextToFramePadding();
    ImGui::TextColored(DIM_TEXT, "%s", name);
    ImGui::TableNextColumn();
}

void surface_section(struct app *app)
{
    const struct live_surface *surface = app_surface(app);
    char text[160], refined[256], first[40], second[40];
    surface_rows(app);
    if (!begin_facts("surface")) return;
    count_text(first, sizeof first, surface->mesh.triangles);
    count_text(second, sizeof second, surface->mesh.vertices);
    snprintf(text, sizeof text, "%s %s, %s vertices", first, text_word(surface->mesh.triangles, "triangle", "triangles"),
             second);
    fact("surface", is_made(app) ? text : "-");
    shown_text(app, text, sizeof text);
    fact("shown", text);
    live_refined_text(&app->live, (unsigned)app->active, refined, sizeof refined);
    if (refined[0]) fact("refined", refined);
    drawn_fact(app);
    dust_row(app);
    measure_fact(app);
    ImGui::EndTable();
}

void work_section(struct app *app)
{
    const struct iso_counts *counts = &app_surface(app)->counts;
    char text[160], first[40], second[40];
    if (!begin_facts("work")) return;
    count_text(first, sizeof first, counts->active_units);
    count_text(second, sizeof second, counts->units);
    snprintf(text, sizeof text, "%s of %s (%.3g %%)", first, second,
             counts->units ? 100.0 * (double)counts->active_units / (double)counts->units : 0);
    fact(app_surface(app)->fused ? "bricks" : "strips", is_made(app) ? text : "-");
    time_fact("compute", &app->live.times.compute);
    time_fact("frame", &app->frame);
    number_text(first, sizeof first, app->live.copy_rate);
    if (app->live.copy_rate > 0)
        snprintf(text, sizeof text, "%.0f MB, copied at %s GB/s", (double)live_memory(&app->live) * 1e-6, first);
    else snprintf(text, sizeof text, "%.0f MB", (double)live_memory(&app->live) * 1e-6);
    fact("memory", text);
    ImGui::EndTable();
}

void times_line(const struct app *app)
{
    const struct {
        const char *name;
        const struct series *times;
    } parts[] = { { "compute", &app->live.times.compute }, { "draw", &app->draw }, { "frame", &app->frame } };
    for (const auto &part : parts) {
        char ms[24];
        number_text(ms, sizeof ms, series_last(part.times));
        ImGui::TextColored(DIM_TEXT, "%s", part.name);
        ImGui::SameLine();
        ImGui::Text("%s ms", part.times->count ? ms : "-");
        if (&part != &parts[2]) ImGui::SameLine(0, 2 * ImGui::CalcTextSize(" ").x);
    }
}

void machine_section(struct app *app)
{
    char text[400];
    if (!begin_facts("machine")) return;
    fact("compute", app->live.backend_why);
    fact("mesh", app_surface(app)->mesh.why);
    render_who(&app->render, text, sizeof text);
    fact("drawing", text);
    snprintf(text, sizeof text, "%s%s", app->gl.renderer, app->gl.is_software ? ": software rendering" : "");
    fact("OpenGL", text);
    ImGui::EndTable();
}

void volume_section(struct app *app)
{
    const struct volume *v = &app->live.volume;
    const struct grid *g = &v->grid;
    char text[256];
    ImGui::PushTextWrapPos(0);
    ImGui::TextColored(ACCENT_TEXT, "%s", v->name);
    recent_menu(app);
    if (!app_shown_path(app)[0]) ImGui::TextColored(DIM_TEXT, "made by a formula: drop a file here to see your own");
    snprintf(text, sizeof text, "%zu x %zu x %zu %s, spacing %.4g x %.4g x %.4g%s%s", g->nx, g->ny, g->nz,
             voxel_type_name[g->type], volume_spacing(v, 0), volume_spacing(v, 1), volume_spacing(v, 2),
             v->unit[0] ? " " : "", v->unit);
    ImGui::TextUnformatted(text);
    if (v->slope != 1 || v->intercept != 0) {
        snprintf(text, sizeof text, "value = %.6g x stored %c %.6g", v->slope, v->intercept < 0 ? '-' : '+',
                 fabs(v->intercept));
        if (v->intercept == 0) snprintf(text, sizeof text, "value = %.6g x stored", v->slope);
        ImGui::TextColored(DIM_TEXT, "%s", text);
        widget(app, "%.40s", text); /* tests read this text from the log */
    }
    if (v->note[0]) {
        ImGui::PushStyleColor(ImGuiCol_Text, DIM_TEXT);
        wrapped_text(v->note);
        ImGui::PopStyleColor();
    }
    if (app->live.stats.summary.nan + app->live.stats.summary.infinite) {
        const uint64_t n = app->live.stats.summary.nan + app->live.stats.summary.infinite;
        count_text(text, sizeof text, n);
        ImGui::TextColored(ACCENT_TEXT, "%s %s NaN or infinite", text, text_word(n, "voxel is", "voxels are"));
    }
    ImGui::PopTextWrapPos();
    if (v->frames > 1) time_row(app);
}
