/* fused on the CPU: the stages are, so far, all there is. */
#include "fused.h"

const struct fused_rung fused_cpu[] = {
    { { "none", "the stages, one by one", true }, NULL, NULL },
    { { NULL, NULL, false }, NULL, NULL },
};
