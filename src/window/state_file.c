#include "state_file.h"

#include "replace.h"
#include "text.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the volume ------------------------------------------------------------------------------------------------------ */

struct teller {
    void (*tell)(void *to, const char *option, const char *value);
    void *to;
};

static void tell(const struct teller *teller, const char *option, const char *value)
{
    if (value) teller->tell(teller->to, option, value);
}

static void tell_number(const struct teller *teller, const char *option, uint64_t number, bool given)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    if (given) tell(teller, option, text);
}

static void tell_triple(const struct teller *teller, const char *option, const char *between, const double number[3])
{
    char text[3][32], all[100];
    snprintf(all, sizeof all, "%s%s%s%s%s", text_print(text[0], number[0]), between, text_print(text[1], number[1]),
             between, text_print(text[2], number[2]));
    if (number[0] > 0) tell(teller, option, all);
}

/* --data-anywhere is never written: only the person who starts the program may allow that. */
static void tell_opening(const struct teller *teller, const struct load_desc *load)
{
    const double dims[3] = { (double)load->dims[0], (double)load->dims[1], (double)load->dims[2] };
    tell_triple(teller, "dims", "x", dims);
    tell(teller, "type", load->type);
    tell(teller, "endian", load->endian);
    tell_number(teller, "offset", load->offset, load->offset_given);
    tell(teller, "order", load->z_fastest ? "zyx" : NULL);
    tell_triple(teller, "spacing", ",", load->spacing);
    tell_number(teller, "frame", load->frame, load->frame > 0);
    tell_number(teller, "component", load->component, load->component > 0);
    tell_number(teller, "level", load->level, load->level_given);
    tell(teller, "array", load->array);
    tell(teller, "series", load->series);
}

bool state_file_opens(const char *option)
{
    static const char *const opening[] = { "dims",  "type",      "endian", "offset", "order", "spacing",
                                           "frame", "component", "level",  "array",  "series" };
    for (size_t i = 0; i < sizeof opening / sizeof opening[0]; i++)
        if (!strcmp(opening[i], option)) return true;
    return false;
}

/* ---- the picture ----------------------------------------------------------------------------------------------------- */

static const char *const picture_flags[] = { "legend", "transparent", "exact-positions" }; /* without an argument */
static const char *const picture_values[] = { "topology", "samples", "size" };

enum {
    PICTURE_FLAGS = sizeof picture_flags / sizeof picture_flags[0],
    PICTURE_VALUES = sizeof picture_values / sizeof picture_values[0]
};

/* flag: the value to give for an option without an argument. */
static void tell_picture(const struct teller *teller, const struct state_picture *picture, const char *flag)
{
    const bool on[PICTURE_FLAGS] = { picture->legend, picture->transparent, picture->exact_positions };
    char value[PICTURE_VALUES][32] = { "" };
    if (picture->topology) snprintf(value[0], sizeof value[0], "%s", topology_name[picture->topology]);
    if (picture->samples) snprintf(value[1], sizeof value[1], "%u", picture->samples);
    if (picture->width) snprintf(value[2], sizeof value[2], "%dx%d", picture->width, picture->height);
    for (int i = 0; i < PICTURE_FLAGS; i++)
        if (on[i]) teller->tell(teller->to, picture_flags[i], flag);
    for (int i = 0; i < PICTURE_VALUES; i++) tell(teller, picture_values[i], value[i][0] ? value[i] : NULL);
}

static bool is_of_picture(const char *option)
{
    for (int i = 0; i < PICTURE_FLAGS; i++)
        if (!strcmp(picture_flags[i], option)) return true;
    for (int i = 0; i < PICTURE_VALUES; i++)
        if (!strcmp(picture_values[i], option)) return true;
    return false;
}

/* ---- the file -------------------------------------------------------------------------------------------------------- */

bool state_file_has(const char *option)
{
    for (const struct settings_row *row = settings_rows; row->title; row++)
        if (row->option && !strcmp(row->option, option)) return true;
    return is_of_picture(option);
}

static void write_line(void *file, const char *option, const char *value) { fprintf(file, "%s = %s\n", option, value); }

/* Whether reading the line gives the name back: a break would start the next line, and blanks around it are dropped. */
static bool fits_line(const char *name)
{
    static const char blanks[] = " \t";
    return !name || !*name || (!strpbrk(name, "\r\n") && !strchr(blanks, *name) && !strchr(blanks, name[strlen(name) - 1]));
}

bool state_file_holds(const struct state_volume *volume)
{
    char real[PATH_MAX];
    if (!volume->path || !volume->path[0] || !realpath(volume->path, real)) return true;
    return fits_line(real) && fits_line(volume->load->array) && fits_line(volume->load->series);
}

static void write_volume(FILE *file, const struct state_volume *volume)
{
    const struct teller teller = { write_line, file };
    char real[PATH_MAX];
    if (!volume || !volume->path || !volume->path[0] || !realpath(volume->path, real) || !state_file_holds(volume)) return;
    write_line(file, STATE_FILE_VOLUME, real);
    tell_opening(&teller, volume->load);
}

int state_file_write(const char *path, const struct state_file *state, struct err *err)
{
    struct replace replace;
    char text[SETTINGS_TEXT];
    int code = replace_open(&replace, path, err);
    if (code) return code;
    fprintf(replace.file, STATE_FILE_HEAD "\n");
    write_volume(replace.file, state->volume);
    for (const struct settings_row *row = settings_rows; row->title; row++) {
        row->write(state->settings, row->argument, text, sizeof text);
        if (row->option && text[0] && (state->machine || !row->machine)) write_line(replace.file, row->option, text);
    }
    const struct teller teller = { write_line, replace.file };
    if (state->picture) tell_picture(&teller, state->picture, "on");
    if (state->aspect > 0) write_line(replace.file, STATE_FILE_ASPECT, text_print(text, state->aspect));
    code = replace_close(&replace, !ferror(replace.file), err);
    if (!code && state->volume && !state_file_holds(state->volume))
        text_say(stderr, "isoscope: %s " STATE_FILE_LACKS, path);
    return code;
}

/* ---- the command line --------------------------------------------------------------------------------------------- */

void state_file_put_settings(struct words *words, const struct settings *settings)
{
    char text[SETTINGS_TEXT];
    for (const struct settings_row *row = settings_rows; row->title; row++) {
        row->write(settings, row->argument, text, sizeof text);
        if (row->option && text[0] && !row->window) words_option(words, row->option, row->flag ? NULL : text);
    }
}

static void add_option(void *words, const char *option, const char *value) { words_option(words, option, value); }

void state_file_put_picture(struct words *words, const struct state_picture *picture)
{
    const struct teller teller = { add_option, words };
    tell_picture(&teller, picture, NULL);
}

void state_file_put_volume(struct words *words, const struct state_volume *volume)
{
    const struct teller teller = { add_option, words };
    char real[PATH_MAX];
    if (!volume->path || !volume->path[0]) return;
    words_add(words, realpath(volume->path, real) ? real : volume->path);
    tell_opening(&teller, volume->load);
    if (volume->load->anywhere) words_option(words, "data-anywhere", NULL);
}
