/* What render draws: a volume, its surfaces and slices. If one backend fails to make them, the next one does. */
#ifndef ISO_RENDER_JOB_H
#define ISO_RENDER_JOB_H

#include "capped.h"
#include "filtered.h"
#include "gl.h"
#include "merged.h"
#include "mesh_gl.h"
#include "options.h"
#include "render.h"
#include "sorted.h"
#include "surface.h"

#ifdef __cplusplus
extern "C" {
#endif

struct job_surface {
    double value; /* real units */
    double opacity;
    bool hidden;                    /* not made */
    struct component_filter filter; /* which parts are left out */
    struct mesh mesh;               /* not open: there is none */
    struct filtered filtered;       /* the mesh without the parts left out; not open: none are left out */
    struct capped capped;
};

struct job {           /* everything that must be closed again */
    int width, height; /* pixels */
    unsigned mode;     /* of shading */
    double *sweep;     /* the values of --sweep */
    const char *output;
    bool legend; /* pictures have labels (labels.h) */
    struct volume volume;
    struct setup_value iso_value; /* if --iso gives none */
    bool chosen;                  /* the values of the surfaces are known, from the frame before */
    struct gl gl;
    struct iso iso;
    bool iso_is_open, orders; /* orders: uses the ordered rung although no option asked for it */
    struct exec cpu;          /* writes the caps */
    struct job_surface surface[VIEW_SURFACES];
    int count;              /* of surfaces */
    double low[3], high[3]; /* a box around them */
    struct merged merged;   /* translucent surfaces as one, if there are several */
    struct sorted sorted;
    struct render render;
    struct slices slices;
    struct tint tint;
    enum tint_by tint_by;
};

/* Does all the work of the backend. On error there are no meshes. Errors: ERR_USAGE (a place outside the volume), ERR_GL,
 * ERR_FAILED. */
int job_make(struct job *job, const struct options *options, struct err *err);

/* Makes the first surface at another value, of the same volume. Errors: ERR_GL, ERR_FAILED. */
int job_change_value(struct job *job, const struct options *options, double value, struct err *err);

/* Replaces the surfaces by those of another frame of the series, at the same values. Errors: those of job_make, and
 * ERR_INPUT. */
int job_change_frame(struct job *job, const struct options *options, uint64_t frame, struct err *err);

/* Frees what job_make has made. */
void job_drop(struct job *job);

/* The mesh to draw for a surface. */
struct mesh *job_mesh(struct job_surface *surface);

#ifdef __cplusplus
}
#endif
#endif
