#include "slabs.h"

#include "machine.h"
#include "plan.h"
#include "team.h"
#include "text.h"
#include "voxels.h"

#include <stdlib.h>
#include <string.h>

#define COPY "make a copy that can be read that way: isoscope pack FILE -o COPY.zarr"

/* Adds to the error on memory why slabs are not possible. Without such an error, the command itself asked for slabs. */
static int refuse(struct err *err, const char *against, const char *way_out)
{
    char text[ERR_TEXT], advice[ERR_ADVICE];
    if (err->cause != CAUSE_VOLUME) {
        err_set(err, ERR_USAGE, "this runs slab by slab, but %s possible only in memory", against);
        if (way_out) err_advise(err, "%s", way_out);
        return ERR_USAGE;
    }
    memcpy(text, err->text, sizeof text), memcpy(advice, err->advice, sizeof advice);
    err_set(err, ERR_FAILED, "%.700s; slab by slab would need less, but %s possible only in memory", text, against);
    err_advise(err, "%s%s%s", advice, *advice && way_out ? ", or " : "", way_out ? way_out : "");
    return ERR_FAILED;
}

static int refuse_many(struct err *err, const struct store *store)
{
    err_set(err, ERR_USAGE,
            "%s: its voxels are compressed, or lie in several pieces, and can only be read in order, by one process",
            store->volume.name);
    err_advise(err, "leave out mpirun or --part, or " COPY);
    return ERR_USAGE;
}

/* Processes of one host that are not bound to cores of their own share the cores, unless OMP_NUM_THREADS tells how many
 * threads each takes. 0: that, or one per core. */
static int threads_of(const struct team *team)
{
    if (!team || team->local < 2 || getenv("OMP_NUM_THREADS")) return 0;
    int all;
    const int allowed = machine_cores(&all), share = all / team->local;
    return share < 1 ? 1 : share < allowed ? share : allowed;
}

/* The processes of a host take one GPU each in turn. -1: this process is alone on its host, and any GPU will do. */
static int device_of(const struct team *team)
{
    const int count = backend_cuda.device_count();
    return team && team->local > 1 && count ? team->place % count : -1;
}

static void say_why(char *why, size_t why_size)
{
    char cpu[256];
    backend_cpu.available(cpu, sizeof cpu);
    snprintf(why, why_size, "%s; slab by slab, where the disk limits the speed", cpu);
}

int slabs_open(struct store *store, struct iso *iso, const struct options *o, const char *against, char *why,
               size_t why_size, struct err *err)
{
    struct setup setup = o->setup;
    bool is = false;
    if (against || !setup.file) return refuse(err, against ? against : "this is", NULL);
    if (setup.backend != CHOICE_CUDA) setup.backend = CHOICE_CPU; /* the disk limits the speed, not the processor */
    if (!setup.threads) setup.threads = threads_of(o->team);
    struct err why_not = { .code = ERR_NONE };
    const int unread = load_store(store, setup.file, &setup.load, &is, &why_not);
    if (unread && err->cause != CAUSE_VOLUME) {
        *err = why_not;
        return unread;
    }
    if (unread || !is) return refuse(err, "a file with its voxels in another order than x, y, z is", COPY);
    const bool many = o->parts || (o->team && o->team->size > 1);
    const int code = many && !store_seeks(store) ? refuse_many(err, store)
                                                 : setup_open_iso(iso, &setup, device_of(o->team), why, why_size, err);
    if (code) store_close(store);
    else if (o->setup.backend == CHOICE_AUTO) say_why(why, why_size);
    return code;
}

/* Processes that share this host's disk, memory and GPUs. */
static uint64_t local_of(const struct options *o) { return o->team ? (uint64_t)o->team->local : 1; }

void slabs_read_once(struct store *store, const struct options *o)
{
    store_read_past(store, grid_bytes(&store->volume.grid) > slabs_memory(o) ? 0 : PAST_FAST / local_of(o));
}

uint64_t slabs_memory(const struct options *o)
{
    return voxels_memory(&o->setup.load) / (o->setup.load.memory ? 1 : local_of(o));
}

uint64_t slabs_memory_by(const struct options *o, const struct iso *iso)
{
    const uint64_t host = slabs_memory(o);
    if (iso->exec.backend == BACKEND_CPU) return host;
    const uint64_t count = (uint64_t)iso->ops->device_count(), sharing = count ? (local_of(o) + count - 1) / count : 1,
                   gpu = iso->ops->memory_free() / 4 * 3 / sharing;
    return gpu < host ? gpu : host;
}

bool slabs_limits(const struct iso *iso, const struct options *o)
{
    return o->setup.load.memory && o->setup.file && iso->exec.backend == BACKEND_CPU;
}

int slabs_room(struct iso_layer *mesh, uint64_t *beside, const struct export_edit *edit, const struct iso_surface *of,
               struct err *err)
{
    const int code = iso_count_host(of->iso, of->value, err);
    *mesh = (struct iso_layer){ of->iso->counts.vertices, of->iso->counts.triangles, 0 };
    return code ? code : export_edit_room(edit, mesh, beside, of, err);
}

bool slabs_exceeds(const struct iso *iso, const struct volume *volume, const struct options *o, const char *what,
                   uint64_t bytes, struct err *err)
{
    char needed[32], given[32], memory[32];
    const uint64_t need = grid_bytes(&volume->grid) + iso_memory(iso) + bytes;
    if (need <= slabs_memory(o)) return false;
    err_set(err, ERR_FAILED, "%s: the volume and %s need %s of memory, but only %s is allowed", volume->name, what,
            text_bytes(needed, (double)need), text_bytes(given, (double)slabs_memory(o)));
    err_advise(err, "give --memory %s or more", text_memory(memory, need));
    err_blame(err, ERR_FAILED, CAUSE_VOLUME);
    return true;
}

bool slabs_smooth_exceeds(const struct iso *iso, const struct volume *volume, const struct options *o, struct err *err)
{
    float part[3];
    const float sigma = setup_sigma(&o->setup, volume, part);
    return sigma > 0 &&
           slabs_exceeds(iso, volume, o, "smoothing it", iso_smooth_bytes(iso, &volume->grid, sigma, part), err);
}
