#include "dicom_log.h"

#include <string.h>

bool dicom_log_next(struct dicom_log *log)
{
    if (!log->file) log->file = fopen(log->path, "r");
    if (!log->file) return false;
    if (fgets(log->line, sizeof log->line, log->file)) {
        log->line[strcspn(log->line, "\r\n")] = 0;
        return true;
    }
    fclose(log->file);
    log->file = NULL;
    return false;
}
