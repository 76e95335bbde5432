/* The settings as text: a line each in a state file, a word or two each in a command line. */
#ifndef ISO_STATE_FILE_H
#define ISO_STATE_FILE_H

#include "error.h"
#include "settings.h"
#include "words.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STATE_FILE_HEAD "isoscope state 1" /* first line; a new number keeps older programs from reading on */
#define STATE_FILE_ENDING ".state"

#define STATE_FILE_VOLUME "file" /* name of the line for the volume; options for reading it may follow */

struct state_volume {
    const char *path;             /* NULL or "": the procedural one; nothing is written then */
    const struct load_desc *load; /* how it was read */
};

struct state_picture { /* what a picture depends on besides the settings; zero: all defaults */
    int width, height; /* pixels */
    unsigned samples;
    bool legend, transparent, exact_positions;
    enum topology topology;
};

/* Whether a state can say which volume it is of. If a name does not fit on a line, the state holds for any volume. */
bool state_file_holds(const struct state_volume *volume);
#define STATE_FILE_LACKS "does not name its volume: the name has a line break, or begins or ends with a blank"

/* Whether a state file may have lines with this option; and whether the option is about reading the volume. */
bool state_file_has(const char *option);
bool state_file_opens(const char *option);

#define STATE_FILE_ASPECT "aspect" /* name of the line for the width / height that the view was made for */

struct state_file {                      /* what the file says */
    const struct state_volume *volume;   /* NULL: it holds for any volume */
    const struct state_picture *picture; /* NULL: left out */
    const struct settings *settings;
    bool machine;  /* with the settings that belong to the machine */
    double aspect; /* of the scene; 0: left out */
};

/* Writes the file, and says on stderr if it cannot name its volume. Errors: ERR_FAILED. */
int state_file_write(const char *path, const struct state_file *state, struct err *err);

/* Add the words of a command line for the settings, the picture and the volume. */
void state_file_put_settings(struct words *words, const struct settings *settings);
void state_file_put_picture(struct words *words, const struct state_picture *picture);
void state_file_put_volume(struct words *words, const struct state_volume *volume);

#ifdef __cplusplus
}
#endif
#endif
