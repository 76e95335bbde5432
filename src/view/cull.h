/* Draws opaque meshes without those clusters of their triangles that lie outside the view, are cut away, or lie behind what is
 * nearer. The device decides and writes the commands; the host neither waits nor knows what was drawn.
 *
 * A cluster is CULL_CLUSTER consecutive triangles, around which a box is computed once per mesh. A mesh is drawn in two rounds:
 * first the clusters that were seen in the last picture; then, of their depths and of all that was drawn before, a pyramid is made,
 * each level with the greatest depths of the one below; and all other clusters whose boxes it does not hide are drawn. So nothing is
 * lost that is to be seen, whatever the last picture was. Of triangles at equal depths that are drawn in different rounds, that of
 * the first is seen.
 *
 *    cull_need -> cull_fit for each mesh -> cull_begin -> cull_draw for each mesh -> cull_end */
#ifndef ISO_CULL_H
#define ISO_CULL_H

#include "cut.h"
#include "mesh.h"
#include "pause.h"
#include "shader.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CULL_CLUSTER = 1024, CULL_MESHES = 4 }; /* triangles, as in the shaders; meshes that are remembered */

enum { CULL_BOXES, CULL_SEEN, CULL_COMMANDS, CULL_BUFFERS };

struct cull_mesh {
    uint64_t version;              /* of the mesh; 0: none */
    uint64_t used;                 /* number of the picture */
    unsigned clusters, room;       /* that there are, and that fit */
    unsigned buffer[CULL_BUFFERS]; /* boxes; what was seen last; commands of the first round and of the second */
    bool is_new;                   /* no picture has shown it */
};

struct cull { /* zero: nothing was drawn so far */
    struct shader boxes, depth, test;
    unsigned pyramid; /* texture; 0: none */
    int side[2];      /* of the pyramid's first level: powers of 2 */
    struct cull_mesh mesh[CULL_MESHES];
    unsigned counter, told; /* buffers: triangles drawn so far in this picture; and in the last one that was counted, */
    const uint32_t *count;  /* which the host sees here, */
    void *fence;            /* after this GLsync; NULL: it was taken */
    uint64_t pictures;
    uint64_t drawn, of;          /* triangles, in the last picture whose count came back; of 0: none */
    uint64_t drawing, fenced_of; /* of so many, in this picture, and in that behind the fence */
};

struct cull_view {
    const float *clip_from_mesh; /* 16, column by column */
    float cut[CUT_PLANES][4];    /* in units of the mesh, as cut_planes has them */
    unsigned framebuffer, depth; /* that is drawn to; its texture of depths */
    int width, height;           /* pixels */
    unsigned program;            /* that draws */
};

/* Why this mesh cannot be drawn so, one clause; NULL: it can. */
const char *cull_refusal(const struct mesh *mesh);

/* Compiles. Error: ERR_GL. */
int cull_need(struct cull *cull, struct err *err);
void cull_close(struct cull *cull);
bool cull_reload(struct cull *cull, struct err *err);

/* Makes what a mesh and a picture of this size need. Error: ERR_FAILED, no memory. */
int cull_fit(struct cull *cull, const struct mesh *mesh, int width, int height, struct err *err);

/* Draws a mesh that fits with the current state, in which depths are compared by GL_LESS and written. pause: as mesh_gl_draw. Returns
 * false if it was told to stop. */
bool cull_draw(struct cull *cull, const struct mesh *mesh, const struct cull_view *view, const struct pause *pause);

/* Around all meshes of a picture: counts what is drawn. */
void cull_begin(struct cull *cull);
void cull_end(struct cull *cull);

/* Takes the count of the last picture if it is known by now: cull->drawn. */
void cull_take(struct cull *cull);

#ifdef __cplusplus
}
#endif
#endif
