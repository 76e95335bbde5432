/* The process that checks a rung of the user's own (mine_report.h). */
#ifndef ISO_MINE_CHILD_H
#define ISO_MINE_CHILD_H

#ifdef __cplusplus
extern "C" {
#endif

/* Loads the library and runs all test cases of its op, and the size that is to be timed. Writes the results to the
 * report at `path`. Returns the exit code of the process. */
int mine_child(const char *library, const char *path);

#ifdef __cplusplus
}
#endif
#endif
