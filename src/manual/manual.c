/* isoscope_manual FOLDER DATE DOCUMENTS: writes the manual page and the completions into FOLDER. A tool of the build. */
#include "manual.h"

#include "window_part.h"

#include <string.h>

bool manual_is_first(const struct option_row *row)
{
    for (const struct option_row *r = option_rows; r < row; r++)
        if (!strcmp(r->name, row->name)) return false;
    return true;
}

bool manual_is_file(const char *argument)
{
    return argument && (!strncmp(argument, "FILE", 4) || !strcmp(argument, "OUT"));
}

const char *manual_commands(unsigned bits, const char *between, char text[MANUAL_COMMANDS])
{
    size_t used = 0;
    text[0] = 0;
    for (const struct command *c = commands; c->name; c++)
        if (c->bit & bits & ~commands_absent)
            used += (size_t)snprintf(text + used, MANUAL_COMMANDS - used, "%s%s", used ? between : "",
                                     *c->name ? c->name : "window");
    return text;
}

static void write_man(FILE *out, char **words) { manual_man(out, words[0], words[1]); }
static void write_bash(FILE *out, char **words) { (void)words, manual_bash(out); }
static void write_zsh(FILE *out, char **words) { (void)words, manual_zsh(out); }
static void write_fish(FILE *out, char **words) { (void)words, manual_fish(out); }

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*write)(FILE *out, char **words);
    } files[] = { { "isoscope.1", write_man },
                  { "isoscope.bash", write_bash },
                  { "_isoscope", write_zsh },
                  { "isoscope.fish", write_fish } };
    if (argc != 4) return fprintf(stderr, "Usage: isoscope_manual FOLDER DATE DOCUMENTS\n"), 2;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", argv[1], files[i].name);
        FILE *out = fopen(path, "w");
        if (out) files[i].write(out, argv + 2);
        if (!out || fclose(out)) {
            perror(path);
            return 1;
        }
    }
    return 0;
}
