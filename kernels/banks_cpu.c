/* banks on the CPU: none; contract in banks.h. */
#include "banks.h"

const struct banks_rung banks_cpu[] = { { .rung = { .name = NULL } } };
