/* The palette: every action of keys[], found by typed words. */
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
    bool moved; /* the chosen row is to be scrolled into sight */
};

/* What the palette calls the action of a row; NULL: the row has none of its own, but is one more way for a row before
 * it. */
const char *palette_title(const struct key *key);

struct palette_synonym { /* a word that people type, and one that titles have */
    const char *word, *means;
};

extern const struct palette_synonym palette_synonyms[]; /* the last one has no word */

/* How well `text` matches all words of `find`: 0 not at all; more is better. A word matches where it stands in the text,
 * whatever the case, or among the first letters of the text's words: "vf" matches "view from the front"; or by a
 * synonym. */
int palette_rank(const char *text, const char *find);

/* Finds the entries for `find`. */
void palette_update(struct palette *palette);

/* A typed character, and a GLFW key, while the palette is shown. */
void palette_type(struct app *app, unsigned character);
void palette_press(struct app *app, int key);

/* Runs the chosen entry and closes the palette; what cannot be done now is said instead. */
void palette_run(struct app *app);

#ifdef __cplusplus
}
#endif
#endif
