/* Scanning: reads the words of a text header that is followed by values, and knows where in the file it is. */
#ifndef ISO_SCAN_H
#define ISO_SCAN_H

#include "source.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SCAN_WORD 256 /* bytes of a word with its closing 0; longer words are cut */

struct scan {
    struct source *source;
    char comment;    /* character that starts a comment, up to the end of the line; 0: there is none */
    uint64_t left;   /* bytes that the header's words may still take; LAYOUT_MAX_HEADER at first */
    uint64_t buffer; /* position of bytes[0] in the file */
    size_t at, size; /* next byte in bytes[], and how many there are */
    char bytes[8192];
};

/* Starts at the position of `source`, which must outlive the scan. */
void scan_begin(struct scan *scan, struct source *source, char comment);

/* Position of the next byte. */
uint64_t scan_at(const struct scan *scan);

/* Moves to byte `at`; false: `at` is past the end. */
bool scan_seek(struct scan *scan, uint64_t at);

/* Reads the next word, up to white space, and stops after it. False: there is none, or the header is too long. */
bool scan_word(struct scan *scan, char word[SCAN_WORD]);

/* Whether the rest of the line has only white space and comments. Does not move. */
bool scan_line_ends(struct scan *scan);

/* Skips the rest of the line with its end, LF or CRLF, and n - 1 more lines. False: the file has fewer. */
bool scan_lines(struct scan *scan, uint64_t n);

/* Skips n words, however many bytes they have. False: there are fewer. */
bool scan_skip(struct scan *scan, uint64_t n);

/* Reads n words as whole numbers without a sign (scan_uints) or as numbers (scan_doubles). False: a word is something
 * else. */
bool scan_uints(struct scan *scan, uint64_t *to, int n);
bool scan_doubles(struct scan *scan, double *to, int n);

#ifdef __cplusplus
}
#endif
#endif
