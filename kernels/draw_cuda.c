/* draw on CUDA: none; contract in draw.h. */
#include "draw.h"

const struct draw_rung draw_cuda[] = { { .rung = { .name = NULL } } };
