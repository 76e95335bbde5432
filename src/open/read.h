/* The readers. Each understands the header of one format and fills a layout; none reads a voxel.
 *
 * `source` is at its start. For a gzip file it holds the first bytes of the uncompressed content, and source->partial is
 * set: source->size is then not the size of the file. What is read from it must be one part in the header's own file, not
 * compressed again (wrap_layout in load.c). A reader sets all that it knows, with layout_begin, layout_add_self or
 * layout_add_file, and in the members of struct layout. layout_check follows. read_slices and read_zarr get a folder as
 * source->path instead, read_dicom a file or a folder. Errors: ERR_INPUT, ERR_FAILED, ERR_USAGE if `desc` contradicts the
 * file; the caller then frees the layout. */
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

/* dicom_probe: whether these are the first bytes of a DICOM file. dicom_is_in: whether the folder or one below contains
 * such a file. */
bool dicom_probe(const uint8_t *head, size_t n);
bool dicom_is_in(const char *folder);

/* Whether loading the DICOM volume `path` (a file or a folder) reads `other`: a DICOM file in the same folder or below. */
bool dicom_takes(const char *path, const char *other);

/* Whether `other` is one of the slices of a folder, or would be if it existed. */
bool slices_hold(const char *folder, const char *other);

/* slice_is_named: whether a file's name is that of a slice. slices_are_in: whether the folder holds at least two of
 * them. */
bool slice_is_named(const char *name);
bool slices_are_in(const char *folder);

#ifdef __cplusplus
}
#endif
#endif
