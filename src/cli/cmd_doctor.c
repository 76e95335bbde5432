/* doctor: what this machine offers, what was tried, and why it failed. Always exits 0: an absent GPU is an answer. */
#include "cmd.h"

#include "doctor_machine.h"
#include "driver.h"
#include "report.h"
#include "window_part.h"

#include <stdlib.h>

int cmd_doctor(const struct options *options, struct err *err)
{
    struct report report = { .json = options->json };
    char text[256], version[32];
    (void)err;
    report_text(&report, "version", ISO_VERSION);
    for (int b = 0; b < BACKEND_COUNT; b++) {
        backends[b]->available(text, sizeof text);
        report_text(&report, backends[b]->name, text);
    }
    driver_version(version, DRIVER_FILE);
    driver_explain(text, sizeof text, version, cuda_toolkit);
    report_text(&report, "cuda_driver", text);
    const char *display = getenv("DISPLAY");
    report_text(&report, "display", display && *display ? display : NULL);
    window_part_doctor(&report);
    doctor_machine(&report);
    report_end(&report);
    return ERR_NONE;
}
