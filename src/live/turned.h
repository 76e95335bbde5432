/* A mesh's vertices in clip coordinates, computed by the gemm op instead of OpenGL's vertex shader. Each change of the
 * view multiplies all of them by its matrix. It has a pipeline of its own on live's backend; its times are added to
 * live's. */
#ifndef ISO_TURNED_H
#define ISO_TURNED_H

#include "live.h"

#ifdef __cplusplus
extern "C" {
#endif

struct turned { /* zero: not open */
    bool open;
    struct mesh mesh;       /* vertex i: clip x y z w of vertex i of `of`, without the matrix' last column; no triangles */
    const struct mesh *of;  /* NULL: nothing was turned yet */
    uint64_t turns;         /* number of turns so far */
    double map_ms, made_ms; /* of the last turn: moving vertices here and to OpenGL; the runs of gemm */

    /* private */
    struct iso iso;
    struct buffer memory; /* matrix, original vertices, indices that nobody reads, turned vertices */
    uint64_t version;     /* version of `of` that is in `memory` */
    float matrix[16];
    const struct rung *rung;
};

/* Multiplies the vertices of `of` by a column-major matrix, unless that is the matrix of the last call. `of` is a drawn
 * mesh of live that is not queued. Returns the error; `turned` is then closed. */
int turned_follow(struct turned *turned, struct live *live, const struct mesh *of, const float matrix[16],
                  const struct rung *gemm, struct err *err);

/* Frees everything. Does nothing if it is not open. Call it before live and the target's context are closed. */
void turned_close(struct turned *turned);

#ifdef __cplusplus
}
#endif
#endif
