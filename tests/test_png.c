/* Pictures whose compression fails, which no file may show, and pictures of all sizes, which must end well.
 * deflate() is wrapped. */
#include "check.h"
#include "png.h"

#include <string.h>
#include <unistd.h>
#include <zlib.h>

static struct {
    long calls, fails; /* that one, from 1 on; 0: none */
    int code;
} zip;

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's names (--wrap) */
int __real_deflate(z_stream *stream, int flush);
int __wrap_deflate(z_stream *stream, int flush);

int __wrap_deflate(z_stream *stream, int flush)
{
    return ++zip.calls == zip.fails ? zip.code : __real_deflate(stream, flush);
}
/* NOLINTEND(bugprone-reserved-identifier) */

static int write_noise(const char *path, int width, int height, struct err *err)
{
    unsigned char row[3 * 400];
    struct png png;
    if (png_open(&png, path, 3, width, height, err)) return ERR_FAILED;
    for (int y = 0; y < height; y++) {
        for (int i = 0; i < 3 * width; i++) row[i] = (unsigned char)check_random();
        png_rows(&png, row, 1);
    }
    return png_close(&png, err);
}

/* Each call of deflate fails once, in each way. */
static void no_file_of_a_failed_picture(const char *path)
{
    static const int codes[] = { Z_STREAM_ERROR, Z_DATA_ERROR, Z_MEM_ERROR };
    check_subject("a call of deflate fails");
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        for (zip.fails = 1, zip.calls = 1; zip.calls >= zip.fails; zip.fails++) {
            struct err err = { 0 };
            zip.calls = 0, zip.code = codes[i];
            const int code = write_noise(path, 40, 20, &err);
            if (zip.calls < zip.fails) {
                CHECK(!code && !remove(path));
                break;
            }
            CHECK(code == ERR_FAILED && strstr(err.text, path) && strstr(err.text, "cannot be written"));
            CHECK(!strstr(err.text, "Success"));
            CHECK(access(path, F_OK));
        }
    zip.fails = 0;
}

/* Compressed rows fill their chunk to the last byte now and then, and then deflate has nothing left to do. */
static void any_size(const char *path)
{
    check_subject("noise of any size");
    for (int height = 200; height < 260; height++) {
        struct err err = { 0 };
        CHECK(!write_noise(path, 400, height, &err));
        CHECK(!remove(path));
    }
}

int main(void)
{
    char folder[] = "/tmp/isoscope_png_XXXXXX", path[64];
    check_seed(11);
    if (!CHECK(mkdtemp(folder))) return 1;
    snprintf(path, sizeof path, "%s/a.png", folder);
    no_file_of_a_failed_picture(path);
    any_size(path);
    check_remove(folder);
    return check_summary("test_png");
}
