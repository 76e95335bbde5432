#include "options_help.h"

#include "formats.h"
#include "options_text.h"
#include "options_table.h"
#include "synth.h"
#include "window_part.h"

#include <stdio.h>
#include <string.h>

static void print_row(char letter, const char *name, const char *argument, const char *text)
{
    char left[64], before[8] = "    ";
    if (letter) snprintf(before, sizeof before, "-%c, ", letter);
    snprintf(left, sizeof left, "%s--%s %s", before, name, argument ? argument : "");
    printf("  %-26s %s\n", left, text);
}

static void print_options(unsigned command)
{
    for (const struct option_row *row = option_rows; row->name; row++)
        if (row->commands & command) print_row(row->letter, row->name, row->argument, row->help);
    if (command == VIEW) {
        print_row('h', "help", "TOPIC", "show this help, or help on a command, keys or rungs");
        print_row(0, "version", NULL, "show the version, the backends and the formats");
    } else print_row('h', "help", NULL, "show this help");
}

static void print_keys(void)
{
    printf("Keys in the window (F1 shows them there, with their current values):\n");
    struct window_key key;
    for (size_t i = 0; window_part_key(i, &key); i++) printf("  %-28s %s\n", key.name, key.text);
}

/* ---- rungs --------------------------------------------------------------------------------------------------------- */

enum { HELP_WIDTH = 110 }; /* characters */

static void print_ladder(const char *op, enum backend backend)
{
    const struct ladder *ladder = ladder_of(op);
    const struct rung *rung;
    if (!ladder_rung(ladder, backend, 0)) return;
    int column = printf("  %-16s %-5s", op, backends[backend]->name);
    const int indent = column;
    for (size_t i = 0; (rung = ladder_rung(ladder, backend, i)); i++) {
        if (column + 2 + (int)strlen(rung->name) > HELP_WIDTH) column = printf("\n%*s", indent, "") - 1;
        column += printf(" %s%s", rung->name, rung->is_default ? "*" : "");
    }
    printf("\n");
}

static void print_ladders(const char *title, int from, int to)
{
    printf("%s, textbook first, * the default:\n", title);
    for (int s = from; s < to; s++)
        for (int b = 0; b < BACKEND_COUNT; b++) print_ladder(stage_name[s], (enum backend)b);
}

static void print_rungs(void)
{
    print_ladders("Stages and their rungs", 0, STAGE_COUNT);
    printf("\n");
    print_ladders("Auxiliary ops and their rungs", STAGE_COUNT, STAGE_ALL);
    printf("\n--rung STAGE=NAME chooses one; isoscope ladder STAGE explains them.\n");
}

/* ---- one command --------------------------------------------------------------------------------------------------- */

static void print_commands(void)
{
    char formats[256];
    printf("isoscope: %s\n\nUsage:\n", options_idea);
    for (const struct command *c = commands; c->name; c++)
        if (!(c->bit & commands_absent)) printf("  %-46s %s\n", c->usage, c->idea);
    printf("\nFILE is %s,\na Zarr folder, or a folder of DICOM files or slices.\n\n", format_list(formats, sizeof formats));
}

static void print_fields(void)
{
    printf("\nFields (NAME):\n");
    for (const struct synth *s = synths; s->name; s++) printf("  %-16s %s\n", s->name, s->idea);
}

static void print_examples(unsigned command)
{
    int width = 0;
    for (const struct example *e = options_examples; e->command; e++)
        if (e->command == command && (int)strlen(e->words) > width) width = (int)strlen(e->words);
    printf("\nExamples:\n");
    for (const struct example *e = options_examples; e->command; e++)
        if (e->command == command) printf("  isoscope %-*s  %s\n", width, e->words, e->does);
}

static void print_exit_codes(void)
{
    printf("\nExit codes:");
    for (const struct exit_code *e = options_exit_codes; e->meaning; e++)
        printf("%s%s%d %s", e > options_exit_codes ? "," : "", e->code == ERR_WRONG ? "\n" : " ", e->code, e->meaning);
    printf(".\n");
}

/* Prints what a command takes and how it is used. */
static void print_details(const struct command *command)
{
    printf("Options%s:\n", command->bit == VIEW ? " of the window" : "");
    print_options(command->bit);
    if (command->bit == SYNTH) print_fields();
    print_examples(command->bit);
}

/* In a build without the window, the window's help is just the list of commands. */
static void print_command(const struct command *command)
{
    const bool absent = command->bit & commands_absent;
    if (command->bit == VIEW) print_commands();
    else printf("Usage: %s\n%c%s.\n\n", command->usage, command->idea[0] - 'a' + 'A', command->idea + 1);
    if (absent) printf("Options of a command, and examples: isoscope --help COMMAND\n");
    else print_details(command);
    if (command->bit & FILES) printf("\nThe rungs of all stages: isoscope --help rungs\n");
    if (command->bit == VIEW && !absent) printf("The keys of the window: isoscope --help keys, or F1 there\n");
    print_exit_codes();
}

/* Lets an absent command say so itself. */
static int refuse(const struct command *command, struct err *err)
{
    const struct options unused = { .json = false };
    return command->run(&unused, err);
}

int options_print_help(const struct command *command, const char *topic, struct err *err)
{
    static const struct {
        const char *name;
        const struct command *of; /* the command that the topic is about, if any */
        void (*print)(void);
    } topics[] = { { "keys", commands, print_keys }, { "rungs", NULL, print_rungs } };
    for (size_t i = 0; topic && i < sizeof topics / sizeof topics[0]; i++)
        if (!strcmp(topic, topics[i].name)) {
            if (topics[i].of && topics[i].of->bit & commands_absent) return refuse(topics[i].of, err);
            topics[i].print();
            return ERR_NONE;
        }
    const bool whole = command == commands;
    for (const struct command *c = commands + 1; topic && whole && c->name; c++)
        if (!strcmp(topic, c->name)) command = c;
    if (topic && topic[0] != '-' && whole && command == commands)
        return err_set(err, ERR_USAGE, "there is no help on '%s': isoscope --help COMMAND, --help keys or --help rungs",
                       topic);
    if (command != commands && command->bit & commands_absent) return refuse(command, err);
    print_command(command);
    return ERR_NONE;
}

void options_print_version(void)
{
    char text[256];
    printf("isoscope %s\n", ISO_VERSION);
    for (int b = 0; b < BACKEND_COUNT; b++) {
        const bool works = backends[b]->available(text, sizeof text);
        printf("%-5s %s%s\n", backends[b]->name, works ? "" : "not here: ", text);
    }
    printf("reads %s, Zarr, folders of slices\n", format_list(text, sizeof text));
}
