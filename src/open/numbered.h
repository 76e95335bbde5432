/* Numbered file names: headers name data in several files by a pattern with a number, such as "slice%03d.raw". The pattern
 * comes from a file, so it is never passed to printf. */
#ifndef ISO_NUMBERED_H
#define ISO_NUMBERED_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes `pattern` to `to`, of `capacity` bytes. `number` replaces its %d, %5d (filled with spaces) or %05d (with zeros),
 * as printf would do; %% stands for a percent sign. False: the pattern has no such place or several, or anything else after
 * a percent sign, or the name does not fit. `to` is then "". */
int numbered_name(char *to, size_t capacity, const char *pattern, int64_t number);

#ifdef __cplusplus
}
#endif
#endif
