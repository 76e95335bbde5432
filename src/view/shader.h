/* Shader programs, from the sources that the binary carries.
 *
 * With ISOSCOPE_SHADERS=FOLDER in the environment they come from FOLDER instead, from files of the same names, like
 * FOLDER/mesh.vert, and shader_reload notices when one of them is saved. */
#ifndef ISO_SHADER_H
#define ISO_SHADER_H

#include "error.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Names in resource.c: a vertex and a fragment shader; or a single compute shader, NAME.comp. Then come the files whose
 * functions the last of these declares; they are compiled as if appended to it. Unused entries are NULL. */
#define SHADER_FILES 10
struct shader_files {
    const char *file[SHADER_FILES];
};

struct shader {                     /* zero: not compiled yet */
    unsigned program;               /* OpenGL's name; 0: none */
    struct shader_files files;      /* of the program */
    int64_t modified[SHADER_FILES]; /* times of the files at the last attempt, nanoseconds; 0 without a folder */
};

/* Compiles and links the program if there is none yet. Error ERR_GL: there is no program, and the sentence starts with
 * "FILE:LINE:" if the compiler names a line. */
int shader_need(struct shader *shader, struct shader_files files, struct err *err);

/* Returns how many ms compiling has taken in total. */
double shader_ms(void);

/* Deletes the program and zeroes the struct. */
void shader_close(struct shader *shader);

/* Returns whether shaders come from a folder. */
bool shader_is_watched(void);

/* Compiles and links the program again if one of its files was saved since the last attempt. Returns whether there is a new
 * program. On error (as shader_need) the old program stays, and the same files do not cause a second error. Does not touch
 * `err` otherwise. */
bool shader_reload(struct shader *shader, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
