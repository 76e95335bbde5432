#include "options_state.h"

#include "colour_map.h"
#include "options_table.h"
#include "options_surfaces.h"
#include "raster_way.h"
#include "render_mode.h"
#include "state_file.h"
#include "text.h"
#include "tint_by.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 65536 };

/* Returns the file as a string, which the caller frees. */
static char *read_all(const char *path, struct err *err)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        err_set(err, ERR_INPUT, "%s: cannot read the state file: %s", path, strerror(errno));
        return NULL;
    }
    char *text = malloc(MOST_BYTES + PATH_MAX); /* with room for the volume's path */
    const size_t size = text ? fread(text, 1, MOST_BYTES, file) : 0;
    const bool broken = ferror(file) != 0;
    fclose(file);
    if (text && !broken && size < MOST_BYTES && !memchr(text, 0, size)) {
        text[size] = 0;
        return text;
    }
    if (!text) err_set(err, ERR_FAILED, "not enough memory for %s", path);
    else err_set(err, ERR_INPUT, "%s: not a state file: expected text of less than %d bytes", path, MOST_BYTES);
    free(text);
    return NULL;
}

/* Cuts off blanks at the end. */
static void trim(char *text)
{
    size_t n = strlen(text);
    while (n && strchr(" \t\r", text[n - 1])) text[--n] = 0;
}

static const struct option_row *row_of(const char *option)
{
    for (const struct option_row *row = option_rows; row->name; row++)
        if (row->commands & (VIEW | RENDER) && !strcmp(row->name, option) &&
            (state_file_has(option) || state_file_opens(option)))
            return row;
    return NULL;
}

/* Checks names that are otherwise looked up only when a picture is drawn. */
static int check_names(const struct options *o, struct err *err)
{
    const struct view_options *view = &o->view;
    return render_mode_find(view->shading, err) < 0 || colour_map_find(view->slice_map, err) < 0 ||
                   colour_map_find(view->color_map, err) < 0 || tint_find(view->color_by, err) < 0 ||
                   raster_way_find(view->draw, err) < 0
               ? ERR_USAGE
               : ERR_NONE;
}

static int parse_aspect(struct view_options *view, const char *value, struct err *err)
{
    const char *end;
    if (text_double(value, &end, &view->aspect) && !*end && view->aspect > 0 && isfinite(view->aspect)) return ERR_NONE;
    return err_set(err, ERR_INPUT, STATE_FILE_ASPECT " = %s: expected a positive number, width / height of the scene",
                   value);
}

/* "key = value" */
static int parse_line(struct options *o, char *line, struct err *err)
{
    char *equals = strchr(line, '=');
    if (!equals) return err_set(err, ERR_INPUT, "'%s': expected NAME = VALUE, like iso = 40.5", line);
    *equals = 0;
    trim(line);
    const char *value = text_skip(equals + 1);
    if (!strcmp(line, STATE_FILE_VOLUME)) {
        o->setup.state_file = value;
        return ERR_NONE;
    }
    if (!strcmp(line, STATE_FILE_ASPECT)) return parse_aspect(&o->view, value, err);
    const struct option_row *row = row_of(line);
    if (!row) return err_set(err, ERR_INPUT, "'%s' is not a setting of a state file", line);
    if (!row->argument && strcmp(value, "on") != 0)
        return err_set(err, ERR_INPUT, "%s = %s: expected 'on', or leave the line out", line, value);
    struct options unused = { .size = { 0 } };
    const bool other = o->setup.knows_file && state_file_opens(line); /* the option is about reading another volume */
    const int code = row->parse(other ? &unused : o, row->name, row->argument ? value : NULL, err);
    return code ? code : check_names(o, err);
}

static int parse_lines(struct options *o, char *text, const char *path, struct err *err)
{
    int number = 1;
    for (char *line = text, *next; line; line = next, number++) {
        char *end = strchr(line, '\n');
        next = end ? end + 1 : NULL;
        if (end) *end = 0;
        trim(line);
        struct err why = { 0 };
        if (number == 1 && strcmp(line, STATE_FILE_HEAD) != 0)
            return err_set(err, ERR_INPUT, "%s: not a state file: expected the first line '" STATE_FILE_HEAD "'", path);
        const char *first = text_skip(line);
        if (number == 1 || !*first || *first == '#') continue;
        if (parse_line(o, line + (first - line), &why))
            return err_set(err, ERR_INPUT, "%s, line %d: %s", path, number, why.text);
    }
    return ERR_NONE;
}

/* A relative name is relative to the state's folder, wherever the program is started. The path is stored after the
 * text. */
static int find_volume(struct setup *setup, char *text, const char *path, struct err *err)
{
    const char *slash = strrchr(path, '/');
    if (!setup->state_file || !slash || !*setup->state_file || *setup->state_file == '/') return ERR_NONE;
    if (snprintf(text + MOST_BYTES, PATH_MAX, "%.*s%s", (int)(slash + 1 - path), path, setup->state_file) >= PATH_MAX)
        return err_set(err, ERR_INPUT, "%s: the path of its volume is too long", path);
    setup->state_file = text + MOST_BYTES;
    return ERR_NONE;
}

/* A size in a state is the size of its picture. The size of a window is up to the user who opens it. */
static void take_size(struct view_options *told, const struct view_options *before)
{
    told->picture[0] = told->width, told->picture[1] = told->height;
    told->width = before->width, told->height = before->height;
}

bool options_is_state(const char *word) { return text_ends(word, STATE_FILE_ENDING); }

int options_read_state(const char *path, struct setup *setup, struct view_options *view, char **text, struct err *err)
{
    struct options o = { .setup = *setup, .view = *view };
    struct err why = { 0 };
    o.view.width = o.view.height = 0;
    *text = read_all(path, err);
    if (!*text) return err->code;
    int code = parse_lines(&o, *text, path, err);
    if (!code) code = find_volume(&o.setup, *text, path, err);
    if (!code && parse_check_lists(&o, &why)) code = err_set(err, ERR_INPUT, "%s: %s", path, why.text);
    if (code) return code;
    *setup = o.setup;
    take_size(&o.view, view);
    *view = o.view;
    return ERR_NONE;
}
