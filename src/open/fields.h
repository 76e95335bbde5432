/* Text headers with lines "key: value" or "key = value". MetaImage, QVis and the text files beside RAW files have them. */
#ifndef ISO_FIELDS_H
#define ISO_FIELDS_H

#include "source.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FIELDS_MAX = 24 };

/* A spelling of a key. Several spellings can stand for the same field. A table of them ends with a name of NULL. */
struct field_spelling {
    const char *name; /* case does not matter */
    int field;        /* 0 to FIELDS_MAX - 1 */
};

struct fields {
    const char *file;              /* for messages */
    const char *value[FIELDS_MAX]; /* of each field, in `text`, without white space around it; NULL: absent */
    char *text;                    /* owned; from fields_text */
    size_t size;                   /* of the text */
    size_t next;                   /* the beginning of the next line to read */
};

/* Reads the first LAYOUT_MAX_HEADER bytes of `source` and adds a 0. The caller frees *text. Error: ERR_FAILED. */
int fields_text(char **text, size_t *size, struct source *source, struct err *err);

/* Reads the lines of `source` up to and including that of the field `last`; -1: all lines. Lines whose key is not in
 * `known` are skipped. Errors: ERR_INPUT for a field with two values, ERR_FAILED. Free the fields in any case. */
int fields_read(struct fields *fields, struct source *source, const struct field_spelling *known, int last,
                struct err *err);
void fields_free(struct fields *fields);

/* Reads exactly `n` numbers from `text`, separated by white space. False: there are more, fewer, or other things. */
bool fields_numbers(const char *text, double *to, int n);
bool fields_sizes(const char *text, uint64_t *to, int n);

/* Returns the next line after those already read, without white space around it. NULL: there is none. */
const char *fields_line(struct fields *fields);

#ifdef __cplusplus
}
#endif
#endif
