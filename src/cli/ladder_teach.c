#include "ladder_teach.h"

#include "course.h"
#include "ladder_gl.h"
#include "ladder_legend.h"
#include "lesson.h"
#include "report.h"
#include "text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COMMENT = 8192, WIDTH = 100, MOST_PARTS = 96 };

/* Adults read 200 to 250 words of plain prose a minute (Brysbaert 2019). These texts are dense, and code takes longer. */
enum { WORDS_A_MINUTE = 150, LINES_A_MINUTE = 15, SECONDS_A_RUNG = 2 };

bool ladder_wants_all(const struct options *o) { return !o->setup.file || !strcmp(o->setup.file, "all"); }

/* ---- rungs to read -------------------------------------------------------------------------------------------------- */

#define NOT_BUILT "source only, not built here"

/* A build without CUDA has only the source of the CUDA rungs. */
static bool is_built(const struct ladder *ladder, enum backend backend) { return ladder_rung(ladder, backend, 0) != NULL; }

/* The i-th rung, from the table, or read from the source into *read if this build lacks it. NULL past the end. */
static const struct rung *rung_at(const struct ladder *ladder, enum backend backend, size_t i, struct lesson_rung *read)
{
    if (is_built(ladder, backend)) return ladder_rung(ladder, backend, i);
    return lesson_read_rung(read, ladder->op, backend, i) ? &read->rung : NULL;
}

static bool asks_for(const struct options *o, enum backend backend)
{
    return o->setup.backend == CHOICE_AUTO || (o->setup.backend == CHOICE_CUDA) == (backend == BACKEND_CUDA);
}

/* The rung of that name; NULL: there is none. */
static const struct rung *rung_named(const struct ladder *ladder, enum backend backend, const char *name,
                                     struct lesson_rung *read)
{
    const struct rung *rung;
    for (size_t i = 0; (rung = rung_at(ladder, backend, i, read)); i++)
        if (!strcmp(rung->name, name)) return rung;
    return NULL;
}

/* ---- the course ---------------------------------------------------------------------------------------------------- */

static size_t rungs_of(const struct ladder *ladder, enum backend backend)
{
    struct lesson_rung read;
    size_t n = 0;
    while (rung_at(ladder, backend, n, &read)) n++;
    return n;
}

/* How much there is to read. Counts each part of the source once, although several rungs may share it. */
struct reading {
    const char *begin[MOST_PARTS]; /* of the parts counted so far */
    size_t parts;
    double minutes;
};

static size_t count_words(const char *text)
{
    size_t words = 0;
    for (size_t i = 0; text[i]; i++) words += !isspace((unsigned char)text[i]) && isspace((unsigned char)text[i + 1]);
    return words;
}

static void read_part(struct reading *r, const struct lesson_part *part)
{
    char text[COMMENT];
    size_t lines = 0;
    for (size_t i = 0; i < r->parts; i++)
        if (r->begin[i] == part->begin) return;
    if (r->parts == MOST_PARTS) return;
    r->begin[r->parts++] = part->begin;
    for (const char *c = part->comment_end; c < part->end; c++) lines += *c == '\n';
    r->minutes += (double)count_words(lesson_comment(part, text, sizeof text)) / WORDS_A_MINUTE;
    r->minutes += (double)lines / LINES_A_MINUTE;
}

/* Minutes for the comments and the code of all rungs of the ladder. */
static double reading_time(const struct ladder *ladder)
{
    struct reading reading = { .parts = 0 };
    struct lesson_rung read;
    const struct rung *rung;
    for (int b = 0; b < BACKEND_COUNT; b++)
        for (size_t i = 0; (rung = rung_at(ladder, (enum backend)b, i, &read)); i++) {
            struct lesson lesson;
            lesson_find(&lesson, ladder->op, (enum backend)b, rung);
            for (size_t k = 0; k < lesson.parts; k++) read_part(&reading, &lesson.part[k]);
        }
    return reading.minutes;
}

static void print_course(void)
{
    double all = 0;
    size_t rungs = 0, unbuilt = 0;
    printf(
        "Every op (compute operation) of the viewer is a ladder: from textbook code to the fastest, one idea per rung.\n");
    for (const struct lecture *l = course; l->op; l++) {
        const struct ladder *ladder = ladder_of(l->op);
        const double minutes = reading_time(ladder);
        if (l == course) printf("\n%-22srungs: CPU CUDA  read\n", l->chapter);
        else if (l->chapter) printf("\n%s\n", l->chapter);
        printf("  %-26s %4zu %4zu %3.0f min  %s\n", l->op, rungs_of(ladder, BACKEND_CPU), rungs_of(ladder, BACKEND_CUDA),
               ceil(minutes), l->teaches);
        all += ceil(minutes), rungs += rungs_of(ladder, BACKEND_CPU) + rungs_of(ladder, BACKEND_CUDA);
        unbuilt += is_built(ladder, BACKEND_CUDA) ? 0 : rungs_of(ladder, BACKEND_CUDA);
    }
    printf("\n%.0f hours to read %zu rungs, by %d words or %d lines of code a minute. --explain and --bench take some %d "
           "seconds for each.\n",
           ceil(all / 60), rungs, WORDS_A_MINUTE, LINES_A_MINUTE, SECONDS_A_RUNG);
    if (unbuilt) printf("This build lacks CUDA: its %zu CUDA rungs can be read but not run.\n", unbuilt);
    printf("\nisoscope ladder OP            the rungs, an idea each\n"
           "isoscope ladder OP RUNG       what a rung does, and its code\n"
           "isoscope ladder OP --explain  the whole ladder, with the times of this machine\n"
           "isoscope ladder OP --bench    the times as a table; --test: only the checks; --report PAGE.html: charts\n");
}

/* ---- rungs --------------------------------------------------------------------------------------------------------- */

static void print_rung(const char *whose, size_t i, const struct rung *rung)
{
    if (!i) printf("\n  %s\n", whose);
    printf("  %2zu %-14s%s %s\n", i + 1, rung->name, rung->is_default ? "*" : " ", rung->idea);
}

/* Prints the rungs of one backend, in order. */
static void print_rungs(const struct ladder *ladder, enum backend backend)
{
    const char *const mark = is_built(ladder, backend) ? "" : ", " NOT_BUILT;
    struct lesson_rung read;
    const struct rung *rung;
    char whose[64];
    snprintf(whose, sizeof whose, "%s%s", backends[backend]->name, mark);
    for (size_t i = 0; (rung = rung_at(ladder, backend, i, &read)); i++) print_rung(whose, i, rung);
}

/* Whether the ladder has a rung on a backend that the options ask for. */
static bool has_rungs(const struct options *o, const struct ladder *ladder)
{
    struct lesson_rung read;
    bool has = false;
    for (int b = 0; b < BACKEND_COUNT; b++)
        has |= asks_for(o, (enum backend)b) && rung_at(ladder, (enum backend)b, 0, &read);
    return has;
}

/* Prints the ladder's rungs. Returns whether this build can run any of them. */
static bool print_ladder(const struct options *o, const struct ladder *ladder)
{
    bool runs = false;
    printf("%s: %s\n", ladder->op, ladder->job);
    for (int b = 0; b < BACKEND_COUNT; b++) {
        if (!asks_for(o, (enum backend)b)) continue;
        print_rungs(ladder, (enum backend)b);
        runs |= is_built(ladder, (enum backend)b) && rungs_of(ladder, (enum backend)b);
    }
    for (size_t i = 0; ladder_gl_fits(ladder) && ladder_gl_rungs[i].name; i++)
        print_rung(LADDER_GL_NAME, i, &ladder_gl_rungs[i]);
    return runs;
}

/* line: NAN without a source. built: whether this program can run it. */
static void json_row(struct report *j, const char *op, const char *whose, const struct rung *rung, const char *source,
                     double line, bool built)
{
    report_open(j, NULL, '{');
    report_text(j, "op", op);
    report_text(j, "backend", whose);
    report_text(j, "rung", rung->name);
    report_flag(j, "built", built);
    report_flag(j, "default", rung->is_default);
    report_text(j, "idea", rung->idea);
    report_text(j, "source", source);
    report_number(j, "line", line);
    report_close(j, '}');
}

static void json_rung(struct report *j, const struct ladder *ladder, enum backend backend, const struct rung *rung)
{
    struct lesson lesson;
    lesson_find(&lesson, ladder->op, backend, rung);
    json_row(j, ladder->op, backends[backend]->name, rung, lesson.parts ? lesson.part[0].path : NULL,
             lesson.parts ? lesson.part[0].line : NAN, is_built(ladder, backend));
}

static void json_ladder(struct report *j, const struct options *o, const struct ladder *ladder)
{
    struct lesson_rung read;
    const struct rung *rung;
    for (int b = 0; b < BACKEND_COUNT; b++)
        for (size_t i = 0; asks_for(o, (enum backend)b) && (rung = rung_at(ladder, (enum backend)b, i, &read)); i++)
            json_rung(j, ladder, (enum backend)b, rung);
    for (rung = ladder_gl_rungs; ladder_gl_fits(ladder) && rung->name; rung++)
        json_row(j, ladder->op, LADDER_GL_NAME, rung, *ladder_gl_shaders(rung), 1, true);
}

static void print_json(const struct options *o)
{
    struct report j = { .json = true };
    report_open(&j, "rungs", '[');
    for (const struct ladder *ladder = ladders; ladder->op; ladder++)
        if (ladder_wants_all(o) || ladder == ladder_of(o->setup.file)) json_ladder(&j, o, ladder);
    report_close(&j, ']');
    report_end(&j);
}

/* ---- a rung -------------------------------------------------------------------------------------------------------- */

static void print_lesson(const struct ladder *ladder, enum backend backend, const struct rung *rung)
{
    struct lesson lesson;
    lesson_find(&lesson, ladder->op, backend, rung);
    printf("%s %s on %s%s: %s\n", ladder->op, rung->name, backends[backend]->name,
           is_built(ladder, backend) ? "" : " (" NOT_BUILT ")", rung->idea);
    if (!lesson.parts) printf("\nThis rung has no code of its own.\n");
    for (size_t i = 0; i < lesson.parts; i++) {
        const struct lesson_part *p = &lesson.part[i];
        printf("\n%s:%u\n\n%.*s", p->path, p->line, (int)(p->end - p->begin), p->begin);
    }
}

/* Appends the names of the ladder's rungs on a backend, with a space before each. */
static void list_names(const struct ladder *ladder, enum backend backend, char *names, size_t size)
{
    struct lesson_rung read;
    const struct rung *rung;
    const bool built = is_built(ladder, backend);
    size_t i = 0, used = strlen(names);
    for (; (rung = rung_at(ladder, backend, i, &read)); i++, used = strlen(names))
        snprintf(names + used, size - used, "%s %s", i || built ? "" : " (" NOT_BUILT ":", rung->name);
    if (i && !built) snprintf(names + used, size - used, ")");
}

/* The rung of that name on each backend that has one; CUDA's first, unless it cannot run here. */
static int teach_rung(const struct options *o, struct err *err)
{
    const struct ladder *ladder = ladder_of(o->setup.file);
    char names[512] = "";
    struct lesson_rung read;
    bool found = false;
    for (int i = 0; i < BACKEND_COUNT; i++) {
        const enum backend b = (enum backend)(is_built(ladder, BACKEND_CUDA) ? BACKEND_COUNT - 1 - i : i);
        const struct rung *rung = asks_for(o, b) ? rung_named(ladder, b, o->second, &read) : NULL;
        if (!rung) continue;
        if (found) printf("\n");
        print_lesson(ladder, b, rung);
        found = true;
    }
    const struct rung *const guest = ladder_gl_fits(ladder) ? ladder_gl_find(o->second) : NULL;
    if (guest) ladder_gl_teach(guest);
    if (found || guest) return ERR_NONE;
    for (int b = 0; b < BACKEND_COUNT; b++)
        if (asks_for(o, (enum backend)b)) list_names(ladder, (enum backend)b, names, sizeof names);
    if (ladder_gl_fits(ladder))
        text_names(names + strlen(names), sizeof names - strlen(names), ladder_gl_rungs, sizeof *ladder_gl_rungs);
    return err_set(err, ERR_USAGE, "%s has no rung '%s'; it has:%s", ladder->op, o->second,
                   *names ? names : " none on that backend");
}

int ladder_teach(const struct options *o, struct err *err)
{
    if (o->second) return teach_rung(o, err);
    if (!ladder_wants_all(o) && !has_rungs(o, ladder_of(o->setup.file)))
        return err_set(err, ERR_USAGE, "'%s' has no rungs on that backend: see isoscope ladder %s for those it has",
                       o->setup.file, o->setup.file);
    if (o->json) print_json(o);
    else if (!o->setup.file) print_course();
    else {
        bool runs = false;
        for (const struct ladder *ladder = ladders; ladder->op; ladder++) {
            if (ladder_wants_all(o) ? !has_rungs(o, ladder) : ladder != ladder_of(o->setup.file)) continue;
            runs |= print_ladder(o, ladder);
            if (ladder[1].op && ladder_wants_all(o)) printf("\n");
        }
        const char *op = ladder_wants_all(o) ? "OP" : o->setup.file;
        printf("\n* is the default. Try: isoscope ladder %s RUNG%s\n", op,
               runs ? ", or with --explain, --test or --bench." : ".");
    }
    return ERR_NONE;
}

/* ---- a story ------------------------------------------------------------------------------------------------------- */

/* Prints text in lines of at most WIDTH bytes. Lines that begin with a space are printed as they are. */
static void print_wrapped(const char *text, const char *indent)
{
    while (*text) {
        const size_t line = strcspn(text, "\n");
        size_t n = line;
        if (*text != ' ' && line > WIDTH)
            for (n = WIDTH; n && text[n] != ' ';) n--;
        if (!n) n = line;
        printf("%s%.*s\n", indent, (int)n, text);
        text += n;
        if (*text) text++;
    }
}

/* *told: where the comment of the rung before begins. Rungs next to each other may share one. */
static void explain_comment(const struct ladder_result *r, const struct rung *rung, const char **told)
{
    struct lesson lesson;
    char text[COMMENT];
    lesson_find(&lesson, r->ladder->op, r->backend, rung);
    if (!lesson.parts || lesson.part[0].begin == *told) return;
    *told = lesson.part[0].begin;
    print_wrapped(lesson_comment(&lesson.part[0], text, sizeof text), "   ");
}

static void explain_launches(const struct launches *launches)
{
    char text[256];
    for (size_t i = 0; i < launches->count; i++) printf("   -> %s\n", ladder_launch(text, &launches->launch[i]));
}

/* The same for an op that does not measure rates. */
static void explain_measured(const struct ladder_result *r, const struct rung_row *row)
{
    char number[32];
    printf("   -> here %s %s", ladder_number(number, row->measured), r->op->measure);
    if (isfinite(row->predicted)) printf(" (predicted %s)", ladder_number(number, row->predicted));
    printf("\n");
    explain_launches(&r->launches[row - r->row]);
}

/* Says what the rung gained on this machine. before: the last rung before it with a time; NULL: none. */
static void explain_time(const struct ladder_report *report, const struct ladder_result *r, const struct rung_row *row,
                         const struct rung_row *before)
{
    char ms[32], percent[32], times[32];
    const double predicted = ladder_predicted(report, r, row), reached = ladder_percent(report, r, row);
    if (!row_timed(row)) {
        if (row->outcome != OUTCOME_RIGHT) printf("   -> %s here: %s\n", outcome_name[row->outcome], row->why);
        return;
    }
    if (r->op->measure) {
        explain_measured(r, row);
        return;
    }
    printf("   -> here %s ms", ladder_number(ms, 1e-3 * row->own.us.median));
    if (isfinite(reached)) printf(", %s %% of %s", ladder_number(percent, reached), ladder_ceiling(r));
    if (isfinite(predicted)) printf(" (predicted %s %%)", ladder_number(percent, predicted));
    if (before) {
        const double gain = before->own.us.median / row->own.us.median;
        if (gain >= 1.02) printf("; %s times as fast as %s", ladder_number(times, gain), before->rung->name);
        else if (gain <= 0.98) printf("; takes %s times as long as %s", ladder_number(times, 1 / gain), before->rung->name);
        else printf("; no faster than %s", before->rung->name);
    }
    printf("\n");
    if (isfinite(row->error)) printf("   -> largest error %.1e, relative to the magnitudes that were added\n", row->error);
    explain_launches(&r->launches[row - r->row]);
}

static void explain_end(const struct ladder_report *report, const struct ladder_result *r)
{
    const struct rung_row *best = NULL;
    char percent[32], times[32];
    for (size_t i = 0; i < r->rows; i++)
        if (row_timed(&r->row[i]) && !r->row[i].rung->is_library &&
            (!best || r->row[i].own.us.median < best->own.us.median))
            best = &r->row[i];
    if (!best || r->op->measure) return;
    printf("\nFastest here: %s, ", best->rung->name);
    if (best == r->row) printf("the first rung");
    else printf("%s times as fast as the first rung", ladder_number(times, best->speedup));
    const double reached = ladder_percent(report, r, best);
    if (isfinite(reached)) printf(", at %s %% of %s", ladder_number(percent, reached), ladder_ceiling(r));
    printf(".%s\n", best->rung->is_default ? " It is the default." : "");
    const double fold = ladder_unsteady(r);
    if (fold > 0) printf("Times vary up to %.*f-fold: something else is running; raise --runs.\n", fold < 10, fold);
}

void ladder_explain(const struct ladder_report *report)
{
    for (size_t k = 0; k < report->results; k++) {
        const struct ladder_result *r = &report->result[k];
        const struct rung_row *before = NULL;
        const char *told = NULL;
        char size[128];
        printf("%s%s: %s\non %s, %s\n", k ? "\n" : "", r->ladder->op, r->ladder->job,
               report->roof[r->backend].machine.device, ladder_size(size, r));
        for (size_t i = 0; i < r->rows; i++) {
            const struct rung_row *row = &r->row[i];
            printf("\n%zu. %s: %s\n", i + 1, row->rung->name, row->rung->idea);
            explain_comment(r, row->rung, &told);
            explain_time(report, r, row, before);
            if (row_timed(row) && !row->rung->is_library) before = row;
        }
        explain_end(report, r);
    }
}
