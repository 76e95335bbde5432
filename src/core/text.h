/* Numbers and words in text, the same whatever the locale: a German locale must not read "0.8" as 0 or write "0,8".
 *
 * The readers are strict: they take one number and say where it ended; what follows is the caller's to judge. */
#ifndef ISO_TEXT_H
#define ISO_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Decimal digits only: no sign, no hex, no exponent. False if there is none or it leaves 64 bits. */
bool text_uint(const char *text, const char **end, uint64_t *value);

/* A decimal number, nan or inf, with an optional sign; no hex. False if there is none or it overflows. */
bool text_double(const char *text, const char **end, double *value);

/* Writes the shortest of %.15g and %.17g that reads back as the same value. Returns `to`. */
const char *text_print(char to[32], double value);

/* Same words, whatever the case of ASCII letters. */
bool text_same(const char *a, const char *b);

/* Adds a clause to a note such as volume.note; clauses are joined by "; ", and what does not fit is cut. */
void text_note(char note[256], const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The first character that is not a space or tab. */
const char *text_skip(const char *text);

#ifdef __cplusplus
}
#endif
#endif
