/* Words of a command line, quoted for a shell. */
#ifndef ISO_WORDS_H
#define ISO_WORDS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct words { /* zero is none */
    char text[8192];
    size_t used; /* more than the size of `text`: it was too long */
};

void words_add(struct words *words, const char *word);                         /* after a space */
void words_option(struct words *words, const char *option, const char *value); /* value NULL: the option takes none */

#ifdef __cplusplus
}
#endif
#endif
