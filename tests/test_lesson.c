/* Every rung has a lesson, the course has every ladder once, and what lessons say about rounding is true. */
#include "check.h"
#include "course.h"
#include "lesson.h"
#include "kernels/sum.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COMMENT 8192

/* Whether `text` is in [begin, end). */
static bool holds(const char *begin, const char *end, const char *text)
{
    const char *found = strstr(begin, text);
    return found && found + strlen(text) <= end;
}

static const struct resource *source_of(const char *path)
{
    for (const struct resource *r = kernel_sources; r->name; r++)
        if (!strcmp(r->name, path)) return r;
    return NULL;
}

/* A part is whole lines of its file, and its line number is right. */
static void check_part(const struct lesson_part *p)
{
    const struct resource *r = source_of(p->path);
    CHECK(r);
    if (!r) return;
    const char *const begin = (const char *)r->begin;
    CHECK(begin <= p->begin && p->begin < p->end && p->end <= (const char *)r->end);
    CHECK(p->begin == begin || p->begin[-1] == '\n');
    CHECK(p->end[-1] == '\n' && (p->end == p->begin + 1 || p->end[-2] != '\n'));
    CHECK(p->begin <= p->comment_end && p->comment_end <= p->end);
    unsigned line = 1;
    for (const char *c = begin; c < p->begin; c++) line += *c == '\n';
    CHECK(line == p->line);
}

/* The comment as text has no signs of a comment, and every word of the comment. */
static void check_comment(const struct lesson_part *p)
{
    char text[COMMENT], small[8];
    memset(text, 'x', sizeof text);
    memset(small, 'x', sizeof small);
    CHECK(lesson_comment(p, text, sizeof text) == text && strlen(text) < sizeof text - 1);
    CHECK(!strstr(text, "/*") && !strstr(text, "*/") && !strstr(text, "\n * ") && strncmp(text, "----", 4) != 0);
    size_t letters = 0, found = 0;
    const char *from = p->begin;
    if (!strncmp(from, "/* ----", 7)) from += strcspn(from, "\n");
    for (const char *c = from; c < p->comment_end; c++) letters += isalpha((unsigned char)*c) != 0;
    for (const char *c = text; *c; c++) found += isalpha((unsigned char)*c) != 0;
    CHECK(letters == found);
    lesson_comment(p, small, 5); /* cut, closed, and no byte more */
    CHECK(strlen(small) < 5 && small[5] == 'x' && !strncmp(small, text, strlen(small)));
}

static void check_rung(const struct ladder *ladder, enum backend backend, const struct rung *rung)
{
    struct lesson lesson;
    memset(&lesson, 0x5a, sizeof lesson);
    lesson_find(&lesson, ladder->op, backend, rung);
    CHECK((lesson.parts == 0) == !strcmp(rung->name, "none")); /* a stage left out */
    CHECK(lesson.parts <= LESSON_PARTS);
    if (!lesson.parts && strcmp(rung->name, "none")) fprintf(stderr, "no lesson: %s %s\n", ladder->op, rung->name);
    bool has_code = false;
    for (size_t i = 0; i < lesson.parts && i < LESSON_PARTS; i++) {
        check_part(&lesson.part[i]);
        check_comment(&lesson.part[i]);
        has_code |= holds(lesson.part[i].comment_end, lesson.part[i].end, "{");
    }
    CHECK(has_code == (lesson.parts > 0));
}

static void rungs_have_lessons(void)
{
    const struct rung *rung;
    for (const struct ladder *ladder = ladders; ladder->op; ladder++)
        for (int b = 0; b < BACKEND_COUNT; b++)
            for (size_t i = 0; (rung = ladder_rung(ladder, (enum backend)b, i)); i++)
                check_rung(ladder, (enum backend)b, rung);
}

/* What is read from the table in the source equals what the compiler made of it. */
static void check_read(const struct ladder *ladder, enum backend backend, const struct rung *rung, size_t i)
{
    struct lesson_rung read;
    check_subject(rung->name);
    if (!CHECK(lesson_read_rung(&read, ladder->op, backend, i))) return;
    CHECK(!strcmp(read.rung.name, rung->name) && !strcmp(read.rung.idea, rung->idea));
    CHECK(read.rung.is_default == rung->is_default);
}

/* Even for a backend that was not built, there is a table to read. */
static void tables_are_read(void)
{
    struct lesson_rung read;
    for (const struct ladder *ladder = ladders; ladder->op; ladder++)
        for (int b = 0; b < BACKEND_COUNT; b++) {
            const struct rung *rung;
            size_t i = 0, defaults = 0;
            for (; (rung = ladder_rung(ladder, (enum backend)b, i)); i++) check_read(ladder, (enum backend)b, rung, i);
            check_subject(ladder->op);
            if (i) CHECK(!lesson_read_rung(&read, ladder->op, (enum backend)b, i));
            for (i = 0; lesson_read_rung(&read, ladder->op, (enum backend)b, i); i++) {
                defaults += read.rung.is_default;
                check_rung(ladder, (enum backend)b, &read.rung);
            }
            CHECK(b == BACKEND_CPU ? defaults <= 1 : defaults == 1); /* every op has rungs on CUDA */
        }
}

/* Names that are part of other names, and a heading that lists several. */
static void lessons_are_the_right_ones(void)
{
    struct lesson lesson;
    lesson_find(&lesson, "sum", BACKEND_CPU, ladder_find(ladder_of("sum"), BACKEND_CPU, "lanes"));
    CHECK(lesson.parts && holds(lesson.part[0].begin, lesson.part[0].end, "/* ---- lanes "));
    lesson_find(&lesson, "bricks", BACKEND_CPU, ladder_find(ladder_of("bricks"), BACKEND_CPU, "avx2"));
    CHECK(lesson.parts && holds(lesson.part[0].begin, lesson.part[0].end, "/* ---- narrow and avx2 "));
    const struct rung absent = { .name = "absent" };
    lesson_find(&lesson, "sum", BACKEND_CPU, &absent);
    CHECK(lesson.parts == 0);
    lesson_find(&lesson, "absent", BACKEND_CPU, &absent);
    CHECK(lesson.parts == 0);
}

static void course_has_all(void)
{
    for (const struct ladder *ladder = ladders; ladder->op; ladder++) {
        int times = 0;
        for (const struct lecture *l = course; l->op; l++) times += !strcmp(l->op, ladder->op);
        CHECK(times == 1);
    }
    for (const struct lecture *l = course; l->op; l++) CHECK(ladder_of(l->op) && *l->teaches);
    CHECK(course[0].chapter != NULL);
}

/* The sum of ten million times 0.1 by a rung, as the comments in kernels/sum_cpu.c have it. */
static float sum_of_tenths(const char *name)
{
    enum { MANY = 10000000 };
    struct exec x = { .backend = BACKEND_CPU, .threads = 1 };
    const struct rung *rung = ladder_find(ladder_of("sum"), BACKEND_CPU, name);
    float *in = malloc(MANY * sizeof *in), sum = NAN;
    for (size_t i = 0; in && i < MANY; i++) in[i] = 0.1f;
    if (CHECK(in && rung)) CHECK(!((const struct sum_rung *)rung)->run(in, &sum, MANY, NULL, &x));
    free(in);
    return sum;
}

/* Of sum textbook and kahan on the CPU, and of fma_peak textbook on CUDA. volatile: for this machine, not the compiler. */
static void roundings_are_as_told(void)
{
    volatile float b = 1000, a = 1 + 0x1p-12f;
    const float root = sqrtf(b * b - 4), square = a * a;
    double doubles = 0;
    for (int i = 0; i < 10000000; i++) doubles += (double)0.1f;
    CHECK(fabs((double)sum_of_tenths("textbook") - 1087937) < 0.5);
    CHECK(fabs((double)sum_of_tenths("kahan") - 1000000) < 0.05);
    CHECK(fabs(doubles - 1e7 * (double)0.1f) < 1e-9 && fabs(doubles - 1000000.0149) < 1e-4);
    CHECK(fabs((double)((b - root) / 2) - 0.00100708) < 1e-8);
    CHECK(fabs((double)(2 / (b + root)) - 0.001000001) < 1e-10);
    CHECK(square - (1 + 0x1p-11f) == 0 && fmaf(a, a, -(1 + 0x1p-11f)) == 0x1p-24f);
}

int main(void)
{
    rungs_have_lessons();
    tables_are_read();
    roundings_are_as_told();
    lessons_are_the_right_ones();
    course_has_all();
    return check_summary("test_lesson");
}
