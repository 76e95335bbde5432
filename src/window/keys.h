/* The keys: one table, which serves key handling, the help in the window and the documentation. */
#ifndef ISO_KEYS_H
#define ISO_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct app;

enum { KEY_SHIFT = 1, KEY_CONTROL = 2 }; /* as GLFW has them */
enum { KEY_NONE = -1 };                  /* code of an action that only the palette has */

struct key {
    int code;         /* a character as typed, letters in lower case; or, from 256 on, a GLFW key */
    int modifiers;    /* KEY_... that must be down; Shift matters only for letters and GLFW keys */
    const char *name; /* as the help writes it; NULL: another key for the row above */
    const char *text; /* what it does; NULL with name NULL */
    void (*action)(struct app *app, double argument); /* NULL: handled elsewhere, listed for the help */
    double argument;
    void (*now)(const struct app *app, double argument, char *text, size_t size); /* present value; NULL: none */
    bool repeats;                                                                 /* acts repeatedly while held */
    const char *group; /* heading in the help, from this row on; NULL: that of the row before */
    const char *entry; /* title in the palette; NULL: `text` */
    /* Says why the action can do nothing now; returns NULL if it can. NULL: it always can. */
    const char *(*lacks)(const struct app *app, double argument);
};

extern const struct key keys[]; /* the last row has code 0 and name NULL */

/* Runs the row of a typed character or a GLFW key, if there is one. repeated: the key is held down, and this is not its
 * first event. */
void keys_press(struct app *app, int code, int modifiers, bool repeated);

/* Shows or hides the palette: keys_palette.c. */
void app_flip_palette(struct app *app);

/* The first row with that action and argument. There must be one. */
const struct key *keys_find(void (*action)(struct app *app, double argument), double argument);

/* Writes the first key of the row's name: "B" for "B, Shift+B". */
void keys_short_name(const struct key *key, char name[8]);

/* Writes the row's own key as the help would: "Ctrl+4", even if the row above is named "Ctrl+2, 4, 6"; "" for KEY_NONE. */
void keys_own_name(const struct key *key, char name[24]);

/* Actions that the panel has controls for; keys[] has their arguments. */
void key_auto_value(struct app *app, double unused);
void key_step_percent(struct app *app, double percent);
void key_next_surface(struct app *app, double step);
void key_add_surface(struct app *app, double mirrored);
void key_drop_surface(struct app *app, double unused);
void key_flip_surface(struct app *app, double unused);
void key_step_sigma(struct app *app, double step);
void key_flip_slice(struct app *app, double axis);
void key_cut_slice(struct app *app, double axis);
void key_flip_knife(struct app *app, double unused);
void key_flip_crop(struct app *app, double unused);
void key_flip_cut_caps(struct app *app, double unused);
void key_move_slices(struct app *app, double step);
void key_next_rung(struct app *app, double stage);
void key_flip_rungs(struct app *app, double unused);
void key_pick_row(struct app *app, double step); /* keys_lab.c */
void key_step_row(struct app *app, double step);
void key_flip_sets(struct app *app, double unused);
void key_split_sets(struct app *app, double unused);
void key_race(struct app *app, double unused);
void key_flip_gemm(struct app *app, double unused);
void key_pause_lab(struct app *app, double unused);
void key_pin_lab(struct app *app, double unused);
void key_copy_lab(struct app *app, double unused);
void key_log_lab(struct app *app, double unused);
void key_flip_translucent(struct app *app, double unused);
void key_flip_close(struct app *app, double unused);
void key_look_level(struct app *app, double azimuth);
void key_next_up(struct app *app, double step);
void key_fit(struct app *app, double unused);
void key_flip_box(struct app *app, double unused);
void key_flip_orthographic(struct app *app, double unused);
void key_next_mode(struct app *app, double step);
void key_flip_wireframe(struct app *app, double unused);
void key_next_panel(struct app *app, double argument);
void key_next_page(struct app *app, double unused);
void key_play(struct app *app, double unused);
void key_step_time(struct app *app, double step);
void key_ask_file(struct app *app, double unused);
void key_export(struct app *app, double unused);
void key_flip_help(struct app *app, double unused);
void key_find_help(struct app *app, double unused);
void key_screenshot(struct app *app, double scene_only);
void key_escape(struct app *app, double unused);

/* keys_lab.c: writes why the rung of a stage or side op (enum stage) has no time yet, and which key gives it one. False: it
 * has a time. */
bool keys_explain_untimed(const struct app *app, int stage, char *text, size_t size);

/* keys_lab.c: the present values of some of them, and why they may be impossible. */
void key_row_now(const struct app *app, double unused, char *text, size_t size);
void key_sets_now(const struct app *app, double unused, char *text, size_t size);
void key_split_now(const struct app *app, double unused, char *text, size_t size);
const char *key_no_split(const struct app *app, double unused);
void key_gemm_now(const struct app *app, double unused, char *text, size_t size);
void key_pause_now(const struct app *app, double unused, char *text, size_t size);
void key_pin_now(const struct app *app, double unused, char *text, size_t size);
void key_log_now(const struct app *app, double unused, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
