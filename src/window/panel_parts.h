/* What the panel's files share: colours, window flags, text helpers, and the sections that panel.cpp puts together. C++. */
#ifndef ISO_PANEL_PARTS_H
#define ISO_PANEL_PARTS_H

#include "app.h"
#include "keys.h"
#include "labels_parts.h"

#ifdef __cplusplus
#include <imgui.h>

/* Colours of the theme for which Dear ImGui has no entry. They are kept in entries of its style that nothing else uses. */
#define DIM_TEXT ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled)
#define ACCENT_TEXT ImGui::GetStyleColorVec4(ImGuiCol_CheckMark)
#define GOOD_TEXT ImGui::GetStyleColorVec4(ImGuiCol_PlotLines)
#define BAR_INSIDE ImGui::GetColorU32(ImGuiCol_PlotHistogramHovered)
#define BAR_OUTSIDE ImGui::GetColorU32(ImGuiCol_PlotLinesHovered)
#define MESSAGE_BACK ImGui::GetStyleColorVec4(ImGuiCol_TitleBg)
#define ERROR_BACK ImGui::GetStyleColorVec4(ImGuiCol_TitleBgActive)

const ImGuiWindowFlags FIXED = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                               ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings;

/* ---- panel_style.cpp ---- */

void set_style(float scale, int theme); /* theme: THEME_DARK or THEME_LIGHT */

/* ---- panel_text.cpp ---- */

/* Writes a number with three significant digits: 0.012 1.23 12.3 1234. */
void number_text(char *text, size_t size, double value);

/* Writes an isovalue; "-" for one that is not known yet. */
void value_text(const struct app *app, char *text, size_t size, double value);

/* Writes a count with its thousands separated: 1 012 345. */
void count_text(char *text, size_t size, uint64_t count);

/* Writes text in lines as wide as there is room. Dear ImGui would also break it after a point, and so within numbers. */
void wrapped_text(const char *text);
float wrapped_height(const char *text); /* of such a text, pixels */

/* Writes text at the right end of the current column. */
void right_text(const char *text, bool dim);

/* Tooltips for the last item. tooltip: beside the item's window, so that it covers nothing near the item. mouse_tooltip: at
 * the mouse. */
void tooltip(const char *text);
void mouse_tooltip(const char *text);

/* A tooltip for the control under the cursor: the keys that do the same, what they do, and then `more`. */
void key_tooltip(const struct key *key, const char *more);

/* ---- panel_widget.cpp ---- */

/* Logs the name and the rectangle of the last item if it is new or has moved: "widget NAME: LEFT TOP RIGHT BOTTOM", in
 * framebuffer pixels. */
void widget(const struct app *app, const char *name, ...) __attribute__((format(printf, 2, 3)));

/* The same for the present window, under `name`; and for something that is only drawn. */
void window_widget(const struct app *app, const char *name);
void log_place(const struct app *app, const char *text, const ImVec2 &low, const ImVec2 &high);

/* Whether the mouse holds the last item. Typing into it does not count. */
bool is_held(void);

/* A row of a list of names that the user gave: Dear ImGui would not show the rest of a label behind '##'. `number` tells
 * the rows apart. Returns whether it was clicked. */
bool name_item(const char *name, int number, bool present = false);

/* An entry of an open list. Arrows begin at the present one. Returns whether it was chosen. */
bool list_item(const char *text, bool present, ImGuiSelectableFlags flags = ImGuiSelectableFlags_None);

/* A text field. If its text was changed, `take` gets it on Enter or when the field is left, but not on Esc. */
void text_field(struct app *app, struct typed *typed, const char *label, const char *text,
                void (*take)(struct app *app, const char *text));

/* Call it if the panel is not drawn: its fields count as left. */
void leave_fields(struct app *app);

/* ---- panel_slider.cpp ---- */

/* Like Dear ImGui's sliders, but the number is beside the thumb, not across it. Return whether the value was changed. It is
 * rounded as `format` prints it, to three digits if that is a word, because states and commands print it in full. */
bool slider_double(const char *label, double *value, double from, double to, const char *format, ImGuiSliderFlags flags);
bool slider_int(const char *label, int *value, int from, int to, ImGuiSliderFlags flags);

/* ---- sections ---- */

void volume_section(struct app *app);  /* panel_facts.cpp */
bool histogram(struct app *app);       /* panel_histogram.cpp; whether the mouse holds it */
void value_section(struct app *app);   /* panel_value.cpp */
void slices_section(struct app *app);  /* panel_slices.cpp */
void stages_section(struct app *app);  /* panel_stages.cpp */
void side_section(struct app *app);    /* panel_stages.cpp */
void surface_section(struct app *app); /* panel_facts.cpp */
void sets_section(struct app *app);    /* panel_sets.cpp */
void times_section(struct app *app);   /* panel_times.cpp */
void work_section(struct app *app);    /* panel_facts.cpp */
void machine_section(struct app *app); /* panel_facts.cpp */
void look_section(struct app *app);    /* panel_look.cpp */
void surface_rows(struct app *app);    /* panel_surfaces.cpp */
void export_section(struct app *app);  /* panel_look.cpp */

/* Whether there is a full surface, or the surface is known to be empty. A hidden one is not made again when its value
 * changes. */
bool is_made(const struct app *app); /* panel_facts.cpp */

/* panel_facts.cpp. begin_facts: begins a table of names beside facts or controls; false: it is not visible. times_line: the
 * times of the last surface. */
bool begin_facts(const char *id);
void times_line(const struct app *app);

/* panel_facts.cpp: begins a row of such a table for controls. */
void control(const char *name);

/* panel_crop.cpp. crop_row: the row for the crop box in the table of slices. crop_sliders: its sides, below that table;
 * returns whether one is being moved. */
void crop_row(struct app *app);
bool crop_sliders(struct app *app);

/* panel_look.cpp: a button, lit while `on`. Its tooltip has the key, then `more`. Returns whether it was pressed. */
bool choice(const char *text, bool on, const struct key *key, const char *more, ImVec2 size = ImVec2(0, 0));

/* panel_times.cpp: a button for an action of keys[] that has no argument, lit while `on`. Its tooltip has the action's
 * title in the palette, its key, then `more`. Returns whether it was pressed. */
bool action_button(const struct app *app, const char *text, bool on, void (*action)(struct app *app, double argument),
                   const char *more);

/* ---- over the scene ---- */

/* panel_scene.cpp: finds where a point of the volume is in the window; false: it is behind the viewer. */
bool scene_point(const struct app *app, const double voxel[3], ImVec2 *at);

void split_labels(struct app *app);       /* panel_sets.cpp */
void rung_card(struct app *app);          /* panel_card.cpp */
void probe_label(const struct app *app);  /* panel_slices.cpp */
void ruler_lines(const struct app *app);  /* panel_ruler.cpp */
void scene_labels(const struct app *app); /* panel_scene.cpp */
void cut_grips(struct app *app);          /* panel_grips.cpp */
void gizmo_box(const struct app *app);    /* panel_scene.cpp */
void messages(const struct app *app);     /* panel_over.cpp */
void work_box(const struct app *app);     /* panel_over.cpp */
void mine_box(struct app *app);           /* panel_mine.cpp */
void help_window(struct app *app);        /* panel_help.cpp */
void palette_window(struct app *app);     /* panel_palette.cpp */
void browse_box(struct app *app);         /* panel_browse.cpp */
void import_box(struct app *app);         /* panel_files.cpp */
void empty_box(struct app *app);          /* panel_files.cpp */
void recent_menu(struct app *app);        /* panel_files.cpp: buttons after the last item, and a list */

#endif
#endif
