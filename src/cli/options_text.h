/* The texts of the help that are in no other table; the manual page has them, too. */
#ifndef ISO_HELP_TEXT_H
#define ISO_HELP_TEXT_H

#ifdef __cplusplus
extern "C" {
#endif

struct example {
    unsigned command;         /* its bit in options_table.h; 0 closes the table */
    const char *words, *does; /* what follows "isoscope" */
};

struct exit_code {
    int code;
    const char *meaning; /* NULL closes the table */
};

struct help_row {
    const char *name, *text; /* name NULL closes the table */
};

extern const char help_idea[];               /* what the program is, in half a sentence */
extern const struct example help_examples[]; /* of each command at most three */
extern const struct exit_code help_exit_codes[];
extern const struct help_row help_variables[]; /* of the environment */
extern const struct help_row help_files[];     /* that the program keeps */

#ifdef __cplusplus
}
#endif
#endif
