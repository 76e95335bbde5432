/* The process that waits for the check of a rung, and says in one sentence how it ended. */
#include "mine_report.h"

#include "child.h"
#include "text.h"
#include "timing.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct mine_report *mine_report_map(const char *path)
{
    const int file = open(path, O_RDWR | O_CLOEXEC);
    struct stat status;
    if (file < 0) return NULL;
    void *map = MAP_FAILED;
    if (!fstat(file, &status) && status.st_size == (off_t)sizeof(struct mine_report))
        map = mmap(NULL, sizeof(struct mine_report), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return map == MAP_FAILED ? NULL : map;
}

void mine_report_unmap(struct mine_report *report) { munmap(report, sizeof *report); }

static struct mine_report *make_report(const struct mine *mine, const struct mine_request *request, const char *path)
{
    const int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const bool sized = file >= 0 && !ftruncate(file, sizeof(struct mine_report));
    if (file >= 0) close(file);
    struct mine_report *const report = sized ? mine_report_map(path) : NULL;
    if (report) report->backend = mine->backend, report->request = *request, report->waits = getpid();
    return report;
}

/* ---- waiting ------------------------------------------------------------------------------------------------------- */

struct watch {
    const struct mine_report *report;
    const struct progress *outer;
    uint64_t steps; /* last seen */
    double since, limit_ms;
    bool late;
};

static bool step(void *context, double fraction)
{
    struct watch *w = context;
    const uint64_t steps = __atomic_load_n(&w->report->steps, __ATOMIC_ACQUIRE);
    if (steps != w->steps) w->steps = steps, w->since = timing_ms();
    w->late = timing_ms() - w->since > w->limit_ms;
    return !w->late && progress_tell(w->outer, fraction);
}

static int find_limit(double *seconds, struct err *err)
{
    const char *const text = getenv(MINE_LIMIT), *end;
    *seconds = MINE_SECONDS;
    if (!text || !*text || (text_double(text, &end, seconds) && !*end && *seconds > 0)) return ERR_NONE;
    return err_set(err, ERR_USAGE, MINE_LIMIT "=%s: expected a number of seconds above 0", text);
}

/* ---- how it ended -------------------------------------------------------------------------------------------------- */

/* Returns "", or " at CASE". The other process may have written anything there. */
static const char *place(char text[300], const struct mine_report *report)
{
    text[0] = 0;
    if (!report->steps) snprintf(text, 300, " while it was loaded");
    else if (report->where[0]) snprintf(text, 300, " at %.*s", (int)sizeof report->where - 1, report->where);
    return text;
}

static int end_early(const struct mine *mine, const struct mine_report *report, const struct watch *watch, int status,
                     struct err *err)
{
    char at[300];
    place(at, report);
    if (watch->late) {
        err_set(err, ERR_FAILED, "%s was stopped%s: it took more than %g s", mine->name, at, watch->limit_ms / 1e3);
        err_advise(err, "if it is just slow, raise the limit with " MINE_LIMIT);
        return ERR_FAILED;
    }
    if (WIFSIGNALED(status))
        return err_set(err, ERR_FAILED, "%s crashed%s: %s", mine->name, at, strsignal(WTERMSIG(status)));
    return err_set(err, ERR_FAILED, "%s ended its process%s, with exit code %d", mine->name, at, WEXITSTATUS(status));
}

static int judge(struct mine *mine, const struct mine_report *report, struct err *err)
{
    char at[300];
    const int most = (int)sizeof report->why - 1;
    char op[sizeof report->op];
    snprintf(op, sizeof op, "%.*s", (int)sizeof op - 1, report->op);
    mine->cases = report->cases;
    mine->ladder = *op ? ladder_of(op) : NULL;
    if (report->end == MINE_RIGHT && mine->ladder) return ERR_NONE;
    if (report->end == MINE_UNFIT) return err_set(err, ERR_FAILED, "%s: %.*s", mine->name, most, report->why);
    return err_set(err, ERR_FAILED, "%s %s%s: %.*s", mine->name, report->end == MINE_WRONG ? "is wrong" : "failed",
                   place(at, report), most, report->why);
}

/* The other process runs this same program, even if its file has been replaced meanwhile. */
static int run_child(struct mine *mine, const char *path, struct watch *watch, int *status, struct err *err)
{
    char log[PATH_MAX];
    snprintf(log, sizeof log, "%s/rung.txt", mine->folder);
    unlink(log);
    const char *const argv[] = { "/proc/self/exe", MINE_CHILD, mine->library, path, NULL };
    const struct progress progress = { step, watch };
    const int code = child_run(argv, log, &progress, status, err);
    mine_read_said(mine, log, true); /* what it printed before a crash */
    return code;
}

int mine_check(struct mine *mine, const struct mine_request *request, const struct progress *progress, struct err *err)
{
    char path[PATH_MAX];
    int status = 0;
    double seconds;
    if (find_limit(&seconds, err)) return err->code;
    snprintf(path, sizeof path, "%s/report", mine->folder);
    struct mine_report *const report = make_report(mine, request, path);
    if (!report) return err_set(err, ERR_FAILED, "%s: %s cannot be made: %s", mine->name, path, strerror(errno));
    struct watch watch = { report, progress, 0, timing_ms(), 1e3 * seconds, false };
    int code = run_child(mine, path, &watch, &status, err);
    if (watch.late || (!code && (report->end == MINE_UNFINISHED || WIFSIGNALED(status))))
        code = end_early(mine, report, &watch, status, err);
    else if (!code) code = judge(mine, report, err);
    mine_report_unmap(report);
    return code;
}
