/* Shader programs from the embedded sources. */
#ifndef ISO_SHADER_H
#define ISO_SHADER_H

#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Compiles and links two files of resource.c. Error ERR_GL: the sentence starts with "file:line:" where the compiler
 * names a line. The caller deletes the program. */
int shader_program(unsigned *program, const char *vertex_file, const char *fragment_file, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
