#include "refine_plan.h"

#include <math.h>
#include <stdlib.h>

/* ---- in the picture ---------------------------------------------------------------------------------------------- */

/* Component r of a point in clip coordinates. */
static double clip_of(const struct refine_view *view, int r, const double p[3])
{
    const float *m = view->clip_from_voxel;
    return m[r] * p[0] + m[4 + r] * p[1] + m[8 + r] * p[2] + m[12 + r];
}

/* Whether a box reaches to the inner side of each side of the picture, and in front of the eye. This may also be true
 * for a box far off a corner of the picture. */
static bool is_in_view(const struct refine_view *view, const double low[3], const double high[3])
{
    static const struct {
        int axis;
        double sign;
    } side[] = { { 0, 1 }, { 0, -1 }, { 1, 1 }, { 1, -1 }, { 2, 1 } };
    const float *m = view->clip_from_voxel;
    for (size_t i = 0; i < sizeof side / sizeof side[0]; i++) {
        double most = m[15] + side[i].sign * m[12 + side[i].axis]; /* of w + x, w - x, ... */
        for (int a = 0; a < 3; a++) {
            const double slope = m[4 * a + 3] + side[i].sign * m[4 * a + side[i].axis];
            most += slope * (slope > 0 ? high[a] : low[a]);
        }
        if (!(most >= 0)) return false;
    }
    return true;
}

/* Length in pixels of a voxel of the volume in memory at a point, along the axis that looks longest. */
static double pixels_at(const struct refine_view *view, const double p[3])
{
    const float *m = view->clip_from_voxel;
    const double w = clip_of(view, 3, p), half[2] = { 0.5 * view->width, 0.5 * view->height };
    double most = 0;
    if (!(w > 0)) return INFINITY; /* behind the eye, but the block reaches into view */
    for (int a = 0; a < 3; a++) {
        double length[2];
        for (int r = 0; r < 2; r++) length[r] = half[r] * (m[4 * a + r] - clip_of(view, r, p) / w * m[4 * a + 3]) / w;
        most = fmax(most, hypot(length[0], length[1]));
    }
    return most;
}

/* ---- the blocks of a level --------------------------------------------------------------------------------------- */

enum part { SEEN, HIDDEN, OTHER, PARTS }; /* hidden: likely, but behind others; other: not likely */

struct found {
    struct block_key key;
    double depth; /* of its centre, grows with the distance from the eye; later: least of its part in its row */
    enum part part;
};

struct list {
    struct found *found;
    size_t count[PARTS];
    uint64_t bytes[PARTS];
    double pixels[PARTS]; /* longest voxel of the volume in memory, in blocks of each part */
};

struct search { /* for blocks in view, on any level */
    const struct blocks *blocks;
    const struct refine_view *view;
    const struct refine_seen *seen; /* NULL: all are */
    float value;
};

static size_t count_of(const struct list *list) { return list->count[SEEN] + list->count[HIDDEN] + list->count[OTHER]; }

/* Adds the block if it is in view. */
static void look_at(struct list *list, const struct search *s, const struct block_key *key, bool is_seen)
{
    const struct level *level = &s->blocks->levels->level[key->level];
    double low[3], high[3], centre[3];
    blocks_place(level, key->at, low, high);
    for (int a = 0; a < 3; a++) centre[a] = (low[a] + high[a]) / 2;
    if (!is_in_view(s->view, low, high)) return;
    const enum part part = !blocks_is_likely(s->blocks, *key, s->value)            ? OTHER
                           : is_seen || !blocks_guesses(s->blocks, *key, s->value) ? SEEN
                                                                                   : HIDDEN;
    list->found[count_of(list)] = (struct found){ *key, clip_of(s->view, 2, centre), part };
    list->count[part]++;
    list->bytes[part] += blocks_bytes(&level->grid, key->at);
    list->pixels[part] = fmax(list->pixels[part], pixels_at(s->view, centre));
}

#define MOST_SEEN 0.8 /* as a fraction of the likely blocks */

/* If little is hidden, or coarser voxels show nothing, nothing counts as hidden. Reading nearly all rows again for the
 * rest would take longer than making everything at once. */
static void make_seen(struct list *list, uint64_t budget)
{
    const size_t likely = list->count[SEEN] + list->count[HIDDEN];
    const uint64_t bytes = list->bytes[SEEN] + list->bytes[HIDDEN];
    if (list->count[SEEN] && ((double)list->count[SEEN] < MOST_SEEN * (double)likely || bytes > budget)) return;
    for (size_t i = 0; i < count_of(list); i++)
        if (list->found[i].part == HIDDEN) list->found[i].part = SEEN;
    list->count[SEEN] = likely, list->count[HIDDEN] = 0;
    list->bytes[SEEN] = bytes, list->bytes[HIDDEN] = 0;
    list->pixels[SEEN] = fmax(list->pixels[SEEN], list->pixels[HIDDEN]);
}

static int find(struct list *list, const struct search *s, unsigned number, struct err *err)
{
    const struct level *level = &s->blocks->levels->level[number];
    uint32_t n[3];
    blocks_count(&level->grid, n);
    const size_t most = (size_t)n[0] * n[1] * n[2];
    bool *is_seen = malloc(most + 1);
    *list = (struct list){ .found = malloc((most + 1) * sizeof *list->found) };
    if (!list->found || !is_seen) {
        free(is_seen);
        return err_set(err, ERR_FAILED, "not enough memory for a list of %zu blocks", most);
    }
    if (s->seen) refine_seen_mark(s->seen, level, is_seen);
    for (size_t i = 0; i < most; i++) {
        const struct block_key key = { number,
                                       { (uint32_t)(i % n[0]), (uint32_t)(i / n[0] % n[1]), (uint32_t)(i / n[0] / n[1]) } };
        if (blocks_may_hold(s->blocks, key, s->value)) look_at(list, s, &key, !s->seen || is_seen[i]);
    }
    make_seen(list, s->blocks->budget);
    free(is_seen);
    return ERR_NONE;
}

/* Sorts by part, then by the nearest row, then in the order of the file. */
static int compare(const void *a, const void *b)
{
    const struct found *p = a, *q = b;
    if (p->part != q->part) return p->part < q->part ? -1 : 1;
    if (p->depth != q->depth) return p->depth < q->depth ? -1 : 1;
    for (int i = 2; i >= 0; i--)
        if (p->key.at[i] != q->key.at[i]) return p->key.at[i] < q->key.at[i] ? -1 : 1;
    return 0;
}

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

/* Longest allowed voxel, in pixels. For a longer one, the voxels of the next level, half as long, are nearer to a
 * pixel. */
#define FINE 1.4142135623730951

/* Gives all blocks of a part in a row the depth of the nearest one, because they are neighbours in the file. */
static int level_rows(const struct list *list, const struct grid *grid, struct err *err)
{
    uint32_t n[3];
    blocks_count(grid, n);
    const size_t rows = (size_t)n[1] * n[2];
    double *nearest = malloc((PARTS * rows + 1) * sizeof *nearest);
    if (!nearest) return err_set(err, ERR_FAILED, "not enough memory for a list of %zu rows of blocks", rows);
    for (size_t i = 0; i < PARTS * rows; i++) nearest[i] = INFINITY;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < count_of(list); i++) {
            struct found *f = &list->found[i];
            double *row = &nearest[f->part * rows + (size_t)f->key.at[2] * n[1] + f->key.at[1]];
            if (pass) f->depth = *row;
            else *row = fmin(*row, f->depth);
        }
    free(nearest);
    return ERR_NONE;
}

static int take(struct refine_plan *plan, int level, const struct list *list, const struct grid *grid, struct err *err)
{
    const size_t count = count_of(list);
    if (level_rows(list, grid, err)) return ERR_FAILED;
    struct block_key *block = malloc((count + 1) * sizeof *block);
    if (!block) return err_set(err, ERR_FAILED, "not enough memory for a list of %zu blocks", count);
    qsort(list->found, count, sizeof *list->found, compare);
    for (size_t i = 0; i < count; i++) block[i] = list->found[i].key;
    free(plan->block);
    plan->level = level, plan->block = block;
    plan->seen = list->count[SEEN], plan->likely = plan->seen + list->count[HIDDEN], plan->count = count;
    plan->bytes = list->bytes[SEEN], plan->likely_bytes = plan->bytes + list->bytes[HIDDEN];
    return ERR_NONE;
}

int refine_plan_make(struct refine_plan *plan, const struct blocks *blocks, const struct refine_view *view,
                     const struct refine_seen *seen, float value, struct err *err)
{
    const struct search search = { blocks, view, seen, value };
    const struct levels *levels = blocks->levels;
    int code = ERR_NONE;
    double scale = 1; /* of the present level; at first of the volume in memory */
    bool fine = false;
    *plan = (struct refine_plan){ .level = -1 };
    for (int level = levels->count - 1; level >= 0 && !fine && !code; level--) {
        struct list list;
        code = find(&list, &search, (unsigned)level, err);
        fine = code || list.pixels[list.count[SEEN] ? SEEN : OTHER] * scale <= FINE;
        if (!fine && list.bytes[SEEN] > blocks->budget) fine = true, plan->lacks = list.bytes[SEEN];
        else if (!fine) code = take(plan, level, &list, &levels->level[level].grid, err);
        scale = levels->level[level].scale;
        free(list.found);
    }
    if (code) refine_plan_free(plan);
    return code;
}

void refine_plan_free(struct refine_plan *plan)
{
    free(plan->block);
    *plan = (struct refine_plan){ .level = -1 };
}
