/* Text headers of lines "key: value" or "key = value", as MetaImage, QVis and the notes beside RAW files have them. */
#ifndef ISO_FIELDS_H
#define ISO_FIELDS_H

#include "source.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FIELDS_MAX = 24 };

/* A spelling of a key; several may be the same field. A table of them is closed by a name of NULL. */
struct field_spelling {
    const char *name; /* whatever the case of its letters */
    int field;        /* 0 to FIELDS_MAX - 1 */
};

struct fields {
    const char *file;              /* for messages */
    const char *value[FIELDS_MAX]; /* of each field, in `text`, without white space around it; NULL: absent */
    char *text;                    /* owned; of fields_text */
    size_t size;                   /* of the text */
    size_t next;                   /* where the line after the last one that was read begins */
};

/* Reads the first LAYOUT_MAX_HEADER bytes of `source`, and adds a 0. *text: owned, for the caller to free. Error:
 * ERR_FAILED. */
int fields_text(char **text, size_t *size, struct source *source, struct err *err);

/* Reads the lines of `source` up to and with that of the field `last`, or all (-1). Lines without a key of `known` are
 * passed over. Errors: ERR_INPUT for a field with two values, ERR_FAILED. Free the fields in any case. */
int fields_read(struct fields *fields, struct source *source, const struct field_spelling *known, int last,
                struct err *err);
void fields_free(struct fields *fields);

/* Reads `n` numbers from `text`, with white space between and none after them. */
bool fields_numbers(const char *text, double *to, int n);
bool fields_sizes(const char *text, uint64_t *to, int n);

/* Takes the next line after those that were read, without white space around it; NULL: there is none. */
const char *fields_line(struct fields *fields);

#ifdef __cplusplus
}
#endif
#endif
