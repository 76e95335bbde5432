/* A mesh's vertices in clip coordinates, by the gemm op instead of OpenGL's vertex shader: each turn of the view multiplies
 * all of them by its matrix. It has a pipeline of its own, on live's backend; what it takes counts among live's times. */
#ifndef ISO_TURNED_H
#define ISO_TURNED_H

#include "live.h"

#ifdef __cplusplus
extern "C" {
#endif

struct turned { /* zero: not open */
    bool open;
    struct mesh mesh;      /* vertex i: x y z w of vertex i of `of`, but for the matrix' last column; it has no triangles */
    const struct mesh *of; /* NULL: nothing was turned yet */
    uint64_t turns;        /* so far */
    double map_ms, made_ms; /* of the last turn: bringing vertices here and to OpenGL; the runs of gemm */

    /* private */
    struct iso iso;
    struct buffer memory; /* matrix, vertices as they came, indices that nobody reads, turned vertices */
    uint64_t version;     /* of what `memory` holds of `of` */
    float matrix[16];
    const struct rung *rung;
};

/* Turns the vertices of `of`, a mesh of live that is drawn and not queued, by a matrix of columns, unless it was the last
 * one. Returns the error; then it is closed. */
int turned_follow(struct turned *turned, struct live *live, const struct mesh *of, const float matrix[16],
                  const struct rung *gemm, struct err *err);

/* Frees everything; one that is not open is fine. Before live and the target's context are closed. */
void turned_close(struct turned *turned);

#ifdef __cplusplus
}
#endif
#endif
