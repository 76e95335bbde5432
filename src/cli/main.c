/* isoscope: parses the command line, runs one command, says what went wrong. */
#include "cmd.h"

#include "text.h"

int main(int argc, char **argv)
{
    struct options options;
    const struct command *command;
    struct err err = { 0 };
    int code = options_parse(&options, &command, argc, argv, &err);
    if (!code && command) code = command->run(&options, &err);
    if (!code && (fflush(stdout) || ferror(stdout)))
        code = err_set(&err, ERR_FAILED, "standard output could not be written");
    char sentence[ERR_SENTENCE];
    if (code) text_say(stderr, "isoscope: %s", err_sentence(&err, sentence));
    return code;
}
