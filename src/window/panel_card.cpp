/* The card of a stage: what its rung changes from the one before, its times here, and its code. Stepping through the rungs
 * on the card also switches them in the pipeline, so that the effect of each is felt at once. */
#include "panel_parts.h"
#include "app_actions.h"

#include "roof.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

namespace
{

const float LETTERS = 128; /* wide enough for a line of code, with the margins */
const size_t COMMENT = 8192;

const struct rung *rung_of(const struct app *app) { return app->wish.rung[app->card.stage]; }

/* The number of the rung in its ladder, from 1, and how many there are. */
void place_in_ladder(const struct app *app, size_t *number, size_t *count)
{
    const struct ladder *ladder = ladder_of(stage_name[app->card.stage]);
    const struct rung *rung;
    *number = 0;
    for (*count = 0; (rung = ladder_rung(ladder, app->wish.backend, *count)); ++*count)
        if (rung == rung_of(app)) *number = *count + 1;
}

void head(struct app *app)
{
    const enum stage stage = (enum stage)app->card.stage;
    const struct rung *rung = rung_of(app);
    size_t number, count;
    place_in_ladder(app, &number, &count);
    ImGui::TextColored(ACCENT_TEXT, "%s: %s", stage_name[stage], rung->name);
    ImGui::SameLine();
    ImGui::TextColored(DIM_TEXT, "rung %zu of %zu on %s%s", number, count, backends[app->wish.backend]->name,
                       rung->is_default ? ", the default" : "");
    if (ImGui::Button("< rung")) app_next_rung(app, stage, -1);
    widget(app, "card back");
    ImGui::SameLine();
    if (ImGui::Button("rung >")) app_next_rung(app, stage, 1);
    widget(app, "card forward");
    ImGui::SameLine();
    if (ImGui::Button(app->card.source ? "hide code" : "show code")) app->card.source = !app->card.source;
    widget(app, "card code");
    ImGui::SameLine();
    if (ImGui::Button("close")) app_hide_card(app);
    widget(app, "card close");
}

/* What the rung costs on this machine; or why there is no time yet. */
void times(const struct app *app)
{
    const int stage = app->card.stage;
    const struct series *series = &app->live.times.stage[stage];
    const double median = series_median(series), bytes = (double)app->live.stage[stage].bytes;
    char why[256];
    if (keys_explain_untimed(app, stage, why, sizeof why)) ImGui::TextColored(DIM_TEXT, "%s", why);
    else {
        const double rate = bytes / median * 1e-6;
        const double moves = roof_of(stage_name[stage], app->wish.backend, rung_of(app), NAN).moves;
        char ms[32], speed[32], part[48] = "", most[48] = "";
        number_text(ms, sizeof ms, median);
        number_text(speed, sizeof speed, rate);
        if (app->live.copy_rate > 0)
            snprintf(part, sizeof part, ", %.0f %% of a plain copy", 100 * rate / app->live.copy_rate);
        if (*part && moves > 0) snprintf(most, sizeof most, " (what it moves allows %.0f %%)", 100 / moves);
        ImGui::TextColored(GOOD_TEXT, "here %s ms (median of %u), %s GB/s%s%s", ms, series->count, speed, part, most);
    }
}

size_t indent_of(const char *line) { return strspn(line, " "); }

/* The index at which the last column of an indented line begins. */
size_t last_column(const char *line)
{
    size_t last = indent_of(line);
    for (size_t at = last + 2; at < strlen(line); at++)
        if (line[at] != ' ' && line[at - 1] == ' ' && line[at - 2] == ' ') last = at;
    return last;
}

/* Ends the text after its first line. Returns the next one, or NULL. */
char *cut_line(char *text)
{
    char *const end = strchr(text, '\n');
    if (end) *end = '\0';
    return end ? end + 1 : NULL;
}

bool fits(const char *line) { return ImGui::CalcTextSize(line).x <= ImGui::GetContentRegionAvail().x; }

/* Writes a line of a drawing, or a row of a table with the following lines that continue its last column. If one of these
 * lines is too long, they are joined and wrapped in that column. Returns the line after them, or NULL. */
char *indented(char *line, char *next)
{
    char row[COMMENT];
    const size_t column = last_column(line);
    size_t lines = 1, used = (size_t)snprintf(row, sizeof row, "%s", line + column);
    bool room = fits(line);
    for (; column > indent_of(line) && next && indent_of(next) == column; lines++) {
        char *const more = next;
        next = cut_line(next);
        room = room && fits(more);
        used += (size_t)snprintf(row + used, sizeof row - used, " %s", more + column);
    }
    for (size_t i = 0; i < lines && room; i++, line += strlen(line) + 1) ImGui::TextUnformatted(line);
    if (room) return next;
    ImGui::TextUnformatted(line, line + column);
    ImGui::SameLine(0, 0);
    ImGui::TextWrapped("%s", row);
    return next;
}

/* Writes a comment: paragraphs are wrapped; drawings and tables, which are indented, keep their lines. */
void comment(const struct lesson_part *part)
{
    char text[COMMENT], *next;
    lesson_comment(part, text, sizeof text);
    for (char *line = text; line; line = next) {
        next = cut_line(line);
        if (*line == ' ') next = indented(line, next);
        else ImGui::TextWrapped("%s", line);
    }
}

/* bare: without the comment at the start of the part. */
void code(const struct lesson_part *part, bool bare, float height)
{
    const char *const begin = bare && part->comment_end > part->begin ? part->comment_end + 1 : part->begin;
    if (begin >= part->end) return;
    ImGui::TextColored(DIM_TEXT, "%s:%u", part->path, part->line);
    if (ImGui::BeginChild(ImGui::GetID((const void *)part->begin), ImVec2(0, height), true,
                          ImGuiWindowFlags_HorizontalScrollbar))
        ImGui::TextUnformatted(begin, part->end);
    ImGui::EndChild();
}

} // namespace

void rung_card(struct app *app)
{
    const struct rung *rung = rung_of(app);
    const float margin = 8 * (float)app->scale, line = ImGui::GetTextLineHeightWithSpacing();
    const float left = (float)app->scene[0] + margin, room = (float)app->width - left - margin;
    const float wanted = LETTERS * ImGui::CalcTextSize("0").x, wide = wanted < room ? wanted : room;
    const float top = margin + (float)(app->split_foot ? app->split_foot : app->line_height); /* these stay in sight */
    const struct lesson &lesson = app->card.lesson;
    if (!app->card.shown || !rung || wide < 20 * ImGui::CalcTextSize("0").x) return;
    if (rung != app->card.rung) lesson_find(&app->card.lesson, stage_name[app->card.stage], app->wish.backend, rung);
    app->card.rung = rung;
    ImGui::SetNextWindowPos(ImVec2(left, top));
    ImGui::SetNextWindowSizeConstraints(ImVec2(wide, 0), ImVec2(wide, (float)app->height - top - margin));
    ImGui::SetNextWindowBgAlpha(0.94f);
    if (ImGui::Begin("card", NULL, FIXED | ImGuiWindowFlags_AlwaysAutoResize)) {
        head(app);
        ImGui::TextWrapped("%s", rung->idea);
        times(app);
        ImGui::Separator();
        if (mine_is(rung)) ImGui::TextColored(DIM_TEXT, "Your own, from %s.", app->own.mine.source);
        else if (!lesson.parts) ImGui::TextColored(DIM_TEXT, "This rung has no code of its own: the stage is left out.");
        else comment(&lesson.part[0]);
        const float height = 0.5f * (float)app->height / (float)(lesson.parts ? lesson.parts : 1);
        for (size_t i = 0; i < lesson.parts && app->card.source; i++)
            code(&lesson.part[i], i == 0, height > 6 * line ? height : 6 * line);
        window_widget(app, "card");
    }
    ImGui::End();
}
