/* The rung of --rung-file in the window. A worker compiles and checks it, and does so again whenever the file is saved. If
 * it is right, it becomes its stage's rung. Until then, and after an error, the stage keeps the rung it had. */
#include "app_mine.h"
#include "app.h"
#include "app_actions.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LOOK_MS 300.0 /* between two looks at the file; after a change it is compiled once the next look finds no other */

/* On the worker's thread. */
static bool go_on(void *context, double fraction)
{
    (void)fraction;
    return !worker_is_cancelled(context);
}

static void run(void *job)
{
    struct own *own = job;
    const struct mine_request usual = { .threads = own->threads };
    const struct progress progress = { go_on, &own->worker };
    own->err = (struct err){ 0 };
    if (!mine_build(&own->mine, &progress, &own->err)) mine_check(&own->mine, &usual, &progress, &own->err);
}

static void begin(struct app *app)
{
    struct own *own = &app->own;
    own->busy = true;
    app->notice[0] = '\0'; /* it may say that the last version was right */
    app_log(app, "rung file %s: compiled and checked", own->mine.name);
    worker_start(&own->worker, run, own);
    app_mark(app);
}

int app_open_mine(struct app *app, struct err *err)
{
    struct own *own = &app->own;
    bool unused;
    if (!app->options->rung_file) return ERR_NONE;
    own->threads = app->setup->threads;
    if (mine_open(&own->mine, app->options->rung_file, err) ||
        worker_open(&own->worker, &worker_thread, app_wake, NULL, err))
        return err->code;
    (void)watched_look(&own->seen, own->mine.source, &unused);
    begin(app);
    return ERR_NONE;
}

void app_close_mine(struct app *app)
{
    worker_close(&app->own.worker);
    mine_close(&app->own.mine);
}

/* ---- what it becomes ----------------------------------------------------------------------------------------------- */

static int stage_of(const struct ladder *ladder)
{
    int stage = 0;
    while (stage < STAGE_COUNT && strcmp(stage_name[stage], ladder->op) != 0) stage++;
    return stage;
}

static void take_place(struct app *app)
{
    struct own *own = &app->own;
    const int stage = stage_of(own->mine.ladder);
    if (stage == STAGE_COUNT) {
        err_set(&own->err, ERR_USAGE, "%s is a rung of %s, which is not a stage of the window", own->mine.name,
                own->mine.ladder->op);
        err_advise(&own->err, "try 'isoscope ladder %s --rung-file %s'", own->mine.ladder->op, own->mine.name);
        return;
    }
    if (mine_join(&own->mine, &own->err)) return;
    app_log(app, "rung file %s: right in %llu cases", own->mine.name, (unsigned long long)own->mine.cases);
    const struct rung *rung = ladder_find(own->mine.ladder, own->mine.backend, MINE_NAME);
    if (app->wish.backend == own->mine.backend) app_set_rung(app, (enum stage)stage, rung);
    app_notice(app, "%s: right in %llu %s; %s", own->mine.name, (unsigned long long)own->mine.cases,
               text_word(own->mine.cases, "case", "cases"),
               app->wish.backend == own->mine.backend ? "it is in use" : "it is for the other backend");
}

/* The wish may ask for an older version of this rung, after an undo for instance. Older versions are gone, so the present
 * one takes their place. */
static void renew_wish(struct app *app)
{
    for (int s = 0; s < STAGE_ALL; s++)
        if (mine_is(app->wish.rung[s]))
            app->wish.rung[s] = ladder_find(ladder_of(stage_name[s]), app->wish.backend, MINE_NAME);
}

void app_follow_mine(struct app *app)
{
    struct own *own = &app->own;
    char sentence[ERR_SENTENCE];
    if (!own->worker.executor) return;
    if (own->busy && worker_take(&own->worker)) {
        own->busy = false;
        if (!own->err.code) take_place(app);
        mine_close(&own->mine);
        if (own->err.code) text_say(stderr, "isoscope: %s", err_sentence(&own->err, sentence));
        app_mark(app);
    }
    renew_wish(app);
    if (own->busy || timing_ms() < own->look_at) return;
    bool changed = false;
    own->look_at = timing_ms() + LOOK_MS;
    if (!watched_look(&own->seen, own->mine.source, &changed)) return;
    if (own->changing && !changed) begin(app);
    own->changing = changed;
}

bool app_has_complaint(const struct app *app) { return !app->own.busy && app->own.err.code; }

void app_drop_complaint(struct app *app)
{
    app->own.err.code = ERR_NONE;
    app_log(app, "rung file %s: message closed", app->own.mine.name);
    app_mark(app);
}

double app_mine_wait(const struct app *app)
{
    const struct own *own = &app->own;
    return own->worker.executor && !own->busy ? fmax(0, own->look_at - timing_ms()) : INFINITY;
}
