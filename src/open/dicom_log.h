/* What dcm2niix has said, line by line. */
#ifndef ISO_DICOM_LOG_H
#define ISO_DICOM_LOG_H

#include <stdbool.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dicom_log {
    const char *path; /* set by the caller; the rest is zero at first */
    FILE *file;       /* owned until the end */
    char line[1024];  /* without its end; longer ones come in pieces */
};

/* Goes to the next line; false: there is none, or no file. A walk goes to the end, which closes the file. */
bool dicom_log_next(struct dicom_log *log);

#ifdef __cplusplus
}
#endif
#endif
