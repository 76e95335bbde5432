/* Completion in zsh, by its function _arguments. */
#include "manual.h"

#include "choices.h"
#include "window_part.h"

#include <string.h>

/* Text inside '[...]' or between colons of a specification, all in single quotes. */
static void put(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '\'') fputs("'\\''", out);
        else if (strchr("[]:\\", *text)) fprintf(out, "\\%c", *text);
        else fputc(*text, out);
    }
}

static void write_action(FILE *out, const char *name, const char *argument)
{
    char words[CHOICES_TEXT];
    if (!argument) return;
    fputc(':', out);
    put(out, argument);
    fputc(':', out);
    if (manual_is_file(argument)) fputs("_files", out);
    else if (*choices_of(name, words)) fprintf(out, "(%s)", words);
    else fputc(' ', out);
}

static void write_form(FILE *out, const char *dashes, const char *name, const char *sign, const struct option_row *row)
{
    fprintf(out, "        '*%s%s%s[", dashes, name, row->argument ? sign : "");
    put(out, row->help);
    fputc(']', out);
    write_action(out, row->name, row->argument);
    fputs("'\n", out);
}

static void write_command(FILE *out, const struct command *command)
{
    fprintf(out, "    %s)\n        options=(\n", *command->name ? command->name : "window");
    for (const struct option_row *row = option_rows; row->name; row++) {
        if (!(row->commands & command->bit)) continue;
        if (row->letter) write_form(out, "-", (char[]){ row->letter, 0 }, "", row);
        write_form(out, "--", row->name, "=", row);
    }
    if (*command->name) {
        fputs("        '--help[show the options]'\n", out);
        if (command->word) {
            fputs("        '1", out);
            write_action(out, command->word, command->word);
            fputs("'\n", out);
        }
        if (command->bit == LADDER) fputs("        '2:RUNG:_isoscope_rungs'\n", out);
    } else
        fputs("        '--help[show the options]' '--version[show the version]' '1:command or file:_isoscope_first'\n",
              out);
    fputs("        )\n        ;;\n", out);
}

static void write_first(FILE *out)
{
    fputs("_isoscope_first()\n{\n    local -a names=(\n", out);
    for (const struct command *c = commands + 1; c->name; c++) {
        if (c->bit & commands_absent) continue;
        fprintf(out, "        '%s:", c->name);
        put(out, c->idea);
        fputs("'\n", out);
    }
    fputs("    )\n    _describe -t commands command names\n    _files\n}\n\n", out);
}

/* The rungs of the op that the line names. */
static void write_rungs(FILE *out)
{
    char words[CHOICES_TEXT];
    fputs("_isoscope_rungs()\n{\n    local -a names\n    case $words[2] in\n", out);
    for (const struct ladder *l = ladders; l->op; l++)
        fprintf(out, "    %s) names=(%s) ;;\n", l->op, choices_of_rungs(l->op, words));
    fputs("    esac\n    compadd -a names\n}\n\n", out);
}

void manual_zsh(FILE *out)
{
    char names[MANUAL_COMMANDS];
    fputs("#compdef isoscope isoscope-mpi\n# Completion of isoscope for zsh. Generated from the tables of the program.\n\n",
          out);
    write_first(out);
    write_rungs(out);
    fprintf(out,
            "_isoscope()\n{\n"
            "    local command=window\n"
            "    local -a options\n"
            "    if ((CURRENT > 2)); then\n"
            "        case $words[2] in %s) command=$words[2] ;; esac\n"
            "    fi\n"
            "    if [[ $command != window ]]; then\n"
            "        shift words\n"
            "        ((CURRENT--))\n"
            "    fi\n"
            "    case $command in\n",
            manual_commands(~(unsigned)VIEW, " | ", names));
    for (const struct command *c = commands; c->name; c++)
        if (!(c->bit & commands_absent)) write_command(out, c);
    fputs("    esac\n    _arguments $options\n}\n\n_isoscope \"$@\"\n", out);
}
