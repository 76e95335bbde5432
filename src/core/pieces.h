/* Pieces: bytes, and where in a file they belong. When several processes write a file, bytes that share a block with
 * another process's are not written but collected as pieces. One process then writes them all.
 *
 * Layout, in this machine's byte order: for each piece its position and its length, 8 bytes each, then its bytes. */
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
    size_t last; /* where the last piece begins, if it is open */
    bool open;   /* bytes that directly follow the last piece are joined to it */
};

/* Adds n bytes that belong at `at`. False: no memory. */
bool pieces_add(struct pieces *pieces, uint64_t at, const void *bytes, size_t n);

/* Adds pieces that already have this layout. False: no memory. */
bool pieces_append(struct pieces *pieces, const void *bytes, size_t n);

struct piece {
    uint64_t at, n;
    const uint8_t *bytes;
};

/* Sets `piece` to the piece that begins at byte *from of n bytes of pieces, and advances *from past it. False: there is
 * none. */
bool pieces_next(struct piece *piece, const uint8_t *bytes, size_t n, size_t *from);

/* Closes the last piece: bytes added later begin another one. Returns the total length so far. */
size_t pieces_end(struct pieces *pieces);

void pieces_free(struct pieces *pieces);

#ifdef __cplusplus
}
#endif
#endif
