/* Drawings that take long, as software OpenGL's do, in pieces: between two of them somebody else has a turn. */
#ifndef ISO_PAUSE_H
#define ISO_PAUSE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether to go on: asked every few hundredths of a second, with all so far drawn. It may draw elsewhere, if it leaves
 * OpenGL's state as it was. */
struct pause {
    bool (*go_on)(void *context);
    void *context;
};

/* Waits until all is drawn, and asks. NULL: nobody is asked, and nothing is waited for. */
bool pause_take(const struct pause *pause);

/* How much to draw next, after `count` have taken some ms with the wait for them. */
uint64_t pause_next(uint64_t count, double ms);

#ifdef __cplusplus
}
#endif
#endif
