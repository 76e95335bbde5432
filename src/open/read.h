/* The readers: each understands the header of one format and fills a layout; none reads a voxel.
 *
 * `source` is at its start; for a gzip file of a format that allows it, it holds the first bytes of what is inside. The
 * reader sets all that it knows with layout_begin, layout_add_self or layout_add_file, and the members of struct layout;
 * layout_check follows. read_slices is given a folder instead, as source->path. Errors: ERR_INPUT, ERR_FAILED, ERR_USAGE for a `desc` that contradicts the file; the layout is then
 * freed by the caller. */
#ifndef ISO_READ_H
#define ISO_READ_H

#include "layout.h"
#include "request.h"

#ifdef __cplusplus
extern "C" {
#endif

int read_metaimage(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err);
int read_mrc(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err);
int read_nifti(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err);
int read_npy(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err);
int read_cube(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err);
int read_dx(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err);
int read_nrrd(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err);
int read_qvis(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err);
int read_slices(struct layout *layout, struct source *folder, const struct load_desc *desc, struct err *err);
int read_tiff(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err);
int read_raw(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err);
int read_vti(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err);
int read_vtk(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
