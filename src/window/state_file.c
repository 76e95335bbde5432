#include "state_file.h"

#include "replace.h"

#include <stdio.h>
#include <string.h>

bool state_file_has(const char *option)
{
    for (const struct settings_row *row = settings_rows; row->title; row++)
        if (row->option && !strcmp(row->option, option)) return true;
    return false;
}

int state_file_write(const char *path, const struct settings *settings, bool machine, struct err *err)
{
    struct replace replace;
    char text[SETTINGS_TEXT];
    const int code = replace_open(&replace, path, err);
    if (code) return code;
    fprintf(replace.file, STATE_FILE_HEAD "\n");
    for (const struct settings_row *row = settings_rows; row->title; row++) {
        row->write(settings, row->argument, text, sizeof text);
        if (row->option && text[0] && (machine || !row->machine)) fprintf(replace.file, "%s = %s\n", row->option, text);
    }
    return replace_close(&replace, !ferror(replace.file), err);
}

/* ---- words ----------------------------------------------------------------------------------------------------------- */

static void add_text(struct words *words, const char *text, size_t n)
{
    if (words->used + n < sizeof words->text) memcpy(words->text + words->used, text, n);
    words->used += n;
    words->text[words->used < sizeof words->text ? words->used : sizeof words->text - 1] = 0;
}

void words_add(struct words *words, const char *word)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";
    if (words->used) add_text(words, " ", 1);
    if (*word && !word[strspn(word, plain)]) {
        add_text(words, word, strlen(word));
        return;
    }
    add_text(words, "'", 1);
    for (; *word; word++) {
        if (*word == '\'') add_text(words, "'\\''", 4); /* ends the quotes, and begins them again */
        else add_text(words, word, 1);
    }
    add_text(words, "'", 1);
}

void words_option(struct words *words, const char *option, const char *value)
{
    char dashed[40];
    snprintf(dashed, sizeof dashed, "--%s", option);
    words_add(words, dashed);
    if (value) words_add(words, value);
}

void words_settings(struct words *words, const struct settings *settings)
{
    char text[SETTINGS_TEXT];
    for (const struct settings_row *row = settings_rows; row->title; row++) {
        row->write(settings, row->argument, text, sizeof text);
        if (row->option && text[0] && !row->window) words_option(words, row->option, row->flag ? NULL : text);
    }
}
