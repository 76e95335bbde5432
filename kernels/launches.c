#include "launches.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARP = 32, WARP_REGISTERS = 256 }; /* a warp gets its registers in pieces of this many */

const char *const launch_limit_name[LIMIT_COUNT] = { "threads", "blocks", "registers", "shared" };

/* Itanium C++ ABI, 5.1: _Z, then N and qualifiers for nested names, L for internal linkage, and names as their length
 * and letters. */
void launch_name(char to[LAUNCH_NAME], const char *symbol)
{
    const char *at = symbol, *name = symbol;
    size_t length = strlen(symbol);
    if (!strncmp(symbol, "_Z", 2)) at += 2;
    bool more = at != symbol; /* without N, the types of the arguments follow the name */
    while (more && *at) {
        more = *at == 'N' || name != symbol;
        at += strspn(at, "NLK");
        if (!isdigit((unsigned char)*at)) break;
        char *rest;
        length = strtoul(at, &rest, 10);
        name = rest;
        if (length > strlen(rest)) length = strlen(rest);
        at = rest + length;
    }
    snprintf(to, LAUNCH_NAME, "%.*s", (int)(length < LAUNCH_NAME ? length : LAUNCH_NAME - 1), name);
}

enum launch_limit launch_limit_of(const struct launch *launch, const struct launch_room *room)
{
    const size_t warps = (launch->threads + WARP - 1) / WARP, threads = warps * WARP;
    const size_t pieces = (launch->registers * WARP + WARP_REGISTERS - 1) / WARP_REGISTERS;
    const size_t registers = warps * pieces * WARP_REGISTERS, shared = launch->shared + room->reserved;
    const size_t most[LIMIT_COUNT] = {
        [LIMIT_THREADS] = threads ? room->threads / threads : SIZE_MAX,
        [LIMIT_BLOCKS] = room->blocks,
        [LIMIT_REGISTERS] = registers ? room->registers / registers : SIZE_MAX,
        [LIMIT_SHARED] = shared ? room->shared / shared : SIZE_MAX,
    };
    int least = 0;
    for (int i = 1; i < LIMIT_COUNT; i++)
        if (most[i] < most[least]) least = i;
    return (enum launch_limit)least;
}
