/* The output of dcm2niix, line by line. */
#ifndef ISO_DICOM_LOG_H
#define ISO_DICOM_LOG_H

#include <stdbool.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dicom_log {
    const char *path; /* set by the caller; the rest starts as zero */
    FILE *file;       /* owned until the end of the file */
    char line[1024];  /* without its newline; longer lines come in pieces */
};

/* Goes to the next line. False: there is none, or no file. Always read to the end; that closes the file. */
bool dicom_log_next(struct dicom_log *log);

#ifdef __cplusplus
}
#endif
#endif
