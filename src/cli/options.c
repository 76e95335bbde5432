#include "options.h"

#include "options_help.h"
#include "options_state.h"
#include "options_table.h"
#include "options_view.h"
#include "text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int options_bad(struct err *err, const char *option, const char *value, const char *expected)
{
    return err_set(err, ERR_USAGE, "--%s %s: expected %s", option, value, expected);
}

/* ---- parsing ------------------------------------------------------------------------------------------------------- */

enum { NEAR = 3 }; /* edit distances from here on are no typing errors */

/* Edit distance (Levenshtein 1966), for "did you mean". Both words are short. */
static size_t distance(const char *a, const char *b)
{
    size_t row[64], n = strlen(b);
    if (n >= 64) return SIZE_MAX;
    for (size_t j = 0; j <= n; j++) row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            const size_t above = row[j], change = corner + (a[i - 1] != b[j - 1]);
            size_t least = above < row[j - 1] ? above + 1 : row[j - 1] + 1;
            row[j] = change < least ? change : least;
            corner = above;
        }
    }
    return row[n];
}

static const struct option_row *find_row(const char *word, size_t length, const struct command *command)
{
    for (const struct option_row *r = option_rows; r->name; r++) {
        const bool is_long = text_begins(word, "--") && strlen(r->name) == length - 2 &&
                             !strncmp(word + 2, r->name, length - 2);
        const bool is_short = length == 2 && r->letter && word[1] == r->letter;
        if (r->commands & command->bit && (is_long || is_short)) return r;
    }
    return NULL;
}

static int unknown_option(const char *word, const struct command *command, struct err *err)
{
    const char *nearest = NULL, *space = *command->name ? " " : ""; /* the window has no name */
    const int dashes = (int)strspn(word, "-"), length = (int)strcspn(word, "=");
    char name[64];
    snprintf(name, sizeof name, "%.*s", length - dashes, word + dashes);
    size_t best = strlen(name) < NEAR ? strlen(name) : NEAR; /* or a single letter would match any other */
    bool elsewhere = false;
    for (const struct option_row *row = option_rows; row->name; row++) {
        if (!(row->commands & command->bit)) elsewhere |= !strcmp(row->name, name);
        else if (distance(name, row->name) < best) best = distance(name, row->name), nearest = row->name;
    }
    if (elsewhere && best)
        return err_set(err, ERR_USAGE, "%.*s is not an option of '%s': see isoscope%s%s --help", length, word,
                       command->usage, space, command->name);
    for (const struct option_row *row = option_rows; row->name && !nearest; row++) /* --isovalue for --iso */
        if (row->commands & command->bit && text_begins(name, row->name)) nearest = row->name;
    const struct option_row *letter = dashes == 1 ? find_row(word, 2, command) : NULL;
    if (!nearest && letter && letter->argument)
        return err_set(err, ERR_USAGE, "unknown option %s: put a space between -%c and %s", word, word[1], word + 2);
    return nearest ? err_set(err, ERR_USAGE, "unknown option %.*s: did you mean --%s?", length, word, nearest)
                   : err_set(err, ERR_USAGE, "unknown option %.*s: see isoscope%s%s --help", length, word, space,
                             command->name);
}

/* One option with its value, which may follow '=' or be the next word. */
static int parse_option(struct options *o, const struct command *command, char **argv, int *at, struct err *err)
{
    const char *word = argv[*at], *equals = strchr(word, '=');
    const struct option_row *row = find_row(word, equals ? (size_t)(equals - word) : strlen(word), command);
    if (!row) return unknown_option(word, command, err);
    const char *value = equals ? equals + 1 : NULL;
    if (!row->argument && value) return err_set(err, ERR_USAGE, "--%s takes no value", row->name);
    if (row->argument && !value && !(value = argv[++*at]))
        return err_set(err, ERR_USAGE, "--%s needs a value: --%s %s", row->name, row->name, row->argument);
    return row->parse(o, row->name, value, err);
}

/* The command whose name resembles `word`; NULL: there is none. */
static const struct command *find_near(const char *word)
{
    for (const struct command *c = commands + 1; c->name; c++)
        if (strlen(word) < 16 && distance(word, c->name) < NEAR) return c;
    return NULL;
}

/* Refuses `word`, which was meant as the command `near`. */
static int refuse_command(const char *word, const struct command *near, struct err *err)
{
    if (!strcmp(word, near->name))
        return err_set(err, ERR_USAGE, "'%s' comes after an option: name the command first, isoscope %s ...", word, word);
    return err_set(err, ERR_USAGE, "unknown command '%s': did you mean %s?", word, near->name);
}

/* A word without a slash or an ending may have been meant as a file or as a command. */
static int check_word(const char *word, struct err *err)
{
    if (strpbrk(word, "./") || !access(word, F_OK)) return ERR_NONE;
    const struct command *near = find_near(word);
    if (near && !strcmp(word, near->name)) return refuse_command(word, near, err);
    err_set(err, ERR_INPUT, "%s: no such file or command", word);
    if (near) err_advise(err, "did you mean isoscope %s?", near->name);
    else err_advise(err, "isoscope --help lists the commands");
    return ERR_INPUT;
}

/* FILE, OP or NAME. */
static int parse_word(struct options *o, const struct command *command, const char *word, struct err *err)
{
    if (!command->word) return err_set(err, ERR_USAGE, "%s takes only options: leave out '%s'", command->name, word);
    const struct command *near = command == commands && o->setup.file ? find_near(o->setup.file) : NULL;
    if (near) return refuse_command(o->setup.file, near, err);
    if (command->bit & (VIEW | RENDER) && options_is_state(word)) return parse_load_state(o, "load-state", word, err);
    if (o->setup.file && command->bit == LADDER && !o->second) {
        o->second = word;
        return ERR_NONE;
    }
    if (!o->setup.file) {
        o->setup.file = word;
        return ERR_NONE;
    }
    err_set(err, ERR_USAGE, "expected one %s, but found '%s' after '%s'", command->word, word, o->setup.file);
    if (command == commands) err_advise(err, "open one; PageDown in the window then opens the next volume of its folder");
    return ERR_USAGE;
}

/* The volume that the state names, unless the command line names one. If it is not there, the window opens and says so. */
static int take_volume(struct setup *setup, const struct command *command, struct err *err)
{
    if (setup->file || !setup->state_file) return ERR_NONE;
    setup->file = setup->state_file;
    if (command->bit != RENDER || !access(setup->file, F_OK) || errno != ENOENT) return ERR_NONE;
    err_set(err, ERR_INPUT, "%s: no such file, but the state names it", setup->file);
    err_advise(err, "if it was moved, say where it is: isoscope render VOLUME NAME.state");
    return ERR_INPUT;
}

static int parse_all(struct options *options, const struct command **command, int argc, char **argv, struct err *err)
{
    const struct command *chosen = commands;
    bool only_words = false;
    int at = 1;
    options->view.read_state = options_read_state;
    *command = NULL;
    for (const struct command *c = commands + 1; argc > 1 && c->name; c++)
        if (!strcmp(argv[1], c->name)) chosen = c, at = 2;

    if (argc > 1 && !strcmp(argv[1], "help")) return options_print_help(commands, argv[2], err);
    if (argc == 2 && !strcmp(argv[1], "version")) {
        options_print_version();
        return ERR_NONE;
    }
    for (; at < argc; at++) {
        const char *word = argv[at];
        if (only_words || word[0] != '-' || !word[1]) {
            if (parse_word(options, chosen, word, err)) return err->code;
        } else if (!strcmp(word, "--")) only_words = true;
        else if (!strcmp(word, "--help") || !strcmp(word, "-h")) return options_print_help(chosen, argv[at + 1], err);
        else if (!strcmp(word, "--version")) {
            options_print_version();
            return ERR_NONE;
        } else if (parse_option(options, chosen, argv, &at, err)) return err->code;
    }
    if (options->view.target_given != options->view.distance_given)
        return err_set(err, ERR_USAGE, "--target and --distance need each other: give both or neither");
    if (chosen == commands && options->setup.file && check_word(options->setup.file, err)) return err->code;
    if (take_volume(&options->setup, chosen, err)) return ERR_INPUT;
    if (chosen->bit == RENDER && !options->output) options->output = "isoscope.png";
    if (chosen->bit & WHOLE) options->setup.load.level_given = true; /* 0 unless told otherwise */
    *command = chosen;
    return ERR_NONE;
}

/* If both a state file and the command line name a volume, the command line wins, and the state's options on reading
 * its own volume are ignored. */
int options_parse(struct options *options, const struct command **command, int argc, char **argv, struct err *err)
{
    memset(options, 0, sizeof *options);
    const int code = parse_all(options, command, argc, argv, err);
    const struct setup *setup = &options->setup;
    if (code || !setup->state_file || setup->file == setup->state_file) return code;
    options_free(options);
    memset(options, 0, sizeof *options);
    options->setup.knows_file = true;
    return parse_all(options, command, argc, argv, err);
}

void options_free(struct options *options)
{
    free(options->state);
    options->state = NULL;
}
