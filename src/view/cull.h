/* Draws opaque meshes without those of their triangles that lie outside the view, are cut away, or lie behind what is
 * nearer. The device decides and writes the commands; the host neither waits nor knows what is drawn.
 *
 * Triangles are told apart by the cell of a grid that they lie in, with a box around those of each cell, which is found
 * once per mesh. A mesh is drawn in two rounds: first the cells that were seen in the last picture; then, of their depths
 * and of all that was drawn before, a pyramid is made, each level with the greatest depths of the one below; and all other
 * cells whose boxes it does not hide are drawn. So nothing is lost that is to be seen, whatever the last picture was.
 * Triangles of a round are drawn in their own order. Only where one of each round lies at the very same depth may the
 * second be seen in place of the first.
 *
 *    cull_begin -> cull_need -> cull_fit for each mesh -> cull_draw for each mesh -> cull_end */
#ifndef ISO_CULL_H
#define ISO_CULL_H

#include "cut.h"
#include "mesh.h"
#include "pause.h"
#include "shader.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CULL_MESHES = 4 }; /* of a picture */
enum { CULL_TOLD = 4 };   /* pictures whose counts are on their way to the host at once */

enum cull_shader { CULL_CELLS, CULL_TEST, CULL_COUNT, CULL_SCAN, CULL_PICK, CULL_DEPTH, CULL_SHADERS };
enum { CULL_CELL, CULL_LOW, CULL_HIGH, CULL_STATES, CULL_BLOCKS, CULL_COMMANDS, CULL_PICKED, CULL_BUFFERS };

struct cull_mesh {
    uint64_t version; /* of the mesh; 0: none */
    uint64_t picture; /* the last one that shows it */
    unsigned side;    /* cells along each axis */
    unsigned buffer[CULL_BUFFERS];
    bool is_new; /* no picture has shown it */
};

struct cull { /* zero: nothing was drawn so far */
    struct shader shader[CULL_SHADERS];
    unsigned pyramid; /* texture; 0: none */
    int room[2];      /* of the pyramid's first level: powers of 2 */
    struct cull_mesh mesh[CULL_MESHES];
    unsigned counter, told;       /* buffers: triangles drawn so far in this picture; and in each of the last ones, */
    const uint32_t *count;        /* which the host sees here, */
    void *fence[CULL_TOLD];       /* after these GLsyncs; NULL: it was taken */
    uint64_t picture;             /* number of this one */
    uint64_t drawn, of;           /* triangles, in the last picture whose count came back; of 0: none */
    uint64_t all;                 /* triangles of this picture's meshes, */
    uint64_t all_told[CULL_TOLD]; /* and of those behind the fences */
};

struct cull_view {
    const float *clip_from_mesh; /* 16, column by column */
    float cut[CUT_PLANES][4];    /* in units of the mesh, as cut_planes gives them */
    unsigned framebuffer, depth; /* that is drawn to; its texture of depths */
    int width, height;           /* pixels */
    unsigned program;            /* that draws */
};

/* Why this mesh cannot be drawn so, one clause; NULL: it can. */
const char *cull_refusal(const struct mesh *mesh);

/* Compiles. Error: ERR_GL. */
int cull_need(struct cull *cull, struct err *err);
void cull_close(struct cull *cull);
bool cull_reload(struct cull *cull, struct err *err); /* as shader_reload */

/* Makes what a mesh that is not refused and a picture of this size need. Error: ERR_FAILED, no memory. */
int cull_fit(struct cull *cull, const struct mesh *mesh, int width, int height, struct err *err);

/* Draws a mesh that fits with the current state, in which depths are compared by GL_LESS and written. pause: as
 * mesh_gl_draw. Returns false if it was told to stop. */
bool cull_draw(struct cull *cull, const struct mesh *mesh, const struct cull_view *view, const struct pause *pause);

/* Around all meshes of a picture. The second drops what is remembered of others. */
void cull_begin(struct cull *cull);
void cull_end(struct cull *cull);

/* Takes the count of the last picture if it is known by now: cull->drawn. */
void cull_take(struct cull *cull);

#ifdef __cplusplus
}
#endif
#endif
