#include "scan.h"

#include "layout.h"
#include "text.h"

static bool is_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

void scan_begin(struct scan *scan, struct source *source, char comment)
{
    scan->source = source;
    scan->comment = comment;
    scan->left = LAYOUT_MAX_HEADER;
    scan->buffer = source->at;
    scan->at = scan->size = 0;
}

uint64_t scan_at(const struct scan *scan) { return scan->buffer + scan->at; }

bool scan_seek(struct scan *scan, uint64_t at)
{
    if (!source_seek(scan->source, at)) return false;
    scan->buffer = at;
    scan->at = scan->size = 0;
    return true;
}

/* Returns the next byte without moving past it; -1: the end. */
static int peek(struct scan *scan)
{
    if (scan->at == scan->size) {
        scan->buffer += scan->size;
        scan->at = 0;
        scan->size = source_read(scan->source, scan->bytes, sizeof scan->bytes);
    }
    return scan->at < scan->size ? (unsigned char)scan->bytes[scan->at] : -1;
}

/* Returns the next byte of the header without moving past it; -1: the end of the file, or of the bytes that a header may
 * take. */
static int peek_header(struct scan *scan) { return scan->left ? peek(scan) : -1; }

static void advance(struct scan *scan)
{
    scan->at++;
    scan->left--;
}

/* Moves to the next word or, unless `lines`, to the end of the line. */
static int skip_space(struct scan *scan, bool lines)
{
    int c = peek_header(scan);
    for (bool comment = false; c >= 0; c = peek_header(scan)) {
        comment = c != '\n' && (comment || (scan->comment && c == scan->comment));
        if (!comment && (!is_space(c) || (!lines && c == '\n'))) break;
        advance(scan);
    }
    return c;
}

bool scan_word(struct scan *scan, char word[SCAN_WORD])
{
    size_t length = 0;
    for (int c = skip_space(scan, true); c >= 0 && !is_space(c); c = peek_header(scan)) {
        if (length + 1 < SCAN_WORD) word[length++] = (char)(c ? c : '?'); /* a NUL must not hide what follows */
        advance(scan);
    }
    word[length] = 0;
    return length > 0;
}

bool scan_line_ends(struct scan *scan)
{
    const int c = skip_space(scan, false);
    return c < 0 || c == '\n';
}

bool scan_lines(struct scan *scan, uint64_t n)
{
    while (n) {
        const int c = peek_header(scan);
        if (c < 0) return false;
        n -= c == '\n';
        advance(scan);
    }
    return true;
}

bool scan_skip(struct scan *scan, uint64_t n)
{
    for (bool inside = false; n || inside; scan->at++) {
        const int c = peek(scan);
        if (c < 0) return !n;
        if (!inside && !is_space(c)) n--;
        inside = !is_space(c);
        if (!inside && !n) return true;
    }
    return true;
}

bool scan_uints(struct scan *scan, uint64_t *to, int n)
{
    char word[SCAN_WORD];
    const char *end;
    for (int i = 0; i < n; i++)
        if (!scan_word(scan, word) || !text_uint(word, &end, &to[i]) || *end) return false;
    return true;
}

bool scan_doubles(struct scan *scan, double *to, int n)
{
    char word[SCAN_WORD];
    const char *end;
    for (int i = 0; i < n; i++)
        if (!scan_word(scan, word) || !text_double(word, &end, &to[i]) || *end) return false;
    return true;
}
