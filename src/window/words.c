#include "words.h"

#include <stdio.h>
#include <string.h>

static void add_text(struct words *words, const char *text, size_t n)
{
    if (words->used + n < sizeof words->text) memcpy(words->text + words->used, text, n);
    words->used += n;
    words->text[words->used < sizeof words->text ? words->used : sizeof words->text - 1] = 0;
}

void words_add(struct words *words, const char *word)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";
    if (words->used) add_text(words, " ", 1);
    if (*word && !word[strspn(word, plain)]) {
        add_text(words, word, strlen(word));
        return;
    }
    add_text(words, "'", 1);
    for (; *word; word++) {
        if (*word == '\'') add_text(words, "'\\''", 4); /* closes the quotes, adds a quote, opens them again */
        else add_text(words, word, 1);
    }
    add_text(words, "'", 1);
}

void words_option(struct words *words, const char *option, const char *value)
{
    char dashed[40];
    snprintf(dashed, sizeof dashed, "--%s", option);
    words_add(words, dashed);
    if (value) words_add(words, value);
}
