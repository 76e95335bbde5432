#include "extract_slabs.h"

#include "export_slabs.h"
#include "load.h"
#include "slabs.h"
#include "stream.h"
#include "terminal.h"

#include <string.h>

/* ---- what cannot be done ----------------------------------------------------------------------------------------- */

static bool needs_statistics(const struct options *o)
{
    for (size_t i = 0; i < o->values.count; i++)
        if (o->values.in[i]) return true;
    return false;
}

/* Whether several values are one file. */
static bool joins(const struct options *o) { return o->values.count > 1 && !strchr(o->output, '%'); }

const char *extract_slabs_against(const struct options *o, const struct export_format *format)
{
    const struct {
        bool is;
        const char *what;
    } against[] = {
        { !format->fixed, "other formats than " EXPORT_SLABS_FORMATS " are" },
        { o->setup.smooth > 0, "--smooth is" },
        { o->setup.close, "--close is" },
        { component_filter_is_on(&o->setup.filter), "choosing among parts is" },
        { o->edit.smooth > 0, "--smooth-mesh is" },
        { export_edit_simplifies(&o->edit), "decimating is" },
        { !o->values.count, "finding an isovalue (give one with --iso) is" },
        { needs_statistics(o),
          "finding a percentile or a standard deviation (isoscope info FILE --iso 95% tells its value) is" },
        { joins(o) && o->values.count > STREAM_JOINED, "a file of more than 16 values is" },
    };
    for (size_t i = 0; i < sizeof against / sizeof against[0]; i++)
        if (against[i].is) return against[i].what;
    return NULL;
}

/* ---- what is better done so -------------------------------------------------------------------------------------- */

#define LARGE ((uint64_t)256 << 20) /* bytes of voxels; smaller volumes are as fast in memory */

/* Slabs choose their rungs themselves (stream_slabs_numbered). */
static bool chooses_rungs(const struct options *o)
{
    bool any = false;
    for (int s = 0; s < STAGE_ALL; s++) any = any || o->setup.rung[s];
    return any;
}

static bool has_gpu(const struct options *o)
{
    char text[256];
    return o->setup.backend == CHOICE_CUDA ||
           (o->setup.backend == CHOICE_AUTO && backend_cuda.available(text, sizeof text));
}

bool extract_slabs_suit(const struct options *o, const struct export_format *format)
{
    return o->setup.file && !extract_slabs_against(o, format) && !chooses_rungs(o) &&
           load_is_plain(o->setup.file, &o->setup.load, LARGE) && !has_gpu(o);
}

/* ---- doing it ---------------------------------------------------------------------------------------------------- */

int extract_slabs_write(struct stream_file *files, size_t n, struct store *store, struct iso *iso, const struct options *o,
                        struct err *err)
{
    struct terminal_progress terminal;
    struct team parts;
    struct stream_desc desc = { .store = store, .memory = slabs_memory_by(o, iso), .phases = o->phases };
    team_files(&parts, o->phases == STREAM_FINISH ? 0 : o->part, o->parts); /* the finishing process is number 0 */
    desc.team = o->parts ? &parts : o->team;
    desc.joined = joins(o);
    desc.keeps = desc.team && (o->parts || desc.team->size > 1), desc.holds = !o->parts;
    if (desc.holds) slabs_read_once(store, o);
    const bool shows = !o->team || !o->team->rank;
    if (shows) terminal_begin(&terminal, "making the surface slab by slab", &desc.progress);
    const int code = stream_extract(&desc, iso, files, n, err);
    if (shows) terminal_end(&terminal);
    return code;
}
