/* Draws opaque meshes without the triangles that lie outside the view, are cut away, or lie behind something nearer.
 * The GPU decides and writes the draw commands. The host neither waits nor knows what is drawn.
 *
 * Triangles are grouped by the cells of a grid. Each cell has a box around its triangles. Grid and boxes are made once
 * per mesh. A mesh is drawn in two rounds. The first draws the cells that were visible in the last picture. Then a
 * depth pyramid is made from these depths and everything drawn before; each level holds the greatest depths of the
 * level below. The second round draws all other cells whose boxes the pyramid does not hide. So everything visible is
 * drawn, whatever the last picture was. Within a round, triangles keep their order. Only where triangles of both rounds
 * have exactly the same depth, the other one may be seen.
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
enum { CULL_TOLD = 4 };   /* pictures whose counts may be in transit to the host */

enum cull_shader { CULL_CELLS, CULL_TEST, CULL_COUNT, CULL_SCAN, CULL_PICK, CULL_DEPTH, CULL_SHADERS };
enum { CULL_CELL, CULL_LOW, CULL_HIGH, CULL_STATES, CULL_BLOCKS, CULL_COMMANDS, CULL_PICKED, CULL_BUFFERS };

struct cull_mesh {
    uint64_t version; /* of the mesh; 0: none */
    uint64_t picture; /* the last picture that shows it */
    unsigned side;    /* cells along each axis */
    unsigned buffer[CULL_BUFFERS];
    bool is_new; /* no picture has shown it yet */
};

struct cull { /* zero: nothing drawn yet */
    struct shader shader[CULL_SHADERS];
    unsigned pyramid; /* texture; 0: none */
    int room[2];      /* of the pyramid's first level: powers of 2 */
    struct cull_mesh mesh[CULL_MESHES];
    unsigned counter, told;       /* buffers: triangles drawn so far in this picture; and in each of the last pictures */
    const uint32_t *count;        /* `told`, mapped to the host */
    void *fence[CULL_TOLD];       /* GLsyncs: the count is ready; NULL: it was taken */
    uint64_t picture;             /* number of the present picture */
    uint64_t drawn, of;           /* triangles drawn, and all, in the last picture with a known count; of 0: none */
    uint64_t all;                 /* triangles of this picture's meshes */
    uint64_t all_told[CULL_TOLD]; /* the same for each fence */
};

struct cull_view {
    const float *clip_from_mesh; /* 16, column by column */
    float cut[CUT_PLANES][4];    /* in units of the mesh, as cut_planes gives them */
    unsigned framebuffer, depth; /* the framebuffer to draw to; its depth texture */
    int width, height;           /* pixels */
    unsigned program;            /* the program that draws */
};

/* Returns why cull cannot draw this mesh, as one clause; NULL: it can. */
const char *cull_refusal(const struct mesh *mesh);

/* Compiles the shaders. Error: ERR_GL. */
int cull_need(struct cull *cull, struct err *err);
void cull_close(struct cull *cull);
bool cull_reload(struct cull *cull, struct err *err); /* as shader_reload */

/* Makes what is needed for this mesh, which is not refused, and for a picture of this size. Error: ERR_FAILED, no
 * memory. */
int cull_fit(struct cull *cull, const struct mesh *mesh, int width, int height, struct err *err);

/* Draws a mesh after cull_fit, with the current state, which must have GL_LESS and depth writes. pause: as
 * mesh_gl_draw. Returns false if it was told to stop. */
bool cull_draw(struct cull *cull, const struct mesh *mesh, const struct cull_view *view, const struct pause *pause);

/* Enclose all meshes of a picture. cull_end forgets meshes that the picture did not show. */
void cull_begin(struct cull *cull);
void cull_end(struct cull *cull);

/* Takes the count of the last picture into cull->drawn if it is known by now. */
void cull_take(struct cull *cull);

#ifdef __cplusplus
}
#endif
#endif
