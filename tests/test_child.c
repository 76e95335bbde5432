/* Child processes: their output goes to a file, their input is empty, and a "no" ends them and the processes that they
 * started. */
#include "load_util.h"

#include "child.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

struct counter {
    int steps, last;
};

/* Says "no" at step `last`. */
static bool step(void *context, double fraction)
{
    struct counter *counter = context;
    CHECK(fraction == 0);
    return ++counter->steps < counter->last;
}

static int run(const char *script, const char *log, struct counter *counter, int *status, struct err *err)
{
    const char *const argv[] = { "/bin/sh", "-c", script, NULL };
    const struct progress progress = { counter ? step : NULL, counter };
    *err = (struct err){ 0 };
    return child_run(argv, in_folder(log), &progress, status, err);
}

static void has_text(const char *name, const char *text)
{
    char found[256] = "";
    FILE *file = fopen(in_folder(name), "r");
    if (!CHECK(file != NULL)) return;
    found[fread(found, 1, sizeof found - 1, file)] = 0;
    fclose(file);
    if (!CHECK(!strcmp(found, text))) printf("  it is: %s\n", found);
}

static void test_run(void)
{
    struct counter counter = { 0, 1000 };
    struct stat file;
    struct err err;
    int status = -1;
    check_subject("output");
    CHECK(run("read line; echo \"got $?\"; echo wrong >&2; exit 7", "log", &counter, &status, &err) == ERR_NONE);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    has_text("log", "got 1\nwrong\n"); /* no line to read */
    CHECK(!stat(in_folder("log"), &file) && (file.st_mode & 0777) == 0600);
    CHECK(run("kill -SEGV $$", "log_signal", NULL, &status, &err) == ERR_NONE);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    check_subject("a log that exists");
    CHECK(run("exit 0", "log", NULL, &status, &err) == ERR_FAILED);
    const char *const absent[] = { "/nowhere/program", NULL };
    check_subject("absent");
    CHECK(child_run(absent, in_folder("log_absent"), &(struct progress){ 0 }, &status, &err) == ERR_FAILED);
    CHECK(strstr(err.text, "/nowhere/program cannot be started: ") != NULL);
}

/* The grandchild would write its file after a second. */
static void test_cancel(void)
{
    struct counter counter = { 0, 3 };
    struct err err;
    int status;
    char script[512];
    check_subject("cancelled");
    snprintf(script, sizeof script, "(sleep 1; echo late > '%s/late') & wait", folder);
    CHECK(run(script, "log_cancel", &counter, &status, &err) == ERR_FAILED && !strcmp(err.text, "cancelled"));
    CHECK(counter.steps == 3);
    nanosleep(&(struct timespec){ 1, 500000000 }, NULL);
    CHECK(access(in_folder("late"), F_OK) != 0);
}

static void test_ask(void)
{
    static const char script[] = "read line; echo \"$WORD got $?\"; echo wrong >&2; exit 3";
    const char *const argv[] = { "/bin/sh", "-c", script, NULL };
    struct counter counter = { 0, 2 };
    struct err err = { 0 };
    char answer[64];
    int status = -1;
    check_subject("asked");
    setenv("WORD", "w\xc3\xb6rd", 1);
    CHECK(child_ask(argv, answer, sizeof answer, &(struct progress){ 0 }, &status, &err) == ERR_NONE);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3 && !strcmp(answer, "w\xc3\xb6rd got 1\n"));
    CHECK(child_ask(argv, answer, 5, &(struct progress){ 0 }, &status, &err) == ERR_NONE && strlen(answer) == 4);
    const char *const sleeps[] = { "/bin/sh", "-c", "echo early; sleep 60", NULL };
    CHECK(child_ask(sleeps, answer, sizeof answer, &(struct progress){ step, &counter }, &status, &err) == ERR_FAILED);
    CHECK(!strcmp(err.text, "cancelled") && !answer[0]);
    const char *const absent[] = { "/nowhere/program", NULL };
    CHECK(child_ask(absent, answer, sizeof answer, &(struct progress){ 0 }, &status, &err) == ERR_FAILED);
}

static void write_program(const char *name, mode_t mode)
{
    write_text(name, "#!/bin/sh\n");
    CHECK(chmod(in_folder(name), mode) == 0);
}

static void test_find(void)
{
    char path[PATH_MAX], search[512], expected[512];
    const char *before = getenv("PATH");
    char *kept = strdup(before ? before : "");
    check_subject("PATH");
    CHECK(mkdir(in_folder("a"), 0700) == 0 && mkdir(in_folder("b"), 0700) == 0 && mkdir(in_folder("a/folder"), 0700) == 0);
    write_program("b/tool", 0700);
    write_program("b/folder", 0700);
    snprintf(expected, sizeof expected, "%s/b/tool", folder);
    snprintf(search, sizeof search, "::a:%s/a:%s/b", folder, folder);
    setenv("PATH", search, 1);
    CHECK(child_find(path, "tool") && !strcmp(path, expected));
    CHECK(child_find(path, "folder") && strstr(path, "/b/folder")); /* not the folder of that name */
    CHECK(!child_find(path, "other"));
    CHECK(chdir(in_folder("b")) == 0);
    setenv("PATH", ".:", 1);
    CHECK(!child_find(path, "tool")); /* the current folder is no place for programs */
    unsetenv("PATH");
    CHECK(!child_find(path, "tool"));
    setenv("PATH", kept, 1);
    CHECK(chdir("/") == 0);
    free(kept);
}

int main(void)
{
    if (!make_folder()) return check_summary("test_child");
    test_run();
    test_cancel();
    test_ask();
    test_find();
    remove_folder();
    return check_summary("test_child");
}
