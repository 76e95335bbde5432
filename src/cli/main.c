/* isoscope: parses the command line, runs one command, says what went wrong. */
#include "cmd.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    struct options options;
    const struct command *command;
    struct err err = { 0 };
    int code = options_parse(&options, &command, argc, argv, &err);
    if (!code && command) code = command->run(&options, &err);
    if (!code && (fflush(stdout) || ferror(stdout)))
        code = err_set(&err, ERR_FAILED, "standard output could not be written");
    char text[ERR_SENTENCE];
    if (code) fprintf(stderr, "isoscope: %s\n", err_sentence(&err, text));
    return code;
}
