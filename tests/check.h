/* Checks for the test programs. A failed check prints its place and subject, and the program continues; check_summary()
 * prints the counts and returns the exit code. Tests that cannot run here count as skipped, never as passed. */
#ifndef ISO_CHECK_H
#define ISO_CHECK_H

#undef NDEBUG /* asserts of the headers under test stay on in every build */

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static struct {
    long passed, failed, skipped;
    const char *subject; /* printed with a failure; "": none */
    uint64_t random;
} check = { .subject = "" };

/* Sets the subject of the next checks. */
static inline void check_subject(const char *subject) { check.subject = subject; }

static inline int check_report(int fine, const char *file, int line, const char *what)
{
    if (fine) {
        check.passed++;
        return 1;
    }
    if (check.failed++ < 50) /* a loop with a million failures would bury the first */
        printf("%s:%d: failed: %s%s%s\n", file, line, what, *check.subject ? " for " : "", check.subject);
    return 0;
}

static inline int check_near(double a, double b, double tolerance, const char *file, int line, const char *what)
{
    const int fine = !!(fabs(a - b) <= tolerance); /* false for NaN */
    if (!fine && check.failed < 50) printf("%s:%d: %.17g and %.17g differ by more than %g\n", file, line, a, b, tolerance);
    return check_report(fine, file, line, what);
}

#if defined __cppcheck__ || defined __clang_analyzer__ /* neither sees that check_report() returns its argument */
#define CHECK(condition) (!!(condition))
#else
#define CHECK(condition) check_report(!!(condition), __FILE__, __LINE__, #condition)
#endif
#define CHECK_NEAR(a, b, tolerance) check_near(a, b, tolerance, __FILE__, __LINE__, #a " near " #b)

static inline void check_skip(const char *why)
{
    check.skipped++;
    printf("skipped: %s\n", why);
}

/* A reproducible sequence (xorshift64*) from a printed seed. */
static inline void check_seed(uint64_t seed)
{
    check.random = seed ? seed : 1;
    printf("random numbers from seed %llu\n", (unsigned long long)check.random);
}

static inline uint64_t check_random(void)
{
    check.random ^= check.random >> 12;
    check.random ^= check.random << 25;
    check.random ^= check.random >> 27;
    return check.random * 0x2545f4914f6cdd1d;
}

/* Removes a folder of the test and everything in it. */
static inline void check_remove(const char *folder)
{
    char command[512];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    CHECK(system(command) == 0);
}

static inline int check_summary(const char *program)
{
    printf("%s: %ld passed, %ld failed, %ld skipped\n", program, check.passed, check.failed, check.skipped);
    return check.failed || !check.passed;
}

#endif
