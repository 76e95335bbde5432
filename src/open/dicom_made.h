/* The volumes that dcm2niix made of DICOM files, and the choice of one. It calls them by the number of their series, and
 * makes variants where their slices differ: 3.nii, 3a.nii, 3_Tilt_1.nii, and 3_Eq_1.nii, resampled where the distances of
 * slices vary. */
#ifndef ISO_DICOM_MADE_H
#define ISO_DICOM_MADE_H

#include "folder.h"
#include "layout.h"
#include "request.h"

#ifdef __cplusplus
extern "C" {
#endif

struct dicom_made {        /* zero is an empty one */
    struct folder files;   /* their names */
    struct layout *heads;  /* owned; one each; without parts: not read */
    char (*warnings)[256]; /* owned; what dcm2niix said about the place of each one's slices; "": nothing */
    const char *folder;    /* where they are; borrowed */
    int status;            /* exit code of dcm2niix */
    int (*read)(struct layout *layout, struct source *source, const struct load_desc *desc,
                struct err *err); /* their reader */
};

/* Lists the volumes in `folder` in `made`, of which `read` is set; what dcm2niix printed is in the file `log`. Errors:
 * ERR_INPUT, ERR_FAILED. */
int dicom_made_list(struct dicom_made *made, const char *folder, const char *log, struct err *err);
void dicom_made_free(struct dicom_made *made);

/* Reads the header of volume `i`, if that has not been done. Errors: those of made->read. */
int dicom_made_read(struct dicom_made *made, size_t i, const char *name, struct err *err);

/* Sets the number of the series of volume `i`, cut to `size` bytes with the closing 0. Returns `to`. */
const char *dicom_made_number(const struct dicom_made *made, size_t i, char *to, size_t size);

/* Sets `layout`, zeroed but for its temporary folder, to the volume that `series` names, or of it, or of all if it is NULL,
 * to that with the most slices, with those joined that continue one another. `slice`, if not NULL: the volume shall hold
 * one there, if any does. `source` is what was converted. Errors: ERR_USAGE, there is no such series; those of
 * made->read. */
int dicom_made_choose(struct dicom_made *made, struct layout *layout, const struct source *source, const char *series,
                      const struct layout *slice, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
