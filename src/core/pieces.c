#include "pieces.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD = 2 * sizeof(uint64_t) };

static bool reserve(struct pieces *p, size_t more)
{
    if (p->capacity - p->n >= more) return true;
    const size_t capacity = 2 * p->capacity + more;
    uint8_t *bytes = realloc(p->bytes, capacity);
    if (!bytes) return false;
    p->bytes = bytes, p->capacity = capacity;
    return true;
}

static struct piece head_at(const uint8_t *bytes)
{
    struct piece piece = { .bytes = bytes + HEAD };
    memcpy(&piece.at, bytes, sizeof piece.at);
    memcpy(&piece.n, bytes + sizeof piece.at, sizeof piece.n);
    return piece;
}

static void put_head(uint8_t *to, uint64_t at, uint64_t n)
{
    memcpy(to, &at, sizeof at);
    memcpy(to + sizeof at, &n, sizeof n);
}

bool pieces_add(struct pieces *p, uint64_t at, const void *bytes, size_t n)
{
    const struct piece last = p->open ? head_at(p->bytes + p->last) : (struct piece){ .at = 0 };
    const bool joins = p->open && last.at + last.n == at;
    if (!reserve(p, n + HEAD)) return false;
    if (!joins) p->last = p->n, p->n += HEAD, p->open = true;
    put_head(p->bytes + p->last, joins ? last.at : at, last.n * joins + n);
    memcpy(p->bytes + p->n, bytes, n);
    p->n += n;
    return true;
}

bool pieces_append(struct pieces *p, const void *bytes, size_t n)
{
    p->open = false;
    if (!reserve(p, n)) return false;
    if (n) memcpy(p->bytes + p->n, bytes, n);
    p->n += n;
    return true;
}

bool pieces_next(struct piece *piece, const uint8_t *bytes, size_t n, size_t *from)
{
    if (n - *from < HEAD) return false;
    *piece = head_at(bytes + *from);
    if (piece->n > n - *from - HEAD) return false;
    *from += HEAD + (size_t)piece->n;
    return true;
}

size_t pieces_end(struct pieces *p)
{
    p->open = false;
    return p->n;
}

void pieces_free(struct pieces *p)
{
    free(p->bytes);
    *p = (struct pieces){ .n = 0 };
}
