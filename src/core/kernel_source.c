/* The sources of the kernels, for lessons. CMake generates the list ISO_KERNEL_SOURCES, with a row KERNEL_SOURCE(symbol,
 * path) per file. */
#include "embed.h"
#include "lesson.h"

#define KERNEL_SOURCE(symbol, path) EMBED(symbol, path);
#include ISO_KERNEL_SOURCES
#undef KERNEL_SOURCE

#define KERNEL_SOURCE(symbol, path) EMBEDDED(symbol, path),
const struct resource kernel_sources[] = {
#include ISO_KERNEL_SOURCES
    { NULL, NULL, NULL },
};
