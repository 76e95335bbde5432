/* transpose on the CPU; contract in transpose.h.
 * Run: isoscope ladder transpose --bench --backend cpu */
#include "transpose.h"

#include "grid.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { LINE = 64 }; /* bytes of a cache line */

/* ---- a part of the matrix, by the size of an element --------------------------------------------------------------- */

struct part {
    size_t r0, r1, c0, c1;
}; /* rows and columns of `from` */

/* Move along rows of `from`, or along rows of `to`. restrict is needed because a store of one byte might otherwise
 * alias the description. */
/* NOLINTBEGIN(bugprone-macro-parentheses): types */
#define PART(name, type)                                                                                \
    static void name##_along_from(const struct transpose_desc *restrict d, struct part p)               \
    {                                                                                                   \
        const type *restrict from = d->from;                                                            \
        type *restrict to = d->to;                                                                      \
        for (size_t r = p.r0; r < p.r1; r++)                                                            \
            for (size_t c = p.c0; c < p.c1; c++) to[c * d->to_pitch + r] = from[r * d->from_pitch + c]; \
    }                                                                                                   \
    static void name##_along_to(const struct transpose_desc *restrict d, struct part p)                 \
    {                                                                                                   \
        const type *restrict from = d->from;                                                            \
        type *restrict to = d->to;                                                                      \
        for (size_t c = p.c0; c < p.c1; c++)                                                            \
            for (size_t r = p.r0; r < p.r1; r++) to[c * d->to_pitch + r] = from[r * d->from_pitch + c]; \
    }
/* NOLINTEND(bugprone-macro-parentheses) */
PART(bytes1, uint8_t)
PART(bytes2, uint16_t)
PART(bytes4, uint32_t)
#undef PART

typedef void (*part_mover)(const struct transpose_desc *d, struct part p);

static const part_mover along_from[] = { [1] = bytes1_along_from, [2] = bytes2_along_from, [4] = bytes4_along_from };
static const part_mover along_to[] = { [1] = bytes1_along_to, [2] = bytes2_along_to, [4] = bytes4_along_to };

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * Reads in order, but each write goes to another row of the result: a 64-byte line is fetched for every element. */

static int textbook(const struct transpose_desc *d, struct exec *x)
{
    (void)x;
    along_from[d->bytes](d, (struct part){ 0, d->rows, 0, d->columns });
    return 0;
}

/* ---- blocks --------------------------------------------------------------------------------------------------------
 * By the time the textbook returns to a line, it has left the cache. Idea: square blocks whose sides are one line (16
 * elements of 4 bytes, 64 of one). Their lines on both sides stay in L1 until they are full. Cost: four loops, and
 * special cases at the edges. */

/* Transpose the column of blocks that starts at column c. */
static void column_of_blocks(const struct transpose_desc *d, size_t c)
{
    const size_t side = LINE / d->bytes, end = min_size(c + side, d->columns);
    for (size_t r = 0; r < d->rows; r += side)
        along_to[d->bytes](d, (struct part){ r, min_size(r + side, d->rows), c, end });
}

static int blocks(const struct transpose_desc *d, struct exec *x)
{
    (void)x;
    for (size_t c = 0; c < d->columns; c += LINE / d->bytes) column_of_blocks(d, c);
    return 0;
}

/* ---- threads -------------------------------------------------------------------------------------------------------
 * One core cannot use all of the memory's bandwidth. Idea: deal columns of blocks to threads; no two threads write the
 * same row. */

static int threads(const struct transpose_desc *d, struct exec *x)
{
    const size_t side = LINE / d->bytes, count = (d->columns + side - 1) / side;
#pragma omp parallel for num_threads(x->threads) schedule(static)
    for (size_t b = 0; b < count; b++) column_of_blocks(d, b * side);
    return 0;
}

/* ---- past ----------------------------------------------------------------------------------------------------------
 * threads moves one element per load and store. The lines of its blocks often do not stay in L1: with rows of 16 KiB,
 * all of them map to one set of the cache. And it reads the lines that it writes first.
 * Idea: a block of 128 bytes times 16 lines or more goes through a buffer. Squares of 4 x 4 elements of 4 bytes, a
 * 16-byte vector per row, are transposed on their way into it by interleaving: vector i and vector i + n/2 alternate in
 * two new ones, and after log2 n rounds rows are columns. From the buffer, whole lines are written past the caches. The
 * order of blocks is along 32 rows of `from`, so that the hardware prefetcher sees 32 streams; going down the columns,
 * each row would be in a page of its own.
 *
 * Predicted: the copy rate. Measured, on one core for 4096 x 4096: 7.4 ms, where memcpy takes 8.0 and blocks 55. Cost:
 * a copy within L1. Where rows of `to` begin in the middle of a line, they are written the ordinary way. */

enum {
    RUN = 2 * LINE, /* bytes of a row of `to` that are written at once */
    PIECE = 1024    /* columns that a thread takes at least */
};

#ifdef __SSE2__

/* Transpose a square with a vector per row; pitches in bytes. */
/* NOLINTBEGIN(bugprone-macro-parentheses): names */
#define SQUARE(name, bytes, width)                                                                            \
    static void name(const uint8_t *from, size_t from_pitch, uint8_t *to, size_t to_pitch)                    \
    {                                                                                                         \
        enum { SIDE = 16 / (bytes) };                                                                         \
        __m128i v[SIDE], w[SIDE];                                                                             \
        for (unsigned i = 0; i < SIDE; i++) v[i] = _mm_loadu_si128((const __m128i *)(from + i * from_pitch)); \
        for (unsigned round = 1; round < SIDE; round *= 2) {                                                  \
            for (unsigned i = 0; i < SIDE / 2; i++) {                                                         \
                w[2 * i] = _mm_unpacklo_##width(v[i], v[i + SIDE / 2]);                                       \
                w[2 * i + 1] = _mm_unpackhi_##width(v[i], v[i + SIDE / 2]);                                   \
            }                                                                                                 \
            memcpy(v, w, sizeof v);                                                                           \
        }                                                                                                     \
        for (unsigned i = 0; i < SIDE; i++) _mm_store_si128((__m128i *)(to + i * to_pitch), v[i]);            \
    }
/* NOLINTEND(bugprone-macro-parentheses) */
SQUARE(square1, 1, epi8)
SQUARE(square2, 2, epi16)
SQUARE(square4, 4, epi32)
#undef SQUARE

typedef void (*square_mover)(const uint8_t *from, size_t from_pitch, uint8_t *to, size_t to_pitch);

static const square_mover squares[] = { [1] = square1, [2] = square2, [4] = square4 };

static void store_run(uint8_t *to, const uint8_t *run)
{
    if ((uintptr_t)to % LINE) memcpy(to, run, RUN);
    else
        for (unsigned i = 0; i < RUN; i += 16)
            _mm_stream_si128((__m128i *)(to + i), _mm_load_si128((const __m128i *)(run + i)));
}

/* Transpose the block at row r, column c: RUN bytes of `to`, a line of `from`. */
static void whole_block(const struct transpose_desc *d, size_t r, size_t c)
{
    _Alignas(LINE) uint8_t buffer[LINE * RUN];
    const size_t bytes = d->bytes, pitch = d->from_pitch * bytes, rows = RUN / bytes, columns = LINE / bytes,
                 side = 16 / bytes;
    const square_mover move = squares[bytes];
    const uint8_t *from = (const uint8_t *)d->from + r * pitch + c * bytes;
    uint8_t *to = (uint8_t *)d->to + (c * d->to_pitch + r) * bytes;
    for (size_t i = 0; i < rows; i += side)
        for (size_t j = 0; j < columns; j += side)
            move(from + i * pitch + j * bytes, pitch, buffer + j * RUN + i * bytes, RUN);
    for (size_t j = 0; j < columns; j++) store_run(to + j * d->to_pitch * bytes, buffer + j * RUN);
}

static void flush_stores(void) { _mm_sfence(); } /* nothing else orders such stores */

#else

static void whole_block(const struct transpose_desc *d, size_t r, size_t c)
{
    along_to[d->bytes](d, (struct part){ r, r + RUN / d->bytes, c, c + LINE / d->bytes });
}

static void flush_stores(void) {}

#endif

/* Transpose a part of at most RUN bytes of `to`. Blocks that cross its edges are done as in the rungs before. */
static void band(const struct transpose_desc *d, struct part p)
{
    const size_t line = LINE / d->bytes;
    const bool whole = p.r1 - p.r0 == RUN / d->bytes;
    for (size_t c = p.c0; c < p.c1; c += line)
        if (whole && p.c1 - c >= line) whole_block(d, p.r0, c);
        else along_to[d->bytes](d, (struct part){ p.r0, p.r1, c, min_size(c + line, p.c1) });
    flush_stores();
}

static int past(const struct transpose_desc *d, struct exec *x)
{
    const size_t rows = RUN / d->bytes;
#pragma omp parallel for collapse(2) num_threads(x->threads) schedule(static)
    for (size_t r = 0; r < d->rows; r += rows)
        for (size_t c = 0; c < d->columns; c += PIECE)
            band(d, (struct part){ r, min_size(r + rows, d->rows), c, min_size(c + PIECE, d->columns) });
    return 0;
}

const struct transpose_rung transpose_cpu[] = {
    { { "textbook", "row by row: a cache line fetched per element written", false }, textbook },
    { { "blocks", "squares one cache line wide, whose lines stay in L1 until they are full", false }, blocks },
    { { "threads", "columns of blocks dealt to threads", false }, threads },
    { { "past", "squares transposed in vectors into a buffer; whole lines written past the caches", true }, past },
    { { NULL, NULL, false }, NULL },
};
