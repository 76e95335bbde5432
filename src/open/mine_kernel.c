/* Compiles a single kernel. NVRTC gets the headers that the program carries, and the few parts of the C library that they
 * include. */
#include "mine_report.h"

#include "lesson.h"
#include "text.h"
#include "kernels/own_kernel.h"

#include <stdio.h>
#include <string.h>

enum { MOST_HEADERS = 256 };

static const char integers[] = "#pragma once\n"
                               "typedef signed char int8_t; typedef unsigned char uint8_t;\n"
                               "typedef short int16_t; typedef unsigned short uint16_t;\n"
                               "typedef int int32_t; typedef unsigned uint32_t;\n"
                               "typedef long int64_t; typedef unsigned long uint64_t; typedef unsigned long uintptr_t;\n"
                               "#define UINT32_MAX 0xffffffffu\n"
                               "#define INT32_MAX 0x7fffffff\n"
                               "#define UINT64_MAX 0xffffffffffffffffull\n"
                               "#define SIZE_MAX UINT64_MAX\n";
static const char numbers[] = "#pragma once\n"
                              "#ifndef INFINITY\n"
                              "#define INFINITY __int_as_float(0x7f800000)\n"
                              "#endif\n"
                              "#ifndef NAN\n"
                              "#define NAN __int_as_float(0x7fffffff)\n"
                              "#endif\n";

/* Rows and backends exist only on the host. */
static const char host[] = "#pragma once\n"
                           "#include <stdint.h>\n"
                           "struct exec;\n"
                           "struct rung { const char *name; };\n";

/* The name in #include, and the text that it gets. */
static const struct {
    const char *name, *text;
} standard[] = {
    { "stdint.h", integers }, { "math.h", numbers }, { "stdbool.h", "" }, { "stddef.h", "" }, { "rung.h", host },
};

int mine_build_kernel(struct mine *mine, const char *source, struct err *err)
{
    const char *text[MOST_HEADERS], *name[MOST_HEADERS];
    char reason[300];
    int n = 0;
    for (size_t i = 0; i < sizeof standard / sizeof standard[0]; i++, n++)
        text[n] = standard[i].text, name[n] = standard[i].name;
    for (const struct resource *r = kernel_sources; r->name && n + 2 < MOST_HEADERS; r++) {
        if (!text_ends(r->name, ".h") || text_ends(r->name, "/rung.h")) continue;
        text[n] = text[n + 1] = (const char *)r->begin;
        name[n] = r->name, name[n + 1] = strrchr(r->name, '/') + 1;
        n += 2;
    }
    const struct own_source all = { source, mine->source, text, name, n };
    snprintf(mine->library, sizeof mine->library, "%s/mine" MINE_IMAGE, mine->folder);
    const char *const why = own_kernel_compile(&all, mine->library, mine->said, sizeof mine->said);
    if (!why) return ERR_NONE;
    if (*why) return err_set(err, ERR_FAILED, "%s: %s", mine->name, why);
    mine_find_reason(mine->said, reason);
    return err_set(err, ERR_FAILED, "%s does not compile: %s", mine->name, reason);
}
