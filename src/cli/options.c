#include "options.h"

#include "formats.h"
#include "keys.h"
#include "options_table.h"
#include "replace.h"
#include "synth.h"

#include <stdio.h>
#include <string.h>

/* ---- help ---------------------------------------------------------------------------------------------------------- */

static void print_rows(unsigned command)
{
    for (const struct option_row *row = option_rows; row->name; row++) {
        char left[64], letter[8] = "    ";
        if (!(row->commands & command)) continue;
        if (row->letter) snprintf(letter, sizeof letter, "-%c, ", row->letter);
        snprintf(left, sizeof left, "%s--%s %s", letter, row->name, row->argument ? row->argument : "");
        printf("  %-26s %s\n", left, row->help);
    }
    printf("  %-26s %s\n", "-h, --help", "this help; COMMAND --help for a command's");
}

static void print_keys(void)
{
    printf("\nKeys in the window (F1 shows them there, with their current values):\n");
    for (const struct key *k = keys; k->code || k->name; k++)
        if (k->name) printf("  %-28s %s\n", k->name, k->text);
}

enum { HELP_WIDTH = 110 }; /* characters */

static void print_rungs(const char *title, int from, int to)
{
    printf("\n%s, textbook first, * the default:\n", title);
    for (int s = from; s < to; s++)
        for (int b = 0; b < BACKEND_COUNT; b++) {
            const struct ladder *ladder = ladder_of(stage_name[s]);
            const struct rung *rung;
            if (!ladder_rung(ladder, (enum backend)b, 0)) continue;
            int column = printf("  %-9s %-5s", stage_name[s], backends[b]->name);
            const int indent = column;
            for (size_t i = 0; (rung = ladder_rung(ladder, (enum backend)b, i)); i++) {
                if (column + 2 + (int)strlen(rung->name) > HELP_WIDTH) column = printf("\n%*s", indent, "") - 1;
                column += printf(" %s%s", rung->name, rung->is_default ? "*" : "");
            }
            printf("\n");
        }
}

static void print_help(const struct command *command)
{
    if (command->bit == VIEW) {
        printf("isoscope: see, measure and time isosurfaces of volume files\n\nUsage:\n");
        for (const struct command *c = commands; c->name; c++) printf("  %-46s %s\n", c->usage, c->idea);
        printf("\nFILE is NRRD, NHDR, or RAW with its size and type in its name, like bonsai_256x256x256_uint8.raw.\n"
               "\nOptions of the window:\n");
    } else printf("Usage: %s\n%c%s.\n\nOptions:\n", command->usage, command->idea[0] - 'a' + 'A', command->idea + 1);
    print_rows(command->bit);
    if (command->bit == VIEW) print_keys();
    if (command->bit == SYNTH) {
        printf("\nFields (NAME):\n");
        for (const struct synth *s = synths; s->name; s++) printf("  %-16s %s\n", s->name, s->idea);
    }
    if (command->bit & FILES) {
        print_rungs("Stages and their rungs", 0, STAGE_COUNT);
        print_rungs("Auxiliary ops and their rungs", STAGE_COUNT, STAGE_ALL);
    }
    printf("\nExit codes: 0 ok, 1 failed, 2 usage, 3 bad input file, 4 no usable OpenGL, 5 CUDA asked for and absent,\n"
           "6 verify found a wrong mesh.\n");
}

static void print_version(void)
{
    char text[256];
    printf("isoscope %s\n", ISO_VERSION);
    for (int b = 0; b < BACKEND_COUNT; b++) {
        const bool works = backends[b]->available(text, sizeof text);
        printf("%-5s %s%s\n", backends[b]->name, works ? "" : "not here: ", text);
    }
    printf("reads %s, folders of slices\n", format_list(text, sizeof text));
}

/* ---- parsing ------------------------------------------------------------------------------------------------------- */

enum { NEAR = 3 }; /* a distance that is too far for a slip of the fingers */

/* Edit distance (Levenshtein 1966), for "did you mean"; both words are short. */
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

static int unknown_option(const char *word, const struct command *command, struct err *err)
{
    const char *nearest = NULL, *space = *command->name ? " " : ""; /* the window's has none */
    const int dashes = (int)strspn(word, "-"), length = (int)strcspn(word, "=");
    char name[64];
    snprintf(name, sizeof name, "%.*s", length - dashes, word + dashes);
    size_t best = strlen(name) < NEAR ? strlen(name) : NEAR; /* a single letter is like any other */
    for (const struct option_row *row = option_rows; row->name; row++) {
        if (!strcmp(row->name, name))
            return err_set(err, ERR_USAGE, "%.*s is not an option of '%s': see isoscope%s%s --help", length, word,
                           command->usage, space, command->name);
        if (row->commands & command->bit && distance(name, row->name) < best)
            best = distance(name, row->name), nearest = row->name;
    }
    return nearest ? err_set(err, ERR_USAGE, "unknown option %.*s: did you mean --%s?", length, word, nearest)
                   : err_set(err, ERR_USAGE, "unknown option %.*s: see isoscope%s%s --help", length, word, space,
                             command->name);
}

static const struct option_row *find_row(const char *word, size_t length, const struct command *command)
{
    for (const struct option_row *r = option_rows; r->name; r++) {
        const bool is_long = !strncmp(word, "--", 2) && strlen(r->name) == length - 2 &&
                             !strncmp(word + 2, r->name, length - 2);
        const bool is_short = length == 2 && r->letter && word[1] == r->letter;
        if (r->commands & command->bit && (is_long || is_short)) return r;
    }
    return NULL;
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

/* The command whose name is nearly `word`; NULL: none is. */
static const struct command *find_near(const char *word)
{
    for (const struct command *c = commands + 1; c->name; c++)
        if (strlen(word) < 16 && distance(word, c->name) < NEAR) return c;
    return NULL;
}

/* FILE, OP or NAME. */
static int parse_word(struct options *o, const struct command *command, const char *word, struct err *err)
{
    if (!command->word)
        return err_set(err, ERR_USAGE, "%s takes options only: '%s' is one word too many", command->name, word);
    const struct command *near = command == commands && o->setup.file ? find_near(o->setup.file) : NULL;
    if (near) return err_set(err, ERR_USAGE, "unknown command '%s': did you mean %s?", o->setup.file, near->name);
    if (o->setup.file && command->bit == LADDER && !o->second) {
        o->second = word;
        return ERR_NONE;
    }
    if (o->setup.file)
        return err_set(err, ERR_USAGE, "one %s at a time: '%s' is one too many after '%s'", command->word, word,
                       o->setup.file);
    o->setup.file = word;
    return ERR_NONE;
}

/* Results must not replace the volume that they are made from, by whatever name. */
static int check_outputs(const struct options *o, const struct command *command, struct err *err)
{
    const char *const outputs[] = { o->output, o->save, o->report, o->trace };
    if (!(command->bit & FILES) || !o->setup.file) return ERR_NONE;
    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++)
        if (outputs[i] && replace_is_same(outputs[i], o->setup.file))
            return err_set(err, ERR_USAGE, "%s: this is the input file; choose another name to write to", outputs[i]);
    return ERR_NONE;
}

int options_parse(struct options *options, const struct command **command, int argc, char **argv, struct err *err)
{
    const struct command *chosen = commands;
    bool only_words = false;
    int at = 1;
    memset(options, 0, sizeof *options);
    *command = NULL;
    for (const struct command *c = commands + 1; argc > 1 && c->name; c++)
        if (!strcmp(argv[1], c->name)) chosen = c, at = 2;

    for (; at < argc; at++) {
        const char *word = argv[at];
        if (only_words || word[0] != '-' || !word[1]) {
            if (parse_word(options, chosen, word, err)) return ERR_USAGE;
        } else if (!strcmp(word, "--")) only_words = true;
        else if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
            print_help(chosen);
            return ERR_NONE;
        } else if (!strcmp(word, "--version")) {
            print_version();
            return ERR_NONE;
        } else if (parse_option(options, chosen, argv, &at, err)) return ERR_USAGE;
    }
    if (check_outputs(options, chosen, err)) return ERR_USAGE;
    *command = chosen;
    return ERR_NONE;
}
