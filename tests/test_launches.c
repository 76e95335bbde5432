/* Kernels' names from symbols, what limits the blocks on a multiprocessor, what a device could compute,
 * the claims of roof.c, and the reasons of own_block.c. */
#include "check.h"
#include "lesson.h"
#include "op.h"
#include "own_block.h"
#include "roof.h"
#include "kernels/device.h"
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
    check_name("_Z14triad_textbook10triad_desc", "triad_textbook"); /* an argument is no qualifier */
    check_name("_ZL9somewhere4gridPf", "somewhere");
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

/* An H200, a consumer GPU, and an unknown device. */
static void check_peaks(void)
{
    const struct device_peak hopper = device_peak_of(90, 132, 1980), games = device_peak_of(89, 128, 2520);
    CHECK(fabs(hopper.float_tflops - 66.9) < 0.05 && fabs(hopper.double_tflops - 33.45) < 0.05);
    CHECK(fabs(games.float_tflops - 82.6) < 0.05 && fabs(games.float_tflops / games.double_tflops - 64) < 1e-9);
    CHECK(isnan(device_peak_of(10, 1, 1000).float_tflops) && isnan(device_peak_of(10, 1, 1000).double_tflops));
}

/* How many files of an op have the rung in their table: a build without CUDA has the sources too. */
static size_t count_rows(const char *op, enum backend backend, const char *name)
{
    size_t found = 0;
    char path[64], row[64];
    snprintf(path, sizeof path, "kernels/%s_%s", op, backends[backend]->name);
    snprintf(row, sizeof row, "{ { \"%s\",", name);
    for (const struct resource *r = kernel_sources; r->name; r++)
        found += !strncmp(r->name, path, strlen(path)) && strstr((const char *)r->begin, row) != NULL;
    return found;
}

/* Every claim is about a rung that there is. */
static void check_claim(void *context, const char *op, enum backend backend, const char *name)
{
    size_t *claims = context;
    CHECK(count_rows(op, backend, name) == 1);
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

/* Every reason is about a rung that there is. */
static void check_reason(void *context, const char *op, const char *name)
{
    size_t *reasons = context;
    check_subject(op);
    CHECK(op_of(op) && !strcmp(op_of(op)->op, op));
    CHECK(!name || count_rows(op, BACKEND_CUDA, name) == 1);
    ++*reasons;
}

/* Each rung accepts any block size, or there is a reason why not. Only builds with CUDA have these rungs. */
static void check_blocks(void)
{
    const struct rung *rung;
    size_t reasons = 0;
    own_block_each(check_reason, &reasons);
    CHECK(reasons > 20);
    for (const struct op *const *op = op_list; *op; op++) {
        check_subject((*op)->op);
        CHECK((*op)->any_block || own_block((*op)->op, NULL)); /* what the command line answers */
        for (size_t i = 0; (rung = ladder_rung(ladder_of((*op)->op), BACKEND_CUDA, i)); i++) {
            const bool takes_any = (*op)->any_block && (*op)->any_block(rung);
            check_subject(rung->name);
            CHECK(takes_any || own_block((*op)->op, rung->name) != NULL);
        }
    }
    CHECK(!own_block("triad", "vector") && own_block("triad", "rows") && own_block("sum", "vector"));
    CHECK(!strstr(own_block("scan", "cub"), "tile") && strstr(own_block("scan", "padded"), "tile"));
}

int main(void)
{
    size_t claims = 0;
    check_names();
    check_limits();
    check_peaks();
    roof_each(check_claim, &claims);
    CHECK(claims > 20);
    check_passes();
    check_blocks();
    return check_summary("test_launches");
}
