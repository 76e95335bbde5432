#include "choices.h"

#include "camera_up.h"
#include "colour_map.h"
#include "iso.h"
#include "lesson.h"
#include "raster_way.h"
#include "render_mode.h"
#include "synth.h"
#include "tint_by.h"
#include "volume.h"

#include <stdio.h>
#include <string.h>

struct list {
    char *text; /* [CHOICES_TEXT] */
    size_t used;
};

static void add(struct list *list, const char *format, const char *a, const char *b)
{
    char word[128], found[130], all[CHOICES_TEXT + 2];
    snprintf(word, sizeof word, format, a, b);
    snprintf(found, sizeof found, " %s ", word);
    snprintf(all, sizeof all, " %s ", list->text);
    if (strstr(all, found)) return; /* both backends have a rung of that name */
    list->used += (size_t)snprintf(list->text + list->used, CHOICES_TEXT - list->used, "%s%s", list->used ? " " : "", word);
}

static void add_names(struct list *list, const char *const *names, int n)
{
    for (int i = 0; i < n; i++) add(list, "%s%s", names[i], "");
}

static void add_types(struct list *list) { add_names(list, voxel_type_name, VOXEL_TYPE_COUNT); }
static void add_topologies(struct list *list) { add_names(list, topology_name, TOPOLOGY_COUNT); }
static void add_ups(struct list *list) { add_names(list, camera_up_name, CAMERA_UPS); }

static void add_stages(struct list *list)
{
    add_names(list, stage_name, STAGE_COUNT);
    add(list, "%s%s", "all", "");
}

static void add_modes(struct list *list)
{
    for (const struct render_mode *m = render_modes; m->name; m++) add(list, "%s%s", m->name, "");
}

static void add_ways(struct list *list) { add_names(list, raster_way_name, RASTER_WAYS); }

static void add_maps(struct list *list)
{
    for (const struct colour_map *m = colour_maps; m->name; m++) add(list, "%s%s", m->name, "");
}

static void add_tints(struct list *list) { add_names(list, tint_name, TINT_WAYS); }

static void add_fields(struct list *list)
{
    for (const struct synth *s = synths; s->name; s++) add(list, "%s%s", s->name, "");
}

static void add_ops(struct list *list)
{
    for (const struct ladder *l = ladders; l->op; l++) add(list, "%s%s", l->op, "");
    add(list, "%s%s", "all", "");
}

static void add_rungs(struct list *list)
{
    const struct rung *rung;
    for (int s = 0; s < STAGE_ALL; s++)
        for (int b = 0; b < BACKEND_COUNT; b++)
            for (size_t i = 0; (rung = ladder_rung(ladder_of(stage_name[s]), (enum backend)b, i)); i++)
                add(list, "%s=%s", stage_name[s], rung->name);
}

/* clang-format off */
static const struct {
    const char *name, *words;       /* words NULL: call add */
    void (*add)(struct list *list); /* adds the words of a table */
} rows[] = {
    { "backend", "auto cpu cuda", NULL },
    { "color-by", NULL, add_tints },
    { "color-map", NULL, add_maps },
    { "compare", NULL, add_stages },
    { "draw", NULL, add_ways },
    { "endian", "little big", NULL },
    { "keep", "largest all", NULL },
    { "order", "xyz zyx", NULL },
    { "phase", "count write finish", NULL },
    { "pipeline", "staged fused", NULL },
    { "rung", NULL, add_rungs },
    { "shading", NULL, add_modes },
    { "slice-map", NULL, add_maps },
    { "theme", "dark light", NULL },
    { "topology", NULL, add_topologies },
    { "type", NULL, add_types },
    { "up", NULL, add_ups },
    { "NAME", NULL, add_fields },
    { "OP", NULL, add_ops },
};
/* clang-format on */

const char *choices_of(const char *name, char text[CHOICES_TEXT])
{
    struct list list = { text, 0 };
    text[0] = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].name, name) != 0) continue;
        if (rows[i].words) snprintf(text, CHOICES_TEXT, "%s", rows[i].words);
        else rows[i].add(&list);
    }
    return text;
}

const char *choices_of_rungs(const char *op, char text[CHOICES_TEXT])
{
    struct list list = { text, 0 };
    struct lesson_rung read;
    text[0] = 0;
    for (int b = 0; b < BACKEND_COUNT; b++)
        for (size_t i = 0; lesson_read_rung(&read, op, (enum backend)b, i); i++) add(&list, "%s%s", read.rung.name, "");
    return text;
}
