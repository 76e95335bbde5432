/* Times of the window's frames and of the lab page: parts, percentiles, gains, the table in Markdown, the log. */
#include "check.h"
#include "lab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_near(double a, double b) { return fabs(a - b) < 1e-9; }

/* A frame that computes from 1 to 4 ms, of which one maps, draws from 4 to 10 with a panel from 6 to 7 in between, and
 * waits for 2 ms. */
static void make_frame(struct frames *frames, bool scene)
{
    frames_begin(frames, 0);
    const enum frame_part other = frames_enter(frames, FRAME_COMPUTE, 1);
    frames_enter(frames, other, 4);
    frames_move(frames, FRAME_COMPUTE, FRAME_MAP, 1);
    frames_enter(frames, FRAME_DRAW, 4);
    const enum frame_part draw = frames_enter(frames, FRAME_PANEL, 6);
    CHECK(draw == FRAME_DRAW);
    frames_enter(frames, draw, 7);
    frames_enter(frames, FRAME_WAIT, 10);
    frames_end(frames, scene, 12);
}

static void test_parts(void)
{
    static const double parts[FRAME_PARTS] = { 2, 1, 5, 1, 2, 1 };
    struct frames frames = { .count = 0 };
    CHECK(!frames_last(&frames));
    make_frame(&frames, false);
    CHECK(!frames_last(&frames) && frames.quiet == 1);
    make_frame(&frames, true);
    const struct frame *frame = frames_last(&frames);
    if (!CHECK(frame)) return;
    CHECK(is_near(frame->ms, 12) && !frames.quiet);
    for (int i = 0; i < FRAME_PARTS; i++) {
        check_subject(frame_part_name[i]);
        CHECK(is_near(frame->part[i], parts[i]));
    }
    frames_begin(&frames, 0); /* more than there was cannot be moved */
    frames_enter(&frames, FRAME_COMPUTE, 0);
    frames_enter(&frames, FRAME_OTHER, 2);
    frames_move(&frames, FRAME_COMPUTE, FRAME_MAP, 5);
    frames_end(&frames, true, 3);
    frame = frames_last(&frames);
    CHECK(is_near(frame->part[FRAME_MAP], 2) && is_near(frame->part[FRAME_COMPUTE], 0) && is_near(frame->ms, 3));
}

/* In the middle of a frame, as a new volume does. */
static void test_forget(void)
{
    struct frames frames = { .count = 0 };
    make_frame(&frames, true);
    frames_begin(&frames, 100);
    frames_enter(&frames, FRAME_COMPUTE, 101);
    frames_forget(&frames);
    CHECK(!frames_last(&frames) && !frames.total && !frames.quiet);
    frames_enter(&frames, FRAME_DRAW, 103);
    frames_end(&frames, true, 107);
    const struct frame *frame = frames_last(&frames);
    CHECK(frame && is_near(frame->ms, 7) && is_near(frame->part[FRAME_COMPUTE], 2) && is_near(frame->part[FRAME_DRAW], 4));
}

/* The ring keeps the last ones, oldest first. */
static void test_ring(void)
{
    struct frames frames = { .count = 0 };
    for (int i = 1; i <= SERIES_LENGTH + 5; i++) {
        frames_begin(&frames, 0);
        frames_end(&frames, true, i);
    }
    CHECK(frames.count == SERIES_LENGTH && frames.total == SERIES_LENGTH + 5);
    for (unsigned i = 0; i < SERIES_LENGTH; i++) CHECK(is_near(frames.ring[(frames.next + i) % SERIES_LENGTH].ms, 6 + i));
    CHECK(is_near(frames_last(&frames)->ms, SERIES_LENGTH + 5));
}

static void test_words(void)
{
    struct frame frame = { .ms = 10, .part = { [FRAME_DRAW] = 2, [FRAME_WAIT] = 8 } };
    char text[256];
    frame_explain(&frame, 7, text, sizeof text);
    CHECK(strstr(text, "limited by drawing") && strstr(text, "80 %") && strstr(text, "no surface was made"));
    frame_explain(&frame, 1, text, sizeof text);
    CHECK(strstr(text, "limited by the display"));
    frame_explain(&frame, 0, text, sizeof text);
    CHECK(strstr(text, "OpenGL or the display"));
    frame = (struct frame){ .ms = 10, .part = { [FRAME_COMPUTE] = 9, [FRAME_DRAW] = 1 }, .made = true };
    frame_explain(&frame, 1, text, sizeof text);
    CHECK(strstr(text, "limited by computing (90 %)") && !strstr(text, "no surface"));
    frame = (struct frame){ .ms = 10, .part = { [FRAME_DRAW] = 10 }, .made = true, .worker = 400 };
    frame_explain(&frame, 10, text, sizeof text);
    CHECK(strstr(text, "worker"));
}

static void test_percentiles(void)
{
    struct series series = { .count = 0 };
    CHECK(!(series_percentile(&series, 50) > 0));
    for (int i = 0; i < 130; i++) series_add(&series, i % 2 ? 1000 - i : i); /* those from 10 on stay, in no order */
    double least = INFINITY, most = 0;
    for (unsigned i = 0; i < series.count; i++) least = fmin(least, series.value[i]), most = fmax(most, series.value[i]);
    CHECK(is_near(series_percentile(&series, 0), least) && is_near(series_percentile(&series, 100), most));
    series = (struct series){ .count = 0 };
    for (int i = 100; i >= 1; i--) series_add(&series, i);
    CHECK(is_near(series_percentile(&series, 90), 90) && is_near(series_percentile(&series, 99), 99));
    CHECK(is_near(series_percentile(&series, 99.5), 100) && is_near(series_at(&series, 0), 100));
}

/* ---- the lab --------------------------------------------------------------------------------------------------------- */

static void fill(struct lab_times *times, double ms, bool textbook)
{
    *times = (struct lab_times){
        .backend = BACKEND_CPU, .value = 80.5, .triangles = 7, .volume = "ball", .dims = { 2, 3, 4 }
    };
    for (int s = 0; s < STAGE_ALL; s++) {
        const struct ladder *ladder = ladder_of(stage_name[s]);
        times->rung[s] = textbook ? ladder_rung(ladder, BACKEND_CPU, 0) : ladder_find(ladder, BACKEND_CPU, NULL);
    }
    series_add(&times->live.stage[STAGE_SCAN], ms);
    series_add(&times->live.stage[STAGE_FUSED], ms);
    series_add(&times->frame, 2 * ms);
    times->stage[STAGE_SCAN].bytes = 1000000;
}

static void test_gain(void)
{
    static struct lab lab;
    fill(&lab.pin, 30, true);
    fill(&lab.shown, 10, false);
    CHECK(!(lab_gain(&lab, STAGE_SCAN) > 0)); /* nothing is pinned */
    lab.pinned = true;
    CHECK(is_near(lab_gain(&lab, STAGE_SCAN), 3) && is_near(lab_gain(&lab, LAB_FRAME), 3));
    CHECK(!(lab_gain(&lab, STAGE_COMPACT) > 0)); /* it has no time */
    CHECK(!(lab_gain(&lab, STAGE_FUSED) > 0));   /* the stages have made the surface */
    lab.shown.fused = lab.pin.fused = true;
    CHECK(!lab_series(&lab.shown, STAGE_SCAN) && lab_series(&lab.shown, STAGE_FUSED));
    CHECK(!(lab_gain(&lab, STAGE_FUSED) > 0)); /* the textbook has no fused rung: "none" takes no time */
}

static void test_markdown(void)
{
    static struct lab lab;
    char text[8192];
    fill(&lab.shown, 10, false);
    lab_markdown(&lab, text, sizeof text);
    CHECK(strstr(text, "ball, 2 x 3 x 4 voxels, isovalue 80.5: 7 triangles, on cpu\n"));
    CHECK(strstr(text, "| scan | threads | 1 | 10 | 10 | 10 | 10 | 1 | 0.1 |"));
    CHECK(strstr(text, "| frame |  | 1 | 20 |") && !strstr(text, "| compact |") && !strstr(text, "pinned"));
    fill(&lab.pin, 25, true);
    lab.pinned = true;
    lab_markdown(&lab, text, sizeof text);
    CHECK(strstr(text, " textbook | 25 | 2.5 |\n") && strstr(text, "\n\nPinned: ball, 2 x 3 x 4 voxels"));
    size_t bars = 0, lines = 0;
    for (const char *at = strchr(text, '|'); at && *at; at++) bars += *at == '|', lines += *at == '\n';
    CHECK(lines && bars == 14 * lines); /* each row has the same columns */
    lab_markdown(&lab, text, 100);      /* short of memory, it is cut */
    CHECK(strlen(text) < 100);
}

static unsigned count_rows(const char *path, const char *what)
{
    char line[256], wanted[64];
    unsigned count = 0;
    FILE *file = fopen(path, "r");
    snprintf(wanted, sizeof wanted, ",%s,", what);
    while (file && fgets(line, sizeof line, file)) count += strstr(line, wanted) != NULL;
    if (file) fclose(file);
    return count;
}

/* Each time is a row once, also after its series was cleared. */
static void test_log(void)
{
    char path[] = "/tmp/isoscope_log_XXXXXX";
    struct err err = { 0 };
    struct lab_log log;
    static struct lab_times times;
    const int made = mkstemp(path);
    CHECK(made >= 0 && lab_log_open(&log, path, 0, &err)); /* it is there: nothing is written over */
    if (made >= 0) close(made);
    unlink(path);
    if (!CHECK(!lab_log_open(&log, path, 0, &err))) return;
    fill(&times, 10, false);
    CHECK(!lab_log_add(&log, &times, 1, &err) && count_rows(path, "scan") == 1);
    CHECK(!lab_log_add(&log, &times, 2, &err) && count_rows(path, "scan") == 1);
    for (int i = 0; i < 3; i++) series_add(&times.live.stage[STAGE_SCAN], i);
    CHECK(!lab_log_add(&log, &times, 3, &err) && count_rows(path, "scan") == 4);
    times.live.stage[STAGE_SCAN] = (struct series){ .count = 0 };
    CHECK(!lab_log_add(&log, &times, 4, &err) && count_rows(path, "scan") == 4);
    for (int i = 0; i < 2; i++) series_add(&times.live.stage[STAGE_SCAN], 7 + i);
    CHECK(!lab_log_add(&log, &times, 5, &err) && count_rows(path, "scan") == 6);
    lab_log_close(&log);
    unlink(path);
    lab_log_close(&log); /* once more is fine */
}

int main(void)
{
    test_parts();
    test_forget();
    test_ring();
    test_words();
    test_percentiles();
    test_gain();
    test_markdown();
    test_log();
    return check_summary("frames");
}
