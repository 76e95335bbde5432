/* Numbers in the values of options. The whole text must be the number; otherwise these return false, and the results
 * are undefined. */
#ifndef ISO_OPTIONS_NUMBERS_H
#define ISO_OPTIONS_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

bool parse_number(const char *text, double *value); /* a finite one */
bool parse_whole(const char *text, uint64_t least, uint64_t most, uint64_t *value);
bool parse_wholes(const char *text, int n, uint64_t *value); /* "4x5x6", "4X5X6" or "4,5,6": n numbers, each at least 1 */
bool parse_number_or_percent(const char *text, double *n, bool *percent); /* a finite one, or "0%" to "100%" */

#endif
