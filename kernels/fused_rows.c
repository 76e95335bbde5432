/* fused in plain C: runs everywhere. */
#include "fused_level.h"
#include "row_words.h"

ISO_FN uint32_t inside_word(const struct grid *g, float iso, int least, size_t first, size_t n)
{
    (void)least;
    return row_word(g, iso, first, n);
}

#include "fused_level.inc"

const struct fused_level fused_rows = { NULL, memory, find, emit };
