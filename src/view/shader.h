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

struct shader {          /* zero is one that was not made yet */
    unsigned program;    /* OpenGL's name; 0: none */
    const char *file[2]; /* names in resource.c: vertex shader, fragment shader; NULL: not asked for yet */
    int64_t modified[2]; /* nanoseconds: the files' times as of the last try; 0 without a folder */
};

/* Compiles and links the program unless it is there. Keeps the two names. Error ERR_GL: the sentence starts with
 * "FILE:LINE:" if the compiler names a line; there is no program then. */
int shader_need(struct shader *shader, const char *vertex_file, const char *fragment_file, struct err *err);

/* Deletes the program and zeroes the struct. */
void shader_close(struct shader *shader);

/* Whether shaders come from a folder, so that shader_reload can find something to do. */
bool shader_is_watched(void);

/* Makes the program again if one of its files was saved since the last try. True: there is a new program. On error (as
 * shader_need) returns false and keeps the old program; the same files do not cause a second error. Leaves `err` alone if no
 * file was saved. */
bool shader_reload(struct shader *shader, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
