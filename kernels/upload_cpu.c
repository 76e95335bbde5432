/* upload on the CPU, whose memory is the host's: a copy that swaps bytes; contract in upload.h.
 * Run: isoscope ladder upload --bench --backend cpu */
#include "upload.h"

#include "cpu_util.h"

#include <string.h>

static void turn(const char *from, char *to, size_t bytes, unsigned word)
{
    const uint16_t *from2 = (const void *)from;
    const uint32_t *from4 = (const void *)from;
    uint16_t *to2 = (void *)to;
    uint32_t *to4 = (void *)to;
    if (word == 1 && bytes) memcpy(to, from, bytes);
    for (size_t i = 0; word == 2 && i < bytes / 2; i++) to2[i] = (uint16_t)(from2[i] << 8 | from2[i] >> 8);
    for (size_t i = 0; word == 4 && i < bytes / 4; i++) to4[i] = upload_swapped(from4[i]);
}

/* Swap words [begin, end) in chunks, so that progress can be reported and the upload cancelled. */
static void turn_part(const struct upload_desc *d, size_t begin, size_t end, const struct exec *x)
{
    const size_t first = begin * d->word, bytes = (end - begin) * d->word;
    for (size_t at = 0; at < bytes && !exec_is_cancelled(x); at += UPLOAD_CHUNK) {
        const size_t chunk = upload_chunk(at, bytes);
        turn((const char *)d->from + first + at, (char *)d->to + first + at, chunk, d->word);
        if (d->done) upload_tell(d->done, chunk);
    }
}

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * One thread, word after word. Cost: the limit is what one core can keep in flight, not memory. */

static int textbook(const struct upload_desc *desc, struct exec *x)
{
    turn_part(desc, 0, desc->bytes / desc->word, x);
    return 0;
}

/* ---- threads -------------------------------------------------------------------------------------------------------
 * One core cannot use all of the memory's bandwidth. Idea: each thread does a part. */

static int threads(const struct upload_desc *desc, struct exec *x)
{
    const size_t words = desc->bytes / desc->word;
#pragma omp parallel for num_threads(x->threads) schedule(static, 1)
    for (int p = 0; p < x->threads; p++)
        turn_part(desc, part_start(words, p, x->threads), part_start(words, p + 1, x->threads), x);
    return 0;
}

const struct upload_rung upload_cpu[] = {
    { { "textbook", "word after word, one thread", false }, textbook, UPLOAD_PAGEABLE },
    { { "threads", "a part per thread", true }, threads, UPLOAD_PAGEABLE },
    { { NULL, NULL, false }, NULL, UPLOAD_PAGEABLE },
};
