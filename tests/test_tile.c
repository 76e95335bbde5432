/* Tiles of a picture: each pixel is kept once, with all that it depends on drawn beside it, in tiles that OpenGL can
 * draw. */
#include "check.h"
#include "tile.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define PLANS 2000 /* random ones, a fifth of which need no tiles */

static int random_below(int n) { return (int)(check_random() % (uint64_t)n); }

/* What is drawn reaches as far as the margin, or to the picture's side. */
static bool has_margin(const struct tile *t, int axis, int margin)
{
    const int before = t->from[axis] - t->at[axis], end = t->from[axis] + t->kept[axis];
    const int after = t->at[axis] + t->size[axis] - end;
    return (before >= margin || t->at[axis] == 0) && (after >= margin || end + after == t->whole[axis]) && before >= 0 &&
           after >= 0 && t->at[axis] + t->size[axis] <= t->whole[axis];
}

static void check_plan(int width, int height, int margin, int most)
{
    struct tiles tiles;
    struct err err = { 0 };
    if (tiles_plan(&tiles, width, height, margin, most, &err)) {
        CHECK(2 * margin + 2 * TILE_GRAIN > most && strstr(err.text, "smaller --size"));
        return;
    }
    unsigned char *times = calloc((size_t)width * (size_t)height, 1);
    for (int row = 0, top = height; row < tiles.count[1]; row++) {
        struct tile t = { { 0 } };
        for (int column = 0; column < tiles.count[0]; column++) {
            t = tiles_at(&tiles, column, row);
            CHECK(t.whole[0] == width && t.whole[1] == height);
            for (int a = 0; a < 2; a++) {
                CHECK(t.size[a] > 0 && t.size[a] <= most && t.kept[a] > 0);
                CHECK(t.at[a] % TILE_GRAIN == 0 && t.from[a] % TILE_GRAIN == 0);
                CHECK(has_margin(&t, a, margin));
            }
            for (int y = t.from[1]; y < t.from[1] + t.kept[1]; y++)
                for (int x = t.from[0]; x < t.from[0] + t.kept[0]; x++) times[(size_t)y * (size_t)width + (size_t)x]++;
        }
        CHECK(t.from[1] + t.kept[1] == top); /* rows come from the top */
        top = t.from[1];
    }
    size_t once = 0;
    for (size_t i = 0; i < (size_t)width * (size_t)height; i++) once += times[i] == 1;
    CHECK(once == (size_t)width * (size_t)height);
    if (width <= most && height <= most && most <= TILE_USUAL) CHECK(tiles.count[0] * tiles.count[1] == 1);
    free(times);
}

/* If the margin leaves little of the usual tile, larger tiles are used, if OpenGL allows them. */
static void test_large_margins(void)
{
    struct tiles tiles;
    struct err err = { 0 };
    CHECK(!tiles_plan(&tiles, 40000, 30000, 1000, 16384, &err) && tiles.step[0] == TILE_USUAL - 2000);
    CHECK(!tiles_plan(&tiles, 40000, 30000, 3600, 16384, &err) && tiles.step[0] == 16384 - 7200);
    CHECK(tiles_plan(&tiles, 40000, 30000, 8192, 16384, &err) == ERR_FAILED);
}

int main(void)
{
    for (int i = 0; i < PLANS; i++)
        check_plan(1 + random_below(500), 1 + random_below(500), random_below(60), 48 + random_below(300));
    test_large_margins();
    return check_summary("test_tile");
}
