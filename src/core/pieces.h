/* Pieces: bytes and where in a file they belong. The processes that write one file hand over in them what shares its block
 * with others, to the one that writes all such blocks.
 *
 * As bytes, in the order of the machine: for each its place and its length, 8 bytes each, and what belongs there. */
#ifndef ISO_PIECES_H
#define ISO_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pieces {     /* zero is an empty one */
    uint8_t *bytes; /* owned */
    size_t n, capacity;
    size_t last; /* where the last piece begins, if `open` */
    bool open;   /* what follows the last piece is joined to it */
};

/* Adds n bytes that belong at `at`. False: no memory. */
bool pieces_add(struct pieces *pieces, uint64_t at, const void *bytes, size_t n);

/* Adds pieces that are bytes already. False: no memory. */
bool pieces_append(struct pieces *pieces, const void *bytes, size_t n);

struct piece {
    uint64_t at, n;
    const uint8_t *bytes;
};

/* Sets `piece` to the one that begins at byte *from of n bytes of pieces, and moves *from behind it. False: there is
 * none. */
bool pieces_next(struct piece *piece, const uint8_t *bytes, size_t n, size_t *from);

/* Ends the last piece: what is added begins another. Returns the length of all so far. */
size_t pieces_end(struct pieces *pieces);

void pieces_free(struct pieces *pieces);

#ifdef __cplusplus
}
#endif
#endif
