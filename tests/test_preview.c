/* Grey levels of a slice that is shown before its file is opened: any values, also those of a wrong guess. */
#include "check.h"
#include "preview.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void test_grey(const char *what, const float values[5], const uint8_t want[5])
{
    uint8_t grey[5];
    check_subject(what);
    memset(grey, 77, sizeof grey);
    preview_grey(grey, values, 5);
    CHECK(!memcmp(grey, want, sizeof grey));
}

int main(void)
{
    test_grey("from the least to the largest", (const float[]){ -1, 0, 1, -0.5f, 0.25f },
              (const uint8_t[]){ 0, 127, 255, 63, 159 });
    test_grey("all floats", (const float[]){ -FLT_MAX, 0, FLT_MAX, FLT_MAX / 2, -FLT_MAX / 2 },
              (const uint8_t[]){ 0, 127, 255, 191, 63 });
    test_grey("a tiny range", (const float[]){ 0, FLT_TRUE_MIN, 2 * FLT_TRUE_MIN, 0, 0 },
              (const uint8_t[]){ 0, 127, 255, 0, 0 });
    test_grey("one value", (const float[]){ 3, 3, 3, 3, 3 }, (const uint8_t[]){ 0, 0, 0, 0, 0 });
    test_grey("some are none", (const float[]){ NAN, 1, INFINITY, 2, -INFINITY }, (const uint8_t[]){ 0, 0, 0, 255, 0 });
    test_grey("none is one", (const float[]){ NAN, NAN, INFINITY, NAN, -INFINITY }, (const uint8_t[]){ 0, 0, 0, 0, 0 });
    return check_summary("test_preview");
}
