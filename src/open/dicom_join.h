/* Slices of one series that dcm2niix wrote into several volumes, because a tag such as their time varies. */
#ifndef ISO_DICOM_JOIN_H
#define ISO_DICOM_JOIN_H

#include "layout.h"

#ifdef __cplusplus
extern "C" {
#endif

struct dicom_slice {
    size_t volume, slice; /* which slice of which volume */
    double at;            /* its distance from the first one of volume `seed`, along that one's normal */
    bool missing;         /* none lies there: this one, the nearer neighbour, stands in for it */
};

/* Looks which slices of volumes[0 .. n - 1] lie in a row with those of volumes[seed]: of one size, type and scaling,
 * parallel, one above the other. Volumes without parts are left out. Sets *slices (owned, for the caller to free) and
 * *count, in the order of their places; 0: there are none but its own, or their distances are no multiples of the smallest,
 * or more are missing than there. Error: ERR_FAILED. */
int dicom_join(struct dicom_slice **slices, size_t *count, const struct layout *volumes, size_t n, size_t seed,
               struct err *err);

/* Turns the zeroed `layout` into that of these slices, whose files `source` leads to. Errors: ERR_INPUT, ERR_FAILED. */
int dicom_join_layout(struct layout *layout, const struct source *source, const struct layout *volumes,
                      const struct dicom_slice *slices, size_t count, struct err *err);

/* Whether a slice of `volume` lies where that of `slice` does. */
bool dicom_holds(const struct layout *volume, const struct layout *slice);

#ifdef __cplusplus
}
#endif
#endif
