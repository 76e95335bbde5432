/* Text headers of lines "key: value" or "key = value", as MetaImage, QVis and the notes beside RAW files have them. */
#ifndef ISO_KEYS_H
#define ISO_KEYS_H

#include "source.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { KEYS_MAX = 24 };

/* A spelling of a key; several may be the same field. A table of them is closed by a name of NULL. */
struct key {
    const char *name; /* whatever the case of its letters */
    int field;        /* 0 to KEYS_MAX - 1 */
};

struct keys {
    const char *file;            /* for messages */
    const char *value[KEYS_MAX]; /* of each field, in `text`, without white space around it; NULL: absent */
    char *text;                  /* owned: the first LAYOUT_MAX_HEADER bytes of the file */
    size_t size;                 /* of the text */
    size_t next;                 /* where the line after the last one that was read begins */
};

/* Reads the lines of `source` up to and with that of the field `last`, or all (-1). Lines without a key of `known` are passed
 * over. Errors: ERR_INPUT for a field with two values, ERR_FAILED. Free the keys in any case. */
int keys_read(struct keys *keys, struct source *source, const struct key *known, int last, struct err *err);
void keys_free(struct keys *keys);

/* Reads `n` numbers from `text`, with white space between and none after them. */
bool keys_numbers(const char *text, double *to, int n);
bool keys_sizes(const char *text, uint64_t *to, int n);

/* Takes the next line after those that were read, without white space around it; NULL: there is none. */
const char *keys_line(struct keys *keys);

#ifdef __cplusplus
}
#endif
#endif
