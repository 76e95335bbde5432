#include "zarr_node.h"

#include "text.h"
#include "zarr_file.h"
#include "zarr_meta.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void zarr_node_close(struct zarr_node *node)
{
    if (node->folder >= 0) close(node->folder);
    json_decref(node->meta);
    json_decref(node->attributes);
    *node = (struct zarr_node){ .folder = -1 };
}

static int read_json(json_t **json, const struct zarr_node *node, const char *file, struct err *err)
{
    return zarr_file_json(json, node->folder, file, node->anywhere, node->name, err);
}

/* Reads a node of format 3: everything is in one file. */
static int read_3(struct zarr_node *node, struct err *err)
{
    const int code = read_json(&node->meta, node, "zarr.json", err);
    if (code || !node->meta) return code;
    const char *type = json_string_value(json_object_get(node->meta, "node_type"));
    node->array = type && !strcmp(type, "array");
    node->format = 3;
    node->attributes = json_incref(json_object_get(node->meta, "attributes"));
    if (node->array || (type && !strcmp(type, "group"))) return ERR_NONE;
    return err_set(err, ERR_INPUT, "%s: 'node_type' in its zarr.json is neither 'array' nor 'group'", node->name);
}

/* Reads a node of format 2. A folder with only attributes is a group, too. */
static int read_2(struct zarr_node *node, struct err *err)
{
    int code = read_json(&node->meta, node, ".zarray", err);
    node->array = node->meta != NULL;
    if (!code && !node->array) code = read_json(&node->meta, node, ".zgroup", err);
    if (!code) code = read_json(&node->attributes, node, ".zattrs", err);
    node->format = node->meta || node->attributes ? 2 : 0;
    return code;
}

static int read_node(struct zarr_node *node, struct err *err)
{
    int code = read_3(node, err);
    if (!code && !node->format) code = read_2(node, err);
    if (code) zarr_node_close(node);
    return code;
}

int zarr_node_open(struct zarr_node *node, const char *path, const char *name, bool anywhere, struct err *err)
{
    *node = (struct zarr_node){ .folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), .anywhere = anywhere };
    if (node->folder < 0) return err_set(err, ERR_INPUT, "%s: cannot be opened: %s", name, strerror(errno));
    text_visible(node->name, sizeof node->name, name);
    return read_node(node, err);
}

int zarr_node_enter(struct zarr_node *node, const struct zarr_node *from, const char *path, struct err *err)
{
    char name[2 * ZARR_NAME];
    *node = (struct zarr_node){ .folder = zarr_file_open(from->folder, path, from->anywhere, O_DIRECTORY),
                                .anywhere = from->anywhere };
    if (node->folder < 0) return zarr_file_refuse(from->name, path, err);
    snprintf(name, sizeof name, "%.200s/%.250s", from->name, path);
    text_visible(node->name, sizeof node->name, name);
    return read_node(node, err);
}

int zarr_node_array(struct zarr **zarr, struct zarr_node *node, struct err *err)
{
    struct zarr *z = *zarr = calloc(1, sizeof *z);
    int code = ERR_NONE;
    if (!z) code = err_set(err, ERR_FAILED, "%s: not enough memory for its metadata", node->name);
    else {
        z->folder = node->folder;
        node->folder = -1;
        z->anywhere = node->anywhere;
        memcpy(z->name, node->name, sizeof z->name);
        for (int a = 0; a < AXIS_COUNT; a++) z->axis[a] = -1;
        code = (node->format == 3 ? zarr_meta_3 : zarr_meta_2)(z, node->meta, err);
    }
    if (code) {
        zarr_free(z);
        *zarr = NULL;
    }
    zarr_node_close(node);
    return code;
}

const json_t *zarr_node_ome(const struct zarr_node *node, const char *key)
{
    const json_t *ome = json_object_get(node->attributes, "ome");
    const json_t *value = json_object_get(json_is_object(ome) ? ome : node->attributes, key);
    return value && !json_is_null(value) ? value : NULL;
}
