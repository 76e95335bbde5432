/* Numbered file names: what printf would write for the few patterns that are allowed, nothing for all others. */
#include "check.h"

#include "numbered.h"

#include <stdlib.h>
#include <string.h>

static void names_are_those_of_printf(void)
{
    static const char *const patterns[] = { "%d",         "a%d.raw", "%03d", "b/%05d.raw", "%3d",  "%12d",
                                            "100%%_%02d", "%01d",    "%0d",  "%00d",       "%020d" };
    static const int64_t numbers[] = { 0, 1, -1, 9, 10, 99, 100, -99, 12345678901, INT64_MAX, INT64_MIN };
    for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++)
        for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
            char expected[128], format[64], got[128];
            const char *d = strchr(patterns[p], 'd'); /* %03d -> %03lld */
            snprintf(format, sizeof format, "%.*sll%s", (int)(d - patterns[p]), patterns[p], d);
            const int length = snprintf(expected, sizeof expected, format, (long long)numbers[n]);
            check_subject(patterns[p]);
            memset(got, 'x', sizeof got);
            CHECK(numbered_name(got, sizeof got, patterns[p], numbers[n]) && !strcmp(got, expected));
            memset(got, 'x', sizeof got);
            CHECK(numbered_name(got, (size_t)length + 1, patterns[p], numbers[n]) && got[length + 1] == 'x');
            CHECK(!numbered_name(got, (size_t)length, patterns[p], numbers[n]) && !*got && got[length + 1] == 'x');
        }
    check_subject("");
}

static void other_patterns_are_refused(void)
{
    static const char *const patterns[] = { "",     "plain", "%",         "a%",    "%%",   "%%d", "%s",          "%n%d",
                                            "%d%n", "%d%d",  "%03d%02d",  "%-3d",  "%+d",  "% d", "%*d",         "%.3d",
                                            "%ld",  "%i",    "%u",        "%x",    "%1$d", "%#d", "%99999999d",  "%065d",
                                            "%0",   "%3",    "%d and %s", "%d 5%", "%hhd", "%'d", "%4294967299d" };
    char got[128];
    for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++) {
        check_subject(patterns[p]);
        char *const pattern = strdup(patterns[p]); /* the sanitizers see what is read past its end */
        memset(got, 'x', sizeof got);
        CHECK(pattern && !numbered_name(got, sizeof got, pattern, 7) && !*got);
        free(pattern);
    }
    check_subject("");
    memset(got, 'x', sizeof got);
    CHECK(!numbered_name(got, 1, "%d", 7) && !*got && got[1] == 'x');
}

int main(void)
{
    names_are_those_of_printf();
    other_patterns_are_refused();
    return check_summary("test_numbered");
}
