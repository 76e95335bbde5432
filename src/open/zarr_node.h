/* A node of a Zarr hierarchy: a folder that is an array or a group, in format 2 or 3, with its metadata. */
#ifndef ISO_ZARR_NODE_H
#define ISO_ZARR_NODE_H

#include "zarr.h"

#include <jansson.h>

#ifdef __cplusplus
extern "C" {
#endif

struct zarr_node {        /* zero except folder -1 means empty */
    int folder;           /* descriptor; owned */
    char name[ZARR_NAME]; /* for messages: that of the first folder, and the path from there on */
    int format;           /* 2 or 3; 0: neither an array nor a group */
    bool array;
    bool anywhere;
    json_t *meta;       /* of the array or group; owned */
    json_t *attributes; /* owned; NULL: none */
};

/* Opens the folder `path` itself, which the user has named. Errors: ERR_INPUT, ERR_FAILED; the node is then empty. */
int zarr_node_open(struct zarr_node *node, const char *path, const char *name, bool anywhere, struct err *err);

/* Opens the folder `path` below another node. Errors: the same. */
int zarr_node_enter(struct zarr_node *node, const struct zarr_node *from, const char *path, struct err *err);

/* Makes an array from a node that is one. The caller owns *zarr; the node is empty afterwards, also after an error. Errors:
 * ERR_INPUT, ERR_FAILED. */
int zarr_node_array(struct zarr **zarr, struct zarr_node *node, struct err *err);

void zarr_node_close(struct zarr_node *node);

/* The OME metadata `key` of a node, in version 0.5 or an earlier one. NULL: there is none. */
const json_t *zarr_node_ome(const struct zarr_node *node, const char *key);

#ifdef __cplusplus
}
#endif
#endif
