/* Kernels' names from symbols, what limits the blocks on a multiprocessor, and the claims of roof.c. */
#include "check.h"
#include "lesson.h"
#include "roof.h"
#include "kernels/launches.h"

#include <math.h>
#include <string.h>

static void check_name(const char *symbol, const char *want)
{
    char got[LAUNCH_NAME];
    launch_name(got, symbol);
    CHECK(!strcmp(got, want));
}

static void check_names(void)
{
    char longest[4 * LAUNCH_NAME];
    check_name("_Z13copy_textbookPKjPjm", "copy_textbook");
    check_name("_ZL11copy_strideILj8EEvPKjPjm", "copy_stride");
    check_name("_ZN3cub6detail16DeviceScanKernelIiEEvi", "DeviceScanKernel");
    check_name("void something", "void something");
    check_name("?", "?");
    check_name("_Z", "_Z");
    check_name("_Z99short", "short"); /* a length beyond the end */
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = 0;
    char got[LAUNCH_NAME];
    launch_name(got, longest);
    CHECK(strlen(got) == LAUNCH_NAME - 1);
}

/* A multiprocessor of compute capability 9.0. */
static void check_limits(void)
{
    const struct launch_room room = { 2048, 32, 65536, 233472, 1024 };
    const struct {
        struct launch launch;
        enum launch_limit want;
    } cases[] = {
        { { .threads = 256, .registers = 16 }, LIMIT_THREADS },   /* 8 blocks of 8 warps */
        { { .threads = 32, .registers = 16 }, LIMIT_BLOCKS },     /* 64 would fit by threads */
        { { .threads = 256, .registers = 33 }, LIMIT_REGISTERS }, /* 40 by pieces of 256 to a warp: 6 blocks */
        { { .threads = 256, .registers = 32 }, LIMIT_THREADS },   /* 8 blocks by either */
        { { .threads = 256, .registers = 16, .shared = 49152 }, LIMIT_SHARED },
        { { .threads = 256, .registers = 16, .shared = 28160 }, LIMIT_THREADS }, /* 8 blocks of 28160 + 1024 bytes */
        { { .threads = 256, .registers = 16, .shared = 28161 }, LIMIT_SHARED },
        { { .threads = 1, .registers = 16 }, LIMIT_BLOCKS }, /* a thread takes a warp */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        CHECK(launch_limit_of(&cases[i].launch, &room) == cases[i].want);
}

/* Every claim is about a rung that is in the table of its file: a build without CUDA has the sources too. */
static void check_claim(void *context, const char *op, enum backend backend, const char *name)
{
    size_t *claims = context, found = 0;
    char path[2][64], row[64];
    snprintf(path[0], sizeof path[0], "kernels/%s_%s", op, backends[backend]->name);
    snprintf(row, sizeof row, "{ { \"%s\",", name);
    for (const struct resource *r = kernel_sources; r->name; r++)
        found += !strncmp(r->name, path[0], strlen(path[0])) && strstr((const char *)r->begin, row) != NULL;
    CHECK(found == 1);
    const struct rung rung = { .name = name };
    const struct roof roof = roof_of(op, backend, &rung, 1 << 20);
    CHECK(roof.moves >= 1 || (roof.peak > 0 && roof.peak <= 1));
    CHECK(isnan(roof_of(op, backend, &(struct rung){ .name = "no such rung" }, 1).moves));
    ++*claims;
}

/* 2^26 items, as the comments of kernels/sort_cuda.cu count the passes. */
static void check_passes(void)
{
    static const struct {
        const char *rung;
        double passes;
    } want[] = { { "bitonic", 351 }, { "shared", 136 }, { "split", 120 }, { "merge", 16 } };
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        const struct rung rung = { .name = want[i].rung };
        CHECK(fabs(roof_of("sort", BACKEND_CUDA, &rung, 1 << 26).moves * 12 / 16 - want[i].passes) < 1e-9);
    }
}

int main(void)
{
    size_t claims = 0;
    check_names();
    check_limits();
    roof_each(check_claim, &claims);
    CHECK(claims > 20);
    check_passes();
    return check_summary("test_launches");
}
