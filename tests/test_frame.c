/* Compares a frame rendered through EGL with a stored picture. Usage: test_frame ISOSCOPE FOLDER-OF-REFERENCES; exits 77
 * without OpenGL.
 *
 * Drivers round and sample differently: pixels may differ a little everywhere, and a lot along outlines. To store a new
 * reference, run isoscope render with the words below, and look at the picture before you keep it. */
#include "check.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG
#include <stb_image.h>

static int run(char *const words[])
{
    int status;
    const pid_t child = fork();
    if (child == 0) {
        execv(words[0], words);
        _exit(127);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void compare(const char *name, const char *reference, const char *made)
{
    int w, h, rw, rh, n;
    unsigned char *a = stbi_load(made, &w, &h, &n, 3), *b = stbi_load(reference, &rw, &rh, &n, 3);
    check_subject(name);
    if (CHECK(a) && CHECK(b) && CHECK(w == rw && h == rh)) {
        double sum = 0;
        int far_off = 0, different = 0;
        for (int i = 0; i < w * h * 3; i++) {
            const int d = abs(a[i] - b[i]);
            sum += d;
            far_off += d > 32;
            different += a[i] != a[i % 3]; /* a picture of one colour would resemble many others */
        }
        printf("%s: mean difference %.3f of 255, %.2f %% of values more than 32 off\n", name, sum / (w * h * 3),
               100.0 * far_off / (w * h * 3));
        CHECK(sum / (w * h * 3) <= 1.5);
        CHECK(far_off <= w * h * 3 / 50);
        CHECK(different > w * h / 4);
    }
    stbi_image_free(a);
    stbi_image_free(b);
}

int main(int argc, char **argv)
{
    char folder[] = "/tmp/isoscope-frame-XXXXXX", volume[64], picture[64], reference[4096];
    if (!CHECK(argc == 3) || !CHECK(mkdtemp(folder))) return check_summary("test_frame");
    snprintf(volume, sizeof volume, "%s/v.nrrd", folder);
    snprintf(picture, sizeof picture, "%s/v.png", folder);
    char *synth[] = { argv[1], "synth", "metaballs", "--size", "48", "-o", volume, NULL };
    CHECK(run(synth) == 0);
    /* clang-format off */
    static char *const frames[][3] = { { "light" }, { "matcap" },
                                       { "cut", "--slice", "y=24+,z=16-" } }; /* name of the reference; more words */
    /* clang-format on */
    for (int i = 0; i < 3; i++) {
        char *name = frames[i][0], *shading = i < 2 ? name : "light";
        char *render[] = {
            argv[1],       "render", volume,      "--iso", "100", "--size", "160x120",    "--azimuth",  "30",
            "--elevation", "20",     "--shading", shading, "-o",  picture,  frames[i][1], frames[i][2], NULL
        };
        const int code = run(render);
        if (code == 4) {
            printf("skipped: no usable OpenGL\n");
            return 77;
        }
        snprintf(reference, sizeof reference, "%s/frame_%s.png", argv[2], name);
        if (CHECK(code == 0)) compare(name, reference, picture);
    }
    unlink(volume);
    unlink(picture);
    rmdir(folder);
    return check_summary("test_frame");
}
