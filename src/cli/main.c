/* isoscope: parses the command line, runs one command, says what went wrong. */
#include "cmd.h"
#include "text.h"
#include "trace.h"

int main(int argc, char **argv)
{
    struct options options;
    const struct command *command;
    struct err err = { 0 };
    int code = options_parse(&options, &command, argc, argv, &err);
    if (!code && command) code = trace_open(options.trace, &err);
    if (!code && command) code = command->run(&options, &err);
    const int untraced = trace_close(code ? NULL : &err); /* the first error is the one to tell */
    if (!code) code = untraced;
    if (!code && (fflush(stdout) || ferror(stdout)))
        code = err_set(&err, ERR_FAILED, "standard output could not be written");
    char sentence[ERR_SENTENCE];
    if (code) text_say(stderr, "isoscope: %s", err_sentence(&err, sentence));
    return code;
}
