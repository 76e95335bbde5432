/* Joins slices of one series that dcm2niix wrote into several volumes because a tag, such as their time, varies. */
#ifndef ISO_DICOM_JOIN_H
#define ISO_DICOM_JOIN_H

#include "layout.h"

#ifdef __cplusplus
extern "C" {
#endif

struct dicom_slice {
    size_t volume, slice; /* which slice of which volume */
    double at;            /* distance from the first slice of volume `seed`, along its normal */
    bool missing;         /* no slice lies there; this one, the nearer neighbour, replaces it */
};

/* Finds the slices of volumes[0 .. n - 1] that form one stack with those of volumes[seed]: same size, type and scaling,
 * parallel, one above the other. Volumes without parts are left out. Sets *slices (the caller frees it) and *count, in
 * order of position. 0: there are no slices besides its own, or their distances are not multiples of the smallest one, or
 * more slices are missing than are there. Error: ERR_FAILED. */
int dicom_join(struct dicom_slice **slices, size_t *count, const struct layout *volumes, size_t n, size_t seed,
               struct err *err);

/* Sets the zeroed `layout` to that of these slices. `source` leads to their files. Errors: ERR_INPUT, ERR_FAILED. */
int dicom_join_layout(struct layout *layout, const struct source *source, const struct layout *volumes,
                      const struct dicom_slice *slices, size_t count, struct err *err);

/* Whether a slice of `volume` lies at the same place as that of `slice`. */
bool dicom_holds(const struct layout *volume, const struct layout *slice);

#ifdef __cplusplus
}
#endif
#endif
