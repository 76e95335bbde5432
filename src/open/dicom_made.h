/* The volumes that dcm2niix made from DICOM files, and the choice of one. dcm2niix names them by the number of their series
 * and makes variants if their slices differ: 3.nii, 3a.nii, 3_Tilt_1.nii, and, resampled because the distances of slices
 * vary, 3_Eq_1.nii. */
#ifndef ISO_DICOM_MADE_H
#define ISO_DICOM_MADE_H

#include "folder.h"
#include "layout.h"
#include "request.h"

#ifdef __cplusplus
extern "C" {
#endif

struct dicom_made {        /* zero means empty */
    struct folder files;   /* their names */
    struct layout *heads;  /* owned; one per file; without parts: not read */
    char (*warnings)[256]; /* owned; one per file: what dcm2niix said about the position of its slices; "": nothing */
    const char *folder;    /* where the files are; borrowed */
    int status;            /* exit code of dcm2niix */
    int (*read)(struct layout *layout, struct source *source, const struct load_desc *desc,
                struct err *err); /* reads them */
};

/* Lists the volumes in `folder` in `made`; made->read must be set. The file `log` has what dcm2niix printed. Errors:
 * ERR_INPUT, ERR_FAILED. */
int dicom_made_list(struct dicom_made *made, const char *folder, const char *log, struct err *err);
void dicom_made_free(struct dicom_made *made);

/* Reads the header of volume `i` unless that has been done. Errors: those of made->read. */
int dicom_made_read(struct dicom_made *made, size_t i, const char *name, struct err *err);

/* Writes the series number of volume `i` to `to`, cut to `size` bytes with the closing 0. Returns `to`. */
const char *dicom_made_number(const struct dicom_made *made, size_t i, char *to, size_t size);

/* Sets `layout`, which is zeroed except for its temporary folder, to the chosen volume: the one that `series` names, or
 * else the one with the most slices in that series, or in all series if `series` is NULL. Volumes that continue one another
 * are joined. If `slice` is not NULL, the volume must have a slice there, if any volume does. `source` is what was
 * converted. Errors: ERR_USAGE if there is no such series; those of made->read. */
int dicom_made_choose(struct dicom_made *made, struct layout *layout, const struct source *source, const char *series,
                      const struct layout *slice, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
