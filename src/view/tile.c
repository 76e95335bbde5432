#include "tile.h"

/* If less than 1/LEAST_PART of a side would be kept, larger tiles are worth their memory. */
enum { LEAST_PART = 4 };

struct tile tile_whole(int width, int height)
{
    return (struct tile){ { width, height }, { 0, 0 }, { width, height }, { 0, 0 }, { width, height } };
}

int tiles_plan(struct tiles *tiles, int width, int height, int margin, int most, struct err *err)
{
    const int whole[2] = { width, height };
    int side = tile_lesser(most, TILE_USUAL);
    if (side - 2 * margin < side / LEAST_PART) side = most;
    *tiles = (struct tiles){ .whole = { width, height }, .margin = (margin + TILE_GRAIN - 1) / TILE_GRAIN * TILE_GRAIN };
    for (int a = 0; a < 2; a++) {
        const int room = (side - 2 * tiles->margin) / TILE_GRAIN * TILE_GRAIN;
        if (whole[a] > side && room <= 0)
            return err_set(
                err, ERR_FAILED,
                "shading at a pixel depends on what is seen up to %d pixels away, and OpenGL draws %d at once: choose a "
                "smaller --size, or look from farther away",
                margin, side);
        tiles->step[a] = whole[a] > side ? room : whole[a];
        tiles->count[a] = (whole[a] - 1) / tiles->step[a] + 1;
    }
    return ERR_NONE;
}

struct tile tiles_at(const struct tiles *tiles, int column, int row)
{
    const int number[2] = { column, tiles->count[1] - 1 - row };
    struct tile t = { .whole = { tiles->whole[0], tiles->whole[1] } };
    for (int a = 0; a < 2; a++) {
        t.from[a] = number[a] * tiles->step[a];
        t.kept[a] = tile_lesser(tiles->step[a], t.whole[a] - t.from[a]);
        t.at[a] = t.from[a] > tiles->margin ? t.from[a] - tiles->margin : 0;
        const int rest = t.whole[a] - t.from[a] - t.kept[a];
        t.size[a] = t.from[a] + t.kept[a] + tile_lesser(rest, tiles->margin) - t.at[a];
    }
    return t;
}
