/* Completion in bash. Without choices of its own it leaves the names of files to readline. */
#include "manual.h"

#include "choices.h"
#include "window_part.h"

static void write_names(FILE *out, const struct option_row *row)
{
    if (row->letter) fprintf(out, "-%c | ", row->letter);
    fprintf(out, "--%s", row->name);
}

/* A branch per option that takes one of some words, and one for all that take anything but a file. */
static void write_values(FILE *out)
{
    char words[CHOICES_TEXT];
    const char *between = "    ";
    for (const struct option_row *row = option_rows; row->name; row++)
        if (row->argument && manual_is_first(row) && *choices_of(row->name, words)) {
            fputs("    ", out);
            write_names(out, row);
            fprintf(out, ") words='%s' ;;\n", words);
        }
    for (int files = 1; files >= 0; files--, between = "    ") {
        for (const struct option_row *row = option_rows; row->name; row++) {
            if (!row->argument || !manual_is_first(row) || *choices_of(row->name, words)) continue;
            if (manual_is_file(row->argument) != (files == 1)) continue;
            fputs(between, out);
            write_names(out, row);
            between = " | ";
        }
        fputs(files ? ") return ;;\n" : ") compopt +o default 2>/dev/null; return ;;\n", out);
    }
}

static void write_options(FILE *out)
{
    for (const struct command *c = commands; c->name; c++) {
        if (c->bit & commands_absent) continue;
        if (*c->name) fprintf(out, "            %s) words='", c->name);
        else fputs("            '') words='", out);
        for (const struct option_row *row = option_rows; row->name; row++)
            if (row->commands & c->bit) fprintf(out, "--%s ", row->name);
        fprintf(out, "--help%s' ;;\n", *c->name ? "" : " --version");
    }
}

/* After an op: its rungs. */
static void write_rungs(FILE *out)
{
    char words[CHOICES_TEXT];
    fputs("                case ${typed[2]-} in\n", out);
    for (const struct ladder *l = ladders; l->op; l++)
        fprintf(out, "                %s) words='%s' ;;\n", l->op, choices_of_rungs(l->op, words));
    fputs("                esac\n                ;;\n", out);
}

/* What a command takes besides options, if it is no file. */
static void write_words(FILE *out)
{
    char words[CHOICES_TEXT];
    for (const struct command *c = commands; c->name; c++) {
        if (manual_is_file(c->word)) continue;
        fprintf(out, "            %s) words='%s' && compopt +o default 2>/dev/null%s\n", c->name,
                c->word ? choices_of(c->word, words) : "", c->bit == LADDER ? "" : " ;;");
        if (c->bit == LADDER) write_rungs(out);
    }
}

void manual_bash(FILE *out)
{
    char names[MANUAL_COMMANDS], cases[MANUAL_COMMANDS];
    manual_commands(~(unsigned)VIEW, " ", names);
    fprintf(out,
            "# Completion of isoscope for bash. Generated from the tables of the program.\n"
            "_isoscope()\n{\n"
            "    local line=${COMP_LINE:0:COMP_POINT} command='' option='' current='' head='' words='' whole cut i\n"
            "    local -a typed\n"
            "    COMPREPLY=()\n"
            "    read -ra typed <<<\"$line\"\n"
            "    if [[ $line != *[[:space:]] ]]; then\n"
            "        current=${typed[-1]}\n"
            "        unset 'typed[-1]'\n"
            "    fi\n"
            "    whole=$current\n"
            "    case ${typed[1]-} in %s) command=${typed[1]} ;; esac\n"
            "    if [[ $current == --*=* ]]; then\n"
            "        option=${current%%%%=*}\n"
            "        head=$option=\n"
            "        current=${current#*=}\n"
            "    elif ((${#typed[@]} > 1)); then\n"
            "        option=${typed[-1]}\n"
            "    fi\n"
            "    case $option in\n",
            manual_commands(~(unsigned)VIEW, " | ", cases));
    write_values(out);
    fprintf(out,
            "    -h | --help) words='keys rungs %s' ;;\n    *)\n        if [[ $current == -* ]]; then\n            case "
            "$command in\n",
            names);
    write_options(out);
    fputs("            esac\n        else\n            case $command in\n", out);
    write_words(out);
    fprintf(out,
            "            '') ((${#typed[@]} > 1)) || words='%s' ;;\n"
            "            esac\n"
            "        fi\n"
            "        ;;\n"
            "    esac\n"
            "    [[ $words ]] || return\n"
            "    mapfile -t COMPREPLY < <(compgen -P \"$head\" -W \"$words\" -- \"$current\")\n"
            "    if [[ -z $option$command && $current != -* ]]; then\n"
            "        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- \"$current\")\n"
            "        compopt -o filenames 2>/dev/null\n"
            "    fi\n"
            "    # readline has split the word at each =, and replaces what is behind the last\n"
            "    if [[ $COMP_WORDBREAKS == *=* ]]; then\n"
            "        cut=${whole%%\"${whole##*=}\"}\n"
            "        for i in \"${!COMPREPLY[@]}\"; do COMPREPLY[i]=${COMPREPLY[i]#\"$cut\"}; done\n"
            "    fi\n"
            "}\n"
            "complete -o default -F _isoscope isoscope isoscope-mpi\n",
            names);
}
