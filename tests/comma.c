/* A library to preload: makes a program obey the user's locale, as one of its libraries might. Ends it if that locale
 * writes
 * numbers without a comma, since then nothing would be tested. For test_locale.py. */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

__attribute__((constructor)) static void obey(void)
{
    if (!setlocale(LC_ALL, "") || strcmp(localeconv()->decimal_point, ",") != 0) abort();
}
