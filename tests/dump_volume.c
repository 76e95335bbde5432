/* Reads a volume as the program does, for comparison with other readers (tests/peers/readers.py): writes the voxels to OUT
 * as float64 in real units, and prints dims and geometry as JSON.
 * Usage: dump_volume FILE OUT [FRAME [COMPONENT]] */
#include "load.h"
#include "text.h"
#include "volume.h"

#include <stdio.h>

static void print_numbers(const char *name, const double *numbers, int n)
{
    char text[32];
    printf(", \"%s\": [", name);
    for (int i = 0; i < n; i++) printf("%s%s", i ? ", " : "", text_print(text, numbers[i]));
    printf("]");
}

int main(int argc, char **argv)
{
    struct volume v;
    struct err err = { 0 };
    char text[ERR_SENTENCE];
    const char *end;
    struct load_desc desc = { .dims = { 0 } };
    if (argc < 3) return 2;
    if ((argc > 3 && !text_uint(argv[3], &end, &desc.frame)) || (argc > 4 && !text_uint(argv[4], &end, &desc.component)))
        return 2;
    const int code = load_volume(&v, argv[1], &desc, &err);
    if (code) {
        fprintf(stderr, "%s\n", err_sentence(&err, text));
        return code;
    }
    FILE *out = fopen(argv[2], "wb");
    if (!out) return 1;
    for (size_t i = 0; i < grid_voxels(&v.grid); i++) {
        const double real = volume_real(&v, (double)grid_value(&v.grid, i));
        fwrite(&real, sizeof real, 1, out);
    }
    printf("{\"dims\": [%zu, %zu, %zu], \"frames\": %llu, \"components\": %llu, \"unit\": \"%s\", \"lps\": %s", v.grid.nx,
           v.grid.ny, v.grid.nz, (unsigned long long)v.frames, (unsigned long long)v.components, v.unit,
           v.world == WORLD_LPS ? "true" : "false");
    print_numbers("origin", v.origin, 3);
    print_numbers("direction", &v.direction[0][0], 9);
    printf("}\n");
    volume_free(&v);
    return fclose(out) ? 1 : 0;
}
