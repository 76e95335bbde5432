/* What the processor and the GPU are made of, for `doctor`: the numbers that a rung's limits come from. */
#ifndef ISO_DOCTOR_MACHINE_H
#define ISO_DOCTOR_MACHINE_H

#include "report.h"

/* Prints the facts: in JSON as members that begin with "cpu_" or "cuda_", for a person as two lists. Leaves out what the
 * system does not tell. */
void doctor_machine(struct report *report);

#endif
