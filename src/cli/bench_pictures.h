/* bench --pictures: the time from a new isovalue to the finished picture. It needs OpenGL, so it is in the part of cli that
 * draws; nowindow.c replaces it. */
#ifndef ISO_BENCH_PICTURES_H
#define ISO_BENCH_PICTURES_H

#include "bench_report.h"
#include "options.h"

struct bench_pictures; /* OpenGL, opened off-screen */

/* Opens OpenGL. *device gets the CUDA device that it shares buffers with, for setup_open_iso; -1: none. Free the result
 * with bench_pictures_close, which takes NULL. Returns NULL after an error: ERR_GL, or ERR_FAILED, no memory. */
struct bench_pictures *bench_pictures_open(int *device, struct err *err);
void bench_pictures_close(struct bench_pictures *pictures);

/* Times pictures of the surface at report->value by each way of drawing, and fills report->picture. bench: the pipeline,
 * and the number of runs. Errors: of making the surface, or of drawing. */
int bench_pictures_measure(struct bench_pictures *pictures, struct bench_report *report, const struct bench *bench,
                           const struct options *options, struct err *err);

#endif
