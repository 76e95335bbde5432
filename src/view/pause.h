/* Splits long drawings, such as those of software OpenGL, into pieces, so that others get a turn in between. */
#ifndef ISO_PAUSE_H
#define ISO_PAUSE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* go_on returns whether to go on. It is called every few hundredths of a second, with everything drawn so far. It may
 * draw elsewhere if it leaves OpenGL's state as it was. */
struct pause {
    bool (*go_on)(void *context);
    void *context;
};

/* Waits until everything is drawn, and asks. NULL: neither waits nor asks. */
bool pause_take(const struct pause *pause);

/* Returns how much to draw next, after drawing `count` and waiting for it took `ms`. */
uint64_t pause_next(uint64_t count, double ms);

#ifdef __cplusplus
}
#endif
#endif
