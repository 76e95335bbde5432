/* Completion in fish: a line per option. */
#include "manual.h"

#include "choices.h"
#include "window_part.h"

/* Text in single quotes. */
static void put(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\') fputc('\\', out);
        fputc(*text, out);
    }
    fputc('\'', out);
}

static void write_option(FILE *out, const struct option_row *row)
{
    char names[MANUAL_COMMANDS], words[CHOICES_TEXT];
    fprintf(out, "complete -c isoscope -n '__isoscope_in %s'", manual_commands(row->commands, " ", names));
    if (row->letter) fprintf(out, " -s %c", row->letter);
    fprintf(out, " -l %s", row->name);
    if (manual_is_file(row->argument)) fputs(" -r -F", out);
    else if (row->argument) fputs(" -x", out);
    if (row->argument && *choices_of(row->name, words)) fprintf(out, " -a '%s'", words);
    fputs(" -d ", out);
    put(out, row->help);
    fputc('\n', out);
}

/* After an op: its rungs. */
static void write_rungs(FILE *out)
{
    char words[CHOICES_TEXT];
    for (const struct ladder *l = ladders; l->op; l++)
        fprintf(out, "complete -c isoscope -n '__isoscope_op %s' -f -a '%s'\n", l->op, choices_of_rungs(l->op, words));
}

static void write_word(FILE *out, const struct command *command)
{
    char words[CHOICES_TEXT];
    fprintf(out, "complete -c isoscope -n '__isoscope_in %s", command->name);
    if (command->bit == LADDER) fprintf(out, "; and not __isoscope_op %s", choices_of(command->word, words));
    fputs("' -f", out);
    if (command->word) fprintf(out, " -a '%s'", choices_of(command->word, words));
    fputc('\n', out);
}

void manual_fish(FILE *out)
{
    char names[MANUAL_COMMANDS];
    fprintf(out,
            "# Completion of isoscope for fish. Generated from the tables of the program.\n"
            "function __isoscope_in\n"
            "    set -l typed (commandline -opc)\n"
            "    set -l now window\n"
            "    if set -q typed[2]; and contains -- $typed[2] %s\n"
            "        set now $typed[2]\n"
            "    end\n"
            "    contains -- $now $argv\n"
            "end\n"
            "function __isoscope_op\n"
            "    set -l typed (commandline -opc)\n"
            "    set -q typed[3]; and test $typed[2] = ladder; and contains -- $typed[3] $argv\n"
            "end\n",
            manual_commands(~(unsigned)VIEW, " ", names));
    for (const struct command *c = commands + 1; c->name; c++) {
        if (c->bit & commands_absent) continue;
        fprintf(out, "complete -c isoscope -n 'test (count (commandline -opc)) -eq 1' -a %s -d ", c->name);
        put(out, c->idea);
        fputc('\n', out);
        if (!manual_is_file(c->word)) write_word(out, c);
        if (c->bit == LADDER) write_rungs(out);
    }
    for (const struct option_row *row = option_rows; row->name; row++)
        if (row->commands & ~commands_absent) write_option(out, row);
    fputs("complete -c isoscope -s h -l help -d 'show the options'\n"
          "complete -c isoscope -n '__isoscope_in window' -l version -d 'show the version'\n",
          out);
}
