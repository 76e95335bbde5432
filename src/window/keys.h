/* The keys: one table, from which handling, the help in the window and the documentation come. */
#ifndef ISO_KEYS_H
#define ISO_KEYS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct app;

enum { KEY_SHIFT = 1, KEY_CONTROL = 2 }; /* as GLFW has them */

struct key {
    int code;         /* a character as typed, letters in lower case; or, from 256 on, a GLFW key */
    int modifiers;    /* KEY_... that must be down; Shift counts only for letters and GLFW keys */
    const char *name; /* as written in help; NULL: one more way for the row above */
    const char *text; /* what it does; NULL with name NULL */
    void (*action)(struct app *app, double argument); /* NULL: handled elsewhere, listed for the help */
    double argument;
    void (*now)(const struct app *app, double argument, char *text, size_t size); /* present value; NULL: none */
};

extern const struct key keys[]; /* closed by a row with code 0 and name NULL */

/* Runs the row for a typed character or a GLFW key; does nothing if there is none. */
void keys_press(struct app *app, int code, int modifiers);

#ifdef __cplusplus
}
#endif
#endif
