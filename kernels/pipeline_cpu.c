/* pipeline on the CPU: none; contract in pipeline.h. */
#include "pipeline.h"

const struct pipeline_rung pipeline_cpu[] = { { .rung = { .name = NULL } } };
