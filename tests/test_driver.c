/* Which driver is found, and what is said of it. */
#include "check.h"

#include "driver.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void the_version_is_found_in_the_file(void)
{
    static const struct {
        const char *content, *version;
    } cases[] = {
        { "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  Tue Sep 23 10:11:16 UTC 2025\nGCC version:  gcc "
          "12.2.0\n",
          "580.95.05" },
        { "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  535.129.03  Release Build\n", "535.129.03" },
        { "NVRM version: NVIDIA UNIX aarch64 Kernel Module  470.82  now\n", "470.82" },
        { "NVRM version: no number here\n", "" },
        { "GCC version:  gcc 12.2.0\n", "" },
        { "", "" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char path[] = "/tmp/isoscope-driver-XXXXXX", version[32] = "poison";
        const int file = mkstemp(path);
        check_subject(cases[i].content);
        if (!CHECK(file >= 0)) return;
        CHECK(write(file, cases[i].content, strlen(cases[i].content)) == (ssize_t)strlen(cases[i].content));
        close(file);
        CHECK(driver_version(version, path) == (cases[i].version[0] != 0));
        CHECK(!strcmp(version, cases[i].version));
        unlink(path);
    }
    char version[32] = "poison";
    check_subject("no file");
    CHECK(!driver_version(version, "/nonexistent/version") && !version[0]);
}

static void the_sentence_compares_it_with_the_need(void)
{
    static const struct {
        const char *version;
        int toolkit;
        const char *says, *says_not;
    } cases[] = {
        { "580.95.05", 13000, "NVIDIA 580.95.05; CUDA 13.0 needs driver 580.65 or newer", "old" },
        { "580.65.06", 13010, "CUDA 13.1 needs driver 580.65 or newer", "old" },
        { "580.64.99", 13000, "NVIDIA 580.64.99 is too old; CUDA 13.0 needs driver 580.65 or newer", "runs" },
        { "99.90", 12040, "NVIDIA 99.90 is too old; CUDA 12.4 needs driver 525.60", "runs" }, /* numbers, not letters */
        { "525.60.13", 12090, "NVIDIA 525.60.13; CUDA 12.9 needs driver 525.60", "old" },
        { "470.256.02", 12040, "is too old", "runs" },
        { "520.61.05", 11080, "NVIDIA 520.61.05; CUDA 11.8 needs driver 520.61 or newer", "runs" },
        { "470.256.02", 11080, "needs driver 520.61 or newer, but runs with this one on GPUs for which it has native code",
          "old" },
        { "450.79", 11080, "NVIDIA 450.79 is too old", "runs" },
        { "", 11080, "none found (no /proc/driver/nvidia/version); CUDA 11.8 needs driver 520.61 or newer", "old" },
        { "", 14000, "CUDA 14.0 needs driver 580.65", "old" }, /* a newer toolkit: what is known */
        { "535.129.03", 0, "NVIDIA 535.129.03; built without CUDA", "old" },
        { "", 0, "none found; built without CUDA", "NVIDIA" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[256];
        driver_explain(text, sizeof text, cases[i].version, cases[i].toolkit);
        check_subject(text);
        CHECK(strstr(text, cases[i].says));
        CHECK(!strstr(text, cases[i].says_not));
    }
}

int main(void)
{
    the_version_is_found_in_the_file();
    the_sentence_compares_it_with_the_need();
    return check_summary("test_driver");
}
