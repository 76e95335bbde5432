/* fused in plain C: runs everywhere. */
#include "fused_cpu.h"
#include "cpu_util.h"

ISO_FN uint32_t inside_word(const struct grid *g, float iso, int threshold, size_t first, size_t n)
{
    (void)threshold;
    return row_word(g, iso, first, n);
}

#include "fused_cpu_body.inc"

const struct fused_isa fused_rows = { memory, find, emit };
