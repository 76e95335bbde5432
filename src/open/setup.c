#include "setup.h"

#include "length_unit.h"
#include "synth.h"
#include "terminal.h"
#include "text.h"
#include "trace.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- smoothing ----------------------------------------------------------------------------------------------------- */

double setup_unit_mm(const struct volume *volume, const char **name)
{
    const struct length_unit *unit = length_unit_find(volume->unit);
    const bool known = unit && unit->mm > 0;
    *name = known ? volume->unit : "mm";
    return known ? unit->mm : 1;
}

static double shortest(const struct volume *volume)
{
    return fmin(volume_spacing(volume, 0), fmin(volume_spacing(volume, 1), volume_spacing(volume, 2)));
}

double setup_shortest_mm(const struct volume *volume)
{
    const char *unused;
    return shortest(volume) * setup_unit_mm(volume, &unused);
}

float setup_sigma(const struct setup *setup, const struct volume *volume, float part[3])
{
    for (int a = 0; a < 3; a++) part[a] = setup->smooth_mm ? (float)(shortest(volume) / volume_spacing(volume, a)) : 1;
    return (float)(setup->smooth_mm ? setup->smooth / setup_shortest_mm(volume) : setup->smooth);
}

static int check_smooth(const struct setup *setup, const struct volume *volume, struct err *err)
{
    char asked[32], most[32];
    const char *unit;
    const double limit = (double)ISO_MAX_SIGMA * setup_shortest_mm(volume), mm = setup_unit_mm(volume, &unit);
    if (!setup->smooth_mm || setup->smooth <= limit) return ERR_NONE;
    err_set(err, ERR_USAGE, "--smooth %s%s: this is a sigma of %.4g voxels; expected at most %g",
            text_digits(asked, setup->smooth / mm, 7), unit, setup->smooth / setup_shortest_mm(volume),
            (double)ISO_MAX_SIGMA);
    err_advise(err, "choose %s%s or less", text_digits(most, limit / mm, 7), unit);
    return ERR_USAGE;
}

/* ---- the volume ---------------------------------------------------------------------------------------------------- */

int setup_open_volume(struct volume *volume, double *first_value, const struct setup *setup, struct err *err)
{
    struct terminal_progress terminal;
    struct load_desc desc = setup->load;
    int failed;
    desc.threads = setup->threads;
    terminal_begin(&terminal, "loading", &desc.progress);
    *first_value = NAN;
    trace_push("load", NULL);
    if (setup->file) failed = load_volume(volume, setup->file, &desc, err);
    else {
        const uint64_t dims[3] = { 256, 256, 256 };
        failed = synth_volume(volume, SETUP_DEMO, dims, 0, setup->threads, &desc.progress, err);
        for (const struct synth *s = synths; s->name; s++)
            if (!strcmp(s->name, SETUP_DEMO)) *first_value = s->iso;
    }
    trace_pop();
    terminal_end(&terminal);
    if (failed || !(failed = check_smooth(setup, volume, err))) return failed;
    volume_free(volume);
    return failed;
}

/* ---- who computes -------------------------------------------------------------------------------------------------- */

/* Like iso_open; also applies the setup's choices for surfaces. */
static int open_as(struct iso *iso, enum backend backend, int device, const struct setup *setup, struct err *err)
{
    const int code = iso_open(iso, backend, device, setup->threads, err);
    if (code) return code;
    iso_set_exact(iso, setup->exact_positions);
    if (!iso_set_topology(iso, setup->topology, err)) return ERR_NONE;
    iso_close(iso);
    return ERR_FAILED;
}

int setup_open_iso(struct iso *iso, const struct setup *setup, int device, char *why, size_t why_size, struct err *err)
{
    char cuda[256], cpu[256];
    enum backend backend = BACKEND_CPU;
    backend_cpu.available(cpu, sizeof cpu);
    snprintf(why, why_size, "%s, as asked", cpu);
    if (setup->backend != CHOICE_CPU) {
        const bool works = backend_cuda.available(cuda, sizeof cuda);
        if (works || setup->backend == CHOICE_CUDA) backend = BACKEND_CUDA;
        if (works) snprintf(why, why_size, "CUDA on %s", cuda);
        else snprintf(why, why_size, "%s; no CUDA: %s", cpu, cuda);
    }
    if (open_as(iso, backend, device, setup, err)) {
        if (backend == BACKEND_CPU || setup->backend == CHOICE_CUDA) return err->code;
        snprintf(why, why_size, "%s; %s", cpu, err->text);
        fprintf(stderr, "isoscope: %s; the CPU goes on\n", err->text);
        if (open_as(iso, BACKEND_CPU, -1, setup, err)) return err->code;
    }
    for (int s = 0; s < STAGE_ALL; s++)
        if (iso_force_rung(iso, (enum stage)s, setup->rung[s], err)) {
            iso_close(iso);
            return ERR_USAGE;
        }
    return ERR_NONE;
}

enum setup_way setup_find_backend(struct iso *iso, enum backend_choice choice, bool lives_on, const struct err *err,
                                  char *text, size_t size)
{
    if (iso->exec.backend == BACKEND_CPU) return WAY_NONE;
    const bool lost = iso_is_lost(iso), named = choice == CHOICE_CUDA;
    if (named ? !(lost && lives_on) : !lost && err->cause == CAUSE_OTHER) return WAY_NONE;
    snprintf(text, size, "%.900s; %sthe CPU goes on", err->text, lost ? "CUDA has stopped, " : "");
    return lost ? WAY_LOST : WAY_CPU;
}

enum setup_way setup_find_way(struct iso *iso, enum backend_choice choice, bool lives_on, const struct err *err, char *text,
                              size_t size)
{
    if (iso_use_less(iso, err, text, size)) return WAY_RUNG;
    return setup_find_backend(iso, choice, lives_on, err, text, size);
}

bool setup_fall_back(struct iso *iso, const struct setup *setup, char *why, size_t why_size, const struct err *err)
{
    char text[1024], cpu[256];
    struct err unused;
    const enum setup_way way = setup_find_way(iso, setup->backend, false, err, text, sizeof text);
    if (way == WAY_NONE) return false;
    if (way != WAY_RUNG) {
        backend_cpu.available(cpu, sizeof cpu);
        snprintf(why, why_size, "%s; %s", cpu, err->text);
        iso_close(iso);
        if (open_as(iso, BACKEND_CPU, -1, setup, &unused)) return false;
    }
    fprintf(stderr, "isoscope: %s\n", text);
    return true;
}

int setup_set_volume(struct iso *iso, const struct volume *volume, const struct setup *setup, struct err *err)
{
    float part[3];
    const float sigma = setup_sigma(setup, volume, part);
    const int code = iso->grid.voxels ? ERR_NONE : iso_set_volume(iso, &volume->grid, err);
    return code || iso->sigma == sigma ? code : iso_smooth(iso, sigma, part, NULL, err);
}

/* ---- which value ---------------------------------------------------------------------------------------------------- */

int setup_choose_value(struct setup_value *value, struct iso *iso, const struct volume *volume, const struct setup *setup,
                       struct err *err)
{
    value->stats_known = false;
    if (setup->iso_given) value->value = setup->iso_in ? NAN : setup->iso;
    if (!isnan(value->value)) return ERR_NONE;
    const int code = stats_compute(&value->stats, iso, volume, err);
    if (code) return code;
    value->value = value->stats.first_value;
    value->stats_known = true;
    if (!setup->iso_given) return ERR_NONE;
    return stats_isovalue(&value->stats, iso, volume, setup->iso_in, setup->iso, &value->value, err);
}

/* ---- an empty surface ---------------------------------------------------------------------------------------------- */

/* The smallest number of digits, at least 6, that shows `value` and `bound` as different numbers; 17 always suffice. */
static int digits_apart(double value, double bound)
{
    char a[32], b[32];
    for (int digits = 6; digits < 17; digits++) {
        snprintf(a, sizeof a, "%.*g", digits, value);
        snprintf(b, sizeof b, "%.*g", digits, bound);
        if (strcmp(a, b)) return digits;
    }
    return 17;
}

static void explain_outside(char *text, size_t size, const struct stats *stats, double value)
{
    const int digits = digits_apart(value, value > stats->real_max ? stats->real_max : stats->real_min);
    snprintf(text, size, "no surface: %.*g lies outside the values of the volume, %.*g to %.*g", digits, value, digits,
             stats->real_min, digits, stats->real_max);
}

void setup_explain_empty(char *text, size_t size, const struct volume *volume, const struct stats *stats, double value)
{
    const struct grid *g = &volume->grid;
    if (g->nx < 2 || g->ny < 2 || g->nz < 2)
        snprintf(text, size, "no surface: %zu x %zu x %zu voxels have no cells; a cell needs two along every axis", g->nx,
                 g->ny, g->nz);
    else if (stats && !stats->summary.count) snprintf(text, size, "no surface: no voxel has a finite value");
    else if (stats && stats->real_max == stats->real_min)
        snprintf(text, size, "no surface: every voxel has the value %g", stats->real_min);
    else if (stats && (value > stats->real_max || value < stats->real_min)) explain_outside(text, size, stats, value);
    else if (stats && value == stats->real_min)
        snprintf(text, size, "no surface: every voxel is %g or more, so all are inside; choose a higher value", value);
    else snprintf(text, size, "no surface: no cell has values on both sides of %g", value);
}

void setup_say_empty(const struct volume *volume, const struct stats *stats, double value)
{
    char text[512];
    setup_explain_empty(text, sizeof text, volume, stats, value);
    text_say(stderr, "isoscope: %s", text);
}

void setup_say_left_out(double value)
{
    char at[32];
    text_say(stderr, "isoscope: every part of the surface at %s is shorter than --min-size", text_print(at, value));
}

void setup_say_note(const struct volume *volume)
{
    if (*volume->note) text_say(stderr, "isoscope: %s: %s", volume->name, volume->note);
}

#define GAPS "some of its chunks are not there and count as the fill value"

void setup_say_gaps(const char *name) { text_say(stderr, "isoscope: %s: " GAPS, name); }

void setup_note_gaps(struct volume *volume) { text_note(volume->note, GAPS); }
