#include "pause.h"

#include <GL/glew.h>

#include <math.h>

#define PIECE_MS 20.0 /* time that a piece should take */
#define MOST 2.0      /* most change from piece to piece, as a factor: what comes next may be quicker or slower to draw */

bool pause_take(const struct pause *pause)
{
    if (!pause) return true;
    glFinish();
    return pause->go_on(pause->context);
}

uint64_t pause_next(uint64_t count, double ms)
{
    const double factor = ms > 0 ? fmax(1 / MOST, fmin(MOST, PIECE_MS / ms)) : MOST;
    return (uint64_t)fmax(1, (double)count * factor);
}
