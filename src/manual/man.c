/* The manual page, in the man macros of roff: groff_man(7). */
#include "manual.h"

#include "formats.h"
#include "options_text.h"
#include "synth.h"
#include "window_part.h"

#include <ctype.h>
#include <string.h>

/* Words that are to be replaced stand in capitals in the tables: FILE, WxH, STAGE=NAME. */
static bool is_placeholder(const char *word, size_t length)
{
    return length > 1 && isupper((unsigned char)word[0]) && isupper((unsigned char)word[1]);
}

/* Writes text in which nothing is a command of roff, not even at the start of a line; a hyphen is a minus, to be copied. */
static void put(FILE *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\\') fputs("\\e", out);
        else if (text[i] == '-') fputs("\\-", out);
        else if (text[i] == '^') fputs("\\(ha", out);
        else if (text[i] == '~') fputs("\\(ti", out);
        else if (text[i] == '\'') fputs("\\(aq", out);
        else if (text[i] == '.' && !i) fputs("\\&.", out);
        else fputc(text[i], out);
    }
}

static void put_text(FILE *out, const char *text) { put(out, text, strlen(text)); }

static void put_bold(FILE *out, const char *text)
{
    fputs("\\fB", out);
    put_text(out, text);
    fputs("\\fR", out);
}

/* A line of text, with placeholders in italics. */
static void put_line(FILE *out, const char *text)
{
    while (*text) {
        const size_t word = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"), rest = strcspn(text + 1, " [|(=,") + 1;
        const bool italic = is_placeholder(text, word);
        const size_t n = italic ? word : rest;
        if (italic) fputs("\\fI", out);
        put(out, text, n);
        if (italic) fputs("\\fR", out);
        text += n;
    }
    fputc('\n', out);
}

static void put_term(FILE *out, const char *term, const char *text)
{
    fputs(".TP\n", out);
    put_bold(out, term);
    fputc('\n', out);
    put_text(out, text);
    fputc('\n', out);
}

static void write_commands(FILE *out)
{
    fputs(".SH SYNOPSIS\n", out);
    bool first = true;
    for (const struct command *c = commands; c->name; c++) {
        if (c->bit & commands_absent) continue;
        const size_t name = strlen("isoscope") + (*c->name ? 1 + strlen(c->name) : 0);
        if (!first) fputs(".br\n", out);
        first = false;
        fprintf(out, "\\fB%.*s\\fR", (int)name, c->usage);
        put_line(out, c->usage + name);
    }
    fputs(".SH DESCRIPTION\nisoscope extracts isosurfaces from volumes with marching cubes, on an NVIDIA GPU or on the "
          "CPU, and\n"
          "redraws them while you drag the isovalue. Every stage is a ladder of implementations, called rungs, from the\n"
          "textbook version up. You can compare them.\n.SH COMMANDS\n",
          out);
    for (const struct command *c = commands; c->name; c++)
        if (!(c->bit & commands_absent)) put_term(out, *c->name ? c->name : "(none)", c->idea);
}

static void write_files_read(FILE *out)
{
    char formats[256];
    fputs(".SH VOLUMES\n\\fIFILE\\fR is ", out);
    put_text(out, format_list(formats, sizeof formats));
    fputs(", a Zarr folder, or a folder of DICOM files or slices. Most\nformats may be compressed as a whole (.gz). The "
          "\\fINAME\\fR of \\fBsynth\\fR is "
          "one of these:\n",
          out);
    for (const struct synth *s = synths; s->name; s++) put_term(out, s->name, s->idea);
}

static void write_option(FILE *out, const struct option_row *row)
{
    char names[MANUAL_COMMANDS];
    fputs(".TP\n", out);
    if (row->letter) fprintf(out, "\\fB\\-%c\\fR, ", row->letter);
    fputs("\\fB\\-\\-", out);
    put_text(out, row->name);
    fputs("\\fR", out);
    if (row->argument) {
        fputs(" \\fI", out);
        put_text(out, row->argument);
        fputs("\\fR", out);
    }
    fputc('\n', out);
    put_text(out, row->help);
    fprintf(out, "\n(%s)\n",
            row->commands == FILES ? "all commands that read a volume" : manual_commands(row->commands, ", ", names));
}

static void write_options(FILE *out)
{
    fputs(".SH OPTIONS\nThe commands that take an option follow it in parentheses; \\fIwindow\\fR is isoscope without a "
          "command.\n",
          out);
    for (const struct option_row *row = option_rows; row->name; row++)
        if (row->commands & ~commands_absent) write_option(out, row);
    fputs(".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR [\\fITOPIC\\fR]\nshow the options of a command; without a command, "
          "show help, or help on a command, \\fBkeys\\fR or \\fBrungs\\fR\n.TP\n\\fB\\-\\-version\\fR\nshow the version, "
          "the backends "
          "and the "
          "formats\n",
          out);
}

static void write_keys(FILE *out)
{
    struct window_key key;
    for (size_t i = 0; window_part_key(i, &key); i++) {
        if (!i) fputs(".SH KEYS\n", out);
        if (key.group) fprintf(out, ".SS %s\n", key.group);
        put_term(out, key.name, key.text);
    }
}

static void write_rows(FILE *out, const char *title, const struct text_row *rows)
{
    fprintf(out, ".SH %s\n", title);
    for (const struct text_row *row = rows; row->name; row++) put_term(out, row->name, row->text);
}

static void write_processes(FILE *out)
{
    fputs(
        ".SH SEVERAL PROCESSES\n\\fBisoscope\\-mpi\\fR, which is built and packaged where MPI is installed, is the same "
        "program for\n\\fBmpirun\\fR, which starts it many times. It lacks the window and \\fBrender\\fR, so no host "
        "needs OpenGL:\n.PP\n"
        "\\fBmpirun \\-n 8 isoscope\\-mpi extract ct.nrrd \\-\\-iso 300 \\-o bone.ply\\fR\n.PP\n"
        "The processes share the work of \\fBextract\\fR, \\fBinfo\\fR and \\fBbench\\fR, and give the same result as one "
        "process.\nThe other commands are for one process. Without MPI, \\fB\\-\\-part\\fR divides the work of "
        "\\fBextract\\fR.\n",
        out);
}

static void write_exit_codes(FILE *out)
{
    char code[16];
    fputs(".SH EXIT STATUS\n", out);
    for (const struct exit_code *e = options_exit_codes; e->meaning; e++) {
        snprintf(code, sizeof code, "%d", e->code);
        put_term(out, code, e->meaning);
    }
}

static void write_examples(FILE *out)
{
    fputs(".SH EXAMPLES\n", out);
    for (const struct example *e = options_examples; e->command; e++) {
        fputs(".TP\n", out);
        fputs("\\fBisoscope ", out);
        put_text(out, e->words);
        fputs("\\fR\n", out);
        put_text(out, e->does);
        fputc('\n', out);
    }
}

/* The page may be installed anywhere, and is made before. */
static void write_documents(FILE *out, const char *documents)
{
    const bool below = *documents != '/';
    char folder[4096];
    snprintf(folder, sizeof folder, "%s%s/", below ? "PREFIX/" : "", documents);
    put_term(
        out, folder,
        "README.md, CHANGELOG.md, docs/MANUAL.md, docs/PARTS.md and the other documents that this page and --help name");
    if (below)
        fputs("(\\fIPREFIX\\fR is where isoscope is installed: /usr for a package, otherwise /usr/local by default)\n",
              out);
}

void manual_man(FILE *out, const char *date, const char *documents)
{
    fprintf(out, ".\\\" Generated from the tables of the program.\n.TH ISOSCOPE 1 %s \"isoscope %s\" \"User Commands\"\n",
            date, ISO_VERSION);
    fputs(".SH NAME\nisoscope \\- ", out);
    put_text(out, options_idea);
    fputc('\n', out);
    write_commands(out);
    write_files_read(out);
    write_options(out);
    write_keys(out);
    write_examples(out);
    write_processes(out);
    write_exit_codes(out);
    write_rows(out, "ENVIRONMENT", options_variables);
    write_rows(out, "FILES", options_files);
    write_documents(out, documents);
    fputs(".SH SEE ALSO\n.BR dcm2niix (1)\n", out);
}
