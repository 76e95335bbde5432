/* The text that tells whether parts of a surface belong together (ledger.h). */
#ifndef ISO_STREAM_JOB_H
#define ISO_STREAM_JOB_H

#include "stream.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes to `to`, one line each, all that determines the bytes of the file: program, input as it is on the disk, options,
 * number of parts. Error: ERR_INPUT if the input cannot be read. */
int stream_job(char to[LEDGER_JOB], const struct stream_desc *desc, double value, const struct iso *iso,
               const struct export_file *e, int parts, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
