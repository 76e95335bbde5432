/* upload on the CPU, whose memory is the host's: a copy that swaps; the contract is in upload.h. */
#include "upload.h"

#include "cpu_parts.h"

static void swap_part(const struct upload_desc *d, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) d->to[i] = upload_swapped(d->from[i]);
}

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * One thread, word after word. */

static int textbook(const struct upload_desc *desc, struct exec *x)
{
    (void)x;
    swap_part(desc, 0, desc->n);
    return 0;
}

/* ---- threads -------------------------------------------------------------------------------------------------------
 * One core does not fill the memory's bandwidth. A part per thread. */

static int threads(const struct upload_desc *desc, struct exec *x)
{
#pragma omp parallel for num_threads(x->threads) schedule(static, 1)
    for (int p = 0; p < x->threads; p++)
        swap_part(desc, part_start(desc->n, p, x->threads), part_start(desc->n, p + 1, x->threads));
    return 0;
}

const struct upload_rung upload_cpu[] = {
    { { "textbook", "word after word, one thread", false }, textbook, UPLOAD_PAGEABLE },
    { { "threads", "a part per thread", true }, threads, UPLOAD_PAGEABLE },
    { { NULL, NULL, false }, NULL, UPLOAD_PAGEABLE },
};
