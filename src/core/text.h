/* Numbers and words in text, independent of the locale: a German locale must not read "0.8" as 0 or write "0,8".
 *
 * The readers are strict. They read one number and set *end to what follows, which the caller has to check. */
#ifndef ISO_TEXT_H
#define ISO_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reads decimal digits: no sign, no hex, no exponent. False: there are none, or they exceed 64 bits. */
bool text_uint(const char *text, const char **end, uint64_t *value);

/* Reads a decimal number, nan or inf, with an optional sign; no hex. False: there is none, or it overflows. */
bool text_double(const char *text, const char **end, double *value);

/* Writes a number with `digits` significant digits, 1 to 17, and a decimal point in every locale. Returns `to`. */
const char *text_digits(char to[32], double value, int digits);

/* The same with 15 digits, or with 17 where 15 would read back as another value. */
const char *text_print(char to[32], double value);

/* How many significant digits show a value between `low` and `high` to a thousandth of that range, at least `least`. Values
 * below ten million get all digits before the point, so that no exponent rounds them. At most 15. */
int text_digits_between(double low, double high, int least);

/* Writes an amount of memory with one decimal, such as "21.5 GiB". The number is from 1 to 1023, but the unit is at least
 * MiB. Returns `to`. */
const char *text_bytes(char to[32], double bytes);

/* Writes the smallest amount for --memory that is at least `bytes`: "54M", from 10 GiB on "21G". Returns `to`. */
const char *text_memory(char to[32], uint64_t bytes);

/* Returns the word for n things. */
static inline const char *text_word(uint64_t n, const char *one, const char *many) { return n == 1 ? one : many; }

/* Whether both are the same, whatever the case of ASCII letters. */
bool text_same(const char *a, const char *b);

/* Adds a clause (printf style, through text_visible) to a note such as volume.note. Clauses are joined by "; ". One that
 * is there already is not repeated; what does not fit is cut off, after a whole character. */
void text_note(char note[256], const char *format, ...) __attribute__((format(printf, 2, 3)));

/* For tables whose rows, `row_bytes` each, begin with their name (const char *). A NULL name ends the table. text_row
 * returns the index of the row with that name, -1 if there is none. text_names writes " one two", cut to `size` bytes, and
 * returns `to`. */
int text_row(const char *name, const void *rows, size_t row_bytes);
const char *text_names(char *to, size_t size, const void *rows, size_t row_bytes);

/* Returns the first character that is not a space or tab. */
const char *text_skip(const char *text);

/* Whether `text` begins with these characters. */
bool text_begins(const char *text, const char *with);

/* Whether `name` has the extension `ending` (with its dot), whatever the case of ASCII letters. */
bool text_ends(const char *name, const char *ending);

/* Bytes of the UTF-8 character at `text`, 1 to 4 (RFC 3629); 0: it is not one. */
size_t text_utf8(const char *text);

/* Copies `text` to `to`, cut to `size` bytes including the closing 0. Control characters (U+0000..1F, U+7F..9F), which a
 * terminal would obey, become \xNN. Bytes that are not UTF-8 become U+FFFD. All text from files and command lines is shown
 * through this. Returns `to`. */
const char *text_visible(char *to, size_t size, const char *text);

/* Prints a line (printf style, newline added) through text_visible. */
void text_say(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#ifdef __cplusplus
}
#endif
#endif
