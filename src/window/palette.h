/* The palette: finds every action of keys[] by typed words. */
#ifndef ISO_PALETTE_H
#define ISO_PALETTE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct app;
struct key;

enum { PALETTE_MOST = 160 }; /* actions that keys[] may have */

struct palette { /* zero: it is closed */
    bool shown;
    char find[64];                         /* the words, as typed so far */
    const struct key *entry[PALETTE_MOST]; /* those that match, the best first */
    size_t entries, chosen;
    bool moved; /* the chosen row must be scrolled into view */
};

/* The title of a row's action in the palette. NULL: the row has no action of its own, but is another key for a row before
 * it. */
const char *palette_title(const struct key *key);

struct palette_synonym { /* a word that people type, and the one that titles use */
    const char *word, *means;
};

extern const struct palette_synonym palette_synonyms[]; /* the last row has no word */

/* How well `text` matches all words of `find`; 0: not at all. Case does not matter. A word matches if it is in the text; if
 * it is among the initials of the text's words, as "vf" for "view from the front"; or if a synonym of it does. */
int palette_rank(const char *text, const char *find);

/* Finds the entries for `find`. */
void palette_update(struct palette *palette);

/* Take a typed character and a GLFW key while the palette is shown. */
void palette_type(struct app *app, unsigned character);
void palette_press(struct app *app, int key);

/* Runs the chosen entry and closes the palette. If the action can do nothing now, says why instead. */
void palette_run(struct app *app);

#ifdef __cplusplus
}
#endif
#endif
