/* Texts of the help that are in no other table. The manual page has them, too. */
#ifndef ISO_OPTIONS_TEXT_H
#define ISO_OPTIONS_TEXT_H

#ifdef __cplusplus
extern "C" {
#endif

struct example {
    unsigned command;         /* its bit in options_table.h; 0 ends the table */
    const char *words, *does; /* what follows "isoscope" */
};

struct exit_code {
    int code;
    const char *meaning; /* NULL ends the table */
};

struct text_row {
    const char *name, *text; /* name NULL ends the table */
};

extern const char options_idea[];               /* what the program is, in half a sentence */
extern const struct example options_examples[]; /* at most three per command */
extern const struct exit_code options_exit_codes[];
extern const struct text_row options_variables[]; /* of the environment */
extern const struct text_row options_files[];     /* that the program keeps */

#ifdef __cplusplus
}
#endif
#endif
