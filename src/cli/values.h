/* Several isovalues on the command line: "20,40,95%,3sd", or "20:200:10" for ten from 20 to 200. */
#ifndef ISO_VALUES_H
#define ISO_VALUES_H

#include "iso.h"
#include "isovalue.h"
#include "volume.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { VALUES_MOST = 1000 };

struct values {
    size_t count; /* 0: none were given */
    double value[VALUES_MOST];
    enum isovalue in[VALUES_MOST]; /* how each was given */
};

#define VALUES_GRAMMAR                                                                                                    \
    "values in the file's own units, percentiles or standard deviations, like 20,95%,3sd, or FROM:TO:COUNT with at most " \
    "1000"

/* Reads at least `least` values. Returns false if `text` is anything else. */
bool values_parse(struct values *values, const char *text, size_t least);

/* Reads at most `most` whole numbers from 1 to 2^40 into `list`: "1000,4096". If `range`, also "100:10000:3", three
 * numbers with a constant ratio, without repetitions. Returns false if `text` is anything else. */
bool values_whole(const char *text, uint64_t *list, int most, bool range, int *count);

/* Reads two or three whole numbers from 1 to 2^40; "512x64" sets shape[2] to 0. Returns false if `text` is anything
 * else. */
bool values_shape(const char *text, uint64_t shape[3]);

/* Sets real[i] to each value in real units. Percentiles and standard deviations are taken from this volume. Error:
 * ERR_FAILED. */
int values_find(const struct values *values, double *real, struct iso *iso, const struct volume *volume, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
