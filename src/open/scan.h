/* Scanning: the words of a header that is text and has values behind it, whose first byte the scan knows. */
#ifndef ISO_SCAN_H
#define ISO_SCAN_H

#include "source.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SCAN_WORD 256 /* bytes of a word with its closing 0; longer ones are cut */

struct scan {
    struct source *source;
    char comment;    /* begins one up to the end of its line; 0: nothing does */
    uint64_t left;   /* bytes that the words of the header may take: at most LAYOUT_MAX_HEADER */
    uint64_t buffer; /* position of bytes[0] in the file */
    size_t at, size; /* of the next byte, and of all */
    char bytes[8192];
};

/* Starts at the position of `source`, which must outlive the scan. */
void scan_begin(struct scan *scan, struct source *source, char comment);

/* Position of the next byte. */
uint64_t scan_at(const struct scan *scan);

/* Moves to byte `at`; false: that is past the end. */
bool scan_seek(struct scan *scan, uint64_t at);

/* Reads the next word, up to white space, and stops behind it. False: there is none, or the header is too long. */
bool scan_word(struct scan *scan, char word[SCAN_WORD]);

/* Whether the rest of the line is empty, up to white space and comments. Stays there. */
bool scan_line_ends(struct scan *scan);

/* Skips the rest of the line with its end, LF or CRLF, and n - 1 more lines. False: the file ends before. */
bool scan_lines(struct scan *scan, uint64_t n);

/* Skips n words, however many bytes these are. False: there are fewer. */
bool scan_skip(struct scan *scan, uint64_t n);

/* Read n words that are whole numbers without a sign, or numbers. False: they are not. */
bool scan_uints(struct scan *scan, uint64_t *to, int n);
bool scan_doubles(struct scan *scan, double *to, int n);

#ifdef __cplusplus
}
#endif
#endif
