/* The readers: each understands the header of one format and fills a layout; none reads a voxel.
 *
 * `source` is at its start. Of a gzip file it holds the first bytes of what is inside, and source->partial is set:
 * source->size is then not the file's. What is taken then is one part in the header's own file, itself not compressed
 * (wrap_layout in load.c). The reader sets all that it knows with layout_begin, layout_add_self or layout_add_file, and the
 * members of struct layout; layout_check follows. read_slices and read_zarr are given a folder instead, as source->path,
 * and read_dicom either. Errors: ERR_INPUT, ERR_FAILED, ERR_USAGE for a `desc` that contradicts the file; the layout is
 * then freed by the caller. */
#ifndef ISO_READ_H
#define ISO_READ_H

#include "layout.h"
#include "request.h"

#ifdef __cplusplus
extern "C" {
#endif

int read_dicom(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err);
int read_metaimage(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err);
int read_mrc(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err);
int read_nifti(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err);
int read_npy(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err);
int read_cube(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err);
int read_dx(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err);
int read_nrrd(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err);
int read_qvis(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err);
int read_slices(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err);
int read_tiff(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err);
int read_raw(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err);
int read_vti(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err);
int read_vtk(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err);
int read_zarr(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err);

/* Whether these are the first bytes of a DICOM file, and whether one lies in the folder or below. */
bool dicom_probe(const uint8_t *head, size_t n);
bool dicom_is_in(const char *folder);

/* Whether a volume of DICOM, a file or a folder, is read from `other`: a DICOM file in the folder or below. */
bool dicom_takes(const char *path, const char *other);

/* Whether the slices of a folder have `other` among them, or would if it were there. */
bool slices_hold(const char *folder, const char *other);

/* Whether a file's name is that of a slice, and whether the folder holds two or more of them. */
bool slice_is_named(const char *name);
bool slices_are_in(const char *folder);

#ifdef __cplusplus
}
#endif
#endif
