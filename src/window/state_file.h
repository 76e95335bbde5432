/* What is set, as text: a file has a line for each thing, and a command line a word or two. */
#ifndef ISO_STATE_FILE_H
#define ISO_STATE_FILE_H

#include "error.h"
#include "load.h"
#include "settings.h"
#include "words.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STATE_FILE_HEAD "isoscope state 1" /* the first line; the number grows if older programs must not read on */
#define STATE_FILE_ENDING ".state"

#define STATE_FILE_VOLUME "file" /* the line that names the volume; options of reading it may follow */

struct state_volume {
    const char *path;             /* NULL or "": the procedural one, of which nothing is said */
    const struct load_desc *load; /* how it was read */
};

struct state_picture { /* zero: all defaults. What a picture depends on besides what is set */
    int width, height; /* pixels */
    unsigned samples;
    bool legend, transparent, exact_positions;
    enum topology topology;
};

/* Whether a state file may have lines with this option; and whether that says how the volume is read. */
bool state_file_has(const char *option);
bool state_file_opens(const char *option);

#define STATE_FILE_ASPECT "aspect" /* the line that says for which width / height of the scene the view is */

struct state_file {                      /* what it says */
    const struct state_volume *volume;   /* NULL: it holds for any */
    const struct state_picture *picture; /* NULL: nothing is said of it */
    const struct settings *settings;
    bool machine;  /* with what belongs to the machine, too */
    double aspect; /* of the scene; 0: it is not said */
};

/* Writes the file. Errors: ERR_FAILED. */
int state_file_write(const char *path, const struct state_file *state, struct err *err);

/* Add what a command line says of the settings, the picture and the volume. */
void state_file_put_settings(struct words *words, const struct settings *settings);
void state_file_put_picture(struct words *words, const struct state_picture *picture);
void state_file_put_volume(struct words *words, const struct state_volume *volume);

#ifdef __cplusplus
}
#endif
#endif
